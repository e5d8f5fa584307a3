"""The first elements of all inputs together, then the second ones, and so on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice, zip_longest
from operator import length_hint
from typing import Any

from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._inputs import WINDOW, close_all, elements
from penstock.runtime._iterables import SLICE
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._stage_names import MISSING

__all__ = ["ZIP", "ZIP_STRICT"]


class Zip:
    """Takes one element of each input, in their order."""

    name = "zip"
    awaits = False

    def __init__(self, *, strict: bool) -> None:
        self._strict = strict

    def open(self, node: Node, pump: Pump) -> PulledZip | ZipHead:
        """Return a head over all inputs."""
        heads = [child(one, pump, WINDOW) for one in (node.up, *node.arguments)]
        if any(isinstance(head, Inlet) for head in heads):
            return ZipHead(pump, heads, strict=self._strict)
        return PulledZip(pump, heads, strict=self._strict)


class PulledZip:
    """All inputs are iterables: this is Python's `zip`, which also never takes too much."""

    __slots__ = ("_at_end", "_heads", "_rows", "_sliced", "_strict")

    def __init__(self, pump: Pump, heads: list[Head], *, strict: bool) -> None:
        self._sliced = pump.sliced
        self._heads = heads
        self._strict = strict
        self._rows: Iterator[tuple[Any, ...]] | None = None
        self._at_end = False

    def next(self) -> Any:
        """Return all rows, or some at a time."""
        if self._rows is None:
            iterators = [elements(head, sliced=self._sliced) for head in self._heads]
            self._rows = zip(*iterators, strict=self._strict)
            if not self._sliced:
                self._at_end = True
                return self._rows
            self._rows = chain(self._rows, self._end())
        return None if self._at_end else islice(self._rows, SLICE)

    def _end(self) -> Iterator[Any]:
        self._at_end = True
        yield from EMPTY

    def ended(self) -> bool:
        """Return whether no row can be made any more."""
        ends = [head.ended() for head in self._heads]
        return all(ends) if self._strict else any(ends)

    def close(self) -> None:
        """Close all inputs."""
        close_all(self._heads)


class ZipHead:
    """Some inputs are inlets: as many rows at a time as all of these have elements."""

    __slots__ = (
        "_at_end",
        "_hands",
        "_heads",
        "_inlets",
        "_iterators",
        "_pump",
        "_strict",
        "_used_up",
    )

    def __init__(self, pump: Pump, heads: list[Head], *, strict: bool) -> None:
        self._pump = pump
        self._heads = heads
        self._strict = strict
        self._inlets = [head for head in heads if isinstance(head, Inlet)]
        self._hands: dict[Inlet, Iterator[Any]] = {inlet: iter(EMPTY) for inlet in self._inlets}
        self._iterators: dict[Head, Iterator[Any]] = {}
        self._used_up: set[Head] = set()
        """The iterables that were found to have ended."""
        self._at_end = False

    def next(self) -> Any:
        """Return the rows for which all inlets have an element."""
        if self._at_end:
            return None
        hands = self._hands
        through: list[Inlet] = []
        awaited: list[Inlet] = []
        for inlet in self._inlets:
            if length_hint(hands[inlet]) == 0:
                batch = inlet.next()
                if batch is None:
                    through.append(inlet)
                elif batch is EMPTY:
                    awaited.append(inlet)
                else:
                    hands[inlet] = batch
        if through:
            return self._finished(awaited) if self._strict else None
        if awaited:
            return self._wait_for(awaited)
        return self._rows(min([length_hint(hand) for hand in hands.values()]))

    def _wait_for(self, awaited: list[Inlet]) -> Any:
        for inlet in self._inlets:
            # What it has is not enough for a row, so nothing is delivered before the error.
            if inlet.error is not None:
                raise inlet.error
        # The others have something, which is no news.
        self._pump.inlets = tuple(
            [i for i in self._inlets if i in awaited or (i.asking and not i.ready())]
        )
        return EMPTY

    def _rows(self, n: int) -> Iterator[tuple[Any, ...]]:
        columns = [
            self._hands[head] if isinstance(head, Inlet) else self._iterated(head)
            for head in self._heads
        ]
        if self._strict:
            return self._strict_rows(islice(zip_longest(*columns, fillvalue=MISSING), n))
        return islice(zip(*columns, strict=False), n)

    def _iterated(self, head: Head) -> Iterator[Any]:
        iterator = self._iterators.get(head)
        if iterator is None:
            iterator = elements(head, sliced=self._pump.sliced)
            if not self._strict:
                iterator = chain(iterator, self._end())
            self._iterators[head] = iterator
        return iterator

    def _strict_rows(self, rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
        for row in rows:
            short = [i for i, x in enumerate(row) if x is MISSING]
            if short:
                raise uneven(short, len(row))
            yield row

    def _end(self) -> Iterator[Any]:
        self._at_end = True
        yield from EMPTY

    def _finished(self, awaited: list[Inlet]) -> Any:
        """Check that the others end as well, now that some have."""
        short, long = self._ends(pull=True)
        if long:
            raise uneven(short, len(self._heads))
        return self._wait_for(awaited) if awaited else None

    def _ends(self, *, pull: bool) -> tuple[list[int], list[int]]:
        """Return which inputs have ended, and which certainly have an element left."""
        short: list[int] = []
        long: list[int] = []
        for i, head in enumerate(self._heads):
            if head in self._used_up or head.ended():
                short.append(i)
            elif isinstance(head, Inlet):
                if head.buffer or length_hint(self._hands[head]):
                    long.append(i)
            elif pull and next(self._iterated(head), MISSING) is not MISSING:
                long.append(i)
            elif pull:
                self._used_up.add(head)
                short.append(i)
        return short, long

    def ended(self) -> bool:
        """Return whether no row can be made any more. Raises if they differ and must not."""
        if not self._strict:
            ends = [head.ended() for head in self._heads]
            return any(ends)
        short, long = self._ends(pull=False)
        if short and long:
            raise uneven(short, len(self._heads))
        return len(short) == len(self._heads)

    def close(self) -> None:
        """Close all inputs."""
        close_all(self._heads)


def uneven(short: list[int], inputs: int) -> ValueError:
    """Return the error for inputs of different lengths."""
    those = ", ".join(str(i + 1) for i in short)
    return ValueError(f"zip(strict=True): of {inputs} inputs, {those} ended before the others")


ZIP = Zip(strict=False)
ZIP_STRICT = Zip(strict=True)
