"""Show rows as a table, or as JSON."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Sequence
from importlib import metadata

from bench.rounds import Outcome, Row

PEERS = ("reactivex", "bytewax", "asyncstdlib", "culsans")
_HEADINGS = ("measure", "ours", "compared with", "theirs", "ratio", "target", "verdict")


def table(rows: Iterable[Row]) -> str:
    """Return the rows, one line each, below headings."""
    cells: list[Sequence[str]] = [_HEADINGS, *map(_cells, rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(_HEADINGS))]
    right = {1, 3, 4}
    lines = [
        "  ".join(
            text.rjust(width) if i in right else text.ljust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def _cells(row: Row) -> Sequence[str]:
    target = f"<= {row.limit:g} {row.unit.name}" if row.limit is not None else ""
    return (
        row.measure,
        _cost(row.ours, row) if row.ours else "",
        row.rival.side if row.rival else "",
        _cost(row.rival, row) if row.rival else "",
        f"{row.ratio:.2f}" if row.ratio is not None and row.rival else "",
        str(row.target or target or "-"),
        row.verdict,
    )


def _cost(outcome: Outcome, row: Row) -> str:
    if outcome.cost is None:
        return "?"
    return f"{outcome.cost * row.unit.per_one:.1f} {row.unit.name}"


def summary(rows: Sequence[Row]) -> str:
    """Return how many targets are met, and name what could not be compared."""
    verdicts = [row.verdict for row in rows if row.target or row.limit is not None]
    met, missed = verdicts.count("met"), verdicts.count("missed")
    return f"{met} met, {missed} missed, {len(verdicts) - met - missed} not comparable"


def as_json(rows: Sequence[Row], rounds: int) -> str:
    """Return everything that was measured, every round included."""
    return json.dumps(
        {
            "python": platform.python_version(),
            "implementation": platform.python_implementation(),
            "machine": platform.machine(),
            "peers": {name: _version(name) for name in PEERS},
            "rounds": rounds,
            "rows": [_record(row) for row in rows],
        },
        indent=2,
    )


def _record(row: Row) -> dict[str, object]:
    return {
        "measure": row.measure,
        "does": row.does,
        "unit": row.unit.name,
        "ours": _costs(row.ours, row) if row.ours else None,
        "compared_with": row.rival.side if row.rival else None,
        "theirs": _costs(row.rival, row) if row.rival else None,
        "ratio": None if row.ratio is None else round(row.ratio, 3),
        "target": str(row.target) if row.target else None,
        "limit": row.limit,
        "verdict": row.verdict,
    }


def _costs(outcome: Outcome, row: Row) -> dict[str, object]:
    rounds = [round(cost * row.unit.per_one, 2) for cost in outcome.costs]
    best = None if outcome.cost is None else round(outcome.cost * row.unit.per_one, 2)
    return {"best": best, "rounds": rounds, "problem": outcome.problem or None}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
