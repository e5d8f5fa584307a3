"""Elements that are given later than they came."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from penstock.runtime._compile import EMPTY
from penstock.runtime._deadline import Deadline
from penstock.runtime._fed import Fed
from penstock.runtime._inlet import Inlet
from penstock.runtime._iterables import SLICE
from penstock.runtime._node import Node

if TYPE_CHECKING:
    from penstock.runtime._pump import Pump

__all__ = ["DELAY"]


class Delaying(Inlet):
    """Keeps each element, with the time at which it is due."""

    __slots__ = ("_deadline", "_now", "_seconds")

    def __init__(self, node: Node, pump: Pump) -> None:
        seconds, window = node.arguments
        super().__init__(pump, window)
        self._seconds: float = seconds
        self._now = pump.wiring.clock.now
        self._deadline = Deadline(pump)

    def on_next(self, element: Any, /) -> None:
        """Take one element in."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        due = self._now() + self._seconds
        self.buffer.append((due, element))
        if self.closed:
            self.buffer.clear()
        elif len(self.buffer) == 1:  # for a later one, `next` sees to it
            self._deadline.set(due)

    def next(self) -> Any:
        """Return what is due, EMPTY if nothing is yet, None at the end."""
        done = self.done  # before the buffer: what came in, came before the end
        buffer, now = self.buffer, self._now()
        self.high = max(self.high, len(buffer))
        self._taken += self._in_hand
        self._in_hand = n = self._due(now)
        if not done:
            self._ask()
        if n:
            batch = [element for _, element in buffer[:n]]
            del buffer[:n]
            self._batch = iter(batch)
            return self._batch
        if buffer:
            self._deadline.set(buffer[0][0])
        elif done:
            if self.error is not None:
                raise self.error
            return None
        return EMPTY

    def _due(self, now: float) -> int:
        n = 0
        for due, _ in islice(self.buffer, SLICE):
            if due > now:
                break
            n += 1
        return n

    def ready(self) -> bool:
        """Return False: whatever is news wakes the pump by itself."""
        return False

    def close(self) -> None:
        """Cancel upstream, and the timer."""
        self._deadline.close()
        super().close()


DELAY = Fed("delay", Delaying)
