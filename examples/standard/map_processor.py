"""A processor that maps: a subscriber of what comes in, a publisher of what goes out.

Read `range_publisher.py` and `sync_subscriber.py` first: this is both. Either side may act
at any time, on any thread, also from inside our calls to it. All it does is to leave a note;
one drain makes all calls, in both directions. So the signals downstream are serial (rule 1.3),
the calls upstream are (2.7), and no two synchronous neighbours can recurse (3.3).

What was requested upstream and has not been sent on is never more than `buffer_size`; this
window opens with the first demand (R.6). Completion waits for the buffer to empty. An error
waits for nothing but what was demanded before it came; the rest is dropped (R.7).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from threading import Event, RLock
from typing import Generic, TypeVar

import penstock
from penstock import UNBOUNDED, Processor, Subscriber, Subscription

__all__ = ["MapProcessor"]

T = TypeVar("T")
R = TypeVar("R")


class MapProcessor(Processor[T, R], Generic[T, R]):
    """Sends `fn(element)` for each element to one subscriber; any other is rejected.

    If `fn` raises or returns None, upstream is cancelled and downstream gets the error. The
    two sides may be connected in any order; what came before the subscriber is kept for it.
    Raises `ValueError` for a `buffer_size` below 1.
    """

    def __init__(self, fn: Callable[[T], R], buffer_size: int = 16) -> None:
        if buffer_size < 1:
            raise ValueError(f"buffer_size must be at least 1, not {buffer_size}")
        self._fn = fn
        self._window = buffer_size
        self._lock = RLock()  # re-entrant for finalisers and signal handlers that cancel
        self._busy = False  # the token: somebody is draining
        self._upstream: Subscription | None = None  # None: there is none to be called
        self._on_the_way = 0
        self._buffer: deque[T] = deque()
        self._ended = False  # nothing more comes in
        self._error: Exception | None = None
        self._downstream: Subscriber[R] | None = None
        self._greeted = False  # on_subscribe was sent
        self._asked = False  # it has demanded something
        self._demand = 0
        self._over = False  # nothing more goes out

    def on_subscribe(self, subscription: Subscription) -> None:
        """Keep the first subscription, if there is still use for it; cancel any other."""
        if subscription is None:
            raise TypeError("rule 2.13: the subscription must not be None")
        with self._lock:
            welcome = self._upstream is None and not self._ended and not self._over
            if welcome:
                self._upstream = subscription
        if not welcome:
            subscription.cancel()  # rule 2.5
        self._drain()

    def on_next(self, element: T) -> None:
        """Keep `element`, also if it was not asked for, as long as there is room."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        with self._lock:
            if self._ended or self._over:
                return  # it was on its way when we cancelled (rule 2.8)
            self._on_the_way = max(0, self._on_the_way - 1)
            full = len(self._buffer) >= self._window
            if not full:
                self._buffer.append(element)
        if full:
            self._end(RuntimeError("rule 1.1: upstream sent what was not requested"), failed=True)
        self._drain()

    def on_error(self, error: Exception) -> None:
        """End with `error`, without waiting for demand."""
        if error is None:
            raise TypeError("rule 2.13: the error must not be None")
        self._end(error)
        self._drain()

    def on_complete(self) -> None:
        """End once the buffer is empty."""
        self._end(None)
        self._drain()

    def subscribe(self, subscriber: Subscriber[R]) -> None:
        """Send to `subscriber`, if it is the first. Raises `TypeError` for None (rule 1.9)."""
        if subscriber is None:
            raise TypeError("rule 1.9: the subscriber must not be None")
        with self._lock:
            welcome = self._downstream is None and not self._over
            if welcome:
                self._downstream = subscriber
        if welcome:
            self._drain()
        else:
            _reject(subscriber)

    def _request(self, n: int) -> None:
        mistake = _mistake(n)
        with self._lock:
            if self._over or self._error is not None:
                return  # rule 3.6; and what is demanded now comes after the error
            if mistake is None:
                self._asked = True
                self._demand = min(self._demand + n, UNBOUNDED)
        if mistake is not None:
            self._end(mistake, failed=True)
        self._drain()

    def _cancel(self) -> None:
        with self._lock:
            # Keep the names: a last reference must not die, and run user code, in the lock.
            _forgotten, self._downstream = self._downstream, None
            _dropped, self._buffer = self._buffer, deque()
            error, self._error = self._error, None
            self._over = True
        if error is not None:
            penstock.on_dropped_error(error, "MapProcessor, which was cancelled")
        self._drain()

    def _end(self, error: Exception | None, *, failed: bool = False) -> None:
        """Note the end of the input: upstream's doing, or a failure of our own."""
        with self._lock:
            if failed:
                self._demand = 0  # nothing goes out but the error, and upstream is cancelled
            else:
                _forgotten, self._upstream = self._upstream, None  # rules 2.3 and 2.4
            if not self._over and (failed or not self._ended):
                self._ended = True
                error, self._error = self._error, error
        if error is not None:  # it came too late, or the failure has taken its place
            penstock.on_dropped_error(error, "MapProcessor, which was over already")

    def _drain(self) -> None:
        """Make the calls that are due, one at a time, unless somebody is at it."""
        with self._lock:
            if self._busy:
                return
            self._busy = True
        interrupt: BaseException | None = None
        while (step := self._next_step()) is not None:
            try:
                step()
            except Exception as error:  # noqa: BLE001 - fn or, against the rules, a neighbour
                self._end(error, failed=True)
            except BaseException as error:  # noqa: BLE001 - on_error takes Exceptions only
                failure = RuntimeError(f"MapProcessor was stopped by {type(error).__name__}")
                failure.__cause__ = error
                self._end(failure, failed=True)
                if isinstance(error, KeyboardInterrupt | SystemExit):
                    interrupt = error  # somebody wants the program to end, once we are tidy
        if interrupt is not None:
            raise interrupt

    def _next_step(self) -> Callable[[], None] | None:
        """Decide which call is due; give the token back if there is none."""
        with self._lock:
            upstream, downstream, error = self._upstream, self._downstream, self._error
            if upstream is not None and (self._ended or self._over):
                self._upstream = None
                return lambda: upstream.cancel()  # noqa: PLW0108 - look up outside
            if downstream is not None:
                if not self._greeted:
                    self._greeted = True
                    return self._greet
                if self._buffer and self._demand > 0:
                    if self._demand < UNBOUNDED:
                        self._demand -= 1
                    return partial(self._map, self._buffer.popleft())
                if self._ended and (error is not None or not self._buffer):
                    dropped, self._buffer = self._buffer, deque()
                    self._downstream, self._error, self._over = None, None, True
                    return lambda: _finish(downstream, error, len(dropped))
            room = self._window - len(self._buffer) - self._on_the_way
            if upstream is not None and self._asked and room >= (self._window + 1) // 2:
                self._on_the_way += room
                return lambda: upstream.request(room)
            self._busy = False
            return None

    def _greet(self) -> None:
        link = _Link(self._request, self._cancel)
        self._send(lambda downstream: downstream.on_subscribe(link))

    def _map(self, element: T) -> None:
        result = self._fn(element)
        if result is None:
            raise TypeError("rule 2.13: the function of this MapProcessor returned None")
        self._send(lambda downstream: downstream.on_next(result))

    def _send(self, signal: Callable[[Subscriber[R]], None]) -> None:
        """Send one signal, if the subscriber did not cancel; if it raises, it gets no other."""
        downstream = self._downstream  # read once: a cancel may take it away any time
        if downstream is not None:
            try:
                signal(downstream)
            except BaseException:
                self._cancel()  # so nobody is left to take the error, and _end reports it
                raise


class _Link(Subscription):
    """The subscription of the one subscriber: leads to private methods of the processor."""

    def __init__(self, request: Callable[[int], None], cancel: Callable[[], None]) -> None:
        self._request = request
        self._cancel = cancel

    def request(self, n: int) -> None:
        self._request(n)

    def cancel(self) -> None:
        self._cancel()


def _finish(downstream: Subscriber[R], error: Exception | None, dropped: int) -> None:
    if error is None:
        downstream.on_complete()
        return
    if dropped:
        error.add_note(f"elements dropped because nobody had asked for them: {dropped}")
    downstream.on_error(error)


def _reject(subscriber: Subscriber[R]) -> None:
    """Send on_subscribe and on_error, as subscribe may not raise (rule 1.9).

    But not the error to one that cancels: it has another subscription already (rule 2.5), and
    would take the error for the end of that.
    """
    cancelled = Event()
    try:
        subscriber.on_subscribe(_Link(lambda _n: None, cancelled.set))
        if not cancelled.is_set():
            subscriber.on_error(RuntimeError("this MapProcessor serves one subscriber only"))
    except Exception as error:  # noqa: BLE001 - rule 2.13: it can't be told itself
        penstock.on_dropped_error(error, "MapProcessor, whose subscriber raised")


def _mistake(n: object) -> ValueError | None:
    """Say what is wrong with a request for `n`, if anything is (rules 3.9 and R.10)."""
    if isinstance(n, int) and not isinstance(n, bool) and n >= 1:
        return None
    return ValueError(f"rule 3.9: request takes an int of at least 1, not this {type(n).__name__}")
