"""A correct Processor to derive from: it passes elements on, through a buffer.

What it does is decided under its lock and done without it. One thread at a time signals
downstream, and one at a time requests upstream: whoever finds `busy`, or `asking`, free.
They are two, since a synchronous upstream may send elements for as long as `request` runs.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

import penstock
from penstock import UNBOUNDED, Subscription
from tests.tck.wrong._sub_base import Lane

Job = Callable[[], Any]
End = tuple[str, Any]

COMPLETE: End = ("on_complete", None)


def bad(n: Any) -> ValueError | None:
    """What is wrong with a request for `n`, if anything is."""
    if isinstance(n, int) and not isinstance(n, bool) and n > 0:
        return None
    return ValueError(f"request({n!r}): rule 3.9 asks for an int of at least 1")


class Line:
    """The Subscription of one Subscriber."""

    def __init__(self, processor: Any, subscriber: Any) -> None:
        self.processor = processor
        self.subscriber = subscriber
        self.greeted = False
        self.demand = 0
        self.error: Exception | None = None

    def request(self, n: Any) -> None:
        self.processor.requested(self, n)

    def cancel(self) -> None:
        self.processor.cancelled(self)


class Dead:
    """The Subscription of a Subscriber that is turned away, or comes after the end."""

    def __init__(self) -> None:
        self.cancelled = False

    def request(self, n: Any) -> None:
        pass

    def cancel(self) -> None:
        self.cancelled = True


def turn_away(subscriber: Any, end: End) -> None:
    dead = Dead()
    subscriber.on_subscribe(dead)
    if not dead.cancelled:
        tell(subscriber, end)


def tell(subscriber: Any, end: End) -> None:
    name, error = end
    if error is None:
        getattr(subscriber, name)()
    else:
        getattr(subscriber, name)(error)


class Identity:
    """A correct Processor for one Subscriber, which asks `window` elements ahead."""

    def __init__(self, window: int) -> None:
        self.lock = threading.RLock()
        self.window = window
        self.up: Subscription | None = None
        self.asked = 0  # of upstream, and still to come
        self.wanted = False  # whether anything was ever demanded from below
        self.end: End | None = None  # how upstream ended
        self.buffer: deque[Any] = deque()
        self.line: Line | None = None
        self.left: End | None = None  # what those hear who come after the first
        self.busy = False
        self.asking = False

    # The upper side.

    def on_subscribe(self, subscription: Subscription) -> None:
        if subscription is None:
            raise TypeError("on_subscribe(None): rule 2.13")
        with self.lock:
            welcome = self.up is None and self.end is None and self.left is None
            if welcome:
                self.up = subscription
        if welcome:
            self.wake()
        else:
            subscription.cancel()

    def on_next(self, element: Any) -> None:
        if element is None:
            raise TypeError("on_next(None): rule 2.13")
        with self.lock:
            self.arrived(element)
        self.wake()

    def on_error(self, error: Exception) -> None:
        if error is None:
            raise TypeError("on_error(None): rule 2.13")
        self.ended(("on_error", error))

    def on_complete(self) -> None:
        self.ended(COMPLETE)

    def arrived(self, element: Any) -> None:
        self.asked = max(0, self.asked - 1)
        if self.left is None:
            self.buffer.append(element)

    def ended(self, end: End) -> None:
        with self.lock:
            self.end = self.end or end
            self.up = None
        self.wake()

    # The lower side.

    def subscribe(self, subscriber: Any) -> None:
        if subscriber is None:
            raise TypeError("subscribe(None): rule 1.9")
        with self.lock:
            if self.left is not None:
                answer: End | None = self.left
            elif self.line is not None:
                answer = "on_error", RuntimeError("this processor has its one Subscriber")
            else:
                answer = None
                self.line = self.new_line(subscriber)
        if answer is None:
            self.wake()
        else:
            self.guard(partial(turn_away, subscriber, answer))

    def new_line(self, subscriber: Any) -> Line:
        return Line(self, subscriber)

    def requested(self, line: Line, n: Any) -> None:
        with self.lock:
            if self.line is not line:
                return
            error = bad(n)
            if error is None:
                self.add(line, n)
                self.wanted = True
            else:
                line.error = line.error or error
        self.wake()

    def add(self, line: Line, n: int) -> None:
        line.demand = min(line.demand + n, UNBOUNDED)

    def cancelled(self, line: Line) -> None:
        with self.lock:
            if self.line is not line:
                return
            self.close(("on_error", RuntimeError("the Subscriber of this processor has left")))
        self.wake()

    def close(self, left: End) -> None:
        """Forget the Subscriber; `left` is what those hear who come later."""
        self.left = left
        if self.line is not None:
            self.line.subscriber = None
        self.line = None
        self.buffer.clear()

    # What is to be done next, decided with the lock held.

    def next_signal(self) -> Job | None:
        line = self.line
        if line is None:
            return None
        subscriber = line.subscriber
        if not line.greeted:
            line.greeted = True
            return partial(subscriber.on_subscribe, line)
        if line.error is not None:
            return self.last_signal(("on_error", line.error))
        if self.buffer and self.may_emit(line):
            return self.emit(subscriber, line)
        if self.end is not None and self.may_end():
            return self.last_signal(self.end)
        return None

    def may_emit(self, line: Line) -> bool:
        return line.demand > 0

    def emit(self, subscriber: Any, line: Line) -> Job:
        line.demand -= 1
        return partial(subscriber.on_next, self.buffer.popleft())

    def may_end(self) -> bool:
        return not self.buffer or (self.end is not None and self.end[1] is not None)

    def last_signal(self, end: End) -> Job:
        if end[1] is not None and self.buffer:
            end[1].add_note(f"{len(self.buffer)} elements dropped")
        subscriber = self.line.subscriber if self.line else None
        self.close(end)
        return partial(tell, subscriber, end)

    def next_request(self) -> Job | None:
        up = self.up
        n = self.lacks() if self.wanted and self.left is None else 0
        if up is None or n <= 0:
            return None
        self.asked += n
        return partial(up.request, n)

    def due_cancel(self) -> Job | None:
        up = self.up
        if up is None or self.left is None:
            return None
        self.up = None
        return up.cancel

    def lacks(self) -> int:
        """How many elements to ask for: when half of the window is free, for all of it."""
        free = self.window - len(self.buffer) - self.asked
        return free if 2 * free >= self.window else 0

    # Done without the lock.

    def wake(self) -> None:
        """Do all there is to do, but for what another thread does already."""
        self.signal()
        with self.lock:
            cancel = self.due_cancel()
        if cancel is not None:
            self.guard(cancel)
        self.ask()

    def signal(self) -> None:
        with self.lock:
            if self.busy:
                return
            self.busy = True
        try:
            while self.signal_one():
                pass
        except BaseException:
            self.busy = False
            raise

    def signal_one(self) -> bool:
        with self.lock:
            job = self.next_signal()
            if job is None:
                self.busy = False
                return False
        self.guard(job)
        return True

    def ask(self) -> None:
        with self.lock:
            if self.asking:
                return
            self.asking = True
        while True:
            with self.lock:
                job = self.next_request()
                if job is None:
                    self.asking = False
                    return
            self.guard(job)

    def guard(self, job: Job) -> None:
        """Do it. A Subscriber that raises is let go (2.13)."""
        try:
            job()
        except BaseException as error:
            line = self.line
            if line is not None:
                self.cancelled(line)
            if not isinstance(error, Exception):
                raise
            penstock.on_dropped_error(error, "a processor's Subscriber or its upstream")


class LockStep(Identity):
    """A correct one that asks upstream for just what is demanded from below."""

    def lacks(self) -> int:
        demand = 0 if self.line is None else self.line.demand
        return demand - self.asked - len(self.buffer)


class Elsewhere(Identity):
    """A correct one that does all its work on threads of its own, which end when idle."""

    def __init__(self, window: int) -> None:
        super().__init__(window)
        self.lane = Lane()

    def wake(self) -> None:
        self.lane.put(super().wake)
