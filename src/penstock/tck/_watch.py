"""The Subscriber with which the kit watches a Publisher."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from penstock.api import Subscription
from penstock.tck._raised import raised
from penstock.tck._trial import Trial
from penstock.tck._verdict import CheckOver
from penstock.testing import Probe
from penstock.testing._log import brief

__all__ = ["Watch"]

_BRAKE_AFTER = 1000
"""How many signals a Publisher may send after a rule broke before it is stopped."""


class Watch(Probe[Any]):
    """A probe that judges every signal as it comes, whatever its check is about.

    It sees 1.1, 1.3, 1.7, 1.8, 1.9, 2.12 and 2.13 broken, and 3.15 and 3.16 when it calls
    upstream. `when_subscribed` and `when_next` run inside the signal, on the Publisher's
    thread; `dwell` seconds are spent inside each signal so that a second one can overlap.
    """

    def __init__(
        self,
        trial: Trial,
        name: str = "subscriber",
        *,
        when_subscribed: Callable[[Watch], object] | None = None,
        when_next: Callable[[Watch, Any], object] | None = None,
        dwell: float = 0.0,
    ) -> None:
        super().__init__(timeout=trial.env.timeout, quiet=trial.env.quiet, name=name, log=trial.log)
        self._news = trial.news
        self.trial = trial
        self.when_subscribed = when_subscribed
        self.when_next = when_next
        self.when_ended: Callable[[Watch], object] | None = None
        self.dwell = dwell
        self.subscriptions: list[Subscription] = []
        self.takes_second = False
        """Whether a second on_subscribe is part of the check (R.5)."""
        self.cancels_second = False
        """Whether it cancels a second subscription at once, as rule 2.5 asks."""
        self.takes_surplus = False
        """Whether elements that nobody requested are part of the check (R.6)."""
        self.raised = False
        """Whether this Subscriber has raised on purpose: then nothing may follow (2.13)."""
        self.escaped = False
        """Whether what it raised came back out of a call upstream: allowed, but told."""
        self.threads: set[int] = set()
        self.depth = 0
        self.deepest = 0
        """How deep on_next was nested on one stack, at most (3.3)."""
        self.received = 0
        self.signals = 0
        self.longest_gap = 0.0
        """The longest time between two elements, to know a slow stream from a silent one."""
        self._last_next: float | None = None
        self._owner: int | None = None
        self._nested = 0
        self._inside = ""
        self._cancelled_at: float | None = None
        self._signals_after_breach = 0

    # The four signals.

    def on_subscribe(self, subscription: Subscription, /) -> None:
        if subscription is None:  # pyright: ignore[reportUnnecessaryComparison]
            self.trial.note("2.13", "on_subscribe(None)")
            return
        if not isinstance(subscription, Subscription):  # pyright: ignore[reportUnnecessaryIsInstance]
            self.trial.note("1.9", f"on_subscribe({brief(subscription)}): that is no Subscription")
            return
        self.log.add(self.name, "on_subscribe")
        entered = self._enter("on_subscribe")
        try:
            with self._news:
                first = not self.subscriptions
                self.subscriptions.append(subscription)
                if first:
                    self._subscription = subscription
            if not first and not self.takes_second:
                self.trial.note("2.12", "on_subscribe came a second time from one subscribe")
            elif not first and self.cancels_second:
                self._call("cancel()", "3.5", "3.15", subscription.cancel)
            elif first and self.when_subscribed is not None:
                self.when_subscribed(self)
        finally:
            self._leave(entered)

    def on_next(self, element: Any, /) -> None:
        self.log.add(self.name, f"on_next({brief(element)})")
        entered = self._enter("on_next")
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        try:
            with self._news:
                now = time.monotonic()
                if self._last_next is not None:
                    self.longest_gap = max(self.longest_gap, now - self._last_next)
                self._last_next = now
                self.received += 1
                self._elements.append(element)
                breach = self._judge_next(element)
            if breach is not None:
                self.trial.note(*breach)
            elif self.when_next is not None:
                self.when_next(self, element)
        finally:
            self.depth -= 1
            self._leave(entered)

    def _judge_next(self, element: Any) -> tuple[str, str] | None:
        shown = f"on_next({brief(element)})"
        if not self.subscriptions:
            return "1.9", f"{shown} came before on_subscribe"
        if self._ended is not None:
            return "1.7", f"{shown} came after {self._ended[0]}"
        if element is None:
            return "2.13", "on_next(None): None is never an element"
        if self.raised:
            return "2.13", f"{shown} came after this Subscriber had raised"
        if self.received > self._requested and not self.takes_surplus:
            return "1.1", f"{shown} is element {self.received}, requested were {self._requested}"
        since = self._cancelled_at
        if since is not None and time.monotonic() - since > self.trial.env.timeout:
            return "1.8", f"elements still came {self.trial.env.timeout} s after cancel()"
        return None

    def on_error(self, error: Exception, /) -> None:
        self.log.add(self.name, f"on_error({brief(error)})")
        if error is None:  # pyright: ignore[reportUnnecessaryComparison]
            self.trial.note("2.13", "on_error(None): an error is always an exception")
        elif not isinstance(error, Exception):  # pyright: ignore[reportUnnecessaryIsInstance]
            self.trial.note("1.4", f"on_error({brief(error)}): that is no Exception")
        self._terminal("on_error", error)

    def on_complete(self) -> None:
        self.log.add(self.name, "on_complete")
        self._terminal("on_complete", None)

    def _terminal(self, signal: str, error: Exception | None) -> None:
        entered = self._enter(signal)
        try:
            with self._news:
                before, self._ended = self._ended, self._ended or (signal, error)
                subscribed = bool(self.subscriptions)
            if not subscribed:
                self.trial.note("1.9", f"{signal} came before on_subscribe")
            elif before is not None:
                self.trial.note("1.7", f"{signal} came after {before[0]}")
            elif self.raised:
                self.trial.note("2.13", f"{signal} came after this Subscriber had raised")
            elif self.when_ended is not None:
                self.when_ended(self)
        finally:
            self._leave(entered)

    # One signal at a time (1.3), and an end to runaway streams.

    def _enter(self, signal: str) -> bool:
        me = threading.get_ident()
        with self._news:
            self.trial.tick()
            self.signals += 1
            self.threads.add(me)
            self._brake()
            overlapped = self._inside if self._owner not in (None, me) else ""
            if not overlapped:
                self._owner, self._inside = me, signal
                self._nested += 1
        if overlapped:
            self.trial.note(
                "1.3", f"{signal} came while {overlapped} was still running on another thread"
            )
        if self.dwell:
            time.sleep(self.dwell)
        return not overlapped

    def _leave(self, entered: bool) -> None:
        with self._news:
            if entered:
                self._nested -= 1
                if self._nested == 0:
                    self._owner = None
            self._news.notify_all()

    def _brake(self) -> None:
        closed = self.trial.closed_at
        if closed is None:
            if not self.trial.violations:
                return
        elif time.monotonic() - closed < self.trial.env.timeout:
            return
        self._signals_after_breach += 1
        if self._signals_after_breach > 2 * _BRAKE_AFTER:
            raise SystemExit("a stream went on and on after its check was over")
        if self._signals_after_breach > _BRAKE_AFTER:
            raise CheckOver("this stream's check is over; stop signalling")

    # Calls upstream: whatever they raise is noted and goes no further.

    def request(self, n: Any = 1) -> None:
        subscription = self._subscription
        if subscription is None:
            return
        self.log.add(self.name, f"request({brief(n)})")
        with self._news:
            if isinstance(n, int) and not isinstance(n, bool) and n > 0:
                self._requested += n
        self._call(f"request({brief(n)})", "3.4", "3.16", lambda: subscription.request(n))

    def cancel(self) -> None:
        subscription = self._subscription
        if subscription is None:
            return
        self.log.add(self.name, "cancel()")
        self._call("cancel()", "3.5", "3.15", subscription.cancel)
        with self._news:
            self._cancelled = True
            self._cancelled_at = self._cancelled_at or time.monotonic()
            self._news.notify_all()

    def _call(
        self, what: str, if_it_hangs: str, if_it_raises: str, call: Callable[[], object]
    ) -> None:
        try:
            with self.trial.calling(what, if_it_hangs):
                self.trial.gave(what, call())
        except CheckOver:
            pass
        except RecursionError:
            self.trial.note("3.3", f"{what} ended in a RecursionError")
        except BaseException as error:  # noqa: BLE001 - SystemExit, too, must not come out of it
            if self.raised:
                self.escaped = True
            else:
                self.trial.note(if_it_raises, f"{what} raised {raised(error)}")

    # What a check asks.

    @property
    def ended(self) -> bool:
        """Whether a terminal signal has come."""
        return self._ended is not None

    @property
    def cancelled(self) -> bool:
        """Whether cancel() was called and has returned."""
        return self._cancelled

    @property
    def over(self) -> bool:
        """Whether nothing more is to be cleaned up here."""
        return self._ended is not None or self._cancelled or self._subscription is None

    def is_subscribed(self) -> bool:
        """Wait for on_subscribe, and return whether it came."""
        return self.trial.wait_until(lambda: bool(self.subscriptions))

    def await_subscription(self) -> None:
        """Wait for on_subscribe; rule 1.9 is broken if it doesn't come."""
        if not self.is_subscribed():
            self.trial.fail("no on_subscribe came after subscribe()", "1.9")

    def reaches(self, n: int) -> bool:
        """Wait for `n` elements in all or the end, and return whether either came."""
        return self.trial.wait_until(lambda: self.received >= n or self.ended, renew=True)

    def await_elements(self, n: int, rule: str = "3.8") -> list[Any]:
        """Wait for `n` elements in all; `rule` is broken if they don't come.

        A stream that completes early is allowed to (rule 1.2): the check is skipped.
        """
        self.reaches(n)
        if self.received >= n:
            return self.elements
        if self.completed:
            self.trial.skip(f"completed after {self.received} elements; this check needs {n}")
        if self.error is not None:
            self.trial.fail(
                f"on_error({brief(self.error)}) came instead of element {self.received + 1}", rule
            )
        self.trial.fail(f"of {self._requested} requested elements only {self.received} came", rule)

    def await_something(self) -> None:
        """Wait for an element or a terminal signal, if one comes."""
        self.trial.wait_until(lambda: self.received > 0 or self.ended, renew=True)

    def await_length(self, n: int) -> None:
        """Wait for a terminal signal, or an element more than `n`, if one comes soon."""
        self.trial.wait_until(
            lambda: self.ended or self.received > n, self.trial.env.quiet, renew=True
        )

    def await_end(self, rule: str | None = None) -> None:
        """Wait for a terminal signal; `rule`, or the check's own, is broken if none comes."""
        if not self.trial.wait_until(lambda: self.ended, renew=True):
            self.trial.fail("no on_complete and no on_error came", rule)
