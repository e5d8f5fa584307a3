"""Boundaries: where what runs, in which order, and how far ahead."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from penstock import Flow, event_loop, threads
from penstock.testing import Probe
from tests.waiting import eventually


def here(seen: set[str]):
    def look(element: int) -> int:
        seen.add(threading.current_thread().name)
        return element

    return look


class TestWhere:
    """The three ways to divide `source map filter consume`, each on one pipeline."""

    def test_each_on_a_resource_of_its_own(self):
        source, stages, sink = set[str](), set[str](), set[str]()
        Flow.range(2000).map(here(source)).on(threads(1, name="b")).map(here(stages)).on(
            threads(1, name="c")
        ).for_each(here(sink)).result()
        assert source == {threading.current_thread().name}
        assert stages == {"b-1"}
        assert sink == {"c-1"}

    def test_the_stages_with_the_source(self):
        source, sink = set[str](), set[str]()
        Flow.range(2000).map(here(source)).subscribe_on(threads(1, name="a")).on(
            threads(1, name="b")
        ).for_each(here(sink)).result()
        assert (source, sink) == ({"a-1"}, {"b-1"})

    def test_the_stages_with_the_consumer(self):
        source, rest = set[str](), set[str]()
        Flow.range(2000).map(here(source)).on(threads(1, name="b")).map(here(rest)).for_each(
            here(rest)
        ).result()
        assert source == {threading.current_thread().name}
        assert rest == {"b-1"}

    def test_a_boundary_on_the_event_loop(self):
        stages = set[str]()

        async def main() -> int:
            flow = Flow.range(2000).subscribe_on(threads(1)).on(event_loop()).map(here(stages))
            return await flow.sum()

        assert asyncio.run(main()) == 1999000
        assert stages == {threading.current_thread().name}

    def test_the_subscribe_on_closest_to_the_source_counts(self):
        seen = set[str]()
        Flow.range(3).map(here(seen)).subscribe_on(threads(1, name="a")).subscribe_on(
            threads(1, name="b")
        ).sum().result()
        assert seen == {"a-1"}


class TestOrder:
    @pytest.mark.parametrize("window", [1, 2, 3, 1024])
    def test_one_subscription_stays_in_order_on_many_threads(self, window):
        flow = Flow.range(3000).on(threads(4), window=window).map(lambda x: x)
        assert flow.to_list().result() == list(range(3000))

    def test_one_subscription_is_never_run_by_two_threads_at_once(self):
        inside = threading.Lock()

        def step(element: int) -> int:
            assert inside.acquire(blocking=False)
            try:
                return element
            finally:
                inside.release()

        flow = Flow.range(5000).on(threads(4), window=8).map(step)
        assert flow.count().result() == 5000


class TestWindow:
    def test_nothing_is_requested_before_there_is_demand(self):
        taken: list[int] = []
        flow = Flow.range(100).tap(taken.append).on(threads(1), window=10)
        probe = Probe[int]()
        flow.subscribe(probe)
        probe.expect_nothing()
        assert taken == []
        probe.request(1)
        probe.expect_next(0)
        probe.cancel()

    def test_never_more_than_the_window_ahead(self):
        taken: list[int] = []
        flow = Flow.range(1000).tap(taken.append).on(threads(1), window=10)
        probe = Probe[int]()
        flow.subscribe(probe)
        for expected in range(50):
            probe.request(1)
            probe.expect_next(expected)
            assert len(taken) <= expected + 1 + 10
        probe.cancel()

    def test_all_that_a_source_gave_is_on_the_far_side_while_it_pauses(self):
        gate, seen = threading.Event(), list[int]()

        def source() -> Iterator[int]:
            yield from range(5)
            gate.wait(10)
            yield 5

        run = Flow.from_iterable(source).on(threads(1)).for_each(seen.append).start()
        eventually(lambda: len(seen) == 5)
        gate.set()
        run.result(10)
        assert seen == [0, 1, 2, 3, 4, 5]

    def test_an_error_does_not_wait_for_demand(self):
        def source() -> Iterator[int]:
            yield 1
            yield 2
            raise OSError("gone")

        probe = Probe[int]()
        Flow.from_iterable(source).on(threads(1)).subscribe(probe)
        probe.request(1)
        probe.expect_next(1)
        probe.expect_error(OSError, "gone")

    @pytest.mark.parametrize("bad", [0, -1, True, 1.5, None, "1"])
    def test_a_bad_window_is_refused_at_once(self, bad):
        with pytest.raises((TypeError, ValueError), match=r"on\(window="):
            Flow.range(3).on(threads(1), window=bad)

    @pytest.mark.parametrize("bad", [None, 3, "threads", threads])
    def test_what_is_no_resource_is_refused_at_once(self, bad):
        with pytest.raises(TypeError, match="give a resource"):
            Flow.range(3).on(bad)


def test_a_loop_that_is_closed_ends_the_flow_with_an_error():
    loop = asyncio.new_event_loop()
    flow = Flow.range(10).on(event_loop(loop))
    loop.close()
    with pytest.raises(RuntimeError, match="closed"):
        flow.sum().result()
