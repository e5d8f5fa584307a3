"""`python -m bench`: run the measures and show them, as a table or as JSON."""

from __future__ import annotations

import argparse
import gc
import platform
import sys

from bench import boundary, building, floor, growth, junctions, latency, map_async
from bench.measure import Measure
from bench.report import as_json, summary, table
from bench.rounds import Row, run

GROUPS = {
    "floor": floor.measures,
    "boundary": boundary.measures,
    "latency": latency.measures,
    "junctions": junctions.measures,
    "map_async": map_async.measures,
    "building": building.measures,
    "growth": growth.measures,
}
ROUNDS = 5


def main() -> int:
    """Run what the command line names, and return 1 if ours failed or computed nonsense."""
    parser = argparse.ArgumentParser(
        prog="make bench",
        description="Ours and its peers take turns in one process; the best round counts. "
        "Ratios hold on other machines, figures don't.",
    )
    parser.add_argument(
        "--only",
        metavar="NAME",
        action="append",
        help=f"a group ({', '.join(GROUPS)}) or a measure; may be given again",
    )
    parser.add_argument("--quick", action="store_true", help="one round, a fiftieth of the work")
    parser.add_argument("--json", action="store_true", help="write JSON instead of a table")
    options = parser.parse_args()
    only: list[str] | None = options.only

    chosen = _chosen(only)
    if not chosen:
        parser.error(f"--only: no group or measure is named {', '.join(only or ())}")
    rounds = 1 if options.quick else ROUNDS
    gc.collect()
    gc.freeze()  # what is imported by now is nobody's garbage
    rows: list[Row] = []
    for measure in chosen:
        print(measure.name, end=" … ", flush=True, file=sys.stderr)
        rows += run(measure, rounds, quick=options.quick)
    print(file=sys.stderr)
    if options.json:
        print(as_json(rows, rounds))
    else:
        print(f"Python {platform.python_version()}, best of {rounds} interleaved rounds\n")
        print(f"{table(rows)}\n\n{summary(rows)}")
    return int(any(row.ours is not None and row.ours.problem for row in rows))


def _chosen(only: list[str] | None) -> list[Measure]:
    return [
        measure
        for group, measures in GROUPS.items()
        for measure in measures()
        if only is None or group in only or measure.name in only
    ]


if __name__ == "__main__":
    sys.exit(main())
