"""Running what is upstream anew: `retry` when it failed, `repeat` when it is through."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock._clock import Timer
from penstock.runtime._boundary import WINDOW
from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._switching import Switching, anew

__all__ = ["Repeat", "Retry"]


class Retry:
    """`retry(attempts, backoff, when)`: upstream is closed, then run anew."""

    name = "retry"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Switching:
        """Return a head that switches to a fresh run after an error."""
        attempts, backoff, when = node.arguments
        failures = 0

        def failed(error: Exception) -> Head:
            nonlocal failures
            if (attempts is not None and failures >= attempts) or not _matches(when, error):
                raise error
            failures += 1
            if backoff is None:
                return anew(node.up, pump)
            return _Later(pump, backoff.wait(failures), lambda: anew(node.up, pump))

        first = child(node.up, pump, WINDOW, coupled=True, alarms=False)
        return Switching(pump, first, failed=failed)


class Repeat:
    """`repeat(times)`: upstream is run so many times, or for ever."""

    name = "repeat"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Switching:
        """Return a head that switches to a fresh run after an end."""
        (times,) = node.arguments
        runs = 1

        def through() -> Head | None:
            nonlocal runs
            if runs == times:
                return None
            runs += 1
            return anew(node.up, pump, alarms=True)

        return Switching(pump, child(node.up, pump, WINDOW, coupled=True), through=through)


def _matches(when: Any, error: Exception) -> bool:
    if when is None:
        return True
    if isinstance(when, type | tuple):
        return isinstance(error, when)
    return bool(when(error))


class _Later:
    """Stands for another head, which it makes when the time has come."""

    __slots__ = ("_due", "_head", "_make", "_pump", "_timer")

    def __init__(self, pump: Pump, seconds: float, make: Callable[[], Head]) -> None:
        self._pump = pump
        self._make = make
        self._head: Head | None = None
        self._due = False
        clock = pump.wiring.clock
        self._timer: Timer = clock.call_at(clock.now() + seconds, self._ring)

    def _ring(self) -> None:
        self._due = True
        self._pump.wake()

    def next(self) -> Any:
        """Return EMPTY before the time, and what the other head gives after it."""
        if self._head is None:
            if not self._due:
                return EMPTY
            self._head = self._make()
        return self._head.next()

    def ended(self) -> bool:
        """Return whether the other head is there, and has ended."""
        return self._head is not None and self._head.ended()

    def close(self) -> None:
        """Cancel the timer, or close the other head."""
        self._timer.cancel()
        if self._head is not None:
            self._head.close()
