"""A synchronous subscriber: works on each element inside `on_next`, and asks for one more.

Extend it: write `when_next`, and `when_complete` or `when_error` if you care how it ends
(`number_subscriber.py` does). The rest of a subscriber's duties are kept here:

* It asks for one element at a time, so no more than one is ever on its way (rule 2.1).
* It serves one subscription in its life, and cancels any other (2.5).
* Its own failures end the stream, and never reach the publisher as exceptions (2.13).
* It calls its subscription from one thread at a time (2.7), though `shut_down` may come from
  any thread. A lock around those calls would be wrong: `request` may run the publisher,
  and that may run `on_next`, all while others wait for the lock. Instead, whoever wants a
  call writes it down, and the one who holds the token `_calling` makes the calls. A note
  written meanwhile is found when it looks again before it gives the token back.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from threading import RLock
from typing import Generic, TypeVar

import penstock
from penstock import Subscriber, Subscription

__all__ = ["SyncSubscriber"]

T = TypeVar("T")


class SyncSubscriber(Subscriber[T], Generic[T]):
    """A base to extend. The `when_...` methods are called one at a time."""

    def __init__(self) -> None:
        self._lock = RLock()  # re-entrant for finalisers and signal handlers that shut down
        self._subscription: Subscription | None = None
        self._over = False  # ended, failed, cancelled or shut down
        self._asking = 0  # noted: elements to request
        self._calling = False  # the token: somebody is making calls on the subscription

    @abstractmethod
    def when_next(self, element: T) -> bool:
        """Work on `element`; say True for one more, False to cancel.

        Raising cancels as well, and gives the exception to `when_error`.
        """

    def when_complete(self) -> None:
        """Hear that the stream ended well. Does nothing, unless you write it."""

    def when_error(self, error: Exception) -> None:
        """Hear that the stream, or `when_next`, failed. Reports it, unless you write it."""
        penstock.on_dropped_error(error, type(self).__name__)

    def shut_down(self) -> None:
        """Want no more: cancel the subscription (rules 2.6 and R.9). Any thread may call."""
        with self._lock:
            self._over = True
        self._make_calls()

    def on_subscribe(self, subscription: Subscription) -> None:
        """Keep the first subscription and ask for an element; cancel any other."""
        if subscription is None:
            raise TypeError("rule 2.13: the subscription must not be None")
        with self._lock:
            welcome = self._subscription is None and not self._over
            if welcome:
                self._subscription = subscription
                self._asking = 1
        if welcome:
            self._make_calls()
        else:
            self._guard(subscription.cancel)  # rule 2.5

    def on_next(self, element: T) -> None:
        """Give `element` to `when_next`, then ask for one more or cancel."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        with self._lock:
            if self._over:
                return  # it was on its way when we cancelled (rule 2.8)
        more = False
        try:
            more = bool(self.when_next(element))
        except Exception as error:  # noqa: BLE001 - it has to be told to when_error
            self._fail(error, cancel=True)
        finally:  # whatever when_next raised: without a yes, we cancel
            with self._lock:
                if more:
                    self._asking += 1
                else:
                    self._over = True
            self._make_calls()

    def on_error(self, error: Exception) -> None:
        """Learn that the stream failed. Calls nothing on the subscription (rule 2.3)."""
        if error is None:
            raise TypeError("rule 2.13: the error must not be None")
        self._fail(error, cancel=False)

    def on_complete(self) -> None:
        """Learn that the stream ended well. Calls nothing on the subscription (rule 2.3)."""
        self._end(self.when_complete, cancel=False)

    def _fail(self, error: Exception, *, cancel: bool) -> None:
        """End with `error`; if it is too late for that, still report it."""
        if not self._end(lambda: self.when_error(error), cancel=cancel):
            penstock.on_dropped_error(error, f"{type(self).__name__}, which was over already")

    def _end(self, tell: Callable[[], None], *, cancel: bool) -> bool:
        """Be over, cancel or forget the subscription, and `tell` so if that is news."""
        with self._lock:
            news = not self._over
            self._over = True
            if not cancel:  # rule 2.4: it counts as cancelled, so nobody may call it again
                # Keep the name: a last reference must not die in the lock.
                _forgotten, self._subscription = self._subscription, None
        self._make_calls()
        if news:
            self._guard(tell)
        return news

    def _make_calls(self) -> None:
        """Make the calls that were noted, unless somebody is at it: then that one will."""
        with self._lock:
            if self._calling:
                return
            self._calling = True
        try:
            while (call := self._next_call()) is not None:
                self._guard(call)
        except BaseException:  # the program is to end: cancel before it does
            with self._lock:
                self._over = True
                self._calling = False
            self._make_calls()
            raise

    def _next_call(self) -> Callable[[], None] | None:
        """Decide which call is due; give the token back if there is none."""
        with self._lock:
            subscription, n, self._asking = self._subscription, self._asking, 0
            if subscription is not None:
                if self._over:
                    self._subscription = None  # so this is the only cancel, and the last call
                    return lambda: subscription.cancel()  # noqa: PLW0108 - look up outside
                if n:
                    return lambda: subscription.request(n)
            self._calling = False
            return None

    def _guard(self, call: Callable[[], None]) -> None:
        """Let no exception reach the publisher (rule 2.13); report it and be over."""
        try:
            call()
        except Exception as error:  # noqa: BLE001 - there is no other place to report it
            with self._lock:
                self._over = True
            penstock.on_dropped_error(error, type(self).__name__)
