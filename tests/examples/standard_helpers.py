"""What the tests of `examples/standard` share: its path, a recording subscriber, loops."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[2] / "examples" / "standard"
sys.path.insert(0, str(EXAMPLES))

DEADLINE = 20.0


def wait_until(condition: Callable[[], object], what: str = "condition") -> None:
    """Poll `condition` until it holds; fail at the deadline."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {DEADLINE} s: {what}")
        time.sleep(0.001)


class Recorder:
    """A subscriber that records its signals and notices overlapping or misplaced ones."""

    def __init__(
        self,
        first: int = 0,
        then: int = 0,
        on_element: Callable[[Recorder, Any], None] | None = None,
        on_start: Callable[[Recorder], None] | None = None,
    ) -> None:
        self.first, self.then = first, then
        self.on_element, self.on_start = on_element, on_start
        self.subscription: Any = None
        self.elements: list[Any] = []
        self.error: BaseException | None = None
        self.completed = 0
        self.errors = 0
        self.faults: list[str] = []
        self.depth = 0
        self.deepest = 0
        self.threads: set[int] = set()
        self.ended = threading.Event()
        self._inside = threading.Lock()
        self._owner: int | None = None

    @contextmanager
    def _signal(self, name: str) -> Iterator[None]:
        me = threading.get_ident()
        self.threads.add(me)
        mine = self._owner == me
        if not mine and not self._inside.acquire(blocking=False):
            self.faults.append(f"{name} overlaps another signal (rule 1.3)")
            yield
            return
        self._owner = me
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        if self.ended.is_set():
            self.faults.append(f"{name} after the end (rule 1.7)")
        if name != "on_subscribe" and self.subscription is None:
            self.faults.append(f"{name} before on_subscribe (rule 1.9)")
        try:
            yield
        finally:
            self.depth -= 1
            if not mine:
                self._owner = None
                self._inside.release()

    def on_subscribe(self, subscription: Any) -> None:
        with self._signal("on_subscribe"):
            if self.subscription is not None:
                self.faults.append("a second on_subscribe (rule 2.12)")
            self.subscription = subscription
            if self.on_start:
                self.on_start(self)
            if self.first:
                subscription.request(self.first)

    def on_next(self, element: Any) -> None:
        with self._signal("on_next"):
            self.elements.append(element)
            if self.on_element:
                self.on_element(self, element)
            if self.then:
                self.subscription.request(self.then)

    def on_error(self, error: Exception) -> None:
        with self._signal("on_error"):
            self.error = error
            self.errors += 1
        self.ended.set()

    def on_complete(self) -> None:
        with self._signal("on_complete"):
            self.completed += 1
        self.ended.set()

    def wait(self) -> None:
        assert self.ended.wait(DEADLINE), "no end within the deadline"

    def check(self, elements: list[Any] | None = None, *, error: type | None = None) -> None:
        """Wait for the end and check that it is the expected one, and the signals lawful."""
        self.wait()
        assert self.faults == []
        assert self.completed + self.errors == 1
        if error is None:
            assert self.error is None
        else:
            assert type(self.error) is error
        if elements is not None:
            assert self.elements == elements


class ManualSubscription:
    """A subscription that records its calls, and whether two of them overlapped."""

    def __init__(self, dwell: float = 0.0) -> None:
        self.dwell = dwell
        self.requests: list[int] = []
        self.cancels = 0
        self.overlaps = 0
        self.inside = threading.Event()  # a call has begun: stays set, or a late look would miss it
        self._lock = threading.Lock()

    def request(self, n: int) -> None:
        self._call(lambda: self.requests.append(n))

    def cancel(self) -> None:
        self._call(lambda: setattr(self, "cancels", self.cancels + 1))

    def _call(self, call: Callable[[], object]) -> None:
        if not self._lock.acquire(blocking=False):
            self.overlaps += 1
            call()
            return
        try:
            self.inside.set()
            time.sleep(self.dwell)  # give another thread time to come in: not a wait for one
            call()
        finally:
            self._lock.release()


class Source:
    """A sync and async iterator that records how it is used, and by which threads."""

    def __init__(self, *elements: Any, error: BaseException | None = None) -> None:
        self.elements, self.error = list(elements), error
        self.pulls = self.closes = 0
        self.closed = threading.Event()
        self.threads: set[str] = set()

    def __call__(self) -> Source:
        return self

    def __iter__(self) -> Source:
        return self

    __aiter__ = __iter__

    def next(self, end: type[Exception]) -> Any:
        assert not self.closed.is_set()
        self.threads.add(threading.current_thread().name)
        self.pulls += 1
        if self.elements:
            return self.elements.pop(0)
        raise self.error or end

    def __next__(self) -> Any:
        return self.next(StopIteration)

    async def __anext__(self) -> Any:
        return self.next(StopAsyncIteration)

    def close(self) -> None:
        self.threads.add(threading.current_thread().name)
        self.closes += 1
        self.closed.set()

    async def aclose(self) -> None:
        await asyncio.sleep(0)
        self.close()


class LoopThread:
    """An event loop on a thread of its own."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, name="test-loop")
        self.thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def settle(self) -> None:
        """Return when what was ready on the loop has run, a few rounds of it."""

        async def rounds() -> None:
            for _ in range(5):
                await asyncio.sleep(0)

        asyncio.run_coroutine_threadsafe(rounds(), self.loop).result(DEADLINE)

    def tasks(self) -> int:
        async def count() -> int:
            return len(asyncio.all_tasks()) - 1

        return asyncio.run_coroutine_threadsafe(count(), self.loop).result(DEADLINE)

    def close(self) -> None:
        """Cancel what is left, as `asyncio.run` does, and close the loop."""
        if self.loop.is_closed():
            return

        async def end() -> None:
            rest = asyncio.all_tasks() - {asyncio.current_task()}
            for task in rest:
                task.cancel()
            await asyncio.gather(*rest, return_exceptions=True)
            await asyncio.get_running_loop().shutdown_asyncgens()

        asyncio.run_coroutine_threadsafe(end(), self.loop).result(DEADLINE)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(DEADLINE)
        self.loop.close()
