"""A stream that another one ends."""

from __future__ import annotations

from typing import Any

from penstock.runtime._boundary import WINDOW
from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

__all__ = ["TAKE_UNTIL", "TakeUntil"]


class Bell(Inlet):
    """The Subscriber of the other stream: its first signal ends the pump's."""

    __slots__ = ()

    def __init__(self, pump: Pump) -> None:
        super().__init__(pump, 1, alarms=False)
        self._ask()

    def on_next(self, element: Any, /) -> None:
        """End the stream, as if its source had ended."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        self.pump.stop()

    def _end(self, error: Exception | None) -> None:
        super()._end(error)
        if error is None:
            self.pump.stop()
        else:
            self.pump.halt(error)


class TakeUntil:
    """The head is that of the first input; the bell stops the pump from wherever it rings."""

    name = "take_until"
    awaits = False

    def open(self, node: Node, pump: Pump) -> TakeUntilHead:
        """Return a head that subscribes to the other stream when it is first looked at."""
        return TakeUntilHead(child(node.up, pump, WINDOW, coupled=True), node.arguments[0], pump)


class TakeUntilHead:
    """The head of the first input, and a bell."""

    __slots__ = ("_bell", "_head", "_other", "_pump")

    def __init__(self, head: Head, other: Any, pump: Pump) -> None:
        self._head = head
        self._other = other
        self._pump = pump
        self._bell: Bell | None = None

    def _listen(self) -> None:
        self._bell = bell = Bell(self._pump)
        # On whatever thread it signals: the caller's may be busy with what it is to end.
        self._pump.wiring.grow(self._other, bell, None)

    def next(self) -> Any:
        """Return what the first input gives; the pump looks by itself whether to stop."""
        if self._bell is None:
            self._listen()
            if self._pump.halted:
                return EMPTY
        return self._head.next()

    def ended(self) -> bool:
        """Return whether the first input has ended."""
        if self._bell is None:
            self._listen()
        return self._head.ended()

    def close(self) -> None:
        """Close both."""
        try:
            self._head.close()
        finally:
            if self._bell is not None:
                self._bell.close()


TAKE_UNTIL = TakeUntil()
