"""What wrong and correct Subscribers share: a correct one to derive from, and threads.

Nothing here outlives `release()`: threads that wait let go, the shared loop and pools end.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from penstock import Subscription
from penstock.tck import Environment

TOO_LONG = 0.4 * Environment.from_env().timeout
"""Longer than any signal may take, in seconds, also where times are stretched."""


class _Shared:
    """What hanging, pooled and loop-driven implementations use, until it is released."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._loop_thread: threading.Thread | None = None

    def pool(self) -> ThreadPoolExecutor:
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(8, thread_name_prefix="wrong-pool")
            return self._pool

    def loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._loop_thread = threading.Thread(
                    target=self._loop.run_forever, name="wrong-loop", daemon=True
                )
                self._loop_thread.start()
            return self._loop

    def end(self) -> None:
        self.released.set()
        with self._lock:
            pool, loop, thread = self._pool, self._loop, self._loop_thread
            self._pool = self._loop = self._loop_thread = None
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)
        if loop is not None and thread is not None:
            asyncio.run_coroutine_threadsafe(_cancel_others(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


_shared = _Shared()


def release() -> None:
    """Let go of all threads that wait, and start afresh for what comes next."""
    global _shared
    old, _shared = _shared, _Shared()
    old.end()


def hang(seconds: float | None = None) -> None:
    """Wait for ever, or for so many seconds, but not beyond `release()`."""
    _shared.released.wait(seconds)


def released() -> threading.Event:
    """Return the event that the next `release()` sets."""
    return _shared.released


def acquire_or_hang(lock: threading.Lock) -> bool:
    """Wait for a lock, for ever if need be; False if `release()` ended the wait."""
    until = released()
    while not lock.acquire(timeout=0.05):
        if until.is_set():
            return False
    return True


class DeadlockableLock:
    """An RLock; who still waits for it at the next `release()` has its thread ended."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._until = released()

    def __enter__(self) -> None:
        while not self._lock.acquire(timeout=0.05):
            if self._until.is_set():
                raise SystemExit

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def pool() -> ThreadPoolExecutor:
    """Return an executor of several threads."""
    return _shared.pool()


def loop() -> asyncio.AbstractEventLoop:
    """Return an event loop that runs on a thread of its own."""
    return _shared.loop()


def spawn(work: Callable[[], object], after: float = 0.0) -> None:
    """Run `work` on a new thread, after so many seconds."""

    def run() -> None:
        if after:
            hang(after)
        work()

    threading.Thread(target=run, name="wrong-spawned", daemon=True).start()


class Lane:
    """Runs jobs one at a time, in order, on a thread that ends when there are none left."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: deque[Callable[[], object]] = deque()
        self._busy = False

    def put(self, job: Callable[[], object]) -> None:
        with self._lock:
            self._jobs.append(job)
            if self._busy:
                return
            self._busy = True
        spawn(self._run)

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._busy = False
                    return
                job = self._jobs.popleft()
            job()


class OneByOne:
    """A correct synchronous Subscriber: asks for one element, takes it, asks for the next.

    The wrong ones override one of the methods.
    """

    def __init__(self) -> None:
        self.subscription: Subscription | None = None
        self.taken: list[Any] = []
        self.over = False
        self.error: Exception | None = None

    def on_subscribe(self, subscription: Subscription) -> None:
        if subscription is None:
            raise TypeError("on_subscribe(None): rule 2.13")
        if self.subscription is not None or self.over:
            subscription.cancel()
            return
        self.subscription = subscription
        self.start()

    def on_next(self, element: Any) -> None:
        if element is None:
            raise TypeError("on_next(None): rule 2.13")
        if not self.over:
            self.take(element)

    def on_error(self, error: Exception) -> None:
        if error is None:
            raise TypeError("on_error(None): rule 2.13")
        self.error = error
        self.finish()

    def on_complete(self) -> None:
        self.finish()

    def start(self) -> None:
        """What to do with a new subscription."""
        self.ask(1)

    def take(self, element: Any) -> None:
        """What to do with an element."""
        self.taken.append(element)
        self.ask(1)

    def ask(self, n: Any) -> None:
        subscription = self.subscription
        if subscription is not None:
            subscription.request(n)

    def stop(self) -> None:
        """Want no more, whoever calls this."""
        self.over = True
        subscription, self.subscription = self.subscription, None
        if subscription is not None:
            subscription.cancel()

    def finish(self) -> None:
        """Be at the end of the stream."""
        self.over = True
        self.subscription = None


class Batches(OneByOne):
    """A correct one that asks for several elements, and for as many when they are used up."""

    size = 10

    def __init__(self) -> None:
        super().__init__()
        self.open = 0

    def start(self) -> None:
        self.open = self.size
        self.ask(self.size)

    def take(self, element: Any) -> None:
        self.taken.append(element)
        self.open -= 1
        if self.open == 0:
            self.open = self.size
            self.ask(self.size)


class OnCommand(OneByOne):
    """A correct one that asks only when told to, with `more`."""

    def start(self) -> None:
        pass

    def take(self, element: Any) -> None:
        self.taken.append(element)

    def more(self) -> None:
        self.ask(1)


class OnALane(OneByOne):
    """A correct asynchronous one: the signals return at once, a Lane does the rest in order."""

    def __init__(self) -> None:
        super().__init__()
        self.lane = Lane()
        self.ended = False  # seen at once, while what came before may still be queued

    def on_subscribe(self, subscription: Subscription) -> None:
        if subscription is None:
            raise TypeError("on_subscribe(None): rule 2.13")
        self.lane.put(lambda: OneByOne.on_subscribe(self, subscription))

    def on_next(self, element: Any) -> None:
        if element is None:
            raise TypeError("on_next(None): rule 2.13")
        self.lane.put(lambda: OneByOne.on_next(self, element))

    def on_error(self, error: Exception) -> None:
        if error is None:
            raise TypeError("on_error(None): rule 2.13")
        self.ended = True
        self.lane.put(lambda: OneByOne.on_error(self, error))

    def on_complete(self) -> None:
        self.ended = True
        self.lane.put(lambda: OneByOne.on_complete(self))

    def ask(self, n: Any) -> None:
        if not self.ended:
            super().ask(n)

    def stop(self) -> None:
        self.lane.put(self._stop)

    def _stop(self) -> None:
        if not self.ended:
            super().stop()
