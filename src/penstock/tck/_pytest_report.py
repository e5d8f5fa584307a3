"""The file that `--tck-report` writes, from what the tests of a run have found."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from penstock.tck._check import Side
from penstock.tck._verdict import Outcome

__all__ = ["ReportFile", "attach"]

_FINDINGS = "penstock_tck"


@dataclass
class _Subject:
    kind: Side
    outcomes: dict[str, list[Outcome]] = field(default_factory=dict[str, list[Outcome]])
    seconds: float = 0.0


def attach(
    report: pytest.TestReport, subject: str, kind: Side, outcomes: list[Outcome], seconds: float
) -> None:
    """Give a test's report what it found, in plain data: so it also leaves a worker process."""
    vars(report)[_FINDINGS] = {
        "subject": subject,
        "kind": kind,
        "outcomes": [asdict(outcome) for outcome in outcomes],
        "seconds": seconds,
    }


class ReportFile:
    """Gathers what the tests found and writes it when the run ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._subjects: dict[str, _Subject] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        found: dict[str, Any] | None = vars(report).get(_FINDINGS)
        if found is None:
            return
        subject = self._subjects.setdefault(found["subject"], _Subject(found["kind"]))
        subject.seconds += found["seconds"]
        # A test that is run again counts as it ended last.
        subject.outcomes[report.nodeid] = [Outcome(**outcome) for outcome in found["outcomes"]]

    def pytest_sessionfinish(self) -> None:
        from penstock.tck._report_html import as_html
        from penstock.tck._report_json import all_as_json

        make = as_html if self._path.suffix == ".html" else all_as_json
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(make(self._reports()), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        verified = len(self._subjects)
        noun = "implementation" if verified == 1 else "implementations"
        terminalreporter.write_line(f"penstock: report on {verified} {noun} in {self._path}")

    def _reports(self) -> list[Any]:
        from penstock.tck._report import Report

        names = _short_names(list(self._subjects))
        return [
            Report(names[i], s.kind, tuple(chain.from_iterable(s.outcomes.values())), s.seconds)
            for i, s in self._subjects.items()
        ]


def _short_names(ids: list[str]) -> dict[str, str]:
    """Return the classes' names; the whole id where two would have the same."""
    short = {i: i.partition("::")[2] or i for i in ids}
    names = list(short.values())
    return {i: name if names.count(name) == 1 else i for i, name in short.items()}
