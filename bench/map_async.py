"""W5: a coroutine function for each element, 64 of them under way."""

from __future__ import annotations

import asyncio
from functools import partial

from bench.measure import Measure, Rival, at_most, timed
from bench.work import Sum, triangle
from penstock import Flow

UNDER_WAY = 64


async def increment(element: int) -> int:
    await asyncio.sleep(0)
    return element + 1


def measures() -> list[Measure]:
    return [
        Measure(
            f"map_async {'ordered' if ordered else 'unordered'}",
            "64 under way",
            100_000,
            _expected,
            timed("penstock", partial(_ours, ordered=ordered)),
            (_by_hand(),),
        )
        for ordered in (True, False)
    ]


def _ours(n: int, *, ordered: bool) -> int:
    async def main() -> int:
        flow = Flow.range(n).map_async(increment, UNDER_WAY, ordered=ordered)
        return await flow.sum()

    return asyncio.run(main())


def _expected(n: int) -> int:
    return triangle(n) + n


def _by_hand() -> Rival:
    def workers(n: int) -> int:
        async def main() -> int:
            sink = Sum()
            elements = iter(range(n))
            on_next = sink.on_next

            async def worker() -> None:
                for element in elements:
                    on_next(await increment(element))

            await asyncio.gather(*(worker() for _ in range(UNDER_WAY)))
            return sink.total

        return asyncio.run(main())

    return Rival(timed("64 workers by hand", workers), at_most(1.6))
