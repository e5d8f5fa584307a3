"""A segment's head that is an iterable: the elements are pulled, never ahead of demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from operator import length_hint
from typing import Any, Final, cast

from penstock.runtime._compile import EMPTY

__all__ = ["SLICE", "IterableHead", "certainly_empty", "certainly_some", "left"]

SLICE: Final = 256
"""So many elements are taken at a time where others want a turn, or a cancel to be seen."""

_SIZED: Final = frozenset(
    type(iter(empty))
    for empty in cast(
        "tuple[Iterable[Any], ...]",
        ([], (), range(0), range(2**70), "", b"", {}, {0: 0}.values(), {0: 0}.items(), set()),
    )
)
"""Iterators that know without running user code how many elements are left."""


def certainly_empty(iterator: object) -> bool:
    """Return whether nothing is left, as far as can be told without running user code."""
    return type(iterator) in _SIZED and length_hint(iterator) == 0


def left(iterator: object) -> int:
    """Return how many elements are left, -1 if that is not known without running user code."""
    return length_hint(iterator) if type(iterator) in _SIZED else -1


def certainly_some(iterator: object) -> bool:
    """Return whether something is left, and is there already: to take it runs no user code."""
    return type(iterator) in _SIZED and length_hint(iterator) > 0


class IterableHead:
    """Opens its iterable when the first element is asked for, and closes what it opened."""

    __slots__ = (
        "_at_end",
        "_close",
        "_iterator",
        "_open",
        "_rest",
        "_sliced",
        "_sure",
        "refuse",
    )

    def __init__(
        self,
        open_: Callable[[], Iterable[Any]] | None = None,
        *,
        sliced: bool,
        known: Iterable[Any] | None = None,
        close: Callable[[Any], object] | None = None,
    ) -> None:
        self._open = open_
        self._sliced = sliced
        self._sure = known
        """The iterable, if it is of a type of Python's own, so that its length can be asked."""
        self._close = close
        self._iterator: Iterator[Any] | None = None
        self._rest: Iterator[Any] | None = None
        self._at_end = False
        self.refuse: Callable[[], Exception] | None = None
        """Makes the error for a None among the elements, where no loop looks for it."""

    def next(self) -> Any:
        """Return the iterator, or some of it at a time."""
        if self._iterator is None:
            self._iterator = elements = iter(self._opened())
            if self.refuse is not None:
                elements = _without_none(elements, self.refuse)
            if not self._sliced:
                self._at_end = True
                return elements
            self._rest = chain(elements, self._end())
        if self._at_end:
            return None
        return islice(self._rest, SLICE)  # type: ignore[arg-type]

    def _opened(self) -> Iterable[Any]:
        if self._open is not None:
            return self._open()
        return self._sure or EMPTY

    def _end(self) -> Iterator[Any]:
        self._at_end = True
        yield from EMPTY

    def ended(self) -> bool:
        """Return whether it is certain that no element is left."""
        iterator = self._iterator
        if iterator is None:
            return self._sure is not None and len(self._sure) == 0  # type: ignore[arg-type]
        return type(iterator) in _SIZED and length_hint(iterator) == 0

    def close(self) -> None:
        """Close the iterator, if it was made here."""
        iterator, self._iterator, self._rest = self._iterator, None, None
        self._at_end = True
        if iterator is not None and self._close is not None:
            self._close(iterator)


def _without_none(elements: Iterator[Any], refuse: Callable[[], Exception]) -> Iterator[Any]:
    for element in elements:
        if element is None:
            raise refuse()
        yield element
