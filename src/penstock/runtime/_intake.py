"""The Subscriber that fills a ring."""

from __future__ import annotations

from typing import Any

import penstock
from penstock.api import Subscription
from penstock.runtime._ring import Ring
from penstock.runtime._stalls import StallGuard

__all__ = ["Intake"]


class Intake:
    """Asks for what the ring has room for, from the first demand of anybody on."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self._subscription: Subscription | None = None
        self._asking = False
        ring.on_room = self.settle
        ring.upstream = lambda: self._subscription
        self._guard = StallGuard(ring)

    # The Subscriber's signals.

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Keep the first subscription; cancel any other (rule 2.5)."""
        if subscription is None:
            raise TypeError("rule 2.13: the subscription must not be None")
        ring = self.ring
        with ring.lock:
            welcome = self._subscription is None and not ring.shut and not ring.done
            if welcome:
                self._subscription = subscription
        if welcome:
            self.settle()
        else:
            subscription.cancel()

    def on_next(self, element: Any, /) -> None:
        """Take one element in. One that nobody asked for may have no room; it is reported."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        ring = self.ring
        if not ring.add(element, asked=True) and not ring.done and not ring.shut:
            error = RuntimeError(
                f"rule 1.1: {ring.described()} has no room for an element that it did not ask for"
            )
            penstock.on_dropped_error(error, "on_next")

    def on_error(self, error: Exception, /) -> None:
        """Learn that upstream failed."""
        if error is None:
            raise TypeError("rule 2.13: the error must not be None")
        with self.ring.lock:
            over = self.ring.done or self.ring.shut
            self._subscription = None
        if over:
            penstock.on_dropped_error(error, "a stream that was over")
        self.ring.finish(error)

    def on_complete(self) -> None:
        """Learn that upstream is through."""
        with self.ring.lock:
            self._subscription = None
        self.ring.finish()

    # The demand.

    def settle(self) -> None:
        """Request what there is room for: one thread at a time (rule 2.7). Or cancel."""
        ring = self.ring
        with ring.lock:
            subscription = self._subscription
            if subscription is None or self._asking:
                return
            self._asking = True
        while True:
            with ring.lock:
                over = ring.shut or ring.done
                n = 0 if over else ring.wants()
                if not n:
                    self._asking = False
                    cancels = over and self._subscription is not None
                    if over:
                        self._subscription = None
                    break
                ring.asked += n
            try:
                subscription.request(n)
            except Exception as error:  # noqa: BLE001 - rule 3.16 is broken: upstream failed
                ring.finish(error)
        if cancels:
            try:
                subscription.cancel()
            except Exception as error:  # noqa: BLE001 - rule 3.15 is broken; it is cancelled anyway
                penstock.on_dropped_error(error, "a Subscription's cancel, which must not raise")
        elif ring.waits and ring.hungry:
            self._guard.look()
