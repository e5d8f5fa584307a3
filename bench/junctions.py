"""W4: where streams come together or part: flat_map, merge, zip, group_by, and chunk."""

from __future__ import annotations

import asyncio

from bench import on_bytewax
from bench.measure import Measure, Rival, at_most, faster, timed
from bench.work import Sum, SumOf, triangle
from penstock import Flow

INNER = 100
GROUPS = 100
NAMES = [str(i) for i in range(GROUPS)]


def hundred(outer: int) -> range:
    """Return the 100 elements that flat_map makes of one."""
    return range(outer * INNER, outer * INNER + INNER)


def name(element: int) -> str:
    """Return the group's key: a text, since bytewax takes no other."""
    return NAMES[element % GROUPS]


def added(pair: tuple[int, int]) -> int:
    return pair[0] + pair[1]


def measures() -> list[Measure]:
    return [_flat_map(), _merge(), _zip(), _group_by(), _chunk()]


def _whole(n: int) -> int:
    return n // INNER * INNER


def _flat_map() -> Measure:
    def ours(n: int) -> int:
        sink = Sum()
        Flow.range(n // INNER).flat_map(hundred).subscribe(sink)
        return sink.total

    def loop(n: int) -> int:
        sink = Sum()
        on_next = sink.on_next
        for outer in range(n // INNER):
            for element in hundred(outer):
                on_next(element)
        return sink.total

    def reactive(n: int) -> int:
        import reactivex as rx
        from reactivex import operators as op

        sink = Sum()
        inner = op.flat_map(lambda outer: rx.from_iterable(hundred(outer)))
        rx.from_iterable(range(n // INNER)).pipe(inner).subscribe(sink.on_next)
        return sink.total

    def dataflow(n: int) -> on_bytewax.Build:
        return lambda op, source: op.flat_map("flat_map", source(n // INNER), hundred)

    return Measure(
        "flat_map",
        "each element becomes 100",
        1_000_000,
        lambda n: triangle(_whole(n)),
        timed("penstock", ours),
        (
            Rival(timed("reactivex", reactive, 0.1), faster(6)),
            *on_bytewax.rivals(dataflow, at_most(1)),
            Rival(timed("for loops", loop)),
        ),
    )


def _merge() -> Measure:
    def ours(n: int) -> int:
        sink = Sum()
        Flow.merge(*(Flow.range(n // 4) for _ in range(4))).subscribe(sink)
        return sink.total

    def loop(n: int) -> int:
        sink = Sum()
        on_next = sink.on_next
        for ranges in zip(*[range(n // 4)] * 4, strict=True):
            for element in ranges:
                on_next(element)
        return sink.total

    def dataflow(n: int) -> on_bytewax.Build:
        return lambda op, source: op.merge("merge", *(source(n // 4) for _ in range(4)))

    return Measure(
        "merge",
        "4 sources into one",
        400_000,
        lambda n: 4 * triangle(n // 4),
        timed("penstock", ours),
        (*on_bytewax.rivals(dataflow, faster(1.5)), Rival(timed("for loops", loop))),
    )


def _zip() -> Measure:
    def ours(n: int) -> int:
        sink = SumOf(added)
        Flow.range(n).zip(Flow.range(n)).subscribe(sink)
        return sink.total

    def loop(n: int) -> int:
        sink = SumOf(added)
        on_next = sink.on_next
        for pair in zip(range(n), range(n), strict=True):
            on_next(pair)
        return sink.total

    def standard(n: int) -> int:
        async def main() -> int:
            import asyncstdlib

            sink = SumOf(added)
            on_next = sink.on_next
            async for pair in asyncstdlib.zip(range(n), range(n)):
                on_next(pair)
            return sink.total

        return asyncio.run(main())

    return Measure(
        "zip",
        "2 sources, pair by pair",
        200_000,
        lambda n: 2 * triangle(n),
        timed("penstock", ours),
        (Rival(timed("asyncstdlib", standard), faster(6)), Rival(timed("for loop", loop))),
    )


def _group_by() -> Measure:
    def ours(n: int) -> int:
        sink = Sum()
        groups = Flow.range(n).group_by(name)
        groups.flat_map(lambda group: group.count(), GROUPS).subscribe(sink)
        return sink.total

    def loop(n: int) -> int:
        counts: dict[str, int] = {}
        for element in range(n):
            key = name(element)
            counts[key] = counts.get(key, 0) + 1
        return sum(counts.values())

    def dataflow(n: int) -> on_bytewax.Build:
        return lambda op, source: op.map(
            "value", op.count_final("count", source(n), name), lambda counted: counted[1]
        )

    return Measure(
        "group_by",
        "100 keys, a count of each",
        200_000,
        lambda n: n,
        timed("penstock", ours),
        (*on_bytewax.rivals(dataflow, faster(4)), Rival(timed("for loop, dict", loop))),
    )


def _chunk() -> Measure:
    def ours(n: int) -> int:
        sink = SumOf(len)
        Flow.range(n).chunk(100).subscribe(sink)
        return sink.total

    def loop(n: int) -> int:
        sink = SumOf(len)
        chunk: list[int] = []
        for element in range(n):
            chunk.append(element)
            if len(chunk) == 100:
                sink.on_next(chunk)
                chunk = []
        if chunk:
            sink.on_next(chunk)
        return sink.total

    def standard(n: int) -> int:
        async def main() -> int:
            import asyncstdlib

            sink = SumOf(len)
            async for chunk in asyncstdlib.batched(range(n), 100):
                sink.on_next(chunk)
            return sink.total

        return asyncio.run(main())

    return Measure(
        "chunk",
        "lists of 100",
        1_000_000,
        lambda n: n,
        timed("penstock", ours),
        (Rival(timed("asyncstdlib", standard), faster(3)), Rival(timed("for loop", loop))),
    )
