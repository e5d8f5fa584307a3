"""Several inputs, of which the first to signal goes on alone."""

from __future__ import annotations

from typing import Any

from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._inputs import close_all, forget
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

__all__ = ["RACE"]

WINDOW = 256
"""So many elements of an input are under way or wait."""


class Race:
    """The first input to signal wins."""

    name = "race"
    awaits = False

    def open(self, node: Node, pump: Pump) -> RaceHead:
        """Return a head over all inputs."""
        inputs = (node.up, *node.arguments)
        # Not every error ends the stream: those of the losers come too late.
        heads = [child(one, pump, WINDOW, coupled=True, alarms=False) for one in inputs]
        return RaceHead(pump, heads)


class RaceHead:
    """Looks which input has signalled; then it is in nobody's way."""

    __slots__ = ("_heads", "_pump", "_winner")

    def __init__(self, pump: Pump, heads: list[Head]) -> None:
        self._pump = pump
        self._heads = heads
        self._winner: Head | None = None

    def next(self) -> Any:
        """Return what the winner gives."""
        winner = self._winner
        if winner is None:
            winner = self._first(asked=True)
            if winner is None:
                return self._ask()
        return winner.next()

    def _ask(self) -> Any:
        for head in self._heads:
            batch = head.next()
            if batch is not EMPTY:  # it came in just now
                self._win(head)
                return batch
        return EMPTY

    def _first(self, *, asked: bool) -> Head | None:
        """Return the first that has signalled; an iterable does as soon as it is asked."""
        for head in self._heads:
            if head.ready() if isinstance(head, Inlet) else asked or head.ended():
                self._win(head)
                return head
        return None

    def _win(self, winner: Head) -> None:
        self._winner = winner
        losers = [head for head in self._heads if head is not winner]
        self._heads = [winner]
        if isinstance(winner, Inlet):
            winner.alarms = True
            if winner.error is not None:
                self._pump.alarm = winner.error
        for loser in losers:
            forget(self._pump, loser)
        close_all(losers)

    def ended(self) -> bool:
        """Return whether the winner has ended. Raises if an input failed before any signal."""
        winner = self._winner or self._first(asked=False)
        if winner is None:
            return False
        if isinstance(winner, Inlet) and winner.error is not None and not winner.buffer:
            raise winner.error
        return winner.ended()

    def close(self) -> None:
        """Close the winner, or all inputs."""
        close_all(self._heads)


RACE = Race()
