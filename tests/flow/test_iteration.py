"""Iterating over flows: `for`, `async for`, and leaving early."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Iterator

import pytest

from penstock import Flow, event_loop, threads
from tests.waiting import eventually


class Source:
    def __init__(self, n: int) -> None:
        self.n = n
        self.taken = 0
        self.closed = 0

    def __iter__(self) -> Iterator[int]:
        try:
            for i in range(self.n):
                self.taken += 1
                yield i
        finally:
            self.closed += 1


def plain(source: Source) -> Flow[int]:
    return Flow.from_iterable(source).map(lambda x: x + 1)


def crossing(source: Source) -> Flow[int]:
    return Flow.from_iterable(source).on(threads(1), window=4).map(lambda x: x + 1)


def looping(source: Source) -> Flow[int]:
    return Flow.from_iterable(source).on(event_loop(), window=4).map(lambda x: x + 1)


every_way = pytest.mark.parametrize("make", [plain, crossing, looping])


@every_way
class TestFor:
    def test_all_elements(self, make):
        assert list(make(Source(1000))) == list(range(1, 1001))

    def test_each_for_runs_anew(self, make):
        flow = make(Source(3))
        assert list(flow) == list(flow) == [1, 2, 3]

    def test_leaving_early_closes_the_source_once(self, make):
        source = Source(10**6)
        for element in make(source):
            if element == 3:
                break
        gc.collect()
        eventually(lambda: source.closed == 1)
        assert source.taken <= 3 + 4 + 4  # what is requested ahead, and the window

    def test_a_context_manager_closes(self, make):
        source = Source(10**6)
        with iter(make(source)) as elements:
            assert next(elements) == 1
        eventually(lambda: source.closed == 1)
        with pytest.raises(StopIteration):
            next(elements)

    def test_an_error_is_raised_with_its_operator(self, make):
        flow = make(Source(9)).map(lambda x: 1 // (3 - x))
        elements = iter(flow)
        assert [next(elements), next(elements)] == [0, 1]
        with pytest.raises(ZeroDivisionError) as caught:
            next(elements)
        assert any("in map(<lambda>), test_iteration.py" in n for n in caught.value.__notes__)
        with pytest.raises(StopIteration):
            next(elements)

    def test_an_interrupt_passes_through(self, make):
        def interrupt(element: int) -> int:
            raise KeyboardInterrupt

        source = Source(9)
        with pytest.raises(KeyboardInterrupt):
            list(make(source).map(interrupt))
        eventually(lambda: source.closed == 1)


@every_way
class TestAsyncFor:
    def test_all_elements(self, make):
        async def main() -> list[int]:
            return [element async for element in make(Source(1000))]

        assert asyncio.run(main()) == list(range(1, 1001))

    def test_closing_closes_the_source(self, make):
        source = Source(10**6)

        async def main() -> None:
            async with aiter(make(source)) as elements:
                assert await anext(elements) == 1
            with pytest.raises(StopAsyncIteration):
                await anext(elements)

        asyncio.run(main())
        eventually(lambda: source.closed == 1)

    def test_leaving_early_closes_the_source(self, make):
        source = Source(10**6)

        async def main() -> None:
            async for element in make(source):
                if element == 3:
                    break
            for _ in range(10):
                await asyncio.sleep(0)

        asyncio.run(main())
        eventually(lambda: source.closed == 1)
        assert source.taken <= 3 + 4 + 4  # what is requested ahead, and the window

    def test_an_error_is_raised(self, make):
        async def main() -> None:
            async for _ in make(Source(9)).map(lambda x: 1 // (3 - x)):
                pass

        with pytest.raises(ZeroDivisionError):
            asyncio.run(main())


def test_cancelling_the_task_that_iterates_closes():
    source, gate = Source(10), threading.Event()

    def wait(element: int) -> int:
        gate.wait(10)
        return element

    async def main() -> None:
        async def consume() -> None:
            async for _ in Flow.from_iterable(source).subscribe_on(threads(1)).map(wait):
                pass

        task = asyncio.create_task(consume())
        while not source.taken:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    gate.set()
    eventually(lambda: source.closed == 1)


def test_the_source_runs_on_the_thread_that_iterates():
    seen = set[threading.Thread]()

    def source() -> Iterator[int]:
        for i in range(100):
            seen.add(threading.current_thread())
            yield i

    flow = Flow.from_iterable(source).on(threads(1)).map(str)
    assert len(list(flow)) == 100
    assert seen == {threading.current_thread()}
