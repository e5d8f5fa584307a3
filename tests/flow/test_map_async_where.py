"""Calls of a function for each element: on a pool, on a loop, and from elsewhere."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections import Counter
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

import pytest

from penstock import Flow, event_loop, threads
from penstock.testing import ManualPublisher, Probe
from tests.flow.map_async_helpers import both_orders
from tests.flow.moving import moved, on_each_resource
from tests.waiting import eventually


class TestPlainFunctions:
    @both_orders
    def test_they_run_on_the_resource(self, ordered: bool):
        seen: Counter[str] = Counter()

        def fn(x: int) -> int:
            seen[threading.current_thread().name] += 1
            return x + 1

        flow = Flow.range(500).map_async(fn, 8, ordered=ordered, on=threads(3, name="plain"))
        got = flow.to_list().result(10)
        assert (got if ordered else sorted(got)) == list(range(1, 501))
        assert set(seen) <= {"plain-1", "plain-2", "plain-3"}

    def test_so_many_at_once(self):
        together = threading.Barrier(4)

        def fn(x: int) -> int:
            together.wait(5)
            return x

        flow = Flow.range(8).map_async(fn, 4, on=threads(9))
        assert flow.to_list().result(10) == list(range(8))

    def test_keys_do_not_overlap(self):
        under_way: Counter[int] = Counter()

        def fn(x: int) -> int:
            under_way[x % 3] += 1
            assert under_way[x % 3] == 1
            threading.Event().wait(0.0001)
            under_way[x % 3] -= 1
            return x

        flow = Flow.range(300).map_async(fn, 8, per_key=lambda x: x % 3, on=threads(4))
        got = flow.to_list().result(10)
        for key in range(3):
            assert [x for x in got if x % 3 == key] == list(range(key, 300, 3))

    def test_the_first_error_waits_for_those_under_way(self):
        entered, leave = threading.Event(), threading.Event()
        ended: list[int] = []

        def fn(x: int) -> int:
            if x == 1:
                entered.wait(5)
                raise ValueError("x")
            entered.set()
            leave.wait(5)
            ended.append(x)
            return x

        probe = Probe(Flow.range(9).map_async(fn, 2, on=threads(2)))
        probe.request(9)
        probe.expect_nothing(0.05)
        leave.set()
        probe.expect_next(0)
        error = probe.expect_error(ValueError)
        assert any("in map_async(" in note for note in error.__notes__)
        assert ended == [0]

    def test_a_cancelled_run_waits_for_those_under_way(self):
        entered, leave = threading.Event(), threading.Event()
        begun: list[int] = []
        ended: list[int] = []

        def fn(x: int) -> int:
            begun.append(x)
            entered.set()
            leave.wait(5)
            ended.append(x)
            return x

        run = Flow.range(9).map_async(fn, 2, on=threads(1)).to_list().start()
        assert entered.wait(5)
        run.cancel()
        assert not run.done()
        leave.set()
        with pytest.raises(CancelledError):
            run.result(5)
        assert (begun, ended) == ([0], [0])


class TestWhere:
    @both_orders
    @on_each_resource
    def test_it_runs_everywhere(self, ordered: bool, resource: str):
        async def fn(x: int) -> int:
            await asyncio.sleep(0)
            return x + 1

        flow = moved(Flow.range(500), resource).map_async(fn, 8, ordered=ordered)
        assert sorted(flow.to_list().result(10)) == list(range(1, 501))
        probe = Probe(flow.filter(lambda x: x % 2))
        for _ in range(26):
            probe.request(10)
        eventually(lambda: probe.completed)
        assert sorted(probe.elements) == list(range(1, 500, 2))

    def test_tasks_are_on_the_loop_that_was_named(self):
        async def where(x: int) -> Any:
            return threading.current_thread().name

        async def main() -> list[Any]:
            loop = asyncio.get_running_loop()
            flow = Flow.range(3).map_async(where, on=event_loop(loop))
            return await asyncio.to_thread(flow.to_list().result, 5)

        assert set(asyncio.run(main())) == {threading.current_thread().name}

    def test_a_stage_that_folds_has_all_the_calls_it_needs(self):
        most, now = 0, 0

        async def fn(x: int) -> int:
            nonlocal most, now
            now += 1
            most = max(most, now)
            await asyncio.sleep(0)
            now -= 1
            return x

        probe = Probe(Flow.range(64).map_async(fn, 8).chunk(8))
        probe.request(1)
        probe.expect_next(list(range(8)))
        assert most == 8
        probe.cancel()

    @pytest.mark.parametrize("on", [None, "threads"])
    def test_context_variables_are_the_subscriber_s(self, on: Any):
        var: contextvars.ContextVar[str] = contextvars.ContextVar("var", default="none")

        async def task(x: int) -> str:
            return var.get()

        def job(x: int) -> str:
            return var.get()

        flow: Any = Flow.range(3)
        flow = flow.map_async(task) if on is None else flow.map_async(job, on=threads(2))
        token = var.set("mine")
        try:
            assert flow.to_list().result(5) == ["mine"] * 3
        finally:
            var.reset(token)

    def test_a_foreign_publisher_is_asked_for_what_may_be_begun(self):
        publisher = ManualPublisher[int]()
        begun: list[int] = []
        leave = threading.Event()

        def fn(x: int) -> int:
            begun.append(x)
            leave.wait(5)
            return x

        probe = Probe(Flow.from_publisher(publisher).map_async(fn, 2, on=threads(2)))
        probe.request(9)
        publisher.expect_request()
        publisher.emit(*range(min(publisher.demand, 5)))
        eventually(lambda: len(begun) == 2)
        leave.set()
        publisher.complete()
        eventually(lambda: probe.completed)

    def test_partials_and_objects_are_functions(self):
        class Adder:
            async def __call__(self, x: int) -> int:
                return x + 1

        async def add(y: int, x: int) -> int:
            return x + y

        assert Flow.of(1).map_async(Adder()).to_list().result(5) == [2]
        assert Flow.of(1).map_async(partial(add, 2)).to_list().result(5) == [3]
        assert Flow.of(1).map_async(lambda x: add(3, x)).to_list().result(5) == [4]
