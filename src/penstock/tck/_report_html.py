"""Reports as one web page: all rules, all implementations, and what is broken."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from penstock._version import __version__
from penstock.spec import RULES, Rule
from penstock.spec._load import standard
from penstock.tck._report import KINDS, Report
from penstock.tck._report_html_style import STYLE
from penstock.tck._report_rules import Standing, Verdict, verdicts
from penstock.tck._report_text import signals, summary, what_it_does

__all__ = ["as_html"]

_CODE = re.compile(r"`([^`]+)`")
_SIGNS: dict[Standing, str] = {
    "broken": "\u2717",
    "kept": "\u2713",
    "seen": "\u25cb",
    "skipped": "\u2013",
    "elsewhere": "\u2192",
}


def as_html(reports: Sequence[Report]) -> str:
    """Return one page on all `reports`. It needs no other file, no script and no network."""
    page = _Page(reports)
    return "\n".join(page.lines()) + "\n"


class _Page:
    def __init__(self, reports: Sequence[Report]) -> None:
        self.reports = reports
        self.found = [verdicts(report.outcomes) for report in reports]

    def lines(self) -> Iterator[str]:
        title = "Reactive Streams: who keeps which rule"
        yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield '<meta name="color-scheme" content="light dark">'
        # Whatever a report may quote: nothing is loaded and nothing runs.
        yield (
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        )
        yield f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>"
        yield f"<header><h1>{title}</h1>"
        yield f"<p>Verified by the conformance kit of Penstock {escape(__version__)}.</p></header>"
        yield "<main>"
        yield from self.overview()
        yield from self.breaches()
        yield from self.matrix()
        yield "</main>\n</body>\n</html>"

    def overview(self) -> Iterator[str]:
        if not self.reports:
            yield "<p>Nothing was verified.</p>"
            return
        yield '<ul class="overview">'
        for number, report in enumerate(self.reports):
            verdict: Standing = "broken" if report.broken else "kept"
            name = f"{_SIGNS[verdict]}&nbsp;{escape(report.subject)}"
            if report.broken:
                name = f'<a href="#subject-{number}">{name}</a>'
            yield f'<li class="{verdict}"><b>{name}</b> <small>{KINDS[report.kind]}</small>'
            yield f"<br>{escape(summary(report))}</li>"
        yield "</ul>"

    def breaches(self) -> Iterator[str]:
        for number, (report, found) in enumerate(zip(self.reports, self.found, strict=True)):
            broken = [v for v in found.values() if v.standing == "broken"]
            if broken:
                yield f'<section id="subject-{number}"><h2>{escape(report.subject)} breaks</h2>'
                for verdict in broken:
                    yield from _breach(number, verdict)
                yield "</section>"

    def matrix(self) -> Iterator[str]:
        yield "<section><h2>All rules</h2>"
        yield "<p>Open a rule for what it says, why, and what the checks had to tell.</p>"
        yield '<div class="wide"><table>\n<thead><tr><th scope="col">Rule</th>'
        for report in self.reports:
            yield f'<th scope="col">{escape(report.subject)}</th>'
        yield "</tr></thead>"
        for section in standard().sections.values():
            yield f'<tbody><tr><th class="part" scope="rowgroup" colspan="{len(self.found) + 1}">'
            yield f"{section.id} {escape(section.title)}</th></tr>"
            for rule in RULES.values():
                if rule.section == section.id:
                    yield from self.row(rule)
            yield "</tbody>"
        yield "</table></div></section>"

    def row(self, rule: Rule) -> Iterator[str]:
        yield f'<tr><th scope="row"><details><summary><b>{rule.id}</b> {_prose(rule.title)}'
        yield f"<small>{rule.level}</small></summary>"
        yield f"<p>{_prose(rule.rule)}</p><p><i>Why:</i> {_prose(rule.intent)}</p>"
        if rule.unobservable:
            yield f"<p><i>Not checked:</i> {_prose(rule.unobservable)}</p>"
        for report, found in zip(self.reports, self.found, strict=True):
            verdict = found.get(rule.id)
            if verdict is not None and verdict.reason:
                told = f"{verdict.standing}: {verdict.reason}"
                yield f"<p><i>{escape(report.subject)}:</i> {escape(told)}</p>"
        yield "</details></th>"
        for number, found in enumerate(self.found):
            yield _cell(number, found.get(rule.id))
        yield "</tr>"


def _cell(number: int, verdict: Verdict | None) -> str:
    if verdict is None:
        return '<td class="none"><span title="no check looked at it">&middot;</span></td>'
    standing = verdict.standing
    rule = verdict.rule
    told = f"{_SIGNS[standing]} {standing}"
    if standing == "elsewhere":
        told = f'<a href="#breach-{number}-{rule.reported_as}">{verdict.reason}</a>'
    elif standing == "broken":
        told = f'<a href="#breach-{number}-{rule.id}">{told}</a>'
    return f'<td class="{standing}">{told}</td>'


def _breach(number: int, verdict: Verdict) -> Iterator[str]:
    rule, first = verdict.rule, verdict.outcomes[0]
    yield f'<article id="breach-{number}-{rule.id}"><h3>{rule.id} {_prose(rule.title)}'
    yield f"<small>{rule.level}</small></h3><dl>"
    yield f"<dt>Observed</dt><dd><pre>{escape(first.reason)}</pre>"
    yield f"<small>seen by {escape(first.name)}: {_prose(what_it_does(first.name))}</small></dd>"
    yield f"<dt>Rule</dt><dd>{_prose(rule.rule)}</dd>"
    yield f"<dt>Why</dt><dd>{_prose(rule.intent)}</dd>"
    yield f"<dt>Check</dt><dd>{_prose(rule.advice)}</dd></dl>"
    others = verdict.outcomes[1:]
    if others:
        checks = "check" if len(others) == 1 else "checks"
        yield f"<details><summary>{len(others)} more {checks} saw it broken</summary><ul>"
        for other in others:
            told = f"{other.name}: {' '.join(other.reason.split())}"
            yield f"<li>{escape(told)}</li>"
        yield "</ul></details>"
    if first.log:
        yield "<details><summary>The signals, with times and threads</summary>"
        yield f"<pre>{escape(signals(first))}</pre></details>"
    yield "</article>"


def _prose(text: str) -> str:
    """Return a text of the rules' file as HTML."""
    return _CODE.sub(r"<code>\1</code>", escape(text))
