"""A measure: one piece of work, done by us and by what it is compared with."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple


class Unit(NamedTuple):
    """How a cost is shown; costs are kept in seconds, bytes or elements."""

    name: str
    per_one: float


NS = Unit("ns", 1e9)
US = Unit("us", 1e6)
MS = Unit("ms", 1e3)
KB = Unit("KB", 1e-3)
MB = Unit("MB", 1e-6)
ELEMENTS = Unit("el", 1)


class Sample(NamedTuple):
    """One run: what it cost and what it computed."""

    cost: float
    result: object


@dataclass(frozen=True)
class Side:
    """One way to do the work. `sample(n)` does it once with `n` elements."""

    name: str
    sample: Callable[[int], Sample]
    share: float = 1.0
    """Of the measure's elements; a slow peer takes fewer, its cost is per element anyway."""


@dataclass(frozen=True)
class Target:
    """What is asked of the ratio of two costs."""

    bound: float
    speedup: bool
    """Whether the ratio is theirs to ours, and should be high; else ours to theirs, and low."""

    def ratio(self, ours: float, theirs: float) -> float:
        # A cost of nothing (no growth at all, say) would divide by zero.
        over, under = (theirs, ours) if self.speedup else (ours, theirs)
        return over / under if under else float("inf")

    def met(self, ratio: float) -> bool:
        return ratio >= self.bound if self.speedup else ratio <= self.bound

    def __str__(self) -> str:
        return f">= {self.bound:g}x faster" if self.speedup else f"<= {self.bound:g}x the cost"


def at_most(times: float) -> Target:
    """Ours may cost `times` theirs, and no more."""
    return Target(times, speedup=False)


def faster(times: float) -> Target:
    """Theirs has to cost `times` ours, or more."""
    return Target(times, speedup=True)


@dataclass(frozen=True)
class Rival:
    """What ours is compared with, and with which target; without one it is only shown."""

    side: Side
    target: Target | None = None


@dataclass(frozen=True)
class Measure:
    """Every side has to compute `expected(n)`, or its figure does not count."""

    name: str
    does: str
    elements: int
    expected: Callable[[int], object]
    ours: Side | None
    rivals: tuple[Rival, ...] = ()
    limit: float | None = None
    """What ours may cost at most, in `unit`, whatever the others cost."""
    unit: Unit = NS
    rounds: int | None = None
    """Fewer rounds than usual, where one round says enough and takes long."""


def timed(name: str, work: Callable[[int], object], share: float = 1.0) -> Side:
    """Return the side whose cost is the seconds per element that `work(n)` takes."""

    def sample(n: int) -> Sample:
        start = time.perf_counter()
        result = work(n)
        return Sample((time.perf_counter() - start) / n, result)

    return Side(name, sample, share)
