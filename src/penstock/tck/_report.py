"""What a verification found out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from penstock.tck._check import Side
from penstock.tck._report_rules import Verdict, verdicts
from penstock.tck._verdict import Outcome

__all__ = ["KINDS", "Report"]

KINDS: dict[Side, str] = {
    "publisher": "publisher",
    "subscriber": "subscriber",
    "whitebox": "subscriber, whitebox",
    "processor": "processor",
}
"""What to call each kind of verification."""


@dataclass(frozen=True, repr=False)
class Report:
    """What the kit found out about one implementation. `str(report)` is to be read.

    Several checks may look at one rule: it is broken if one of them saw it broken, else
    kept if one of them saw it kept, else skipped. Nothing here raises.
    """

    subject: str
    """The name of what was verified."""
    kind: Side
    """As what it was verified."""
    outcomes: tuple[Outcome, ...]
    """What each check found, in the order in which they ran."""
    seconds: float
    """How long the verification took."""

    @cached_property
    def _verdicts(self) -> dict[str, Verdict]:
        return verdicts(self.outcomes)

    @property
    def broken(self) -> frozenset[str]:
        """The ids of the broken rules: MUST, SHOULD and recommended ones, as reported."""
        return frozenset(i for i, v in self._verdicts.items() if v.standing == "broken")

    @property
    def broken_must(self) -> frozenset[str]:
        """The ids of the broken rules of level MUST."""
        return frozenset(i for i in self.broken if self._verdicts[i].rule.level == "MUST")

    def to_json(self) -> str:
        """Return the report as the text of a JSON object."""
        from penstock.tck._report_json import as_json

        return as_json(self)

    def to_html(self) -> str:
        """Return the report as a web page that needs no other file."""
        from penstock.tck._report_html import as_html

        return as_html([self])

    def __str__(self) -> str:
        from penstock.tck._report_text import as_text

        return as_text(self)

    def __repr__(self) -> str:
        broken = ", ".join(i for i in self._verdicts if i in self.broken) or "nothing"
        return f"<Report on {self.subject} ({KINDS[self.kind]}): {broken} broken>"
