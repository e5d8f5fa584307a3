"""Patience with what stands still but might go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from penstock._clock import Timer

if TYPE_CHECKING:
    from penstock.runtime._router import Router

__all__ = ["Patience"]

PATIENCE: Final = 5.0
"""So many seconds may nothing move before it is an error, unless that is certain sooner."""


class Patience:
    """Waits whether anything moves, and says so if nothing does."""

    def __init__(self, router: Router) -> None:
        self._router = router
        self._timer: Timer | None = None
        self._state: object = None
        self._passed: object = None

    def check(self, *, certain: bool | None) -> None:
        """Raise if the router is stuck: at once if that is certain, or when time has passed."""
        if certain is not None and (certain or self.passed()):
            raise self._router.stuck()

    def passed(self) -> bool:
        """Return whether nothing has moved for a while, from the first time that this is asked."""
        router, state = self._router, self._router.state()
        if self._passed == state:
            return True
        if self._state != state and router.pump is not None:
            self.cancel()
            self._state = state
            clock = router.pump.wiring.clock
            self._timer = clock.call_at(clock.now() + PATIENCE, self._pass)
        return False

    def _pass(self) -> None:
        self._passed = self._state
        self._router.wake()

    def cancel(self) -> None:
        """Wait no longer."""
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
