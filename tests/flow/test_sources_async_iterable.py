"""Flows that begin with an async iterable."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest

from penstock import UNBOUNDED, Flow, event_loop
from penstock.testing import Probe
from tests.flow.sources_helpers import ticks
from tests.waiting import eventually


class TestFromAsyncIterable:
    def test_from_code_without_a_loop(self) -> None:
        closed: list[bool] = []
        flow = Flow.from_async_iterable(lambda: ticks(4, closed))
        assert flow.map(str).to_list().result() == ["0", "1", "2", "3"]
        assert closed == [True]

    def test_on_the_running_loop(self) -> None:
        seen: set[str] = set()

        async def source() -> AsyncIterator[int]:
            seen.add(threading.current_thread().name)
            for i in range(3):
                await asyncio.sleep(0)
                yield i

        async def main() -> list[int]:
            return await Flow.from_async_iterable(source).to_list()

        assert asyncio.run(main()) == [0, 1, 2]
        assert seen == {threading.current_thread().name}

    def test_on_a_loop_that_was_given(self) -> None:
        async def main() -> int:
            loop = asyncio.get_running_loop()
            flow = Flow.from_async_iterable(lambda: ticks(3)).subscribe_on(event_loop(loop))
            return await asyncio.to_thread(flow.sum().result)

        assert asyncio.run(main()) == 3

    def test_it_is_asked_for_no_more_than_there_is_demand_for(self) -> None:
        pulled: list[int] = []

        async def source() -> AsyncIterator[int]:
            for i in itertools.count():
                pulled.append(i)
                yield i

        probe = Probe(Flow.from_async_iterable(source))
        assert not pulled
        probe.request(2)
        probe.expect_next(0, 1)
        probe.expect_nothing(0.02)
        assert pulled == [0, 1]
        probe.cancel()

    def test_take_closes_it_once_and_asks_for_no_more(self) -> None:
        closed: list[bool] = []
        flow = Flow.from_async_iterable(lambda: ticks(UNBOUNDED, closed)).take(2)
        assert flow.to_list().result() == [0, 1]
        eventually(lambda: closed == [True])

    def test_a_cancel_reaches_it_while_it_waits(self) -> None:
        log: list[str] = []

        class Source:
            def __aiter__(self) -> Source:
                return self.__class__()

            async def __anext__(self) -> int:
                try:
                    log.append("waits")
                    await asyncio.Event().wait()
                finally:
                    log.append("left")
                return 1

            async def aclose(self) -> None:
                log.append("aclose")

        probe = Probe(Flow.from_async_iterable(lambda: Source()))
        probe.request(1)
        eventually(lambda: log == ["waits"])
        probe.cancel()
        eventually(lambda: log == ["waits", "left", "aclose"])
        probe.expect_nothing(0.02)

    def test_cancelling_the_task_that_awaits_closes_it_first(self) -> None:
        log: list[str] = []

        async def source() -> AsyncIterator[int]:
            try:
                log.append("waits")
                await asyncio.Event().wait()
                yield 1
            finally:
                await asyncio.sleep(0)
                log.append("closed")

        async def main() -> None:
            task = asyncio.ensure_future(Flow.from_async_iterable(source).to_list())
            while not log:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert log == ["waits", "closed"]

        asyncio.run(main())

    def test_the_callers_iterator_is_the_callers_to_close(self) -> None:
        closed: list[bool] = []

        async def main() -> None:
            mine = ticks(9, closed)
            assert await Flow.from_async_iterable(mine).first() == 0
            assert closed == []
            assert await anext(mine) == 1
            await mine.aclose()  # type: ignore[attr-defined]

        asyncio.run(main())

    def test_a_bare_iterator_runs_once(self) -> None:
        async def main() -> None:
            flow = Flow.from_async_iterable(ticks(2))
            assert await flow.to_list() == [0, 1]
            with pytest.raises(RuntimeError, match=r"async_generator.* was run before"):
                await flow.to_list()

        asyncio.run(main())

    def test_an_error_names_it_and_its_line(self) -> None:
        async def source() -> AsyncIterator[int]:
            yield 1
            raise OSError("gone")

        with pytest.raises(OSError, match="gone") as caught:
            Flow.from_async_iterable(source).to_list().result()
        assert caught.value.__notes__[0].startswith("in from_async_iterable(")
        assert "test_sources_async_iterable.py:" in caught.value.__notes__[0]

    def test_none_is_refused(self) -> None:
        async def source() -> AsyncIterator[Any]:
            yield None

        with pytest.raises(TypeError, match="None is never an element"):
            Flow.from_async_iterable(source).to_list().result()

    def test_a_function_of_a_stage_may_not_end_it(self) -> None:
        def stops(x: int) -> int:
            raise StopAsyncIteration

        with pytest.raises((RuntimeError, StopAsyncIteration)):
            Flow.from_async_iterable(lambda: ticks(3)).map(stops).to_list().result()

    @pytest.mark.parametrize(
        ("given", "hint"), [(3, "give an async"), ([1], "use from_iterable"), (asyncio.sleep, "")]
    )
    def test_what_is_no_async_iterable_is_refused(self, given: Any, hint: str) -> None:
        with pytest.raises(TypeError, match=rf"from_async_iterable\(.*{hint}"):
            Flow.from_async_iterable(given)

    def test_a_function_that_returns_none_of_the_kind_fails_the_stream(self) -> None:
        with pytest.raises(TypeError, match=r"returned \[1\]: return an async iterable"):
            Flow.from_async_iterable(lambda: [1]).to_list().result()  # type: ignore[arg-type,return-value]
