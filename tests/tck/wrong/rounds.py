"""Runs the whole matrix again and again, under load, and says whether verdicts change.

    python -m tests.tck.wrong.rounds --rounds 20 --load 4 --workers 24

`--load` is the number of processes that do nothing but keep a core busy.
"""

from __future__ import annotations

import argparse
import logging
import multiprocessing
import sys
import threading
import time
import warnings
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor

from tests.tck.wrong import cases, release

Verdict = tuple[str, frozenset[str], float, str]


def verdict(name: str) -> Verdict:
    """Verify one case, in a process that does so for one after another."""
    case = next(case for case in cases() if case.name == name)
    report = case.verify()
    release()
    fine = case.must <= report.broken <= case.must | case.may
    return name, report.broken, report.seconds, "" if fine else str(report)


def prepare() -> None:
    """Keep quiet about what wrong implementations raise on their own threads."""
    logging.disable()
    warnings.simplefilter("ignore")
    threading.excepthook = lambda args: None


def burn() -> None:
    """Keep a core busy."""
    while True:
        sum(range(100_000))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--load", type=int, default=2 * multiprocessing.cpu_count())
    parser.add_argument("--workers", type=int, default=16)
    options = parser.parse_args()
    names = [case.name for case in cases()]
    context = multiprocessing.get_context("spawn")
    load = [context.Process(target=burn, daemon=True) for _ in range(options.load)]
    for process in load:
        process.start()
    seen: dict[str, set[frozenset[str]]] = defaultdict(set)
    wrong = 0
    pool = ProcessPoolExecutor(options.workers, context, prepare)
    try:
        for number in range(1, options.rounds + 1):
            began = time.monotonic()
            slowest = 0.0
            for name, broken, seconds, report in pool.map(verdict, names):
                seen[name].add(broken)
                slowest = max(slowest, seconds)
                if report:
                    wrong += 1
                    print(f"round {number}: {name} got {sorted(broken)}\n{report}", flush=True)
            took = time.monotonic() - began
            print(
                f"round {number}: {len(names)} verdicts in {took:.0f} s, {wrong} wrong so far, "
                f"slowest {slowest:.0f} s",
                flush=True,
            )
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in load:
            process.terminate()
    changing = {name: found for name, found in seen.items() if len(found) > 1}
    for name, found in changing.items():
        print(f"{name}: verdicts differ, {' or '.join(str(sorted(f)) for f in found)}")
    print(
        f"{options.rounds} rounds of {len(names)} cases with {options.load} busy processes: "
        f"{wrong} wrong verdicts, {len(changing)} cases whose verdict changed"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
