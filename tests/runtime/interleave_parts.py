"""What the plays are made of: a source, a subscriber and a publisher that notice what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from penstock.api import UNBOUNDED, Subscriber, Subscription
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._wiring import Wiring
from tests.runtime.interleave import Lease, Play

__all__ = ["Hand", "Recorder", "Source", "subscribed"]


class Source:
    """An iterable, run through once: nobody may be in it twice at a time, or close it twice."""

    def __init__(self, play: Play, n: int, *, fails: bool = False) -> None:
        self._play = play
        self._left = iter(range(n))
        self._fails = fails
        self._busy = False
        self.given = 0
        self.closed = 0

    def open(self) -> Source:
        return self

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        self._enter()
        if self.closed:
            self._play.fail("the source was asked after it was closed")
        self._busy = False
        for element in self._left:
            self.given += 1
            return element
        if self._fails:
            raise ValueError("the source")
        raise StopIteration

    def close(self) -> None:
        self._enter()
        self.closed += 1
        self._busy = False
        if self.closed > 1:
            self._play.fail("the source was closed twice")

    def _enter(self) -> None:
        if self._busy:
            self._play.fail("two threads are in the source")
        self._busy = True
        self._play.here("the source")


class Recorder:
    """A Subscriber that ends the play if a rule is broken."""

    def __init__(self, play: Play, first: int = 0, *, more: int = 0) -> None:
        self._play = play
        self._first = first
        self._more = more
        self._busy = False
        self._after_cancel = 0
        self.subscription: Subscription | None = None
        self.asked = 0
        self.got: list[Any] = []
        self.completed = False
        self.error: Exception | None = None
        self.cancelled = False
        self.on_element: Callable[[Any], object] = lambda _: None

    def __repr__(self) -> str:
        end = "completed" if self.completed else f"error {self.error!r}" if self.error else "open"
        return f"{self.got} of {self.asked}, {end}{', cancelled' if self.cancelled else ''}"

    # The test's side.

    def request(self, n: int) -> None:
        assert self.subscription is not None
        self.asked += n
        self.subscription.request(n)

    def cancel(self) -> None:
        assert self.subscription is not None
        self.subscription.cancel()
        self.cancelled = True

    @property
    def ended(self) -> bool:
        return self.completed or self.error is not None

    # The Subscriber's side.

    def on_subscribe(self, subscription: Subscription, /) -> None:
        self.subscription = subscription
        if self._first:
            self.request(self._first)

    def on_next(self, element: Any, /) -> None:
        self._enter("on_next")
        self.got.append(element)
        if len(self.got) > self.asked:
            self._play.fail(f"more than was asked for: {self}")
        self.on_element(element)
        if self._more:
            self.request(self._more)
        self._busy = False

    def on_complete(self) -> None:
        self._enter("on_complete")
        self.completed = True
        self._busy = False

    def on_error(self, error: Exception, /) -> None:
        self._enter("on_error")
        self.error = error
        self._busy = False

    def _enter(self, signal: str) -> None:
        if self._busy:
            self._play.fail(f"{signal} while another signal is handled")
        self._busy = True
        if self.ended:
            self._play.fail(f"{signal} after the end: {self}")
        if self.cancelled:
            # One may have been on its way when the other thread cancelled.
            self._after_cancel += 1
            if self._after_cancel > 1:
                self._play.fail(f"{signal} long after the cancel: {self}")
        self._play.here(signal)


class Hand:
    """A Publisher driven by the play: it gives what was asked for, on its thread.

    It notices two requests at a time (rule 2.7), requests after the cancel, and too many.
    """

    def __init__(self, play: Play, window: int = UNBOUNDED) -> None:
        self._play = play
        self._window = window
        self._busy = False
        self._given = 0
        self.subscriber: Subscriber[Any] | None = None
        self.asked = 0
        self.requests: list[int] = []
        self.cancelled = 0

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        assert self.subscriber is None
        self.subscriber = subscriber
        subscriber.on_subscribe(self)

    # The Subscription.

    def request(self, n: int, /) -> None:
        self._enter()
        if self.cancelled:
            self._play.fail("a request after the cancel")
        self.asked += n
        self.requests.append(n)
        if self.asked - self._given > self._window:
            self._play.fail(f"{self.asked - self._given} are under way, the window is smaller")
        self._busy = False

    def cancel(self) -> None:
        self._enter()
        self.cancelled += 1
        self._busy = False
        if self.cancelled > 1:
            self._play.fail("upstream was cancelled twice")

    def _enter(self) -> None:
        if self._busy:
            self._play.fail("two signals upstream at a time (rule 2.7)")
        self._busy = True
        self._play.here("upstream")

    # What the play's threads call.

    def give(self, *elements: Any) -> None:
        """Give these when they were asked for; stop if it is cancelled."""
        assert self.subscriber is not None
        for element in elements:
            self._play.wait(lambda: self.asked > self._given or self.cancelled)
            if self.cancelled:
                return
            self._given += 1
            self.subscriber.on_next(element)

    def complete(self) -> None:
        if not self.cancelled and self.subscriber is not None:
            self.subscriber.on_complete()

    def error(self, error: Exception) -> None:
        if not self.cancelled and self.subscriber is not None:
            self.subscriber.on_error(error)


class _Noting(Wiring):
    """Keeps all segments that there ever were."""

    def __init__(self, caller: Lease | None, on_left: Callable[[], object]) -> None:
        super().__init__(caller, watched=True, on_left=on_left)
        self.attached: list[Pump] = []

    def attach(self, *arguments: Any, **more: Any) -> Pump:
        pump = super().attach(*arguments, **more)
        self.attached.append(pump)
        return pump


class subscribed:  # noqa: N801 - reads as what it does
    """Subscribes a recorder to a flow, and counts the segments that were left."""

    def __init__(self, flow: Node, recorder: Recorder, caller: Lease | None = None) -> None:
        self.left = 0
        self.wiring = _Noting(caller, self._left)
        self.pump: Pump = self.wiring.attach(flow, recorder, caller)
        self.wiring.finish(self.pump)

    def _left(self) -> None:
        self.left += 1

    @property
    def pumps(self) -> list[Pump]:
        return self.wiring.attached

    def all_left(self) -> None:
        """Every segment is over, and was left once."""
        pumps = self.pumps
        assert all(pump.over for pump in pumps), [pump.origin for pump in pumps if not pump.over]
        assert self.left == len(pumps), f"{self.left} of {len(pumps)} segments were left"
