"""What junctions do with their inputs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, Protocol

from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._iterables import IterableHead
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._stage_names import MISSING

__all__ = ["Turns", "close_all", "elements", "forget", "is_iterable", "joined", "parts"]

WINDOW = 64
"""So many elements of one input of a junction are under way or wait."""


def is_iterable(publisher: Any) -> bool:
    """Return whether it is a flow that can be had by iterating."""
    return isinstance(publisher, Node) and publisher.depth > 0


def joined(publisher: Any, pump: Pump, window: int, *, coupled: bool = False) -> Head:
    """Return a head for an input that joins while the segment runs."""
    if is_iterable(publisher):
        return child(publisher, pump, window)
    inlet = Inlet(pump, window, coupled=coupled)
    pump.inlets = (inlet, *pump.inlets)
    pump.wiring.grow(publisher, inlet, pump.caller)
    return inlet


def forget(pump: Pump, head: object) -> None:
    """Have the pump look after this inlet no longer, since it is through."""
    if isinstance(head, Inlet | Turns):
        pump.inlets = tuple([inlet for inlet in pump.inlets if inlet is not head])


def close_all(heads: list[Head]) -> None:
    """Close them all, whichever of them raises. Raises what the first one did."""
    while heads:
        try:
            heads.pop(0).close()
        except BaseException:
            close_all(heads)
            raise


def elements(head: Head, *, sliced: bool) -> Iterator[Any]:
    """Return one iterator over all that a head gives which is never idle."""
    if type(head) is IterableHead:
        first = head.next()
        if not sliced:
            return first  # type: ignore[no-any-return]
        # Opened already, so from here on `next` runs nobody's code that might raise
        # StopIteration, which `iter` would take for the end.
        return chain(first, chain.from_iterable(iter(head.next, None)))
    return _all(head)


def _all(head: Head) -> Iterator[Any]:
    while (batch := head.next()) is not None:
        yield from batch


class Turns:
    """An iterable among inlets: between two turns the pump goes idle for a moment.

    It need never be idle otherwise; then what is to be requested would not be, and segments
    that run on the same resource would not get their turn. It also gives way as soon as
    something has come in.
    """

    __slots__ = ("_gives_way", "_head", "_iterator", "_pump", "_size", "at_end", "held")

    def __init__(self, pump: Pump, head: Head, size: int) -> None:
        self._pump = pump
        self._head = head
        self._size = size
        self._iterator: Iterator[Any] | None = None
        self._gives_way = True  # at first, so that the others are asked before
        self.at_end = False
        self.held = False
        """Whether it isn't to be taken from at present."""
        pump.inlets = (*pump.inlets, self)

    def next(self) -> Any:
        """Return EMPTY, then a turn, and so on; None at the end."""
        if self.at_end:
            return None
        gives_way, self._gives_way = self._gives_way, not self._gives_way
        return EMPTY if gives_way else self._turn()

    def _turn(self) -> Iterator[Any]:
        if self._iterator is None:
            self._iterator = elements(self._head, sliced=self._pump.sliced)
        inlets = [inlet for inlet in self._pump.inlets if isinstance(inlet, Inlet)]
        for _ in range(self._size):
            x = next(self._iterator, MISSING)
            if x is MISSING:
                self.at_end = True
                return
            yield x
            for inlet in inlets:
                if inlet.ready():
                    return

    def ready(self) -> bool:
        """Return whether it has a turn to give, for which the pump goes on by itself."""
        return not self.held

    def settle(self) -> None:
        """Do nothing: nothing is requested."""

    def ended(self) -> bool:
        """Return whether the iterable has ended."""
        return self._head.ended()

    def close(self) -> None:
        """Close the iterable."""
        self._iterator = None
        self._head.close()


class Joint(Protocol):
    """An operator that several of can be taken for one."""

    def inputs(self, node: Node) -> tuple[Any, ...]:
        """Return the inputs of `node` in their order."""
        ...


def parts(node: Node, kind: type[Joint]) -> list[Any]:
    """Return the inputs of `node` in order, and in the place of one of its kind its inputs.

    So a long chain of them is one junction. Not if it runs elsewhere: then it stays by itself.
    """
    found: list[Any] = []
    stack: list[Any] = [node]
    while stack:
        one = stack.pop()
        op = one.op if isinstance(one, Node) else None
        if isinstance(op, kind) and one.boundary is node.boundary:
            stack.extend(reversed(op.inputs(one)))
        else:
            found.append(one)
    return found
