"""Each element with the latest one of another input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from penstock.api import UNBOUNDED
from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._inputs import WINDOW, Turns, close_all, elements, is_iterable
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._stage_names import MISSING

__all__ = ["WITH_LATEST_FROM", "WITH_LATEST_FROM_BY"]


TURN: Final = 64
"""So many elements of an iterable are taken before others on its resource get their turn."""


class WithLatestFrom:
    """The first input gives the pace, the second one is looked at."""

    name = "with_latest_from"
    awaits = False

    def __init__(self, *, unchecked: bool) -> None:
        self.unchecked = unchecked
        """Whether a function makes the elements."""

    def open(self, node: Node, pump: Pump) -> PulledHead | LatestHead:
        """Return a head over both inputs."""
        other, *fn = node.arguments
        make = fn[0] if fn else _pair
        main = child(node.up, pump, WINDOW)
        if is_iterable(other):
            return PulledHead(main, child(other, pump, WINDOW), make, sliced=pump.sliced)
        inlet = LatestInlet(pump)
        pump.feed(other, inlet)
        if not isinstance(main, Inlet):
            main = Turns(pump, main, TURN)
            main.held = True
        return LatestHead(main, inlet, make)


def _pair(x: Any, latest: Any) -> tuple[Any, Any]:
    return x, latest


class LatestInlet(Inlet):
    """Asks for everything, and keeps what came last."""

    __slots__ = ("latest",)

    def __init__(self, pump: Pump) -> None:
        super().__init__(pump, UNBOUNDED)
        self.latest: Any = MISSING

    def on_next(self, element: Any, /) -> None:
        """Keep the element instead of the one before."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        first = self.latest is MISSING
        self.latest = element
        if first:
            self.pump.wake()

    def ready(self) -> bool:
        """Return False: whoever waits for the first one is woken."""
        return False


class LatestHead:
    """Holds the elements back until the other input has given its first one."""

    __slots__ = ("_main", "_make", "_other")

    def __init__(self, main: Head, other: LatestInlet, make: Callable[[Any, Any], Any]) -> None:
        self._main = main
        self._other = other
        self._make = make

    def next(self) -> Any:
        """Return what is made of the elements that are there."""
        main, other = self._main, self._other
        if other.error is not None:
            raise other.error
        if other.latest is MISSING:
            if isinstance(main, Inlet) and main.done:
                return main.next()  # it was not asked for anything, so this is its end
            return None if main.ended() else other.next()
        if isinstance(main, Turns):
            main.held = False
        batch = main.next()
        return batch if batch is None or batch is EMPTY else self._made(batch)

    def _made(self, batch: Iterator[Any]) -> Iterator[Any]:
        make, other = self._make, self._other
        for x in batch:
            yield make(x, other.latest)

    def ended(self) -> bool:
        """Return whether the first input has ended, or the other without any element."""
        return self._main.ended() or (self._other.latest is MISSING and self._other.ended())

    def close(self) -> None:
        """Close both inputs."""
        close_all([self._main, self._other])


class PulledHead:
    """The other input is an iterable: one element of it for each of the first, till it ends."""

    __slots__ = ("_at_end", "_latest", "_main", "_make", "_other", "_sliced")

    def __init__(
        self, main: Head, other: Head, make: Callable[[Any, Any], Any], *, sliced: bool
    ) -> None:
        self._main = main
        self._other = other
        self._make = make
        self._sliced = sliced
        self._latest: Iterator[Any] | None = None
        self._at_end = False

    def next(self) -> Any:
        """Return what is made of the elements that are there."""
        if self._at_end or self._empty():
            return None
        batch = self._main.next()
        if batch is None or batch is EMPTY:
            return batch
        if self._latest is None:
            self._latest = self._all_latest()
        return self._made(zip(batch, self._latest, strict=False))

    def _made(self, pairs: Iterator[tuple[Any, Any]]) -> Iterator[Any]:
        make = self._make
        for x, latest in pairs:
            yield make(x, latest)

    def _all_latest(self) -> Iterator[Any]:
        latest = MISSING
        for latest in elements(self._other, sliced=self._sliced):
            yield latest
        self._other.close()
        while latest is not MISSING:
            yield latest
        self._at_end = True

    def _empty(self) -> bool:
        return self._latest is None and self._other.ended()

    def ended(self) -> bool:
        """Return whether the first input has ended, or the other without any element."""
        return self._main.ended() or self._empty()

    def close(self) -> None:
        """Close both inputs."""
        close_all([self._main, self._other])


WITH_LATEST_FROM = WithLatestFrom(unchecked=False)
WITH_LATEST_FROM_BY = WithLatestFrom(unchecked=True)
