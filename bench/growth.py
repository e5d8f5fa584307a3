"""How costs grow: with the stages, with the subscribers, and with what a slow consumer leaves."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bench.boundary import FAR
from bench.measure import KB, NS, Measure, Rival, Sample, Side, at_most
from bench.work import Sum, increment, triangle
from penstock import Flow, Hub

PAGE = 4096


def measures() -> list[Measure]:
    return [
        *(_stages(many, few) for few, many in ((1, 10), (10, 100), (100, 1000))),
        *(_subscribers(many, few) for few, many in ((1, 100), (100, 10_000))),
        Measure(
            "slow consumer",
            "memory that 5 M elements add, of a consumer ten times slower",
            5_000_000,
            lambda n: n,
            Side("penstock", _slow_consumer),
            (),
            limit=4096,
            unit=KB,
            rounds=1,
        ),
    ]


def _stages(many: int, few: int) -> Measure:
    return Measure(
        f"{many} stages",
        "maps, per stage and element, first use included",
        100_000,
        lambda n: n,
        Side(f"{many} maps", partial(_through, many)),
        (Rival(Side(f"{few} maps", partial(_through, few)), at_most(1.5)),),
        unit=NS,
    )


def _through(stages: int, n: int) -> Sample:
    elements = max(n // stages, 1)
    start = time.perf_counter()
    flow = Flow.range(elements)
    for _ in range(stages):
        flow = flow.map(increment)
    total = flow.sum().result()
    cost = (time.perf_counter() - start) / (elements * stages)
    right = total == triangle(elements) + stages * elements
    return Sample(cost, n if right else total)


def _subscribers(many: int, few: int) -> Measure:
    return Measure(
        f"{many} subscribers",
        "of one hub, per element and subscriber",
        200_000,
        lambda n: n,
        Side(f"{many} of them", partial(_shared, many)),
        (Rival(Side(f"{few} of them", partial(_shared, few)), at_most(2)),),
        unit=NS,
        rounds=3,
    )


def _shared(subscribers: int, n: int) -> Sample:
    elements = max(n // subscribers, 1)
    sinks = [Sum() for _ in range(subscribers)]
    start = time.perf_counter()
    hub = Hub[int](buffer=64)
    for sink in sinks:
        hub.subscribe(sink)
    for element in range(elements):
        hub.push(element)
    hub.complete()
    cost = (time.perf_counter() - start) / (elements * subscribers)
    right = all(sink.total == triangle(elements) for sink in sinks)
    return Sample(cost, n if right else [sink.total for sink in sinks[:3]])


def _slow_consumer(n: int) -> Sample:
    before = _resident()
    seen = Flow.range(n).on(FAR).map(_slowly(10)).count().result()
    return Sample(max(_resident() - before, PAGE), seen)


def _slowly(times: int) -> Callable[[int], int]:
    def work(element: int) -> int:
        for _ in range(times):
            element = increment(element)
        return element

    return work


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * PAGE
