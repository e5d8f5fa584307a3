"""Inlets that take in all there is, demanded or not, and stay within a bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.api import UNBOUNDED
from penstock.flow._overflow import Overflow
from penstock.runtime._compile import EMPTY, INPUT
from penstock.runtime._fed import Fed
from penstock.runtime._inlet import Inlet
from penstock.runtime._iterables import SLICE
from penstock.runtime._node import Node
from penstock.runtime._notes import note
from penstock.runtime._pump import Pump
from penstock.runtime._scale import scale_of
from penstock.runtime._waiting import Waiting

__all__ = ["BUFFER", "CONFLATE", "DROP_NEWEST", "DROP_OLDEST", "LATEST", "PREFETCH"]


class Buffering(Inlet):
    """Requests all there is at the first demand, and keeps what the policy says."""

    __slots__ = (
        "_emitted_before",
        "_failure",
        "_loops",
        "_node",
        "_scale",
        "_taken_before",
        "waiting",
    )

    def __init__(self, node: Node, pump: Pump, waiting: Waiting) -> None:
        super().__init__(pump, UNBOUNDED)
        self._node = node
        self._failure: BaseException | None = None
        self._loops = pump.lease is not None and pump.lease.budget is not None
        self._scale = scale_of(pump)
        self._emitted_before = self._taken_before = 0
        self.waiting = waiting
        self.buffer = waiting.elements  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]

    def on_next(self, element: Any, /) -> None:
        """Take one element in, or drop one."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        if self._failure is not None or self.pump.halted:
            # Upstream may hold the thread on which this would be closed.
            if self._subscription is not None:
                self._cancel(self._subscription)
            return
        waiting, pump = self.waiting, self.pump
        upstream = self._subscription
        beside = isinstance(upstream, Pump) and upstream.lease is pump.lease
        asked = self._on_the_way() if beside and self._loops else 0
        if not waiting.put(element, asked) and waiting.overflow is Overflow.ERROR:
            self._fail(waiting.overflown(self._node.op.name))
            return
        self.dropped = waiting.dropped
        if beside and pump.idle == INPUT:
            # Upstream goes on without a break: who waits for an element is given it now, or
            # it would lose its place to the next one.
            pump.wake_here()
        elif pump.idle:
            self.arrived()

    def _on_the_way(self) -> int:
        """Return how many are asked for, and on their way as soon as the loop has its turn.

        On an event loop upstream may have a turn of SLICE elements before that.
        """
        pump, taken = self.pump, self.waiting.taken - self._taken_before
        asked = (pump.requested - self._emitted_before) * self._scale - taken
        return max(0, min(SLICE, asked))

    def _fail(self, error: BaseException) -> None:
        """End the stream. The pump closes this inlet then, which cancels upstream."""
        note(error, self._node)
        self._failure = error
        self.pump.alarm = error
        self.pump.wake()

    def next(self) -> Any:
        """Return what waits, EMPTY if nothing does, None if nothing will."""
        done = self.done  # before the buffer: what came in, came before the end
        waiting = self.waiting
        self._taken_before, self._emitted_before = waiting.taken, self.pump.emitted
        self.high = waiting.high
        if waiting.elements:
            return waiting.some()
        if self._failure is not None:
            raise self._failure
        if done:
            if self.error is not None:
                raise self.error
            return None
        self._ask()
        return EMPTY

    def ready(self) -> bool:
        """Return whether `next` has something new to say."""
        return bool(self.waiting.elements) or self.done or self._failure is not None

    def ended(self) -> bool:
        """Return whether upstream is through and all of it was taken."""
        return self.done and self.error is None and not self.waiting.elements


class Conflating(Buffering):
    """Makes one element of the one that waits and the one that comes."""

    __slots__ = ("_combine",)

    def __init__(self, node: Node, pump: Pump) -> None:
        super().__init__(node, pump, Waiting(1, Overflow.LATEST))
        self._combine: Callable[[Any, Any], Any] = node.arguments[0]

    def on_next(self, element: Any, /) -> None:
        """Take one element in, and have it combined with what waits."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        # The pump may take what waits at any time; what we have taken out is ours alone.
        for waiting in self.waiting.some():
            try:
                element = self._combined(waiting, element)
            except BaseException as error:  # noqa: BLE001 - it is the stream's, not upstream's
                self._fail(error)
                return
        super().on_next(element)

    def _combined(self, waiting: Any, element: Any) -> Any:
        element = self._combine(waiting, element)
        if element is None:
            raise TypeError(
                f"{self._node.described()} made None, and None is never an element (rule 2.13)"
            )
        return element


BUFFER = Fed("buffer", lambda node, pump: Buffering(node, pump, Waiting(*node.arguments)))
CONFLATE = Fed("conflate", Conflating)
DROP_NEWEST = Fed(
    "drop_newest",
    lambda node, pump: Buffering(node, pump, Waiting(node.arguments[0], Overflow.DROP_NEWEST)),
)
DROP_OLDEST = Fed(
    "drop_oldest",
    lambda node, pump: Buffering(node, pump, Waiting(node.arguments[0], Overflow.DROP_OLDEST)),
)
LATEST = Fed("latest", lambda node, pump: Buffering(node, pump, Waiting(1, Overflow.LATEST)))
PREFETCH = Fed("prefetch", lambda node, pump: Inlet(pump, node.arguments[0]))
