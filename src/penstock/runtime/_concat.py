"""One input after the other."""

from __future__ import annotations

from typing import Any

from penstock.runtime._head import Head
from penstock.runtime._inputs import close_all, forget, joined, parts
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

__all__ = ["CONCAT", "START_WITH", "Concat"]

WINDOW = 256
"""So many elements of the input whose turn it is are under way or wait."""


class Concat:
    """An input is opened, or subscribed to, when the one before has completed."""

    awaits = False

    def __init__(self, name: str, *, last: bool) -> None:
        self.name = name
        self._last = last
        """Whether what is upstream comes after the arguments."""

    def inputs(self, node: Node) -> tuple[Any, ...]:
        """Return the inputs in their order."""
        up = node.up
        return (*node.arguments, up) if self._last else (up, *node.arguments)

    def open(self, node: Node, pump: Pump) -> ConcatHead:
        """Return a head that has the first input already."""
        first, *rest = parts(node, Concat)
        rest.reverse()
        return ConcatHead(pump, child(first, pump, WINDOW, coupled=True), rest)


class ConcatHead:
    """Gives the batches of one input as they are, so that it costs nothing per element."""

    __slots__ = ("_head", "_pump", "_rest")

    def __init__(self, pump: Pump, head: Head, rest: list[Any]) -> None:
        self._pump = pump
        self._head: Head | None = head
        self._rest = rest

    def next(self) -> Any:
        """Return what the input gives whose turn it is."""
        while (head := self._head) is not None:
            batch = head.next()
            if batch is not None:
                return batch
            self._advance()
        return None

    def _advance(self) -> None:
        head, self._head = self._head, None
        forget(self._pump, head)
        if head is not None:
            head.close()
        if self._rest:
            self._head = joined(self._rest.pop(), self._pump, WINDOW, coupled=True)

    def ended(self) -> bool:
        """Return whether the last input has ended; the one whose turn comes is opened.

        It has to be, also without demand: it may be empty, or may have failed.
        """
        while (head := self._head) is not None:
            if not head.ended():
                return False
            self._advance()
        return True

    def close(self) -> None:
        """Close the input whose turn it is."""
        self._rest.clear()
        close_all([] if self._head is None else [self._head])
        self._head = None


CONCAT = Concat("concat", last=False)
START_WITH = Concat("start_with", last=True)
