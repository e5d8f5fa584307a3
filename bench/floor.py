"""W1, W2: a fused run of stages, beside a loop that calls the same functions and a sink."""

from __future__ import annotations

from collections.abc import Callable

from bench.measure import Measure, Rival, Side, at_most, timed
from bench.work import Count, Sum, SumInBatches, evens, increment, is_even, triangle
from penstock import Flow, Run

TEN = 10


def measures() -> list[Measure]:
    return [
        Measure("W1", "map, filter", 1_000_000, evens, _ours(_flow_w1, Sum), (_w1(1.25),)),
        Measure("W2", "ten maps", 200_000, _ten_more, _ours(_flow_w2, Sum), (_w2(1.25),)),
        Measure(
            "W1 by 256",
            "the same, request(256)",
            1_000_000,
            evens,
            _ours(_flow_w1, SumInBatches),
            (_w1(1.4),),
        ),
        Measure(
            "W2 by 256",
            "the same, request(256)",
            200_000,
            _ten_more,
            _ours(_flow_w2, SumInBatches),
            (_w2(1.4),),
        ),
        Measure(
            "W1 sum",
            "folded by sum()",
            1_000_000,
            evens,
            _run(lambda n: _flow_w1(n).sum()),
            (_w1(1.1),),
        ),
        Measure(
            "W1 count",
            "folded by count()",
            1_000_000,
            lambda n: n // 2,
            _run(lambda n: _flow_w1(n).count()),
            (Rival(timed("for loop, sink", lambda n: _loop_w1(n, Count())), at_most(1.1)),),
        ),
        Measure(
            "W1 fold",
            "folded by fold(0, add)",
            1_000_000,
            evens,
            _run(lambda n: _flow_w1(n).fold(0, add)),
            (
                Rival(timed("for loop, sink", lambda n: _loop_w1(n, _Fold(add))), at_most(1.1)),
                Rival(timed("for loop alone", _loop_fold)),
            ),
        ),
        Measure(
            "W2 sum",
            "folded by sum()",
            200_000,
            _ten_more,
            _run(lambda n: _flow_w2(n).sum()),
            (_w2(1.1),),
        ),
    ]


def _flow_w1(n: int) -> Flow[int]:
    return Flow.range(n).map(increment).filter(is_even)


def _flow_w2(n: int) -> Flow[int]:
    flow = Flow.range(n)
    for _ in range(TEN):
        flow = flow.map(increment)
    return flow


def _ours(flow: Callable[[int], Flow[int]], make_sink: Callable[[], Sum]) -> Side:
    def work(n: int) -> int:
        sink = make_sink()
        flow(n).subscribe(sink)
        return sink.total

    return timed("penstock", work)


def _run(make: Callable[[int], Run[int]]) -> Side:
    return timed("penstock", lambda n: make(n).result())


def _ten_more(n: int) -> int:
    return triangle(n) + TEN * n


def add(total: int, element: int) -> int:
    return total + element


def _w1(target: float) -> Rival:
    return Rival(timed("for loop, sink", lambda n: _loop_w1(n, Sum())), at_most(target))


def _w2(target: float) -> Rival:
    return Rival(timed("for loop, sink", _loop_w2), at_most(target))


def _loop_w1(n: int, sink: Sum) -> int:
    # Locals, as in a loop written for speed: ours has its functions in locals, too.
    function, predicate, on_next = increment, is_even, sink.on_next
    for element in range(n):
        element = function(element)  # noqa: PLW2901 - as ours does
        if predicate(element):
            on_next(element)
    return sink.total


def _loop_w2(n: int) -> int:
    sink = Sum()
    f, on_next = increment, sink.on_next
    for element in range(n):
        on_next(f(f(f(f(f(f(f(f(f(f(element)))))))))))
    return sink.total


class _Fold(Sum):
    """Folds with a function, as a sink does that is given one."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[[int, int], int]) -> None:
        super().__init__()
        self.function = function

    def on_next(self, element: int, /) -> None:
        self.total = self.function(self.total, element)


def _loop_fold(n: int) -> int:
    function, predicate, fold = increment, is_even, add
    total = 0
    for element in range(n):
        element = function(element)  # noqa: PLW2901
        if predicate(element):
            total = fold(total, element)
    return total
