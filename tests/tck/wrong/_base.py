"""Correct Publishers to derive wrong ones from, and a way out for those that hang.

A `Source` gives each Subscriber a `Stream` of its own: a synchronous one, or one with a
worker. Every decision is made under the stream's lock, every signal is sent outside it, by
one thread at a time. The methods are small so that a wrong one differs in one of them.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident
from typing import Any
from weakref import WeakSet

import penstock
from penstock import UNBOUNDED

FAR_TOO_MANY = 5_000_000
"""After so many elements even a stream that nothing stops comes to its end."""

Signal = tuple[str, Any]


class Generation:
    """What the implementations made between two releases share."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.endings: list[Callable[[], object]] = []
        self.lock = threading.Lock()
        self.pool: ThreadPoolExecutor | None = None


_now = Generation()
_let_go: WeakSet[threading.Thread] = WeakSet()
_at_once = threading.Event()
_at_once.set()


def release() -> None:
    """Let go whatever still hangs, and end all threads, loops and registers of the cases.

    What is made later hangs anew, except on threads that have just been let go: what those
    had still to do must not hold them up again.
    """
    global _now
    old, _now = _now, Generation()
    _let_go.update(set(threading.enumerate()) - {threading.current_thread()})
    old.released.set()
    while old.endings:
        old.endings.pop()()


def released() -> threading.Event:
    """Return what is set when those that hang now must let go."""
    return _at_once if threading.current_thread() in _let_go else _now.released


def at_release(action: Callable[[], object]) -> None:
    """Have `action` called at the next release."""
    _now.endings.append(action)


def hang(seconds: float = 30.0) -> None:
    """Wait as if for ever."""
    released().wait(seconds)


def spawn(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, name="publisher's worker", daemon=True)
    thread.start()
    return thread


def submit(work: Callable[[], object]) -> None:
    """Have a pool of four threads do `work`, if it is not released first."""
    now = _now
    with now.lock:
        if now.pool is None:
            now.pool = ThreadPoolExecutor(4, thread_name_prefix="publisher's pool")
            now.endings.append(lambda pool=now.pool: pool.shutdown(cancel_futures=True))
    with contextlib.suppress(RuntimeError):  # it has been shut down meanwhile
        now.pool.submit(work)


def bad(n: Any) -> ValueError:
    return ValueError(f"request({n!r}): rule 3.9 asks for an int of at least 1")


class Stream:
    """A correct synchronous subscription of the numbers from 0: whoever requests, signals.

    `busy` says that a thread is at it; it takes over the demand that others add meanwhile.
    """

    def __init__(self, elements: int, subscriber: Any, *, fails_at: int | None = None) -> None:
        self.lock = threading.RLock()
        self.released = released()
        self.elements = elements
        self.fails_at = fails_at
        self.subscriber = subscriber
        self.demand = 0
        self.sent = 0
        self.error: Exception | None = None
        self.over = False
        self.faulty = False
        self.busy = True  # with on_subscribe, to begin with

    def start(self) -> None:
        self.signal(self.subscriber.on_subscribe, self)
        self.run()

    # What the Subscriber calls.

    def request(self, n: Any) -> None:
        with self.lock:
            if self.over:
                return
            self.accept(n)
        self.wake()

    def cancel(self) -> None:
        self.give_up()

    # Decisions, made with the lock held.

    def accept(self, n: Any) -> None:
        if type(n) is not int or n < 1:
            self.error = self.error or bad(n)
        else:
            self.add(n)

    def add(self, n: int) -> None:
        self.demand = min(self.demand + n, UNBOUNDED)

    def decide(self) -> Signal | None:
        """Return the next signal and its argument, or None if there is nothing to do."""
        if self.over:
            return None
        if self.error is not None:
            return "on_error", self.error
        if self.at_end():
            return "on_complete", None
        if self.wanted():
            self.take()
            return "on_next", self.sent - 1
        return None

    def at_end(self) -> bool:
        return self.sent == self.elements

    def wanted(self) -> bool:
        return self.demand > 0

    def take(self) -> None:
        self.demand -= 1
        self.sent += 1

    def end(self) -> None:
        self.over = True
        self.subscriber = None

    def idle(self) -> None:
        self.busy = False

    # Signals, sent by one thread at a time and without the lock.

    def wake(self) -> None:
        with self.lock:
            if self.busy:
                return
            self.busy = True
        self.run()

    def run(self) -> None:
        while self.step():
            pass

    def step(self) -> bool:
        with self.lock:
            decided = self.decide()
            if decided is None:
                self.idle()
                return False
            subscriber = self.subscriber
            if decided[0] != "on_next":
                self.end()
        self.deliver(subscriber, *decided)
        return True

    def deliver(self, subscriber: Any, name: str, value: Any) -> None:
        if name == "on_next":
            self.deliver_element(subscriber, value)
            return
        self.closed()
        if name == "on_error":
            self.signal(subscriber.on_error, value)
        else:
            self.signal(subscriber.on_complete)

    def deliver_element(self, subscriber: Any, index: int) -> None:
        try:
            element = self.pull(index)
        except Exception as error:  # noqa: BLE001 - whatever it is, the Subscriber hears of it
            self.fail(subscriber, error)
        else:
            self.signal(subscriber.on_next, element)

    def pull(self, index: int) -> Any:
        if index == self.fails_at:
            raise OSError("the source is broken")
        return index

    def fail(self, subscriber: Any, error: Exception) -> None:
        with self.lock:
            if self.over:
                return
            self.end()
        self.closed()
        self.signal(subscriber.on_error, error)

    def signal(self, method: Callable[..., Any], *args: Any) -> None:
        try:
            method(*args)
        except Exception as error:  # noqa: BLE001 - a Subscriber that raises is faulty (2.13)
            self.faulty = True
            self.give_up()
            penstock.on_dropped_error(error, "a Subscriber that must not raise")
        except BaseException:
            self.faulty = True
            self.give_up()
            raise

    def give_up(self) -> None:
        with self.lock:
            if self.over:
                return
            self.end()
        self.closed()

    def closed(self) -> None:
        """What to do, once and without the lock, when the subscription is over."""


class Worker(Stream):
    """A correct subscription with a thread of its own, which ends with it."""

    def __init__(self, elements: int, subscriber: Any, *, fails_at: int | None = None) -> None:
        super().__init__(elements, subscriber, fails_at=fails_at)
        self.news = threading.Condition(self.lock)
        self.thread: threading.Thread | None = None

    def start(self) -> None:
        self.signal(self.subscriber.on_subscribe, self)
        if not self.over:
            self.thread = spawn(self.run)

    def wake(self) -> None:
        with self.lock:
            self.news.notify_all()

    def end(self) -> None:
        super().end()
        self.news.notify_all()

    def run(self) -> None:
        with contextlib.suppress(SystemExit):  # with which the kit stops runaways
            while not self.over:
                if not self.step():
                    self.rest()

    def rest(self) -> None:
        """Wait until there may be something to do."""
        with self.lock:
            if not self.over and not self.can_go_on():
                self.news.wait(0.05)
            if self.released.is_set():
                self.end()

    def can_go_on(self) -> bool:
        return self.error is not None or self.at_end() or self.wanted()


class Nesting(Stream):
    """Delivers on the spot also from inside a signal, as long as that is at most `depth` deep."""

    depth = 3

    def __init__(self, elements: int, subscriber: Any, *, fails_at: int | None = None) -> None:
        super().__init__(elements, subscriber, fails_at=fails_at)
        self.owner = get_ident()
        self.nested = 1

    def wake(self) -> None:
        me = get_ident()
        with self.lock:
            if self.busy and (self.owner != me or self.nested >= self.depth):
                return
            self.busy, self.owner = True, me
            self.nested += 1
        self.run()

    def idle(self) -> None:
        self.nested -= 1
        self.busy = self.nested > 0


class Source:
    """A correct Publisher, if `stream` makes correct streams."""

    def __init__(self, elements: int, stream: Callable[..., Any] = Stream, **how: Any) -> None:
        self.elements = elements
        self.stream = stream
        self.how = how

    def subscribe(self, subscriber: Any) -> None:
        if subscriber is None:
            raise TypeError("subscribe(None): rule 1.9 asks for a Subscriber")
        self.open(subscriber)

    def open(self, subscriber: Any) -> None:
        self.stream(self.elements, subscriber, **self.how).start()


class Nothing:
    """The subscription of a Subscriber that is turned away."""

    def __init__(self) -> None:
        self.cancelled = False

    def request(self, n: Any) -> None:
        pass

    def cancel(self) -> None:
        self.cancelled = True


def reject(subscriber: Any, why: str) -> None:
    """Turn a Subscriber away as 1.9 and R.5 want it."""
    nothing = Nothing()
    subscriber.on_subscribe(nothing)
    if not nothing.cancelled:
        subscriber.on_error(RuntimeError(why))
