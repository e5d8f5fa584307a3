"""A trial of a Subscriber: makes it, connects it, and has it request."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from penstock.api import Subscriber, Subscription
from penstock.tck._check import Check
from penstock.tck._environment import Environment
from penstock.tck._knobs import Knobs
from penstock.tck._raised import raised
from penstock.tck._trial import Trial
from penstock.tck._upstream import Upstream
from penstock.testing._log import brief

__all__ = ["SubscriberSubject", "SubscriberTrial"]

_ENOUGH = 24
"""How many elements show whether a Subscriber goes on requesting."""
_LARGEST_BATCH = 64
"""Up to how large a first request is used up, to see whether another one follows."""


def _same(i: int) -> Any:
    return i


@dataclass(frozen=True)
class SubscriberSubject:
    """What a Subscriber's author gives: how to make one and, where it needs it, a push.

    `trigger` makes a Subscriber request at least one element, for those that don't by
    themselves; `element` makes the i-th element to feed it; `shut_down` ends its use.
    """

    create: Callable[[], Subscriber[Any]]
    trigger: Callable[[Any], object] | None = None
    element: Callable[[int], Any] = _same
    shut_down: Callable[[Any], object] | None = None


class SubscriberTrial(Trial):
    """What a check of a Subscriber is handed."""

    def __init__(
        self, check: Check, environment: Environment, knobs: Knobs, subject: SubscriberSubject
    ) -> None:
        super().__init__(check, environment, knobs)
        self.subject = subject
        self._made = 0
        self._shut_down: list[Subscriber[Any]] = []

    # Making and connecting.

    def create(self) -> Subscriber[Any]:
        """Have the author's factory make a Subscriber."""
        with self.asking_author("create()"):
            return self.subject.create()

    def subscriber(self) -> Subscriber[Any]:
        """Make a Subscriber that is shut down, if its author says how, when all is over."""
        subscriber = self.create()
        for method in ("on_subscribe", "on_next", "on_error", "on_complete"):
            if not callable(getattr(subscriber, method, None)):
                raise TypeError(f"create() returned {brief(subscriber)}, which has no {method}")
        if self.subject.shut_down is not None:
            self.cleanup(lambda: self._release(subscriber))
        return subscriber

    def _release(self, subscriber: Subscriber[Any]) -> None:
        # What it holds is to be let go. One whose stream is over, or never began, may have
        # nothing to shut down and say so: the checks of 2.6 and R.9 see what it does else.
        with contextlib.suppress(Exception):
            self.shut_down(subscriber)

    def element(self) -> Any:
        """Make the next element."""
        self._made += 1
        with self.asking_author(f"element({self._made - 1})"):
            element = self.subject.element(self._made - 1)
        if element is None:
            raise TypeError(f"element({self._made - 1}) returned None, which is never an element")
        return element

    def connect(
        self, subscriber: Subscriber[Any] | None = None, name: str = "publisher", **how: Any
    ) -> tuple[Subscriber[Any], Upstream]:
        """Connect a Subscriber, or a new one, to a new Upstream, completed when all is over."""
        subscriber = self.subscriber() if subscriber is None else subscriber
        upstream = Upstream(self, name, **how)
        self.cleanup(lambda: self._finish(upstream))
        upstream.connect(subscriber)
        return subscriber, upstream

    def _finish(self, upstream: Upstream) -> None:
        with self.news:
            # Two signals at once would break rule 1.3.
            free = self.news.wait_for(lambda: not upstream.signalling_elsewhere, self.env.timeout)
            over = upstream.over or not free
        if not over:
            upstream.finish()

    def offer(self, subscriber: Subscriber[Any], subscription: Subscription, name: str) -> None:
        """Send `on_subscribe` with a subscription of the kit's; note what it raises."""
        self.log.add(name, "sends on_subscribe")
        try:
            with self.calling("on_subscribe", "2.2"):
                subscriber.on_subscribe(subscription)
        except BaseException as error:  # noqa: BLE001 - whatever it is, it must not have been raised
            self.note("2.13", f"on_subscribe raised {raised(error)}")

    # Having it request and cancel.

    @property
    def can_push(self) -> bool:
        """Whether the Subscriber can be told to request."""
        return self.subject.trigger is not None

    def push(self, subscriber: Subscriber[Any], n: int = 1) -> None:  # noqa: ARG002 - for those who can be told how many
        """Tell the Subscriber to request, if there is a way to."""
        if self.subject.trigger is not None:
            with self.calling("trigger_request(subscriber)", "2.1"):
                self.subject.trigger(subscriber)

    def demand(self, subscriber: Subscriber[Any], upstream: Upstream, n: int = 1) -> bool:
        """Have the Subscriber request until there is demand for `n`, pushing it if need be.

        Returns False if it cancelled instead, or requests no more.
        """
        while True:
            self.stop_if_broken()
            with self.news:
                if upstream.cancelled:
                    return False
                if upstream.demand >= n:
                    return True
                before, missing = upstream.requests, n - upstream.demand
                # One that works elsewhere, in batches, requests when it is through with one.
                patience = self.env.timeout * min(8.0, max(1.0, upstream.unanswered / 8))
            self.push(subscriber, missing)

            def moved(before: int = before) -> bool:
                return upstream.demand >= n or upstream.requests > before or upstream.cancelled

            if not self.wait_until(moved, patience):
                return False

    def enough(self, upstream: Upstream) -> int:
        """Return how many elements to send to see whether it goes on requesting."""
        asked = upstream.demand
        return max(_ENOUGH, asked + 8) if asked <= _LARGEST_BATCH else _ENOUGH

    def feed(
        self,
        subscriber: Subscriber[Any],
        upstream: Upstream,
        n: int,
        *,
        threads: bool = False,
        seconds: float | None = None,
    ) -> bool:
        """Send `n` elements, each when there is demand for it; fewer, if it is very slow.

        No more are sent after `seconds` (`timeout`). With `threads`, each is sent by a thread
        of its own, one after another. Returns False if the Subscriber has cancelled or
        requests no more.
        """
        until = time.monotonic() + (self.env.timeout if seconds is None else seconds)
        for _ in range(n):
            if not self.demand(subscriber, upstream):
                return False
            if time.monotonic() > until:
                break
            if threads:
                self.send_elsewhere(upstream, self.element())
            else:
                upstream.send(self.element())
        return True

    def send_elsewhere(self, upstream: Upstream, element: Any) -> None:
        """Send an element from another thread, and return when that has returned."""
        done = self.on_thread("sender", lambda: upstream.send(element))
        # Longer than the runner waits: it knows how to report a signal that doesn't return.
        if not self.wait_until(done.is_set, 2 * self.env.timeout + 4 * self.env.grace):
            self.skip("on_next did not return")

    @property
    def can_stop(self) -> bool:
        """Whether the Subscriber can be told to cancel."""
        return self.subject.shut_down is not None

    def stop(self, subscriber: Subscriber[Any]) -> None:
        """Bring the Subscriber to cancel; skips if there is no way to."""
        self.shut_down(subscriber)

    def shut_down(self, subscriber: Subscriber[Any]) -> None:
        """Shut the Subscriber down, once; skips if its author did not say how."""
        if self.subject.shut_down is None:
            self.skip("no shut_down was given")
        if any(subscriber is other for other in self._shut_down):
            return
        self._shut_down.append(subscriber)
        with self.calling("shut_down(subscriber)", "2.6"):
            self.subject.shut_down(subscriber)

    # Waiting.

    def stop_if_broken(self) -> None:
        """End the check if a violation was noted."""
        self.wait_until(lambda: not self.violations)

    def settle(self) -> None:
        """Wait until nobody has signalled for a while, but not for ever."""
        until = time.monotonic() + self.env.timeout
        while self.stay_quiet() and time.monotonic() < until:
            pass
