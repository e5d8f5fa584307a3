"""Publishers that differ from the standard: those of rsocket and its `reactivestreams`.

They signal `on_next(value, is_complete)`, and after `is_complete=True` no `on_complete`. They
want everything to happen on the thread of a running event loop. Nothing of them is imported
here: an object tells by its class where it comes from.

What of theirs is made up for:

* `subscribe`, `request` and `cancel` are called on the loop that runs where the flow is
  subscribed to; if none does, on a background loop of penstock's.
* A stream from the network sends an initial number of elements unasked, 2**31 - 1 unless told
  otherwise: it is subscribed to at the first demand, and told that.
* Their `request` takes at most 2**31 - 1; their `cancel` raises before the first request has
  been run; an element after the end, or a second end, is not passed on.
* The end of a local stream whose last element was not flagged is an element that nobody made,
  empty and flagged. A real last element that is empty looks the same.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import RLock
from typing import Any, Final

from penstock.api import UNBOUNDED, Publisher, Subscriber, Subscription

__all__ = ["adapted"]

PACKAGES: Final = frozenset({"rsocket", "reactivestreams"})
MOST: Final = 2**31 - 1
"""More than that at once breaks their connection."""


def adapted(publisher: Publisher[Any]) -> Publisher[Any]:
    """Return what behaves as `publisher` should; itself, unless it is one of rsocket's."""
    for cls in type(publisher).__mro__:
        if cls.__module__.partition(".")[0] in PACKAGES:
            return _Adapted(publisher)
    return publisher


class _Adapted:
    """One of their Publishers, as the standard has it."""

    def __init__(self, publisher: Any) -> None:
        self._publisher = publisher

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        """Greet the subscriber; theirs hears of it at the first request."""
        from penstock.runtime._event_loop import event_loop

        link = _Link(self._publisher, subscriber, event_loop().enter())
        subscriber.on_subscribe(link)


class _Link:
    """Their Subscriber, and our Subscription."""

    def __init__(self, publisher: Any, subscriber: Subscriber[Any], lease: Any) -> None:
        self._publisher = publisher
        self._subscriber: Subscriber[Any] | None = subscriber
        self._lease = lease
        self._theirs: Any = None
        self._lock = RLock()
        self._demand = 0
        self._over = False
        self._cancelled = False
        self._running = False

    # Our Subscription, from any thread.

    def request(self, n: int, /) -> None:
        """Have `n` more asked for, on the loop."""
        with self._lock:
            if self._over:
                return
            self._demand = min(self._demand + n, UNBOUNDED)
        self._schedule()

    def cancel(self) -> None:
        """Have theirs cancelled, on the loop."""
        with self._lock:
            if self._over:
                return
            self._over = self._cancelled = True
            self._subscriber = None
        self._schedule()

    def _schedule(self) -> None:
        with self._lock:
            if self._running:
                return
            self._running = True
        try:
            self._lease.schedule(self._run)
        except RuntimeError as error:  # the loop is closed, and nothing comes from it any more
            failure = error
            self._end(lambda subscriber: subscriber.on_error(failure))

    # On the loop.

    def _run(self) -> None:
        with self._lock:
            self._running = False
            cancelled = self._cancelled
            n, self._demand = min(self._demand, MOST), max(0, self._demand - MOST)
            theirs = self._theirs
        if cancelled:
            self._leave()
            return
        if not n:
            return
        try:
            if theirs is None:
                self._begin(n)
            else:
                theirs.request(n)
        except Exception as error:  # noqa: BLE001 - rules 1.9 and 3.16 are broken: it failed
            failure = error
            self._end(lambda subscriber: subscriber.on_error(failure))

    def _begin(self, n: int) -> None:
        publisher = self._publisher
        initial: Callable[[int], Any] | None = getattr(publisher, "initial_request_n", None)
        if initial is not None:
            initial(n)
        publisher.subscribe(self)
        if initial is None and self._theirs is not None:
            self._theirs.request(n)

    def _leave(self) -> None:
        theirs, self._theirs = self._theirs, None
        if theirs is not None:
            # A turn later, since their cancel needs what their first request begins.
            with suppress(RuntimeError):  # the loop was closed, and all of theirs with it
                self._lease.schedule(lambda: _cancel(theirs))
        self._lease.leave()

    # Their Subscriber.

    def on_subscribe(self, subscription: Subscription) -> None:
        """Keep their Subscription."""
        self._theirs = subscription

    def on_next(self, value: Any, is_complete: bool = False) -> None:
        """Pass an element on, and the end if it was the last one."""
        subscriber = self._subscriber
        if subscriber is None:
            return
        if not (is_complete and _is_empty(value)):
            subscriber.on_next(value)
        if is_complete:
            self.on_complete()

    def on_error(self, exception: Exception) -> None:
        """Pass the error on."""
        self._end(lambda subscriber: subscriber.on_error(exception))

    def on_complete(self) -> None:
        """Pass the end on."""
        self._end(lambda subscriber: subscriber.on_complete())

    def _end(self, tell: Callable[[Subscriber[Any]], object]) -> None:
        with self._lock:
            if self._over:
                return
            self._over = True
            subscriber, self._subscriber = self._subscriber, None
            self._theirs = None
        if subscriber is not None:
            tell(subscriber)
        self._lease.leave()


def _is_empty(value: Any) -> bool:
    if value is None:
        return True
    return getattr(value, "data", value) is None and getattr(value, "metadata", value) is None


def _cancel(theirs: Any) -> None:
    try:
        theirs.cancel()
    except AttributeError:  # it was cancelled before it began, and has nothing to stop
        return
