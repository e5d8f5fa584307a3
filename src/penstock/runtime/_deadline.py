"""Wakes a pump at a time that may be put off, with one timer."""

from __future__ import annotations

from functools import partial
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock._clock import Timer
    from penstock.runtime._pump import Pump

__all__ = ["Deadline"]


class Deadline:
    """A time at which the pump is woken. Thread-safe.

    It is often put off, with each element say, so that costs no timer: the one that is armed
    rings at the earlier time, sees that it is too early, and is armed anew.
    """

    __slots__ = ("_armed", "_clock", "_closed", "_lock", "_number", "_pump", "_timer", "_when")

    def __init__(self, pump: Pump) -> None:
        self._pump = pump
        self._clock = pump.wiring.clock
        # Not re-entrant, and need not be: nothing is made or dropped while it is held.
        self._lock = Lock()
        self._when = 0.0
        self._armed: float | None = None
        self._number = 0
        self._timer: Timer | None = None
        self._closed = False

    def set(self, when: float) -> None:
        """Wake the pump at `when`, instead of at the time that was set before."""
        with self._lock:
            self._when = when
            if self._closed or (self._armed is not None and self._armed <= when):
                return
            late, self._timer = self._timer, None
            self._armed = when
            self._number = number = self._number + 1
        if late is not None:
            late.cancel()
        timer = self._clock.call_at(when, partial(self._ring, number))
        with self._lock:
            if number == self._number and self._armed is not None and not self._closed:
                self._timer = timer
                return
        timer.cancel()

    def _ring(self, number: int) -> None:
        now = self._clock.now()
        with self._lock:
            if number != self._number or self._closed:
                return
            self._armed = self._timer = None
            when = self._when
        if when > now:
            self.set(when)
        else:
            self._pump.wake()

    def close(self) -> None:
        """Wake nobody any more."""
        with self._lock:
            self._closed = True
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
