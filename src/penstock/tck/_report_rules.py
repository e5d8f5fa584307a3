"""From the outcomes of checks to one verdict for each rule."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from penstock.spec import RULES, Rule
from penstock.tck._verdict import Outcome

__all__ = ["Standing", "Verdict", "verdicts"]

Standing = Literal["broken", "kept", "seen", "skipped", "elsewhere"]
"""How an implementation stands with a rule: `seen` for a MAY, which can't be broken, and
`elsewhere` where the breach is reported as another rule."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What all checks of one rule say together."""

    rule: Rule
    standing: Standing
    outcomes: tuple[Outcome, ...]
    """Those that decided it: of a broken rule the broken ones, of a kept one the kept ones."""

    @property
    def reason(self) -> str:
        """Why, or what was seen, on one line; empty if there is nothing to tell."""
        if self.standing == "elsewhere":
            return f"reported as {self.rule.reported_as}"
        told = dict.fromkeys(" ".join(o.reason.split()) for o in self.outcomes if o.reason)
        return "; ".join(told)


def verdicts(outcomes: Iterable[Outcome]) -> dict[str, Verdict]:
    """Return the verdict on each rule that was looked at, in the order of the rules."""
    by_rule: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        id_ = outcome.rule
        if outcome.status == "broken":
            id_ = RULES[id_].reported_as or id_
        by_rule.setdefault(id_, []).append(outcome)
    found = {i: _judge(rule, by_rule[i]) for i, rule in RULES.items() if i in by_rule}
    for rule in RULES.values():
        target = found.get(rule.reported_as or "")
        if target is not None and target.standing == "broken":
            found[rule.id] = Verdict(rule, "elsewhere", ())
    return {i: found[i] for i in RULES if i in found}


def _judge(rule: Rule, outcomes: list[Outcome]) -> Verdict:
    broken = tuple(o for o in outcomes if o.status == "broken")
    kept = tuple(o for o in outcomes if o.status == "kept")
    if rule.level == "MAY":
        seen = broken + kept
        return Verdict(rule, "seen" if seen else "skipped", seen or tuple(outcomes))
    if broken:
        return Verdict(rule, "broken", broken)
    return Verdict(rule, "kept" if kept else "skipped", kept or tuple(outcomes))
