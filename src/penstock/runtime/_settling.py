"""The latest element, once some time has passed: `debounce` and `sample`."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

from penstock.api import UNBOUNDED
from penstock.runtime._compile import EMPTY
from penstock.runtime._deadline import Deadline
from penstock.runtime._fed import Fed
from penstock.runtime._inlet import Inlet
from penstock.runtime._node import Node
from penstock.runtime._stage_names import MISSING

if TYPE_CHECKING:
    from penstock.runtime._pump import Pump

__all__ = ["DEBOUNCE", "SAMPLE"]


class Settling(Inlet):
    """Takes in all there is; the latest element settles when its time has come.

    It holds two: one that has settled and waits for demand, one that is still to settle. What
    settles takes the place of what had settled before and was not asked for; that is dropped.
    """

    __slots__ = ("_candidate", "_deadline", "_due", "_now", "_seconds", "_settled")

    def __init__(self, node: Node, pump: Pump) -> None:
        super().__init__(pump, UNBOUNDED)
        self._seconds: float = node.arguments[0]
        self._now = pump.wiring.clock.now
        self._deadline = Deadline(pump)
        self._candidate: Any = MISSING
        self._due = 0.0
        self._settled: Any = MISSING

    def on_next(self, element: Any, /) -> None:
        """Take one element in, in place of the one that has not settled."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        now = self._now()
        with self._lock:
            if self.closed:
                return
            # What goes is kept until the lock is free: a finaliser is user code.
            gone = self._candidate, self._settle(now)
            self._due = due = self._due_after(now)
            self._candidate = element
        del gone
        self._deadline.set(due)

    def _due_after(self, now: float) -> float:
        """Return when an element that comes now is to settle."""
        return now + self._seconds

    def _settle(self, now: float, *, at_once: bool = False) -> Any:
        """Settle the candidate if its time has come; return what is dropped for it."""
        if self._candidate is MISSING or (now < self._due and not at_once):
            return MISSING
        gone, self._settled, self._candidate = self._settled, self._candidate, MISSING
        if gone is not MISSING:
            self.dropped += 1
        return gone

    def next(self) -> Any:
        """Return what has settled, EMPTY if nothing has, None at the end."""
        now = self._now()
        with self._lock:
            done = self.done
            gone = self._settle(now, at_once=done and self.error is None)
            settled, self._settled = self._settled, MISSING
        del gone
        if settled is not MISSING:
            self._batch = iter((settled,))
            return self._batch
        if done:
            if self.error is not None:
                raise self.error
            return None
        self._ask()
        return EMPTY

    def ready(self) -> bool:
        """Return False: whatever is news wakes the pump by itself."""
        return False

    def ended(self) -> bool:
        """Return whether upstream is through and all of it was taken."""
        with self._lock:
            nothing = self._candidate is MISSING and self._settled is MISSING
        return nothing and super().ended()

    def close(self) -> None:
        """Cancel upstream, and the timer."""
        self._deadline.close()
        super().close()
        with self._lock:
            gone = self._candidate, self._settled
            self._candidate = self._settled = MISSING
        del gone


class Sampling(Settling):
    """All that comes in one period settles at its end. The first begins with the first demand."""

    __slots__ = ("_began",)

    def __init__(self, node: Node, pump: Pump) -> None:
        super().__init__(node, pump)
        self._began: float | None = None

    def _due_after(self, now: float) -> float:
        if self._candidate is not MISSING:
            return self._due
        began, period = self._began or 0.0, self._seconds
        return began + (floor((now - began) / period) + 1) * period

    def next(self) -> Any:
        """Return what has settled, EMPTY if nothing has, None at the end."""
        if self._began is None:
            self._began = self._now()
        return super().next()


DEBOUNCE = Fed("debounce", Settling)
SAMPLE = Fed("sample", Sampling)
