"""A row of the latest elements of all inputs, for each element of any."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._inputs import WINDOW, Turns, close_all, elements, forget
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._stage_names import MISSING

__all__ = ["COMBINE_LATEST"]


class CombineLatest:
    """All inputs take turns, an iterable with one element."""

    name = "combine_latest"
    awaits = False

    def open(self, node: Node, pump: Pump) -> CombineLatestHead:
        """Return a head over all inputs."""
        heads = [child(one, pump, WINDOW) for one in (node.up, *node.arguments)]
        return CombineLatestHead(pump, heads)


class CombineLatestHead:
    """Goes round the inputs that are not through."""

    __slots__ = ("_heads", "_iterators", "_latest", "_pump", "_round", "_wanting")

    def __init__(self, pump: Pump, heads: list[Head]) -> None:
        self._pump = pump
        if any(isinstance(head, Inlet) for head in heads):
            heads = [head if isinstance(head, Inlet) else Turns(pump, head, 1) for head in heads]
        self._heads: dict[int, Head] = dict(enumerate(heads))
        self._round = deque(self._heads)
        self._latest: list[Any] = [MISSING] * len(heads)
        self._wanting = set(self._heads)
        """The inputs that have given nothing yet; there are no rows before."""
        self._iterators: dict[int, Iterator[Any]] = {}

    def next(self) -> Any:
        """Return the rows that the next element, or what came in, makes."""
        turns = self._round
        for i in list(turns):
            turns.rotate(-1)
            batch = self._batch(i, self._heads[i])
            if batch is None:
                if self._through(i):
                    return None
            elif batch is not EMPTY:
                return self._rows(i, batch)
        return EMPTY if turns else None

    def _batch(self, i: int, head: Head) -> Any:
        if isinstance(head, Inlet):
            return head.next()
        held = bool(self._wanting) and i not in self._wanting
        if isinstance(head, Turns):
            head.held = held
        if held:
            return EMPTY  # it can wait for the others, and need not be used up
        if isinstance(head, Turns):
            return head.next()
        iterator = self._iterators.get(i)
        if iterator is None:
            iterator = self._iterators[i] = elements(head, sliced=self._pump.sliced)
        x = next(iterator, MISSING)
        return None if x is MISSING else (x,)

    def _rows(self, i: int, batch: Iterator[Any]) -> Iterator[tuple[Any, ...]]:
        latest, wanting = self._latest, self._wanting
        for x in batch:
            latest[i] = x
            wanting.discard(i)
            if not wanting:
                yield tuple(latest)

    def _through(self, i: int) -> bool:
        """Forget an input that has ended, and return whether there can't be any more rows."""
        self._round.remove(i)
        head = self._heads.pop(i)
        forget(self._pump, head)
        head.close()
        return i in self._wanting

    def ended(self) -> bool:
        """Return whether all inputs have ended, or one without having given anything."""
        ended = [i for i, head in self._heads.items() if head.ended()]
        return len(ended) == len(self._heads) or not self._wanting.isdisjoint(ended)

    def close(self) -> None:
        """Close the inputs that are not through."""
        heads = list(self._heads.values())
        self._heads.clear()
        close_all(heads)


COMBINE_LATEST = CombineLatest()
