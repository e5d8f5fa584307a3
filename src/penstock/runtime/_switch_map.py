"""A stream of the latest element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._inner import AsFlow, inner_of, iterable_head
from penstock.runtime._inputs import Turns, close_all, forget, joined
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._stage_names import MISSING

__all__ = ["SwitchMap"]

WINDOW = 16
"""So many elements of the outer stream are under way or wait."""

INNER_WINDOW = 256
"""So many elements of the inner stream are under way or wait."""

TURN = 64
"""So many elements of an iterable are taken before others on its resource get their turn."""


class SwitchMap:
    """A new element ends the stream of the one before."""

    name = "switch_map"
    awaits = False
    unchecked = True

    def __init__(self, as_flow: AsFlow) -> None:
        self._as_flow = as_flow

    def open(self, node: Node, pump: Pump) -> SwitchMapHead:
        """Return a head that makes the inner streams."""
        (fn,) = node.arguments

        def make(element: Any) -> Any:
            return inner_of(fn(element), self.name, self._as_flow)

        return SwitchMapHead(pump, child(node.up, pump, WINDOW), make)


class SwitchMapHead:
    """Looks for a new element before it hands on what the inner stream gives."""

    __slots__ = ("_dry", "_inner", "_make", "_outer", "_pump")

    def __init__(self, pump: Pump, outer: Head, make: Callable[[Any], Any]) -> None:
        self._pump = pump
        self._outer: Head | None = outer if isinstance(outer, Inlet) else Turns(pump, outer, 1)
        self._make = make
        self._inner: Head | None = None
        self._dry = False
        """Whether the inner stream had nothing the last time."""

    def next(self) -> Any:
        """Return what the latest inner stream gives."""
        while True:
            outer = self._outer
            if isinstance(outer, Turns) and self._inner is not None:
                # Its elements are all there already. So that not only the last one counts, an
                # inner stream first gives what it has there and then.
                batch = self._inner.next()
                dry, self._dry = self._dry, batch is EMPTY
                if batch is None:
                    self._leave()
                elif batch is not EMPTY or not dry:
                    return batch
            if outer is not None:
                self._switch(outer)
            inner = self._inner
            if inner is None:
                return EMPTY if self._outer is not None else None
            batch = inner.next()
            if batch is None:
                self._leave()
            elif batch is EMPTY or not isinstance(self._outer, Inlet):
                return batch
            else:
                return self._until_news(batch, self._outer)

    def _switch(self, outer: Head) -> None:
        """Take up the stream of the outer stream's newest element, if there is a new one."""
        newest = MISSING
        while (batch := outer.next()) is not EMPTY:
            if batch is None:
                self._outer = None
                forget(self._pump, outer)
                outer.close()
                break
            for x in batch:
                newest = x
        if newest is MISSING:
            return
        self._leave()
        self._dry = False
        inner = self._make(newest)
        if isinstance(inner, Node):
            self._inner = joined(inner, self._pump, INNER_WINDOW, coupled=True)
        else:
            self._inner = iterable_head(inner, sliced=self._pump.sliced)
        if isinstance(self._outer, Inlet) and not isinstance(self._inner, Inlet):
            self._inner = Turns(self._pump, self._inner, TURN)

    def _leave(self) -> None:
        inner, self._inner = self._inner, None
        if inner is not None:
            forget(self._pump, inner)
            inner.close()

    @staticmethod
    def _until_news(batch: Iterator[Any], outer: Inlet) -> Iterator[Any]:
        buffer = outer.buffer
        for x in batch:
            yield x
            if buffer or outer.error is not None:
                return

    def ended(self) -> bool:
        """Return whether the outer stream has ended, and the last inner one."""
        return (self._inner is None or self._inner.ended()) and (
            self._outer is None or self._outer.ended()
        )

    def close(self) -> None:
        """Close the outer stream and the inner one."""
        heads = [head for head in (self._outer, self._inner) if head is not None]
        self._outer = self._inner = None
        close_all(heads)
