"""What tests of the virtual clock share."""

from __future__ import annotations

from penstock.testing import VirtualClock


class Log(list[tuple[float, str]]):
    """Notes what fired when."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock

    def at(self, when: float, name: str) -> None:
        self.clock.call_at(when, lambda: self.append((self.clock.now(), name)))
