"""What holds for all that makes a flow of each element."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from penstock import Flow, event_loop
from penstock.testing import ManualPublisher, Probe
from tests.flow.flat_map_helpers import ALL, OVERS, Over
from tests.flow.inputs import FORMS, Counted, Foreign, elsewhere, pushed


async def counting(n: int) -> AsyncIterator[int]:
    for i in range(n):
        yield i


class TestWhatTheFunctionMayReturn:
    @ALL
    @pytest.mark.parametrize(
        "make",
        [
            lambda n: range(n),
            lambda n: list(range(n)),
            lambda n: (i for i in range(n)),
            lambda n: Counted(range(n)),
            lambda n: Flow.range(n),
            lambda n: Flow.range(n).map(lambda x: x),
            lambda n: pushed(range(n)),
            lambda n: elsewhere(range(n)),
            lambda n: Foreign(Flow.range(n)),
            counting,
        ],
        ids=[
            "range",
            "list",
            "generator",
            "iterable",
            "flow",
            "mapped",
            "pushed",
            "threads",
            "foreign",
            "async",
        ],
    )
    def test_a_stream_of_any_kind(self, over: Over, make: Callable[[int], Any]):
        assert over(Flow.of(3), make).to_list().result(5) == [0, 1, 2]
        assert over(pushed([3]), make).to_list().result(5) == [0, 1, 2]

    @ALL
    def test_a_run_is_a_stream_of_its_result(self, over: Over):
        assert over(Flow.of(4), lambda n: Flow.range(n).sum()).to_list().result() == [6]

    @ALL
    @pytest.mark.parametrize("wrong", [None, 5])
    def test_nothing_else(self, over: Over, wrong: object):
        if over is OVERS["flatten"] and wrong is None:
            return  # that is map's error
        with pytest.raises(TypeError, match=r"got (None|5): return a Publisher, an iterable"):
            over(Flow.of(1), lambda _: wrong).drain().result()

    @pytest.mark.parametrize("name", ["flat_map", "concat_map", "switch_map"])
    def test_a_coroutine_function_belongs_elsewhere(self, name: str):
        async def fetch(_: int) -> list[int]:
            return []

        with pytest.raises(TypeError, match=rf"{name}\(fn=.*map_async"):
            getattr(Flow.of(1), name)(fetch)
        with pytest.raises(TypeError, match=rf"{name} got .*map_async"):
            getattr(Flow.of(1), name)(lambda x: fetch(x)).drain().result()

    @ALL
    def test_none_in_an_iterable_is_an_error(self, over: Over):
        with pytest.raises(TypeError, match="made None"):
            over(Flow.of(1), lambda _: [None]).drain().result()

    @ALL
    def test_arguments_are_checked(self, over: Over):
        wrong: Any = 5
        if over is not OVERS["flatten"]:
            with pytest.raises(TypeError, match=r"(flat|concat|switch)_map\(fn=5\)"):
                over(Flow.of(1), wrong)
        for n in (0, True):
            with pytest.raises((TypeError, ValueError), match=r"flat_map\(concurrency="):
                Flow.of(1).flat_map(range, concurrency=n)
            with pytest.raises((TypeError, ValueError), match=r"flat_map\(window="):
                Flow.of(1).flat_map(range, window=n)
            with pytest.raises((TypeError, ValueError), match=r"flatten\(concurrency="):
                Flow.of([1]).flatten(n)


class TestAll:
    @ALL
    @pytest.mark.parametrize("demand", [0, 5])
    def test_an_error_of_the_outer_ends_all(self, over: Over, demand: int):
        outer, inner = ManualPublisher[int](), ManualPublisher[int]()
        probe = Probe(over(Flow.from_publisher(outer), lambda _: inner))
        probe.request(1)
        outer.emit(1)
        if demand:
            probe.request(demand)
        outer.error(ValueError("broken"))
        probe.expect_error(ValueError, "broken")
        inner.expect_cancel()

    @ALL
    @pytest.mark.parametrize("waits", [False, True])
    def test_an_error_of_an_inner_ends_all(self, over: Over, waits: bool):
        outer, inner = ManualPublisher[int](), ManualPublisher[int]()
        probe = Probe(over(Flow.from_publisher(outer), lambda _: inner))
        probe.request(1)
        outer.emit(1)
        if waits:
            inner.emit(1)
            probe.expect_next(1)
        inner.error(ValueError("broken"))
        probe.expect_error(ValueError, "broken")
        outer.expect_cancel()

    @ALL
    def test_a_cancel_cancels_all(self, over: Over):
        outer, inner = ManualPublisher[int](), ManualPublisher[int]()
        probe = Probe(over(Flow.from_publisher(outer), lambda _: inner))
        probe.request(1)
        outer.emit(1)
        probe.cancel()
        outer.expect_cancel()
        inner.expect_cancel()

    @ALL
    @pytest.mark.parametrize("take", [0, 1, 3, 500])
    def test_iterators_are_closed_once(self, over: Over, take: int):
        made: list[Counted] = []

        def make(n: int) -> Counted:
            made.append(Counted(range(n)))
            return made[-1]

        outer = Counted(range(30))
        over(Flow.from_iterable(outer), make).take(take).drain().result()
        assert outer.closed == outer.opened <= 1
        assert all(one.closed == one.opened == 1 for one in made)

    @ALL
    def test_iterators_are_closed_if_one_fails(self, over: Over):
        outer, inner = Counted(range(5)), Counted(range(3), ValueError("broken"))
        with pytest.raises(ValueError, match="broken"):
            over(Flow.from_iterable(outer), lambda _: inner).drain().result()
        assert (outer.closed, inner.closed) == (1, 1)

    @ALL
    @pytest.mark.parametrize("outer", FORMS)
    @pytest.mark.parametrize("inner", ["iterable", "mapped"])
    def test_step_by_step(self, over: Over, outer: str, inner: str):
        if over is OVERS["switch_map"]:
            return  # what comes while nobody asks is passed over
        flow = over(FORMS[outer](range(4)), lambda n: FORMS[inner](range(n)))
        probe = Probe(flow, timeout=5)
        for expected in [0, 0, 1, 0, 1, 2]:
            probe.request(1)
            probe.expect_next(expected)
        probe.request(1)
        probe.expect_complete()

    @ALL
    def test_stop_iteration_is_an_error(self, over: Over):
        def stop(_: int) -> list[int]:
            raise StopIteration

        with pytest.raises(RuntimeError, match="StopIteration"):
            over(Flow.range(3), stop).drain().result()
        with pytest.raises(RuntimeError, match="StopIteration"):
            over(Flow.range(3), lambda _: Flow.of(1).map(stop)).drain().result()

    @ALL
    def test_it_can_be_iterated_from_outside(self, over: Over):
        assert list(over(Flow.of(2), range)) == [0, 1]
        assert list(over(Flow.of(2), lambda n: elsewhere(range(n)))) == [0, 1]

    @ALL
    def test_on_an_event_loop(self, over: Over):
        async def main() -> None:
            flow = over(Flow.range(3).on(event_loop()), lambda n: Flow.range(1000 * n))
            assert await asyncio.wait_for(flow.count(), 10) >= 2000
            flow = over(Flow.of(3), counting)
            assert await asyncio.wait_for(flow.to_list(), 10) == [0, 1, 2]

        asyncio.run(main())

    @ALL
    def test_a_thousand_in_a_row(self, over: Over):
        flow = Flow.of(1)
        for _ in range(1000):
            flow = over(flow, lambda x: (x,))
        assert flow.to_list().result(20) == [1]

    @ALL
    def test_a_thousand_in_each_other(self, over: Over):
        flow = Flow.of(1)
        for _ in range(1000):
            flow = over(Flow.of(0), lambda _, inner=flow: inner)
        assert flow.to_list().result(20) == [1]
