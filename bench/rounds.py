"""Run measures: interleaved rounds in one process, of each side the best one counts."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, field

from bench.measure import Measure, Rival, Sample, Side, Target, Unit

PATIENCE = 20.0
"""A side that has taken that many seconds in all is given no further rounds."""
QUICK = 50
"""By how much `quick` divides the elements."""


@dataclass
class Outcome:
    """What one side did in all its rounds."""

    side: str
    costs: list[float] = field(default_factory=list[float])
    spent: float = 0.0
    """Seconds in all its rounds, whatever its cost is counted in."""
    problem: str = ""
    """Why its costs don't count: it is missing, failed, or computed something else."""

    @property
    def cost(self) -> float | None:
        return min(self.costs) if self.costs and not self.problem else None


@dataclass
class Row:
    """One comparison: of ours with one rival, or with a limit of its own."""

    measure: str
    does: str
    unit: Unit
    ours: Outcome | None
    rival: Outcome | None
    target: Target | None
    limit: float | None

    @property
    def ratio(self) -> float | None:
        """Ours to theirs, or what the target asks; of a limit, the share that is used."""
        if self.ours is None or self.ours.cost is None:
            return None
        if self.rival is None:
            return None if not self.limit else self.ours.cost * self.unit.per_one / self.limit
        if self.rival.cost is None:
            return None
        return (self.target or Target(1, speedup=True)).ratio(self.ours.cost, self.rival.cost)

    @property
    def verdict(self) -> str:
        """`met`, `missed`, `-` where nothing is asked, or what went wrong."""
        for outcome in (self.ours, self.rival):
            if outcome is not None and outcome.problem:
                return f"{outcome.side}: {outcome.problem}"
        if self.ratio is None or (self.rival is not None and self.target is None):
            return "-"
        met = self.target.met(self.ratio) if self.target else self.ratio <= 1
        return "met" if met else "missed"


def run(measure: Measure, rounds: int, *, quick: bool = False) -> list[Row]:
    """Let all sides of `measure` take turns, and return a row for each comparison."""
    sides = [rival.side for rival in measure.rivals]
    sides[:0] = [measure.ours] if measure.ours else []
    outcomes = {side.name: Outcome(side.name) for side in sides}
    for side in sides:
        _turn(measure, side, Outcome(side.name), measure.elements // (QUICK * 4))  # warm up
    for turn in range(min(rounds, measure.rounds or rounds)):
        # Each way round: a machine that slows down or speeds up favours no side.
        for side in sides if turn % 2 == 0 else reversed(sides):
            outcome = outcomes[side.name]
            elements = int(measure.elements * side.share) // (QUICK if quick else 1)
            if not outcome.problem and outcome.spent < PATIENCE:
                _turn(measure, side, outcome, elements)

    def row(rival: Rival | None) -> Row:
        theirs = outcomes[rival.side.name] if rival else None
        target, limit = (rival.target, None) if rival else (None, measure.limit)
        ours = outcomes[measure.ours.name] if measure.ours else None
        return Row(measure.name, measure.does, measure.unit, ours, theirs, target, limit)

    alone = [row(None)] if measure.limit is not None or not measure.rivals else []
    return [*(row(rival) for rival in measure.rivals), *alone]


def _turn(measure: Measure, side: Side, outcome: Outcome, elements: int) -> None:
    elements = max(elements, 1)
    # Garbage of the side before must not be collected at this one's cost; garbage of its own
    # is: collection stays on.
    gc.collect()
    start = time.perf_counter()
    try:
        sample: Sample = side.sample(elements)
    except ImportError as error:
        outcome.problem = f"not installed: {error}"
        return
    except Exception as error:  # noqa: BLE001 - a broken side is shown, the others go on
        outcome.problem = f"failed: {type(error).__name__}: {error}"
        return
    outcome.spent += time.perf_counter() - start
    expected = measure.expected(elements)
    if sample.result != expected:
        outcome.problem = f"computed {sample.result!r} instead of {expected!r}"
    outcome.costs.append(sample.cost)
