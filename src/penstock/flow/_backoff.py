"""How long to wait before something is tried once more."""

from __future__ import annotations

import random
from dataclasses import dataclass

from penstock.flow._check import seconds

__all__ = ["Backoff"]


@dataclass(frozen=True)
class Backoff:
    """Waits that grow: `base` seconds, then `factor` times as long each time.

    At most `longest` seconds; each wait is shortened by up to `jitter` of it, at random, so
    that those who failed together don't come back together. Raises `TypeError` or
    `ValueError` for what is no such number, or a `factor` below 1, or a `jitter` above 1.
    """

    base: float
    factor: float = 2.0
    longest: float = 60.0
    jitter: float = 0.5

    def __post_init__(self) -> None:
        for name in ("base", "factor", "longest", "jitter"):
            seconds("Backoff", name, getattr(self, name), zero=name == "jitter")
        if self.factor < 1:
            raise ValueError(f"Backoff(factor={self.factor!r}): give a number of at least 1")
        if self.jitter > 1:
            raise ValueError(f"Backoff(jitter={self.jitter!r}): give a number from 0 to 1")

    def wait(self, failures: int) -> float:
        """Return how many seconds to wait after so many failures in a row."""
        try:
            whole = min(self.longest, self.base * self.factor ** (failures - 1))
        except OverflowError:
            whole = self.longest
        return whole * (1 - self.jitter * random.random())  # noqa: S311 - nobody's secret
