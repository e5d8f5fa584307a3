"""W3: elements that cross between threads and event loops, 1024 under way at most."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from itertools import islice

from bench.measure import Measure, Rival, faster, timed
from bench.work import WINDOW, Sum, triangle
from penstock import Flow, event_loop, threads

END = object()
FAR = threads(1)


def measures() -> list[Measure]:
    return [
        Measure(
            "thread to thread",
            "window 1024",
            500_000,
            triangle,
            timed("penstock", _ours_threads),
            (
                Rival(
                    timed("queue.Queue(1024)", lambda n: _threads(n, queue.Queue(WINDOW)), 0.4),
                    faster(7),
                ),
                Rival(timed("SimpleQueue, no bound", lambda n: _threads(n, queue.SimpleQueue()))),
            ),
        ),
        Measure(
            "one by one",
            "thread to thread, of an iterator: no whole chunks cross",
            500_000,
            triangle,
            timed("penstock", _ours_one_by_one),
            (
                Rival(
                    timed("queue.Queue(1024)", lambda n: _threads(n, queue.Queue(WINDOW)), 0.4),
                    faster(7),
                ),
            ),
        ),
        Measure(
            "thread to loop",
            "window 1024",
            500_000,
            triangle,
            timed("penstock", _ours_loop),
            (Rival(timed("culsans.Queue(1024)", _culsans, 0.1), faster(12)),),
        ),
        Measure(
            "on one loop",
            "window 1024",
            500_000,
            triangle,
            timed("penstock", _ours_one_loop),
            (Rival(timed("asyncio.Queue(1024)", _one_loop, 0.4), faster(4)),),
        ),
    ]


def _ours_threads(n: int) -> int:
    return _across(Flow.range(n))


def _ours_one_by_one(n: int) -> int:
    return _across(Flow.from_iterable(lambda: islice(range(n), n)))


def _across(flow: Flow[int]) -> int:
    over = threading.Event()
    sink = Sum(over.set)
    flow.on(FAR, WINDOW).subscribe(sink)
    over.wait()
    return sink.total


def _ours_loop(n: int) -> int:
    return _until_over(lambda: Flow.range(n).subscribe_on(FAR).on(event_loop(), WINDOW))


def _ours_one_loop(n: int) -> int:
    return _until_over(lambda: Flow.range(n).on(event_loop(), WINDOW))


def _until_over(flow: Callable[[], Flow[int]]) -> int:
    async def main() -> int:
        over = asyncio.Event()
        sink = Sum(over.set)
        flow().subscribe(sink)
        await over.wait()
        return sink.total

    return asyncio.run(main())


def _threads(n: int, between: queue.Queue[object] | queue.SimpleQueue[object]) -> int:
    sink = Sum()

    def produce() -> None:
        put = between.put
        for element in range(n):
            put(element)
        put(END)

    def consume() -> None:
        get, on_next = between.get, sink.on_next
        while (element := get()) is not END:
            on_next(element)  # type: ignore[arg-type]

    together(produce, consume)
    return sink.total


def together(*functions: Callable[[], object]) -> None:
    """Run each function on a thread of its own, and return when all of them have."""
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _culsans(n: int) -> int:
    async def main() -> int:
        import culsans

        between = culsans.Queue(WINDOW)

        def produce() -> None:
            put = between.sync_q.put
            for element in range(n):
                put(element)
            put(END)

        thread = threading.Thread(target=produce)
        thread.start()
        sink = Sum()
        get, on_next = between.async_q.get, sink.on_next
        while (element := await get()) is not END:
            on_next(element)
        thread.join()
        await between.aclose()
        return sink.total

    return asyncio.run(main())


def _one_loop(n: int) -> int:
    async def main() -> int:
        between: asyncio.Queue[object] = asyncio.Queue(WINDOW)

        async def produce() -> None:
            put = between.put
            for element in range(n):
                await put(element)
            await put(END)

        task = asyncio.create_task(produce())
        sink = Sum()
        get, on_next = between.get, sink.on_next
        while (element := await get()) is not END:
            on_next(element)  # type: ignore[arg-type]
        await task
        return sink.total

    return asyncio.run(main())
