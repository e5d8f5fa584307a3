"""A limited rate, kept by asking no faster."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from penstock.runtime._compile import EMPTY
from penstock.runtime._deadline import Deadline
from penstock.runtime._fed import Fed
from penstock.runtime._inlet import Inlet
from penstock.runtime._iterables import SLICE
from penstock.runtime._node import Node

if TYPE_CHECKING:
    from penstock.runtime._pump import Pump

__all__ = ["AT_MOST"]


class Rationed(Inlet):
    """Asks upstream for no more than there is demand for and may pass at once."""

    __slots__ = ("_deadline", "_held", "_n", "_now", "_passed", "_per")

    def __init__(self, node: Node, pump: Pump) -> None:
        n, per = node.arguments
        super().__init__(pump, n, coupled=True)
        self._n: int = n
        self._per: float = per
        self._now = pump.wiring.clock.now
        self._deadline = Deadline(pump)
        self._passed: deque[float] = deque()  # when the last n passed
        self._held = False

    def next(self) -> Any:
        """Return what may pass, EMPTY if nothing may yet, None at the end."""
        done = self.done  # before the buffer: what came in, came before the end
        self._held = False
        free = self._free()
        if self.buffer:
            self.high = max(self.high, len(self.buffer))
            if free:
                return self._passing(free)
        elif done:
            if self.error is not None:
                raise self.error
            return None
        if not free:
            self._held = True
            self._deadline.set(self._passed[0] + self._per)
        self.window = free
        self._ask()
        return EMPTY

    def _free(self) -> int:
        """Return how many may pass now."""
        now, passed = self._now(), self._passed
        while passed and passed[0] + self._per <= now:
            passed.popleft()
        return self._n - len(passed)

    def _passing(self, free: int) -> Iterator[Any]:
        free = min(free, SLICE)
        self._batch = batch = iter(self.buffer[:free])
        del self.buffer[:free]
        for element in batch:
            # It passes when the loop comes for it, which is later if there is no demand.
            self._passed.append(self._now())
            self._taken += 1
            yield element

    def ready(self) -> bool:
        """Return whether `next` has something new to say."""
        return not self._held and super().ready()

    def close(self) -> None:
        """Cancel upstream, and the timer."""
        self._deadline.close()
        super().close()


AT_MOST = Fed("at_most", Rationed)
