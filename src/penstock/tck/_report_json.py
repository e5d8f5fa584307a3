"""Reports as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from penstock.tck._report import Report
from penstock.tck._report_rules import verdicts

__all__ = ["all_as_json", "as_json"]


def as_json(report: Report) -> str:
    """Return one report as the text of a JSON object. Raises nothing."""
    return json.dumps(_object(report), indent=2)


def all_as_json(reports: Sequence[Report]) -> str:
    """Return many reports as the text of a JSON object, `{"reports": [...]}`."""
    return json.dumps({"reports": [_object(report) for report in reports]}, indent=2)


def _object(report: Report) -> dict[str, Any]:
    found = verdicts(report.outcomes)
    return {
        "subject": report.subject,
        "kind": report.kind,
        "seconds": round(report.seconds, 3),
        "broken": [i for i in found if i in report.broken],
        "broken_must": [i for i in found if i in report.broken_must],
        "rules": {
            i: {
                "level": v.rule.level,
                "title": v.rule.title,
                "verdict": v.standing,
                "reason": v.reason,
            }
            for i, v in found.items()
        },
        "outcomes": [asdict(outcome) for outcome in report.outcomes],
    }
