"""A Publisher that a test drives by hand."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from operator import methodcaller
from typing import Generic, TypeVar

from penstock.api import UNBOUNDED, Subscriber, Subscription
from penstock.testing._log import SignalLog, brief
from penstock.testing._party import Party, amount, is_valid_request
from penstock.testing._subscriptions import ManualSubscription, reject

__all__ = ["ManualPublisher"]

T = TypeVar("T")


class ManualPublisher(Party, Generic[T]):
    """A Publisher for one Subscriber that sends what a test tells it to, when it is told.

    It keeps all rules of a Publisher: to send more than was requested, or anything after
    the end, raises `AssertionError` instead. Signals are sent on the calling thread, one
    at a time: one that another thread is still in is waited for. What the Subscriber
    raises comes back to the caller; then nothing more is sent to it. It is kept until the
    stream has ended or, once it has cancelled, until what was in demand has been sent.

    Each `expect_…` waits up to `timeout` seconds and raises `AssertionError`, with the log
    of all signals, if what it waits for does not come. On an event loop's thread, wait in
    `await asyncio.to_thread(publisher.expect_request)`, so that the loop can go on.

        publisher = ManualPublisher[str]()
        publisher.subscribe(subscriber)
        publisher.expect_request(2)
        publisher.emit("a", "b")
        publisher.expect_no_request()
        publisher.complete()
    """

    def __init__(
        self,
        *,
        timeout: float = 1.0,
        quiet: float = 0.1,
        name: str = "publisher",
        log: SignalLog | None = None,
    ) -> None:
        """Make a publisher that waits for its Subscriber.

        `timeout` is how many seconds to wait for what is expected, `quiet` for what is
        not; several parties may share a `log`.
        """
        super().__init__(timeout=timeout, quiet=quiet, name=name, log=log)
        self._subscriber: Subscriber[T] | None = None
        self._taken = False
        self._requests: deque[int] = deque()
        self._requested: int = 0
        self._sent: int = 0
        self._cancelled = False
        self._ended = False
        self._raised = False
        self._mistake: ValueError | None = None
        # Who is inside a signal, and how deep (rule 1.3).
        self._turn: int | None = None
        self._depth = 0
        self._under_way = ""

    def subscribe(self, subscriber: Subscriber[T], /) -> None:
        """Take the first Subscriber; reject any further one with `on_error(RuntimeError)`.

        Raises `TypeError` for None.
        """
        if subscriber is None:  # pyright: ignore[reportUnnecessaryComparison]
            raise TypeError("subscribe(None): pass a Subscriber (rule 1.9)")
        with self._news:
            rejected, self._taken = self._taken, True
            if not rejected:
                self._subscriber = subscriber
                self._begin("on_subscribe")
        if rejected:
            self.log.add(self.name, "rejects a further Subscriber")
            reject(subscriber)
        else:
            subscription = self._make_subscription()
            self._signal("on_subscribe", subscriber, methodcaller("on_subscribe", subscription))

    def _make_subscription(self) -> Subscription:
        return ManualSubscription(self._on_request, self._on_cancel)

    # What the Subscriber sends.

    def _on_request(self, n: int) -> None:
        self.log.add(self.name, f"got request({brief(n)})")
        wrong = not is_valid_request(n)
        with self._news:
            if self._cancelled or self._ended or self._raised:
                return
            if wrong:
                self._mistake = self._mistake or ValueError(
                    f"request({brief(n)}): rule 3.9 asks for an int of at least 1"
                )
            else:
                self._requested = min(self._requested + n, UNBOUNDED + self._sent)
                self._requests.append(n)
                self._news.notify_all()
        if wrong:
            self._answer_mistake()

    def _on_cancel(self) -> None:
        self.log.add(self.name, "got cancel()")
        with self._news:
            # Named, so that a last reference does not die, and run user code, in the lock.
            _subscriber = self._subscriber
            self._cancelled = True
            self._forget_if_over()
            self._news.notify_all()

    def _forget_if_over(self) -> None:
        # Not while elements are in demand: they may be on their way. A weak reference would
        # not do, since what a Subscriber is wrapped in may have no other than ours.
        if self._ended or (self._cancelled and self._sent >= self._requested):
            self._subscriber = None

    # What the test sends.

    def emit(self, *elements: T) -> None:
        """Send these elements, one by one; there must be demand for each.

        After a cancellation the elements that were still in demand may be sent (rule 2.8).
        Raises `AssertionError` if there is no demand or the stream is over, `TypeError`
        for None, before any element is sent.
        """
        __tracebackhide__ = True
        if any(element is None for element in elements):
            raise TypeError("emit(None): None is never an element")
        for element in elements:
            self._emit(element, brief(element))

    def _emit(self, element: T, shown: str) -> None:
        __tracebackhide__ = True
        with self._news:
            subscriber = self._receiver(f"emit({shown})")
            if self._sent >= self._requested:
                self._fail(f"emit({shown}): no demand; use expect_request first")
            self._sent += 1
            self._forget_if_over()
            self._begin(f"on_next({shown})")
        self._signal(f"on_next({shown})", subscriber, methodcaller("on_next", element))

    def complete(self) -> None:
        """Send `on_complete`. Raises `AssertionError` if the stream is over."""
        __tracebackhide__ = True
        subscriber = self._finish("complete()", "on_complete")
        self._signal("on_complete", subscriber, methodcaller("on_complete"))

    def error(self, error: Exception) -> None:
        """Send `on_error(error)`.

        Raises `AssertionError` if the stream is over, `TypeError` if it is no Exception.
        """
        __tracebackhide__ = True
        if not isinstance(error, Exception):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"error({brief(error)}): an error is always an Exception")
        shown = brief(error)
        subscriber = self._finish(f"error({shown})", f"on_error({shown})")
        self._signal(f"on_error({shown})", subscriber, methodcaller("on_error", error))

    def _finish(self, call: str, signal: str) -> Subscriber[T]:
        __tracebackhide__ = True
        with self._news:
            subscriber = self._receiver(call)
            self._ended = True
            self._forget_if_over()
            self._begin(signal)
        return subscriber

    def _receiver(self, call: str) -> Subscriber[T]:
        """Wait for the turn to signal and return whom to."""
        __tracebackhide__ = True
        me = threading.get_ident()
        if not self._wait(lambda: self._turn in (None, me)):
            self._give_up(f"{call}: {self._under_way}, sent on another thread, did not return")
        if self._ended:
            self._fail(f"{call}: the stream has ended already (rule 1.7)")
        if self._raised:
            self._fail(f"{call}: the Subscriber has raised, so nothing may follow (rule 2.13)")
        if self._subscriber is None:
            why = "it was cancelled" if self._cancelled else "nobody has subscribed"
            self._fail(f"{call}: nobody to send to, since {why}")
        return self._subscriber

    def _begin(self, signal: str) -> None:
        """Take the turn to signal; the lock is held, so what was decided still holds."""
        self._turn = threading.get_ident()
        self._depth += 1
        self._under_way = signal
        self._news.notify_all()

    def _signal(
        self, signal: str, to: Subscriber[T], send: Callable[[Subscriber[T]], object]
    ) -> None:
        """Send what `_begin` announced, and then what had to wait for it.

        `send` is a methodcaller: unlike a lambda it is no frame in the user's traceback.
        """
        __tracebackhide__ = True
        self.log.add(self.name, f"sends {signal}")
        try:
            send(to)
        except BaseException:
            with self._news:
                self._raised = True
                self._subscriber = None  # `to` still names it
            raise
        finally:
            with self._news:
                self._depth -= 1
                if self._depth == 0:
                    self._turn = None
                    self._news.notify_all()
            self._answer_mistake()

    def _answer_mistake(self) -> None:
        """Answer a wrong request, unless a signal is under way: then after that one."""
        with self._news:
            mistake, subscriber = self._mistake, self._subscriber
            if mistake is None or self._turn is not None:
                return
            self._mistake = None
            if subscriber is None or self._cancelled:
                return
            self._ended = True
            self._forget_if_over()
            signal = f"on_error({brief(mistake)})"
            self._begin(signal)
        self._signal(signal, subscriber, methodcaller("on_error", mistake))

    # What the test can ask.

    @property
    def subscriber(self) -> Subscriber[T] | None:
        """The Subscriber, until its subscription is over."""
        return None if self._cancelled else self._subscriber

    @property
    def demand(self) -> int:
        """How many elements were requested and not yet sent; `UNBOUNDED` at most."""
        with self._news:
            return min(self._requested - self._sent, UNBOUNDED)

    @property
    def requested(self) -> int:
        """How many elements were requested in all."""
        return self._requested

    @property
    def cancelled(self) -> bool:
        """Whether the Subscriber has cancelled."""
        return self._cancelled

    def expect_subscriber(self) -> Subscriber[T]:
        """Return the Subscriber as soon as there is one."""
        __tracebackhide__ = True
        with self._news:
            if not self._wait(lambda: self._taken):
                self._give_up("nobody subscribed")
            subscriber = self.subscriber
        if subscriber is None:
            self._fail("a Subscriber came, but its subscription is over")
        return subscriber

    def expect_request(self, n: int | None = None) -> int:
        """Wait for the next request not looked at yet and return how much it asked for.

        If `n` is given, it must be that much. Requests that break rule 3.9 don't count.
        """
        __tracebackhide__ = True
        wanted = "a request" if n is None else f"request({n})"
        with self._news:
            if not self._wait(lambda: bool(self._requests)):
                self._give_up(f"expected {wanted}, got none")
            asked = self._requests.popleft()
        if n is not None and asked != n:
            self._fail(f"expected {wanted}, got request({brief(asked)})")
        return asked

    def expect_no_request(self, within: float | None = None) -> None:
        """Check that no further request comes within `within` seconds (default: `quiet`)."""
        __tracebackhide__ = True
        with self._news:
            self._wait(lambda: bool(self._requests), self.quiet if within is None else within)
            asked = list(self._requests)
        if asked:
            self._fail(f"expected no request, got request({brief(asked[0])})")

    def expect_cancel(self) -> None:
        """Wait until the Subscriber has cancelled."""
        __tracebackhide__ = True
        with self._news:
            if not self._wait(lambda: self._cancelled):
                self._give_up("expected cancel(), got none")

    def _state(self) -> str:
        with self._news:
            if not self._taken:
                return "nobody has subscribed"
            state = f"requested {amount(self._requested)}, sent {self._sent}"
            over = {"cancelled": self._cancelled, "ended": self._ended, "raised": self._raised}
            return ", ".join([state, *(word for word, holds in over.items() if holds)])
