"""Chunks that wait no longer than some time for more elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.runtime._compile import EMPTY
from penstock.runtime._deadline import Deadline
from penstock.runtime._fed import Fed
from penstock.runtime._inlet import Inlet
from penstock.runtime._node import Node

if TYPE_CHECKING:
    from penstock.runtime._pump import Pump

__all__ = ["CHUNK_WITHIN"]


class Chunking(Inlet):
    """Asks for one chunk at a time, and keeps what there is of it."""

    __slots__ = ("_deadline", "_due", "_now", "_within")

    _taken: int

    def __init__(self, node: Node, pump: Pump) -> None:
        size, within = node.arguments
        super().__init__(pump, size)
        self._within: float = within
        self._now = pump.wiring.clock.now
        self._deadline = Deadline(pump)
        self._due = 0.0

    def on_next(self, element: Any, /) -> None:
        """Take one element in; the time runs from the first one of a chunk."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        due = None
        with self._lock:
            if self.closed:
                return
            if not self.buffer:
                self._due = due = self._now() + self._within
            self.buffer.append(element)
            full = len(self.buffer) >= self.window
        if full:
            self.pump.wake()
        elif due is not None:
            self._deadline.set(due)

    def next(self) -> Any:
        """Return a chunk if it is full or its time is over, EMPTY if not, None at the end."""
        chunk: list[Any] = []
        now = self._now()
        with self._lock:
            done, buffer = self.done, self.buffer
            n = len(buffer)
            self.high = max(self.high, n)
            last = done and self.error is None
            if n and (n >= self.window or now >= self._due or last):
                chunk = buffer[: self.window]
                del buffer[: self.window]
                self._due = now + self._within  # of what upstream sent and was not asked for
        self._taken += self._in_hand
        self._in_hand = len(chunk)
        if chunk:
            self._batch = iter((chunk,))
            return self._batch
        if done:
            if self.error is not None:
                raise self.error
            return None
        if n:
            self._deadline.set(self._due)
        self._ask()
        return EMPTY

    def _ask(self) -> None:
        """Note how many are missing to a full chunk. Half of a chunk would never fill one."""
        more = self.window - (self._asked - self._taken)
        if more > 0:
            self._asked += more
            with self._lock:
                self._to_ask += more

    def ready(self) -> bool:
        """Return False: whatever is news wakes the pump by itself."""
        return False

    def close(self) -> None:
        """Cancel upstream, and the timer."""
        self._deadline.close()
        super().close()


CHUNK_WITHIN = Fed("chunk", Chunking)
