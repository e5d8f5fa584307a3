"""How soon an element is on the far side of a boundary."""

from __future__ import annotations

import queue
import statistics
import time

from bench.boundary import END, together
from bench.measure import US, Measure, Rival, Sample, Side, at_most

GAP = 0.0005
"""Seconds between two elements, so that the far side has gone idle meanwhile."""


def measures() -> list[Measure]:
    return [
        Measure(
            "latency",
            "median, one element each 0.5 ms across a thread",
            1000,
            lambda n: n,
            None,
            (Rival(Side("SimpleQueue", _simple_queue), at_most(2)),),
            unit=US,
        )
    ]


def _simple_queue(n: int) -> Sample:
    between: queue.SimpleQueue[object] = queue.SimpleQueue()
    taken: list[float] = []

    def produce() -> None:
        for _ in range(n):
            time.sleep(GAP)
            between.put(time.perf_counter())
        between.put(END)

    def consume() -> None:
        while (sent := between.get()) is not END:
            taken.append(time.perf_counter() - sent)  # type: ignore[operator]

    together(produce, consume)
    return Sample(statistics.median(taken), len(taken))
