"""The Publisher with which the kit watches a Subscriber."""

from __future__ import annotations

import inspect
import threading
import time
from collections import deque
from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple

from penstock.api import Subscriber, Subscription
from penstock.tck._raised import raised
from penstock.tck._trial import Trial
from penstock.tck._verdict import CheckOver, Deliberate
from penstock.testing import ManualPublisher
from penstock.testing._log import brief

__all__ = ["ForeignSubscription", "Upstream", "UpstreamCall"]

_KEPT_CALLS = 1000
"""How many calls are kept for a check to look at."""
_RENEWING_REQUESTS = 10_000
"""How many requests count as a sign of life; one that goes on requesting for ever is stuck."""
_BRAKE_AFTER = 1000
"""How many calls a Subscriber may make, long after its check is over, before it is stopped."""


class UpstreamCall(NamedTuple):
    """A call that the Subscriber made.

    `inside` says that it came from within a signal, on that signal's thread, and `late`
    that it came after the terminal signal (and not from within it).
    """

    what: str
    thread: int
    caller: CodeType | None
    inside: bool
    late: bool


class Upstream(ManualPublisher[Any]):
    """A publisher driven by hand that judges every call the Subscriber makes.

    It sees 2.3, 2.7 and 3.9 broken, and 2.13 when it signals. `when_requested` and
    `when_cancelled` run inside the call, on the Subscriber's thread; `dwell` seconds are
    spent inside each request so that a second one can overlap.
    """

    def __init__(
        self,
        trial: Trial,
        name: str = "publisher",
        *,
        when_requested: Callable[[Upstream, int], None] | None = None,
        when_cancelled: Callable[[Upstream], None] | None = None,
        dwell: float = 0.0,
        judges_overlaps: bool = True,
    ) -> None:
        super().__init__(timeout=trial.env.timeout, quiet=trial.env.quiet, name=name, log=trial.log)
        self._news = trial.news
        self.trial = trial
        self.when_requested = when_requested
        self.when_cancelled = when_cancelled
        self.dwell = dwell
        self.judges_overlaps = judges_overlaps
        self.requests = 0
        self.cancels = 0
        self.unanswered = 0
        """How many elements were sent since the last request."""
        self.threads: set[int] = set()
        self.calls: list[UpstreamCall] = []
        """The first calls of the Subscriber, in order."""
        self._requesting: int | None = None
        self._nested = 0
        self._signals: list[int] = []
        self._pumps: list[int] = []
        self._ending_on: int | None = None
        self._has_ended = ""
        self._calls_after_all = 0

    # What the Subscriber sends.

    def _on_request(self, n: int) -> None:
        me = threading.get_ident()
        with self._news:
            self.requests += 1
            self.unanswered = 0
            self._take_down(f"request({brief(n)})")
            overlapped = self._requesting not in (None, me)
            if not overlapped:
                self._requesting = me
                self._nested += 1
        try:
            if not isinstance(n, int) or isinstance(n, bool) or n <= 0:  # pyright: ignore[reportUnnecessaryIsInstance]
                self.trial.note("3.9", f"the Subscriber called request({brief(n)})")
                return
            if overlapped and self.judges_overlaps:
                self.trial.note(
                    "2.7", f"request({n}) came while another was running on another thread"
                )
            super()._on_request(n)
            if self.dwell:
                time.sleep(self.dwell)
            if self.when_requested is not None:
                self.when_requested(self, n)
        finally:
            if not overlapped:
                with self._news:
                    self._nested -= 1
                    if self._nested == 0:
                        self._requesting = None

    def _on_cancel(self) -> None:
        with self._news:
            self.cancels += 1
            self._take_down("cancel()")
        super()._on_cancel()
        if self.when_cancelled is not None:
            self.when_cancelled(self)

    def _take_down(self, what: str) -> None:
        """Note a call, with the lock held, and judge it if it comes from a terminal signal."""
        self._brake()
        if self.requests < _RENEWING_REQUESTS:
            self.trial.tick()
        me = threading.get_ident()
        self.threads.add(me)
        ending_here = self._ending_on == me
        if ending_here:
            self.trial.note("2.3", f"{what} was called from inside {self._has_ended}")
        if len(self.calls) < _KEPT_CALLS:
            late = bool(self._has_ended) and not ending_here
            self.calls.append(UpstreamCall(what, me, _caller(), me in self._signals, late))

    def _brake(self) -> None:
        closed = self.trial.closed_at
        if closed is None or time.monotonic() - closed < self.trial.env.timeout:
            return
        self._calls_after_all += 1
        if self._calls_after_all > 2 * _BRAKE_AFTER:
            raise SystemExit("a Subscriber went on and on after its check was over")
        if self._calls_after_all > _BRAKE_AFTER:
            raise CheckOver("this Subscriber's check is over; stop requesting")

    # What the check sends. Whatever the Subscriber raises is noted and goes no further.

    def connect(self, subscriber: Subscriber[Any]) -> None:
        """Send `on_subscribe` to this Subscriber."""
        with self._news:
            self._taken = True
            self._subscriber = subscriber
        self.log.add(self.name, "sends on_subscribe")
        subscription = self._make_subscription()
        self._send("on_subscribe", lambda: subscriber.on_subscribe(subscription))

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        """Be a Publisher, for what wants to subscribe itself."""
        self.connect(subscriber)

    def send(self, element: Any) -> None:
        """Send one element for which there is demand."""
        with self._news:
            subscriber = self._subscriber
            if subscriber is None:
                return
            self._sent += 1
            self.unanswered += 1
        self.log.add(self.name, f"sends on_next({brief(element)})")
        self._send(f"on_next({brief(element)})", lambda: subscriber.on_next(element))

    def pump(self, elements: deque[Any], depth: int = 1) -> None:
        """Send of `elements` what is in demand, as a synchronous Publisher does in `request`.

        Sends nothing while a signal runs on another thread, and never has more than
        `depth` of these on the stack: the outermost goes on until there is no demand.
        """
        me = threading.get_ident()
        with self._news:
            busy = self.signalling_elsewhere or any(thread != me for thread in self._pumps)
            if busy or len(self._pumps) >= depth:
                return
            self._pumps.append(me)
        while True:
            with self._news:
                if not elements or self._requested <= self._sent or self._cancelled or self._ended:
                    # With the lock still held: a request that comes now starts a pump anew.
                    self._pumps.pop()
                    return
                element = elements.popleft()
            self.send(element)

    def finish(self, error: Exception | None = None) -> None:
        """Send `on_complete`, or `on_error(error)`, unless one of them was sent already."""
        with self._news:
            if self._ended:
                return
            subscriber, self._subscriber = self._subscriber, None
            self._ended = True
            self._has_ended = "on_complete" if error is None else "on_error"
            self._ending_on = threading.get_ident()
        try:
            if subscriber is None:
                return
            if error is None:
                self.log.add(self.name, "sends on_complete")
                self._send("on_complete()", subscriber.on_complete)
            else:
                self.log.add(self.name, f"sends on_error({brief(error)})")
                self._send(f"on_error({brief(error)})", lambda: subscriber.on_error(error), error)
        finally:
            with self._news:
                self._ending_on = None

    def _send(self, what: str, call: Callable[[], object], sent: Exception | None = None) -> None:
        me = threading.get_ident()
        with self._news:
            self._signals.append(me)
            self.trial.tick()
        try:
            with self.trial.calling(what, "2.2"):
                self.trial.gave(what, call())
        except BaseException as error:  # noqa: BLE001 - whatever it is, it must not have been raised
            # What the kit's own Subscriber raised behind a Processor is not the Processor's
            # fault; the error that was signalled is, when it comes back.
            if error is sent or not isinstance(error, CheckOver | Deliberate):
                self.trial.note("2.13", f"{what} raised {raised(error)}")
        finally:
            with self._news:
                self._signals.remove(me)
                self._news.notify_all()

    # What a check asks.

    @property
    def over(self) -> bool:
        """Whether nothing more is to be cleaned up here."""
        return self._ended or self._cancelled or not self._taken

    @property
    def ended_with(self) -> str:
        """The terminal signal, or an empty text."""
        return self._has_ended

    @property
    def sent(self) -> int:
        """How many elements were sent."""
        return self._sent

    @property
    def asked(self) -> set[int]:
        """The numbers that were requested."""
        with self._news:
            return set(self._requests)

    @property
    def signalling(self) -> bool:
        """Whether a signal of this publisher is running."""
        return bool(self._signals)

    @property
    def signalling_here(self) -> bool:
        """Whether one is running on this thread."""
        return threading.get_ident() in self._signals

    @property
    def signalling_elsewhere(self) -> bool:
        """Whether one is running on another thread."""
        me = threading.get_ident()
        return any(thread != me for thread in self._signals)

    def wait_cancelled(self) -> bool:
        """Wait until the Subscriber has cancelled, and return whether it did."""
        return self.trial.wait_until(lambda: self.cancelled)

    def await_demand(self, n: int = 1) -> bool:
        """Wait until there is demand for `n` elements or the Subscriber has cancelled.

        Returns whether there is demand.
        """
        self.trial.wait_until(lambda: self.demand >= n or self.cancelled)
        return self.demand >= n and not self.cancelled


def _caller() -> CodeType | None:
    """Return the code that called `request` or `cancel`."""
    frame = inspect.currentframe()
    for _ in range(4):  # here, _take_down, _on_request or _on_cancel, the Subscription's method
        frame = None if frame is None else frame.f_back
    return None if frame is None else frame.f_code


class ForeignSubscription(Subscription):
    """A subscription of no stream at all, which notes what is called on it."""

    def __init__(self, trial: Trial, name: str = "foreign subscription") -> None:
        self.trial = trial
        self.name = name
        self.requests = 0
        self.cancels = 0

    def request(self, n: int, /) -> None:
        """Note the request."""
        self.trial.log.add(self.name, f"got request({brief(n)})")
        with self.trial.news:
            self.requests += 1
            self.trial.tick()

    def cancel(self) -> None:
        """Note the cancellation."""
        self.trial.log.add(self.name, "got cancel()")
        with self.trial.news:
            self.cancels += 1
            self.trial.tick()
