"""A stream that another one stands in for, if it is empty."""

from __future__ import annotations

from itertools import chain
from typing import Any

from penstock.runtime._boundary import WINDOW
from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._iterating import child
from penstock.runtime._late import late
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._stage_names import MISSING

__all__ = ["SWITCH_IF_EMPTY", "SwitchIfEmpty"]


class SwitchIfEmpty:
    """The second input is subscribed to when the first one has ended without an element."""

    name = "switch_if_empty"
    awaits = False

    def open(self, node: Node, pump: Pump) -> SwitchHead:
        """Return a head for the first input, then perhaps the second."""
        return SwitchHead(child(node.up, pump, WINDOW, coupled=True), node.arguments[0], pump)


class SwitchHead:
    """Looks at the first element, which is asked for anyway; then it is in nobody's way."""

    __slots__ = ("_decided", "_head", "_other", "_pump")

    def __init__(self, head: Head, other: Any, pump: Pump) -> None:
        self._head = head
        self._other = other
        self._pump = pump
        self._decided = False

    def next(self) -> Any:
        """Return what the one input gives, or else the other."""
        while not self._decided:
            batch = self._head.next()
            if batch is EMPTY:
                return EMPTY
            if batch is None:
                self._decided = True
                self._leave_first()
                self._head = late(self._other, self._pump)
                break
            iterator = iter(batch)
            first = next(iterator, MISSING)
            if first is not MISSING:
                self._decided = True
                return chain((first,), iterator)
        return self._head.next()

    def _leave_first(self) -> None:
        first, pump = self._head, self._pump
        first.close()
        if isinstance(first, Inlet):
            # It would say for ever that it has ended.
            pump.inlets = tuple(inlet for inlet in pump.inlets if inlet is not first)

    def ended(self) -> bool:
        """Return whether the input that it has come to has ended."""
        return self._decided and self._head.ended()

    def close(self) -> None:
        """Close the input that it has come to."""
        self._head.close()


SWITCH_IF_EMPTY = SwitchIfEmpty()
