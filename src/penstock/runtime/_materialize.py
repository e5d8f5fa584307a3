"""The end of a stream, and its elements, as elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock.runtime._boundary import WINDOW
from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._iterables import certainly_empty
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._notes import note
from penstock.runtime._pump import Pump
from penstock.runtime._signals import Complete, Error, Next

__all__ = ["MATERIALIZE", "Materialize"]


class Materialize:
    """A segment of its own, so that whatever fails upstream comes in through the head."""

    name = "materialize"
    awaits = False

    def open(self, node: Node, pump: Pump) -> MaterializeHead:
        """Return a head that never raises an Exception."""
        return MaterializeHead(node.up, child(node.up, pump, WINDOW, coupled=True, alarms=False))


class MaterializeHead:
    """Wraps what the input gives; the last signal comes as a batch of its own."""

    __slots__ = ("_error", "_head", "_last", "_up")

    def __init__(self, up: Any, head: Head) -> None:
        self._up = up
        self._head = head
        self._error: Exception | None = None
        self._last: Iterator[Any] | None = None

    def next(self) -> Any:
        """Return signals."""
        if self._last is not None:
            return None
        if self._error is None:
            try:
                batch = self._head.next()
            except Exception as error:  # noqa: BLE001 - it is an element
                self._failed(error)
            else:
                if batch is EMPTY:
                    return EMPTY
                if batch is not None:
                    return self._wrapped(batch)
        last = Complete() if self._error is None else Error(self._error)
        self._last = iter((last,))
        return self._last

    def _wrapped(self, batch: Any) -> Iterator[Any]:
        try:
            for element in batch:
                yield Next(element)
        except Exception as error:  # noqa: BLE001 - it is an element
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        self._error = error
        if hasattr(self._up.op, "open"):  # else it was noted where it was raised
            note(error, self._up)

    def ended(self) -> bool:
        """Return whether the last signal was taken."""
        return self._last is not None and certainly_empty(self._last)

    def close(self) -> None:
        """Close the input."""
        self._head.close()


MATERIALIZE = Materialize()
