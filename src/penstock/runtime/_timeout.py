"""Elements that must not take too long to come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.runtime._boundary import WINDOW
from penstock.runtime._compile import EMPTY
from penstock.runtime._deadline import Deadline
from penstock.runtime._fed import Fed
from penstock.runtime._inlet import Inlet
from penstock.runtime._node import Node

if TYPE_CHECKING:
    from penstock.runtime._pump import Pump

__all__ = ["TIMEOUT"]


class Timing(Inlet):
    """Fails if the loop has waited too long. While nobody asks, no time counts."""

    __slots__ = ("_deadline", "_due", "_node", "_now", "_seconds")

    def __init__(self, node: Node, pump: Pump) -> None:
        super().__init__(pump, WINDOW, coupled=True)
        self._seconds: float = node.arguments[0]
        self._node = node
        self._now = pump.wiring.clock.now
        self._deadline = Deadline(pump)
        self._due: float | None = None

    def next(self) -> Any:
        """Return what has come in, EMPTY if nothing has, None if nothing will."""
        batch = super().next()
        if batch is not EMPTY:
            self._due = None
            return batch
        now = self._now()
        due = self._due
        if due is None:
            self._due = due = now + self._seconds
        elif due <= now:
            raise TimeoutError(
                f"timeout({self._seconds:g}): no element came for {self._seconds:g} s"
            )
        self._deadline.set(due)
        return EMPTY

    def close(self) -> None:
        """Cancel upstream, and the timer."""
        self._deadline.close()
        super().close()


TIMEOUT = Fed("timeout", Timing)
