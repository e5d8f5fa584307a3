"""Calls of a function for each element: errors, and what a cancel ends."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import CancelledError
from typing import Any

import pytest

import penstock
from penstock import Flow, threads
from tests.flow.map_async_helpers import Gate, both_orders, on_a_loop, probed, settled
from tests.flow.moving import RESOURCES, moved, on_each_resource


@pytest.fixture
def dropped(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    errors: list[BaseException] = []
    monkeypatch.setattr(penstock, "on_dropped_error", lambda error, where: errors.append(error))
    return errors


class TestErrors:
    @both_orders
    @on_a_loop
    async def test_the_first_error_cancels_the_others_and_awaits_them(self, ordered: bool):
        gate = Gate()
        ended: list[Any] = []

        async def fn(x: Any) -> Any:
            try:
                return await gate(x)
            finally:
                await asyncio.sleep(0)
                ended.append(x)

        probe = probed(Flow.range(9).map_async(fn, 3, ordered=ordered))
        probe.request(9)
        await settled()
        await gate.let(1, ValueError("x"))
        error = probe.expect_error(ValueError)
        assert sorted(ended) == [0, 1, 2]
        assert gate.cancelled == [0, 2]
        assert len(gate.begun) == 3
        assert any("fn, 3, " in x and "test_map_async_failures.py" in x for x in error.__notes__)

    @on_a_loop
    async def test_a_second_error_is_reported(self, dropped: list[BaseException]):
        gate = Gate()

        async def fn(x: Any) -> Any:
            try:
                return await gate(x)
            except asyncio.CancelledError:
                raise KeyError("second") from None

        probe = probed(Flow.range(2).map_async(fn, 3))
        probe.request(9)
        await settled()
        await gate.let(1, ValueError("x"))
        probe.expect_error(ValueError)
        assert [type(error) for error in dropped] == [KeyError]

    @both_orders
    @on_a_loop
    async def test_an_upstream_error_comes_after_what_was_begun(self, ordered: bool):
        gate = Gate()

        def broken(x: int) -> int:
            if x == 2:
                raise ValueError("upstream")
            return x

        probe = probed(Flow.range(9).map(broken).map_async(gate, 5, ordered=ordered))
        probe.request(9)
        await settled()
        await gate.let(0)
        await gate.let(1)
        probe.expect_next("<0>", "<1>")
        error = probe.expect_error(ValueError, "upstream")
        assert [note for note in error.__notes__ if "map_async(" in note] == []
        assert any("in map(" in note for note in error.__notes__)

    @on_each_resource
    def test_none_names_the_stage(self, resource: str):
        async def nothing(x: int) -> None:
            return None

        with pytest.raises(TypeError, match=r"map_async\(.*nothing.*\) made None|nothing"):
            moved(Flow.range(3), resource).map_async(nothing).to_list().result(5)

    def test_what_cannot_be_awaited_says_what_to_do(self):
        with pytest.raises(TypeError, match=r"returned a int.*on=threads\(8\)"):
            Flow.range(3).map_async(lambda x: x).to_list().result(5)  # type: ignore[call-overload]
        with pytest.raises(TypeError, match=r"returned a coroutine.*leave out `on`"):
            Flow.range(3).map_async(lambda x: asyncio.sleep(x), on=threads(1)).to_list().result(5)

    def test_a_key_that_fails(self):
        async def same(x: int) -> int:
            return x

        for resource in RESOURCES:
            flow = moved(Flow.range(3), resource).map_async(same, per_key=lambda x: 1 // (x - 1))
            with pytest.raises(ZeroDivisionError) as caught:
                flow.to_list().result(5)
            assert any("in map_async(" in note for note in caught.value.__notes__)

    def test_an_interrupt_ends_the_run(self):
        async def interrupted(x: int) -> int:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            Flow.range(3).map_async(interrupted).to_list().result(5)

    def test_a_cancelled_future_is_an_error_and_no_silent_end(self):
        async def cancelled(x: int) -> int:
            future = asyncio.get_running_loop().create_future()
            future.cancel()
            return await future

        with pytest.raises(asyncio.CancelledError) as caught:
            Flow.range(3).map_async(cancelled).to_list().result(5)
        assert any("in map_async(" in note for note in caught.value.__notes__)


class TestCancel:
    @on_a_loop
    async def test_it_cancels_what_is_under_way(self):
        gate = Gate()
        probe = probed(Flow.range(9).map_async(gate, 3))
        probe.request(9)
        await settled()
        probe.cancel()
        await settled()
        assert gate.cancelled == [0, 1, 2]

    @on_a_loop
    async def test_a_run_waits_for_its_tasks(self):
        ended: list[int] = []

        async def fn(x: int) -> int:
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.01)
                ended.append(x)
            return x

        task = asyncio.ensure_future(_awaited(Flow.range(9).map_async(fn, 3).to_list()))
        await settled()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended == [0, 1, 2]

    def test_a_run_on_another_thread_waits_for_its_tasks_too(self):
        begun, ended = threading.Event(), []

        async def fn(x: int) -> int:
            begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                await asyncio.sleep(0.01)
                ended.append(x)
            return x

        run = Flow.range(9).map_async(fn, 3).to_list().start()
        assert begun.wait(5)
        run.cancel()
        with pytest.raises(CancelledError):
            run.result(5)
        assert len(ended) >= 1

    @on_a_loop
    async def test_take_cancels_what_it_does_not_need(self):
        gate = Gate()
        run = asyncio.ensure_future(
            _awaited(Flow.range(9).map_async(gate, 3, ordered=False).take(1).to_list())
        )
        await settled()
        await gate.let(1)
        assert await run == ["<1>"]
        assert sorted(gate.cancelled) == [0, 2, 3]

    @on_a_loop
    async def test_a_task_that_somebody_else_cancels(self):
        probe = probed(Flow.range(2).map_async(Gate(), 1))
        probe.request(2)
        await settled()
        (task,) = asyncio.all_tasks() - {asyncio.current_task()}
        task.cancel()
        await settled()
        assert isinstance(probe.expect_error(RuntimeError).__cause__, asyncio.CancelledError)


async def _awaited(run: Any) -> Any:
    return await run
