"""The methods `spec_1_01_…` of the pytest classes, and what one of them does."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from penstock.spec import RULES
from penstock.tck._check import Check, Side
from penstock.tck._environment import Environment
from penstock.tck._knobs import Knobs
from penstock.tck._report_text import explained
from penstock.tck._run import History, run_check
from penstock.tck._steps import Given, steps
from penstock.tck._trial import Trial
from penstock.tck._verdict import Outcome
from penstock.testing._log import brief

T = TypeVar("T")

__all__ = ["Findings", "RuleBroken", "Undecided", "carry_out", "checks_for", "made"]


@dataclass
class Findings:
    """What the checks of one class found so far."""

    history: History = field(default_factory=History)
    outcomes: list[Outcome] = field(default_factory=list[Outcome])


class RuleBroken(AssertionError):  # noqa: N818 - says how a check ended
    """Raised by a `spec_…` method: a rule is broken, as `outcome` says."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome)
        self.outcome = outcome

    @property
    def title(self) -> str:
        """Which rule it is."""
        return f"rule {self.outcome.rule} is broken: {RULES[self.outcome.rule].title}"

    def lines(self, already_in: str | None = None) -> list[str]:
        """Return what was observed, the rule, and what to check; see `explained`."""
        rule = RULES[self.outcome.rule]
        return [self.title, *explained(rule, [self.outcome], already_in)]

    def __str__(self) -> str:
        return "\n".join(self.lines())


class Undecided(Exception):  # noqa: N818 - says how a check ended
    """Raised by a `spec_…` method: the check can't be decided, for this reason."""


def checks_for(side: Side) -> Iterable[Check]:
    """Return the checks that a class for `side` has methods for."""
    nothing = Given(lambda *_: None)
    return [check for check, _ in steps(side, nothing, Environment(), Knobs())]


def carry_out(check: Check, make_trial: Callable[[Check], Trial], findings: Findings) -> None:
    """Run a check, add what it found to `findings`, and say how a test has to end.

    Raises `RuleBroken` or `Undecided`, and what the author's own factories raise, with the
    kit's part of the traceback left out.
    """
    __tracebackhide__ = True
    try:
        outcomes = run_check(check, make_trial, findings.history)
    except BaseException as error:  # noqa: BLE001 - raised again
        raise error.with_traceback(_authors_part(error.__traceback__)) from error.__cause__
    findings.outcomes += outcomes
    for outcome in outcomes:
        if outcome.status == "broken" and RULES[outcome.rule].level != "MAY":
            raise RuleBroken(outcome)
    for outcome in outcomes:
        if outcome.status == "skipped":
            raise Undecided(outcome.reason)


def made(value: T, call: str, *methods: str) -> T:
    """Return what a factory made; raises `TypeError` if it lacks one of `methods`."""
    __tracebackhide__ = True
    missing = [m for m in methods if not callable(getattr(value, m, None))]
    if missing:
        forgot = " (is a `return` missing?)" if value is None else ""
        raise TypeError(
            f"{call} returned {brief(value)}{forgot}; "
            f"it has to return an object with {', '.join(methods)}"
        )
    return value


def _authors_part(traceback: types.TracebackType | None) -> types.TracebackType | None:
    while traceback is not None:
        module = str(traceback.tb_frame.f_globals.get("__name__", ""))
        if not module.startswith("penstock.tck."):
            break
        traceback = traceback.tb_next
    return traceback
