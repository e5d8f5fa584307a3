"""A chain of operators as a Processor."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import penstock
from penstock.api import Subscriber, Subscription
from penstock.runtime._inlet import Inlet
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["ENTRANCE", "Chain", "Entrance"]

T = TypeVar("T")
R = TypeVar("R")


class Entrance:
    """Where a chain begins: what upstream signals, for the inlet of the one run there is.

    Either side may connect first. Each thing that comes in is noted under the lock, together
    with a look at whether the other side is there: so one of the two passes it on.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._inlet: Inlet | None = None
        self._subscription: Subscription | None = None
        self._greeted = False
        self._over = False
        self._error: Exception | None = None

    def subscribe(self, inlet: Inlet) -> None:
        """Give `inlet` what comes from upstream. Only one run gets it."""
        with self._lock:
            refused = self._inlet is not None and not (self._over and self._inlet.closed)
            if not refused:
                self._inlet = inlet
            subscription, self._subscription = self._subscription, None
            over, error = self._over, self._error
        if refused:
            with self._lock:
                self._subscription = subscription
            inlet.on_error(
                RuntimeError(
                    "a chain of operators is one Processor for one Subscriber, and has had it: "
                    "end the chain with share() to let several subscribe"
                )
            )
            return
        if subscription is not None:
            inlet.on_subscribe(subscription)
        if over:
            _end(inlet, error)

    def on_subscribe(self, subscription: Subscription) -> None:
        """Take the first subscription; cancel any other (rule 2.5)."""
        if subscription is None:
            raise TypeError("rule 2.13: the subscription must not be None")
        with self._lock:
            welcome = not self._greeted and not self._over
            self._greeted = True
            inlet = self._inlet
            if welcome and inlet is None:
                self._subscription = subscription
        if not welcome:
            subscription.cancel()
        elif inlet is not None:
            inlet.on_subscribe(subscription)

    def on_next(self, element: Any) -> None:
        """Pass an element on; one that came before anybody could ask for it is reported."""
        inlet = self._inlet
        if inlet is not None:
            inlet.on_next(element)
            return
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        error = RuntimeError("rule 1.1: an element came before anybody asked for one")
        penstock.on_dropped_error(error, "on_next of a chain of operators")

    def end(self, error: Exception | None) -> None:
        """Pass the end on, now or when somebody is there."""
        with self._lock:
            first = not self._over
            if first:
                self._over = True
                self._error = error
            inlet = self._inlet
            self._subscription = None
        if first and inlet is not None:
            _end(inlet, error)
        elif not first and error is not None:
            penstock.on_dropped_error(error, "a stream that was over")


def _end(inlet: Inlet, error: Exception | None) -> None:
    if error is None:
        inlet.on_complete()
    elif inlet.closed:
        penstock.on_dropped_error(error, "a stream that was over")
    else:
        inlet.on_error(error)


class _EntranceOrigin:
    """What the chain's flow begins with."""

    name = "processor"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Inlet:
        """Return an inlet of the chain's window, which the entrance feeds."""
        entrance, window = node.arguments
        inlet = Inlet(pump, window)
        pump.feed(entrance, inlet)
        return inlet


ENTRANCE = _EntranceOrigin()


class Chain(Generic[T, R]):
    """The Processor that `Flow.processor` returns."""

    def __init__(self, entrance: Entrance, flow: Flow[R]) -> None:
        self._entrance = entrance
        self._flow = flow

    def subscribe(self, subscriber: Subscriber[R], /) -> None:
        """Subscribe to what comes out of the chain. Raises `TypeError` for None.

        If the chain does not share, a second Subscriber is rejected with a `RuntimeError`.
        """
        self._flow.subscribe(subscriber)

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Take the subscription. See `Subscriber`."""
        self._entrance.on_subscribe(subscription)

    def on_next(self, element: T, /) -> None:
        """Take one element in. See `Subscriber`."""
        self._entrance.on_next(element)

    def on_error(self, error: Exception, /) -> None:
        """Learn that upstream failed. See `Subscriber`."""
        if error is None:
            raise TypeError("rule 2.13: the error must not be None")
        self._entrance.end(error)

    def on_complete(self) -> None:
        """Learn that upstream is through. See `Subscriber`."""
        self._entrance.end(None)

    def __repr__(self) -> str:
        return f"<a Processor that ends with {self._flow.described()}>"
