"""One test for each drawback of the design that was measured when it was made (docs/design.md)."""

from __future__ import annotations

import asyncio
import gc
import itertools
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

from penstock import UNBOUNDED, Flow, event_loop, threads
from penstock.testing import Probe
from tests.waiting import eventually


def everywhere(flow: Flow[Any]) -> list[Any]:
    """The same flow as it is subscribed to, run, iterated over, and crossed to a thread."""
    return [flow, flow.on(threads(1), 4), flow.take_until(Flow.never()), flow.concat(Flow.empty())]


class TestStopIteration:
    """It must become an error, not a silent end, wherever a user's function raises it."""

    @staticmethod
    def stops(element: int) -> int:
        if element == 2:
            raise StopIteration
        return element

    @pytest.mark.parametrize(
        "make",
        [
            lambda f: Flow.range(5).map(f),
            lambda f: Flow.range(5).filter(f),
            lambda f: Flow.range(5).tap(f),
            lambda f: Flow.range(5).scan(lambda total, x: f(x)),
            lambda f: Flow.range(5).flat_map(lambda x: [f(x)]),
            lambda f: Flow.range(5).concat_map(lambda x: [f(x)]),
            lambda f: Flow.range(5).distinct(f),
            lambda f: Flow.range(5).take_while(lambda x: f(x) >= 0),
            lambda f: Flow.unfold(0, lambda x: (f(x), x + 1)),
            lambda f: Flow.from_iterable(lambda: f(2)),
            lambda f: Flow.defer(lambda: f(2)),
            lambda f: Flow.from_callable(lambda: f(2)),
            lambda f: Flow.range(5).group_by(f).flat_map(lambda group: group),
            lambda f: Flow.range(5).map_async(f, 2, on=threads(1)),
        ],
        ids=[
            *("map", "filter", "tap", "scan", "flat_map", "concat_map", "distinct", "take_while"),
            *("unfold", "from_iterable", "defer", "from_callable", "group_by", "map_async"),
        ],
    )
    def test_it_becomes_an_error(self, make: Any) -> None:
        for flow in everywhere(make(self.stops)):
            probe = Probe[Any](flow)
            probe.request(UNBOUNDED)
            eventually(lambda p=probe: p.completed or p.error, "the end")
            assert isinstance(probe.error, RuntimeError | StopIteration), probe
            with pytest.raises((RuntimeError, StopIteration)):
                flow.to_list().result(10)
            # A `for` would take a StopIteration for the end.
            with pytest.raises(RuntimeError):
                for _ in flow:
                    pass


class TestPullingWhileItRuns:
    """A generator that runs can't be pulled again, and a C `map` would reorder in silence."""

    def test_a_request_inside_on_next_waits_for_the_drain(self) -> None:
        seen: list[int] = []

        class Asking:
            subscription: Any

            def on_subscribe(self, subscription: Any) -> None:
                self.subscription = subscription
                subscription.request(1)

            def on_next(self, element: int) -> None:
                self.subscription.request(1)  # would deliver the next one first if it recursed
                seen.append(element)

            def on_error(self, error: Exception) -> None:
                seen.append(-1)

            def on_complete(self) -> None:
                seen.append(-2)

        def numbers() -> Iterator[int]:
            yield from range(3000)

        for iterable in (numbers, map(int, range(3000))):
            seen.clear()
            Flow.from_iterable(iterable).subscribe(Asking())
            assert seen == [*range(3000), -2]

    def test_a_request_inside_the_source_waits_for_the_drain(self) -> None:
        probe = Probe[int]()

        def asking() -> Iterator[int]:
            for i in range(5):
                probe.request(1)
                yield i

        Flow.from_iterable(asking).subscribe(probe)
        probe.request(1)
        probe.expect_next(0, 1, 2, 3, 4)
        probe.expect_complete()


class TestEagerChunks:
    """A chunk taken ahead would run user code after a cancel, and hold up a slow source."""

    @pytest.mark.parametrize("how", range(4))
    def test_nothing_is_called_after_a_cancel(self, how: int) -> None:
        pulled: list[int] = []
        flow = everywhere(Flow.from_iterable(lambda: map(pulled.append, range(100))))[how]
        flow = everywhere(Flow.range(100).tap(pulled.append))[how]
        probe = Probe[int](flow)
        probe.request(3)
        probe.expect_next(0, 1, 2)
        window = 4 if how == 1 else 0
        probe.cancel()
        eventually(lambda: len(pulled) <= 3 + window)
        probe.expect_nothing(0.02)
        assert len(pulled) <= 3 + window

    def test_a_cancel_in_the_middle_of_a_batch_is_seen_at_once(self) -> None:
        pulled: list[int] = []

        class Leaving:
            subscription: Any

            def on_subscribe(self, subscription: Any) -> None:
                self.subscription = subscription
                subscription.request(UNBOUNDED)

            def on_next(self, element: int) -> None:
                if element == 4:
                    self.subscription.cancel()

            def on_error(self, error: Exception) -> None: ...

            def on_complete(self) -> None: ...

        Flow.range(100).tap(pulled.append).subscribe(Leaving())
        assert pulled == [0, 1, 2, 3, 4]

    @pytest.mark.parametrize("crossing", [False, True])
    def test_the_first_element_of_a_slow_source_comes_at_once(self, crossing: bool) -> None:
        gate, seen = threading.Event(), list[int]()

        def slow() -> Iterator[int]:
            yield 1
            gate.wait(10)
            yield 2

        flow = Flow.from_iterable(slow).map(lambda x: x)
        if crossing:
            flow = flow.on(threads(1)).map(lambda x: x)
        run = flow.tap(seen.append).count().start()
        eventually(lambda: seen == [1])
        gate.set()
        assert run.result(10) == 2


class TestUpdatesAcrossThreads:
    """`o.n += k()` loses updates: demand and counts are kept under a lock, or by one owner."""

    def test_no_request_is_lost(self) -> None:
        probe = Probe[int](Flow.from_iterable(itertools.count).on(threads(1), 64), timeout=10)
        subscription = probe.expect_subscription()

        def ask() -> None:
            for _ in range(2000):
                subscription.request(1)

        askers = [threading.Thread(target=ask) for _ in range(4)]
        for asker in askers:
            asker.start()
        for asker in askers:
            asker.join()
        eventually(lambda: len(probe.elements) == 8000)
        probe.expect_next(*range(8000))
        probe.expect_nothing(0.02)
        probe.cancel()

    def test_a_function_may_take_part_in_its_own_demand(self) -> None:
        # `requested += k()` would lose what k itself requests.
        probe = Probe[int]()
        Flow.range(9).tap(lambda x: probe.request(1) if x < 3 else None).subscribe(probe)
        probe.request(1)
        probe.expect_next(0, 1, 2, 3)
        probe.expect_nothing(0.02)


class TestDepth:
    """5000 stacked generators overflow the stack."""

    @pytest.mark.parametrize(
        "extend",
        [
            lambda flow: flow.map(lambda x: x),
            lambda flow: flow.take_until(Flow.never()),
            lambda flow: flow.concat(Flow.empty()),
            lambda flow: flow.retry(1).map(lambda x: x),
            lambda flow: flow.zip(Flow.range(9)).map(lambda pair: pair[0]),
            lambda flow: flow.prefetch(2),
        ],
        ids=["stages", "junctions", "concat", "mixed", "zip", "inlets"],
    )
    def test_a_long_chain_does_not_overflow(self, extend: Any) -> None:
        flow = Flow.range(3)
        for _ in range(1000):
            flow = extend(flow)
        assert flow.to_list().result(30) == [0, 1, 2]
        assert list(flow) == [0, 1, 2]
        probe = Probe[int](flow, timeout=30)
        probe.request(1)
        probe.expect_next(0)
        probe.cancel()


class TestEventLoop:
    """An undivided drain blocks an event loop."""

    @pytest.mark.parametrize(
        "make",
        [
            lambda: Flow.range(100_000).map(lambda x: x).count(),
            lambda: Flow.range(100_000).filter(lambda x: False).count(),
            lambda: Flow.range(100_000).chunk(1000).count(),
            lambda: Flow.range(10).flat_map(lambda x: range(10_000)).count(),
            lambda: Flow.range(100_000).take_last(3).to_list(),
            lambda: Flow.range(100_000).subscribe_on(threads(1)).on(event_loop()).count(),
        ],
        ids=["map", "filter", "chunk", "flat_map", "take_last", "boundary"],
    )
    def test_others_have_their_turn(self, make: Any) -> None:
        turns = 0

        async def other() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        async def main() -> None:
            task = asyncio.create_task(other())
            await make()
            task.cancel()

        asyncio.run(main())
        assert turns >= 100_000 // 256 // 4


class TestStaleReferences:
    """An idle worker's stale local, or an error's traceback, keeps a Subscriber alive (3.13)."""

    @pytest.mark.parametrize("how", range(4))
    def test_a_subscriber_that_cancelled_is_let_go(self, how: int) -> None:
        pool = threads(1)
        flow = [
            Flow.from_iterable(itertools.count).on(pool, 4),
            Flow.from_iterable(itertools.count).subscribe_on(pool).map(str),
            Flow.from_iterable(itertools.count).share(4).on(pool, 4),
            Flow.from_iterable(itertools.count).map(str),
        ][how]
        keeper = Flow.never().on(pool).count().start()  # the worker stays
        probe = Probe[Any](flow)
        probe.request(2)
        probe.next()
        probe.cancel()
        there = weakref.ref(probe)
        del probe

        def gone() -> bool:
            gc.collect()
            return there() is None

        eventually(gone, "letting go")
        keeper.cancel()
