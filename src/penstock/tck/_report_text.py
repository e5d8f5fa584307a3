"""Reports as text for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from penstock.spec import Rule
from penstock.tck._check import CHECKS
from penstock.tck._report import KINDS, Report
from penstock.tck._report_rules import Standing, Verdict, verdicts
from penstock.tck._verdict import Outcome

__all__ = ["as_text", "explained", "signals", "summary", "what_it_does"]

_OF_A_CHECK = re.compile(r"\[penstock-tck spec_\w+\]")
_WIDTH = 80
_LABEL = 10
_HEADINGS: dict[Standing, str] = {
    "kept": "kept",
    "seen": "seen, where both ways are allowed",
    "skipped": "skipped",
}


def as_text(report: Report) -> str:
    """Return the report as text: what is broken first, then the rest in short."""
    return "\n".join(_lines(report))


def summary(report: Report) -> str:
    """Return the one line that matters most."""
    counts: dict[Standing, int] = {}
    for verdict in verdicts(report.outcomes).values():
        counts[verdict.standing] = counts.get(verdict.standing, 0) + 1
    broken = counts.get("broken", 0)
    told = "no rule broken" if not broken else f"{broken} rule{'s'[: broken > 1]} broken"
    others = [f"{counts[s]} {s}" for s in _HEADINGS if s in counts]
    return f"{', '.join([told, *others])} in {report.seconds:.1f} s"


def explained(
    rule: Rule, outcomes: Sequence[Outcome], already_in: str | None = None
) -> Iterator[str]:
    """Yield lines on one broken rule: what was observed, the rule, and what to check.

    `already_in` names where the reader can find the rule's own texts instead.
    """
    first = outcomes[0]
    yield from _labelled("observed", first.reason)
    yield from _labelled("seen by", f"{first.name}: {what_it_does(first.name)}")
    others = [outcome.name for outcome in outcomes[1:]]
    if others:
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        yield from _labelled("also by", ", ".join(others[:3]) + more)
    if already_in is None:
        yield from _labelled("rule", rule.rule)
        yield from _labelled("why", rule.intent)
        yield from _labelled("check", rule.advice)
    else:
        yield from _labelled("rule", f"see {already_in}, above")
    if first.log:
        yield from _labelled("signals", "when, [thread], who: what")
        yield from (f"  {line}" for line in signals(first).splitlines())


def signals(outcome: Outcome) -> str:
    """Return the signals that led to a breach, a line each."""
    # The kit's threads have long names, to be known in a dump of all stacks.
    return _OF_A_CHECK.sub("[kit]", outcome.log).replace("[penstock-tck ", "[kit's ")


def what_it_does(check: str) -> str:
    """Return what the check of that name does, in a sentence."""
    return next((" ".join(c.does.split()) for c in CHECKS if c.name == check), "")


def _lines(report: Report) -> Iterator[str]:
    yield f"{report.subject} ({KINDS[report.kind]}): {summary(report)}"
    found = verdicts(report.outcomes)
    groups: dict[Standing, list[Verdict]] = {}
    for verdict in found.values():
        groups.setdefault(verdict.standing, []).append(verdict)
    for verdict in groups.get("broken", ()):
        yield ""
        yield f"BROKEN {verdict.rule.id} {verdict.rule.title} ({verdict.rule.level})"
        yield from explained(verdict.rule, verdict.outcomes)
    for verdict in groups.get("elsewhere", ()):
        yield ""
        yield f"       {verdict.rule.id} {verdict.rule.title}: {verdict.reason}"
    for standing, heading in _HEADINGS.items():
        some = groups.get(standing, [])
        if some:
            yield ""
            yield f"{heading} ({len(some)})"
            yield from _compact(some)


def _compact(some: Sequence[Verdict]) -> Iterator[str]:
    """Yield a line for each reason, with all the rules that have it."""
    by_reason: dict[str, list[str]] = {}
    for verdict in some:
        by_reason.setdefault(verdict.reason, []).append(verdict.rule.id)
    for reason, ids in by_reason.items():
        rules = ", ".join(ids)
        yield from _wrapped(f"{rules}: {reason}" if reason else rules, "  ", "      ")


def _labelled(label: str, text: str) -> Iterator[str]:
    """Yield `text` beside its label; what follows its first line is shown as it is."""
    first, *more = text.splitlines() or [""]
    yield from _wrapped(first, f"  {label:<{_LABEL}}", " " * (_LABEL + 2))
    yield from (" " * (_LABEL + 2) + line for line in more)


def _wrapped(text: str, first: str, others: str) -> list[str]:
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]
