"""What it takes to build a flow and subscribe to it, and what an idle one holds."""

from __future__ import annotations

import gc
import time
import tracemalloc

from bench.measure import KB, US, Measure, Rival, Sample, Side
from bench.work import Count, increment, is_even
from penstock import Flow, Subscription


def measures() -> list[Measure]:
    return [
        Measure(
            "build",
            "five stages, built and subscribed to, their shape cached",
            5000,
            lambda n: n,
            Side("penstock", _built),
            (Rival(Side("reactivex, and run", _reactive)),),
            limit=10,
            unit=US,
        ),
        Measure(
            "idle",
            "three stages, subscribed to, of a thousand",
            1000,
            lambda n: n,
            Side("penstock", _idle),
            (),
            limit=4,
            unit=KB,
            rounds=2,
        ),
    ]


class Idle(Count):
    """Takes its subscription and requests nothing."""

    __slots__ = ("subscription",)

    def on_subscribe(self, subscription: Subscription, /) -> None:
        self.subscription = subscription


def _built(n: int) -> Sample:
    start = time.perf_counter()
    for _ in range(n):
        flow = Flow.range(9).map(increment).filter(is_even).map(increment).map(increment)
        flow.map(increment).subscribe(Idle())
    return Sample((time.perf_counter() - start) / n, n)


def _reactive(n: int) -> Sample:
    import reactivex as rx
    from reactivex import operators as op

    start = time.perf_counter()
    for _ in range(n):
        rx.from_iterable((0,)).pipe(
            op.map(increment),
            op.filter(is_even),
            op.map(increment),
            op.map(increment),
            op.map(increment),
        ).subscribe(Count().on_next)
    return Sample((time.perf_counter() - start) / n, n)


def _idle(n: int) -> Sample:
    sinks = [Idle() for _ in range(n)]
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for sink in sinks:
        Flow.range(9).map(increment).filter(is_even).map(increment).subscribe(sink)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Sample((after - before) / n, len(sinks))
