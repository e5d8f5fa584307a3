"""Several inputs at once, each element when it comes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final

from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._inputs import WINDOW, Turns, close_all, elements, forget, parts
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

__all__ = ["MERGE", "TURN", "Merge"]

TURN: Final = 64
"""So many elements are taken from one iterable before it is another one's turn."""


class Merge:
    """All inputs take turns."""

    name = "merge"
    awaits = False

    def inputs(self, node: Node) -> tuple[Any, ...]:
        """Return the inputs in their order."""
        return (node.up, *node.arguments)

    def open(self, node: Node, pump: Pump) -> PulledMerge | MergeHead:
        """Return a head over all inputs."""
        heads = [child(one, pump, WINDOW) for one in parts(node, Merge)]
        if any(isinstance(head, Inlet) for head in heads):
            return MergeHead(pump, heads)
        return PulledMerge(pump, heads)


class PulledMerge:
    """All inputs are iterables."""

    __slots__ = ("_round", "_sliced")

    def __init__(self, pump: Pump, heads: list[Head]) -> None:
        self._sliced = pump.sliced
        self._round: deque[tuple[Head, Iterator[Any] | None]] = deque()
        self._round.extend((head, None) for head in heads)

    def next(self) -> Any:
        """Return a turn of the next iterable."""
        turns = self._round
        if not turns:
            return None
        head, iterator = turns.popleft()
        if iterator is None:
            iterator = chain(elements(head, sliced=self._sliced), self._end())
        turns.append((head, iterator))
        return islice(iterator, TURN)

    def _end(self) -> Iterator[Any]:
        self._round.pop()[0].close()  # it is the last: its turn is not over yet
        yield from EMPTY

    def ended(self) -> bool:
        """Return whether all inputs have ended."""
        ends = [head.ended() for head, _ in self._round]
        return all(ends)  # all of them were asked: one may have failed

    def close(self) -> None:
        """Close the inputs that are not through."""
        heads = [head for head, _ in self._round]
        self._round.clear()
        close_all(heads)


class MergeHead:
    """Some inputs are inlets."""

    __slots__ = ("_pump", "_round")

    def __init__(self, pump: Pump, heads: list[Head]) -> None:
        self._pump = pump
        self._round = deque(
            [head if isinstance(head, Inlet) else Turns(pump, head, TURN) for head in heads]
        )

    def next(self) -> Any:
        """Return what the next input has that has something."""
        turns = self._round
        for _ in range(len(turns)):
            head = turns[0]
            turns.rotate(-1)
            batch = head.next()
            if batch is None:
                turns.remove(head)
                forget(self._pump, head)
                head.close()
            elif batch is not EMPTY:
                return batch
        return EMPTY if turns else None

    def ended(self) -> bool:
        """Return whether all inputs have ended."""
        ends = [head.ended() for head in self._round]
        return all(ends)  # all of them were asked: one may have failed

    def close(self) -> None:
        """Close the inputs that are not through."""
        heads: list[Head] = list(self._round)
        self._round.clear()
        close_all(heads)


MERGE = Merge()
