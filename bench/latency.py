"""How soon an element is on the far side of a boundary."""

from __future__ import annotations

import queue
import statistics
import threading
import time
from collections.abc import Iterator

from bench.boundary import END, FAR, together
from bench.measure import MS, US, Measure, Rival, Sample, Side, at_most
from penstock import Flow

GAP = 0.0005
"""Seconds between two elements, so that the far side has gone idle meanwhile."""


def measures() -> list[Measure]:
    return [
        Measure(
            "latency",
            "median, one element each 0.5 ms across a thread",
            1000,
            lambda n: n,
            Side("penstock", _ours),
            (Rival(Side("SimpleQueue", _simple_queue), at_most(2)),),
            unit=US,
        ),
        Measure(
            "five and a pause",
            "until the far side has all five",
            20,
            lambda n: n,
            Side("penstock", _five),
            (),
            limit=10,
            unit=MS,
        ),
    ]


def _ours(n: int) -> Sample:
    taken: list[float] = []

    def sent() -> Iterator[float]:
        for _ in range(n):
            time.sleep(GAP)
            yield time.perf_counter()

    Flow.from_iterable(sent).on(FAR).for_each(
        lambda sent: taken.append(time.perf_counter() - sent)
    ).result()
    return Sample(statistics.median(taken), len(taken))


def _five(n: int) -> Sample:
    slowest = 0.0
    for _ in range(n):
        pause = threading.Event()
        all_here = threading.Event()
        began = 0.0

        def source(pause: threading.Event = pause) -> Iterator[int]:
            nonlocal began
            began = time.perf_counter()
            yield from range(5)
            pause.wait(10)

        def look(element: int, all_here: threading.Event = all_here) -> None:
            if element == 4:
                all_here.set()

        run = Flow.from_iterable(source).on(FAR).for_each(look).start()
        all_here.wait(10)
        slowest = max(slowest, time.perf_counter() - began)
        pause.set()
        run.result(10)
    return Sample(slowest, n)


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
