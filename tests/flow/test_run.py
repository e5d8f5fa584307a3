"""Runs: three ways to drive one, and how it ends."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import gc
import threading
from collections.abc import Iterator

import pytest

from penstock import Flow, event_loop, threads
from tests.waiting import eventually


class Source:
    """An iterable that counts what was taken, and knows when it was closed."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.taken = 0
        self.closed = 0
        self.thread: threading.Thread | None = None

    def __iter__(self) -> Iterator[int]:
        try:
            for i in range(self.n):
                self.taken += 1
                self.thread = threading.current_thread()
                yield i
        finally:
            self.closed += 1


def boom(element: int) -> int:
    if element == 3:
        raise ZeroDivisionError("three")
    return element


class TestDriving:
    def test_nothing_happens_before_it_is_driven(self):
        source = Source(3)
        run = Flow.from_iterable(source).sum()
        assert source.taken == 0
        assert not run.done()
        assert run.result() == 3
        assert run.done()

    def test_result_drives_the_source_on_this_thread_and_the_rest_where_it_belongs(self):
        source, seen = Source(10), set[threading.Thread]()
        run = (
            Flow.from_iterable(source)
            .on(threads(1))
            .for_each(lambda _: seen.add(threading.current_thread()))
        )
        run.result()
        assert source.thread is threading.current_thread()
        assert threading.current_thread() not in seen

    def test_result_can_be_asked_again(self):
        run = Flow.range(4).sum()
        assert run.result() == run.result() == 6

    def test_start_drives_in_the_background(self):
        source = Source(5)
        run = Flow.from_iterable(source).sum().start()
        assert run.result(timeout=10) == 10
        assert source.thread is not threading.current_thread()

    def test_starting_twice_runs_once(self):
        source = Source(5)
        run = Flow.from_iterable(source).sum()
        assert run.start() is run.start()
        assert run.result(10) == 10
        assert source.taken == 5

    def test_await_drives_on_the_loop(self):
        source = Source(5)

        async def main() -> int:
            return await Flow.from_iterable(source).sum()

        assert asyncio.run(main()) == 10
        assert source.thread is threading.current_thread()

    def test_await_lets_other_tasks_have_their_turn(self):
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        async def main() -> None:
            task = asyncio.create_task(other())
            await Flow.range(100_000).filter(lambda x: x < 0).sum()
            task.cancel()

        asyncio.run(main())
        assert turns >= 100_000 // 256

    def test_two_tasks_await_one_run(self):
        async def main() -> list[int]:
            run = Flow.range(1000).on(threads(1)).sum()

            async def wait() -> int:
                return await run

            return await asyncio.gather(wait(), wait())

        assert asyncio.run(main()) == [499500, 499500]

    def test_what_result_left_behind_can_be_awaited(self):
        gate = threading.Event()
        run = Flow.range(3).on(threads(1)).map(lambda x: gate.wait(10) and x + 1).sum()
        with pytest.raises(TimeoutError, match="call result"):
            run.result(timeout=0.01)

        async def main() -> int:
            gate.set()
            return await run

        assert asyncio.run(main()) == 6

    def test_result_goes_on_where_it_timed_out(self):
        gate = threading.Event()
        source = Source(2000)
        run = Flow.from_iterable(source).on(threads(1)).map(lambda x: gate.wait(10) and x).count()
        with pytest.raises(TimeoutError):
            run.result(timeout=0.01)
        assert not run.done()
        gate.set()
        with pytest.raises(TypeError, match="None"):
            Flow.of(None).count().result()
        assert source.taken >= 1024
        run.cancel()


class TestEnding:
    def test_an_error_is_raised_with_the_operator_and_the_line(self):
        with pytest.raises(ZeroDivisionError, match="three") as caught:
            Flow.range(9).map(boom).sum().result()
        assert any(note.startswith("in map(boom), test_run.py:") for note in caught.value.__notes__)

    def test_an_error_is_raised_from_await(self):
        async def main() -> None:
            await Flow.range(9).map(boom).on(threads(1)).sum()

        with pytest.raises(ZeroDivisionError):
            asyncio.run(main())

    def test_cancel_before_the_start(self):
        run = Flow.range(9).sum()
        run.cancel()
        assert run.done()
        with pytest.raises(concurrent.futures.CancelledError):
            run.result()

    def test_cancel_from_another_thread_ends_a_loop_within_256_elements(self):
        entered, go, seen = threading.Event(), threading.Event(), 0

        def step(element: int) -> bool:
            nonlocal seen
            if element == 10:
                entered.set()
                go.wait(10)
            if element > 10:
                seen += 1
            return True

        run = Flow.range(10_000_000).filter(step).count().start()
        assert entered.wait(10)
        run.cancel()
        go.set()
        with pytest.raises(concurrent.futures.CancelledError):
            run.result(10)
        assert seen <= 256

    def test_cancel_closes_the_source_where_it_runs(self):
        source, gate = Source(100_000), threading.Event()
        run = Flow.from_iterable(source).on(threads(1)).for_each(lambda _: gate.wait(10)).start()
        eventually(lambda: source.taken == 1024)
        run.cancel()
        gate.set()
        with pytest.raises(concurrent.futures.CancelledError):
            run.result(10)
        eventually(lambda: source.closed == 1)
        assert source.taken == 1024

    def test_cancelling_the_task_cancels_the_flow_and_closes_its_sources(self):
        source = Source(10**9)

        async def main() -> None:
            task = asyncio.ensure_future(_awaiting(Flow.from_iterable(source).count()))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert source.closed == 1

        asyncio.run(main())

    def test_stop_ends_the_source_and_lets_the_rest_arrive(self):
        taken: list[int] = []
        ready = threading.Event()

        def endless() -> Iterator[int]:
            number = 0
            while True:
                yield number
                number += 1
                taken.append(number)
                if number == 3000:
                    ready.set()

        run = Flow.from_iterable(endless).on(threads(1)).count().start()
        assert ready.wait(10)
        run.stop()
        assert run.result(10) in (len(taken), len(taken) + 1)

    def test_an_interrupt_in_a_stage_is_raised_as_it_is(self):
        source = Source(9)

        def interrupt(element: int) -> int:
            if element == 4:
                raise KeyboardInterrupt
            return element

        with pytest.raises(KeyboardInterrupt):
            Flow.from_iterable(source).map(interrupt).sum().result()
        assert source.closed == 1

    def test_an_interrupt_on_another_thread_reaches_the_caller(self):
        def leave(element: int) -> int:
            raise SystemExit(element)

        with pytest.raises(SystemExit):
            Flow.of(7).on(threads(1)).map(leave).sum().result()

    def test_stop_iteration_in_a_stage_is_an_error(self):
        def stop(element: int) -> int:
            raise StopIteration(element)

        with pytest.raises(RuntimeError) as caught:
            Flow.range(3).map(stop).to_list().result()
        assert isinstance(caught.value.__cause__, StopIteration)

    def test_a_run_that_was_never_started_warns(self):
        with pytest.warns(RuntimeWarning, match=r"a run of sum\(0\), test_run.py:\d+ was never"):
            _dropped()

    def test_result_inside_the_very_loop_is_refused(self):
        async def main() -> None:
            run = Flow.range(3).on(event_loop()).sum()
            with pytest.raises(RuntimeError, match="await the run"):
                run.result()

        asyncio.run(main())

    def test_result_inside_a_loop_that_the_flow_does_not_need(self):
        async def main() -> int:
            return Flow.range(3).on(threads(1)).sum().result()

        assert asyncio.run(main()) == 3


class TestLooking:
    def test_a_stalled_run_names_the_edge_without_demand(self):
        gate = threading.Event()
        run = (
            Flow.range(10_000)
            .map(str)
            .on(threads(1), window=8)
            .for_each(lambda _: gate.wait(10))
            .start()
        )
        eventually(lambda: "waits for demand" in run.explain())
        assert "range.map → on: requested 8, delivered 8" in run.explain()
        run.cancel()
        gate.set()

    def test_stats_count_every_edge(self):
        run = Flow.range(5000).on(threads(1), window=64).map(str).on(threads(1)).count()
        assert run.result() == 5000
        last, middle, first = run.stats().edges
        assert (middle.delivered, first.delivered) == (5000, 5000)
        assert first.window == 64
        assert 0 < first.high <= 64
        assert middle.high <= 1024
        assert {last.state, middle.state, first.state} == {"over"}
        assert "the run is over" in run.explain()

    def test_a_source_without_elements_is_what_is_waited_for(self):
        run = Flow.never().map(str).count().start()
        eventually(lambda: "has nothing to give yet" in run.explain())
        run.cancel()


class TestContext:
    def test_context_variables_cross_every_boundary(self):
        variable = contextvars.ContextVar("variable", default="unset")
        seen: list[str] = []

        def look(element: int) -> int:
            seen.append(variable.get())
            return element

        variable.set("mine")
        flow = Flow.range(3).map(look).on(threads(1)).map(look).on(event_loop()).map(look)
        run = flow.sum()
        assert run.result() == 3
        assert seen == ["mine"] * 9

    def test_a_segment_keeps_its_context_whichever_thread_asks(self):
        variable = contextvars.ContextVar("variable", default="unset")
        variable.set("mine")
        seen = set[str]()

        def source() -> Iterator[int]:
            for i in range(5000):
                seen.add(variable.get())
                yield i

        over = threading.Event()

        class Subscriber:
            def on_subscribe(self, subscription):
                subscription.request(5000)

            def on_next(self, element):
                pass

            def on_error(self, error):
                raise error

            def on_complete(self):
                over.set()

        Flow.from_iterable(source).on(threads(1)).subscribe(Subscriber())
        assert over.wait(10)
        assert seen == {"mine"}


async def _awaiting(run):
    return await run


def _dropped():
    Flow.range(3).sum()
    gc.collect()
