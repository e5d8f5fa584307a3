"""Sources that the clock pushes: they can't be slowed."""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING, Any

from penstock.flow._overflow import Overflow
from penstock.runtime._compile import DEMAND, EMPTY
from penstock.runtime._node import Node
from penstock.runtime._notes import note
from penstock.runtime._waiting import Waiting

if TYPE_CHECKING:
    from penstock._clock import Timer
    from penstock.runtime._pump import Pump

__all__ = ["INTERVAL", "TIMER"]


class Ticks:
    """Counts the periods since it was made; one tick at most waits to be asked for."""

    def __init__(self, node: Node, pump: Pump) -> None:
        period, overflow = node.arguments
        self._period: float = period
        self._node = node
        self._pump = pump
        self._clock = pump.wiring.clock
        self._waiting = Waiting(1, overflow)
        self._failure: OverflowError | None = None
        self._lock = RLock()
        self._closed = False
        self._timer: Timer | None = None
        self._n = 0
        self._told = 0
        self._start = self._clock.now()
        self._arm()

    @property
    def dropped(self) -> int:
        """How many ticks nobody has asked for in time."""
        return self._waiting.dropped

    def _when(self) -> float:
        # From the beginning each time, so that no error adds up.
        return self._start + (self._n + 1) * self._period

    def _arm(self) -> None:
        timer = self._clock.call_at(self._when(), self._ring)
        with self._lock:
            if not self._closed:
                self._timer = timer
                return
        timer.cancel()

    def _ring(self) -> None:
        if self._closed:
            return
        now = self._clock.now()
        first = self._n
        while self._when() <= now:  # more than one if the clock is late
            self._n += 1
        last = self._n
        # Before the ticks are told, or a slow consumer on this thread would hold up the clock.
        # The next ring may overtake us then; what it has told of is past.
        self._arm()
        for n in range(first, last):
            self._tell(n)

    def _tell(self, n: int) -> None:
        with self._lock:
            if self._closed or self._failure is not None:
                return
            late = n < self._told
            self._told = max(self._told, n + 1)
            if late and self._waiting.overflow is not Overflow.ERROR:
                self._waiting.dropped += 1
                return
            if late or (not self._waiting.put(n) and self._waiting.overflow is Overflow.ERROR):
                self._failure = self._waiting.overflown(self._node.op.name)
                note(self._failure, self._node)
                self._pump.alarm = self._failure
        # In DEMAND, `next` is called as soon as there is some; but an error waits for none.
        if self._pump.idle != DEMAND or self._failure is not None:
            self._pump.wake()

    def next(self) -> Any:
        """Return the tick that waits, or EMPTY."""
        if self._waiting.elements:
            return self._waiting.some()
        if self._failure is not None:
            raise self._failure
        return EMPTY

    def ended(self) -> bool:
        """Return False: there is always another tick."""
        return False

    def close(self) -> None:
        """Stop the clock."""
        with self._lock:
            self._closed = True
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()


class Once:
    """One element, at its time."""

    def __init__(self, node: Node, pump: Pump) -> None:
        delay, self._value = node.arguments
        clock = pump.wiring.clock
        self._clock = clock
        self._due = clock.now() + delay
        self._batch: Any = None
        self._timer = clock.call_at(self._due, pump.wake)

    def next(self) -> Any:
        """Return the element once it is due, and None then."""
        if self._batch is not None:
            return None
        if self._clock.now() < self._due:
            return EMPTY
        self._batch = iter((self._value,))
        return self._batch

    def ended(self) -> bool:
        """Return whether the element was given."""
        return self._batch is not None and self._batch.__length_hint__() == 0

    def close(self) -> None:
        """Cancel the timer."""
        self._timer.cancel()


class Interval:
    """`interval(period, overflow)`."""

    name = "interval"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Ticks:
        """Return the head, whose first period begins."""
        return Ticks(node, pump)


class Timing:
    """`timer(delay, value)`."""

    name = "timer"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Once:
        """Return the head, whose time begins."""
        return Once(node, pump)


INTERVAL = Interval()
TIMER = Timing()
