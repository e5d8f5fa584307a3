"""The timers that a clock has still to fire, the earliest first."""

from __future__ import annotations

import heapq
import itertools
import math
import threading
from collections.abc import Callable

__all__ = ["ArmedTimer", "Timers"]

FEW = 32
"""So many cancelled timers may stay among the others before they are cleared away."""


class ArmedTimer:
    """A function and when it is due. It runs once, or never if it is cancelled first."""

    __slots__ = ("_armed", "_fn", "_timers", "when")

    def __init__(self, when: float, fn: Callable[[], object], timers: Timers) -> None:
        self.when: float = when
        self._fn: Callable[[], object] | None = fn
        self._timers = timers
        self._armed = True

    def cancel(self) -> None:
        """Let go of the function, which will not run unless it has begun to already."""
        self._fn = None
        self._timers.leave(self)

    def fire(self) -> None:
        """Run the function, if the timer has neither fired yet nor been cancelled."""
        fn, self._fn = self._fn, None
        if fn is not None:
            fn()

    def disarm(self) -> bool:
        """Note that it waits no longer; return whether it did. Its timers' lock is held."""
        was, self._armed = self._armed, False
        return was

    @property
    def armed(self) -> bool:
        """Whether it still waits for its time."""
        return self._armed


class Timers:
    """Armed timers in order of time, and of creation where that is equal. Thread-safe.

    Cancelled timers are cleared away when they outnumber the armed ones.
    """

    # Re-entrant: a finalizer may cancel or arm a timer wherever garbage is collected.

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._heap: list[tuple[float, int, ArmedTimer]] = []
        self._order = itertools.count()
        self._armed = 0

    def __len__(self) -> int:
        """Return how many are armed."""
        return self._armed

    def add(self, when: float, fn: Callable[[], object]) -> ArmedTimer:
        """Arm a timer. `TypeError` and `ValueError` if it could never be fired."""
        if not callable(fn):
            raise TypeError(f"call_at needs a function without parameters, not {fn!r}")
        when = float(when)
        if math.isnan(when):
            raise ValueError("call_at needs a time in seconds, not nan")
        timer = ArmedTimer(when, fn, self)
        with self.lock:
            heapq.heappush(self._heap, (when, next(self._order), timer))
            self._armed += 1
        return timer

    def is_next(self, timer: ArmedTimer) -> bool:
        """Whether no timer is due before `timer`."""
        with self.lock:
            return bool(self._heap) and self._heap[0][2] is timer

    def next_when(self) -> float | None:
        """Return when the next timer is due; None if none is armed."""
        with self.lock:
            while self._heap and not self._heap[0][2].armed:
                heapq.heappop(self._heap)
            return self._heap[0][0] if self._heap else None

    def pop(self, until: float) -> ArmedTimer | None:
        """Take out the next timer that is due by `until`; None if there is none."""
        with self.lock:
            while self._heap and self._heap[0][0] <= until:
                timer = heapq.heappop(self._heap)[2]
                if timer.disarm():
                    self._armed -= 1
                    return timer
            return None

    def leave(self, timer: ArmedTimer) -> None:
        """Disarm `timer`, if it is armed."""
        with self.lock:
            if timer.disarm():
                self._armed -= 1
                if len(self._heap) > 2 * self._armed + FEW:
                    self._clear_away()

    def _clear_away(self) -> None:
        # What is armed meanwhile by a finalizer goes into the new list, and stays.
        old, self._heap = self._heap, []
        self._heap.extend([entry for entry in old if entry[2].armed])
        heapq.heapify(self._heap)
