"""Operators that depend on time, on a clock that the tests turn by hand."""

from __future__ import annotations

import pytest

from penstock import Flow
from penstock.tck import verify_publisher
from penstock.testing import Probe, VirtualClock
from tests.flow.moving import moved, on_each_resource
from tests.flow.time_helpers import Source
from tests.waiting import eventually


class TestDelay:
    def test_each_element_comes_later(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.delay(3))
        probe.request(9)
        source.push("a")
        clock.advance(1)
        source.push("b")
        clock.advance(1.9)
        probe.expect_nothing(0)
        clock.advance(0.1)
        probe.expect_next("a")
        probe.expect_nothing(0)
        source.complete()
        clock.advance(1)
        probe.expect_next("b")
        probe.expect_complete()

    def test_time_passes_without_demand_as_well(self, clock: VirtualClock):
        probe = Probe(Flow.range(3).delay(3))
        probe.request(1)
        clock.advance(3)
        probe.expect_next(0)
        probe.request(2)
        probe.expect_next(1, 2)
        probe.expect_complete()

    def test_it_holds_a_window_at_most(self, clock: VirtualClock):
        pulled: list[int] = []
        probe = Probe(Flow.range(100).tap(pulled.append).delay(3, window=4))
        probe.request(100)
        assert len(pulled) == 4
        clock.advance(3)
        assert len(probe.elements) == 4
        assert len(pulled) <= 8
        probe.cancel()

    def test_an_error_waits_for_no_demand(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.delay(3))
        probe.request(1)
        source.push("a")
        clock.advance(3)
        probe.expect_next("a")
        source.push("b")
        source.error(ValueError("x"))
        probe.expect_error(ValueError)

    def test_an_empty_flow_completes_at_once(self, clock: VirtualClock):
        probe = Probe(Flow.empty().delay(3))
        probe.request(1)
        probe.expect_complete()

    @on_each_resource
    def test_it_runs_everywhere(self, clock: VirtualClock, resource: str):
        probe = Probe(moved(Flow.range(3), resource).delay(3))
        probe.request(3)
        clock.expect_pending(1)
        eventually(lambda: clock.pending == 1)
        while not probe.elements:
            clock.advance(3)
        for n in range(3):
            while len(probe.elements) <= n:
                clock.advance(1)
        probe.expect_next(0, 1, 2)
        probe.expect_complete()


class TestTimeout:
    def test_the_first_element_too(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.timeout(5))
        probe.request(1)
        clock.advance(4.9)
        probe.expect_nothing(0)
        clock.advance(0.1)
        error = probe.expect_error(TimeoutError, r"timeout\(5\): no element came for 5 s")
        assert any("in timeout(5.0), test_time.py:" in note for note in error.__notes__)
        assert source.push("late") is False

    def test_each_element_anew(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.timeout(5))
        probe.request(9)
        for n in range(3):
            clock.advance(4)
            source.push(n)
        clock.advance(4.9)
        assert probe.elements == [0, 1, 2]
        assert probe.error is None
        clock.advance(0.1)
        probe.expect_next(0, 1, 2)
        probe.expect_error(TimeoutError)

    def test_no_time_counts_without_demand(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.timeout(5))
        clock.advance(50)
        probe.request(1)
        source.push(1)
        clock.advance(50)
        probe.request(1)
        clock.advance(4)
        probe.expect_next(1)
        probe.expect_nothing(0)
        clock.advance(1)
        probe.expect_error(TimeoutError)

    @on_each_resource
    def test_it_runs_everywhere(self, clock: VirtualClock, resource: str):
        probe = Probe(moved(Flow.never(), resource).timeout(3))
        probe.request(1)
        clock.expect_pending(1)
        clock.advance(3)
        probe.expect_error(TimeoutError)


class TestTimestamp:
    def test_it_pairs_time_and_element(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.timestamp())
        probe.request(9)
        source.push("a")
        clock.advance(2.5)
        source.push("b")
        probe.expect_next((0.0, "a"), (2.5, "b"))
        probe.cancel()


class TestChunkWithin:
    def test_full_or_in_time(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow._chunk_within(3, 5))
        probe.request(9)
        for n in range(4):
            source.push(n)
        probe.expect_next([0, 1, 2])
        clock.advance(4.9)
        probe.expect_nothing(0)
        source.push(4)
        clock.advance(0.1)
        probe.expect_next([3, 4])
        clock.advance(50)
        probe.expect_nothing(0)
        source.push(5)
        source.complete()
        probe.expect_next([5])
        probe.expect_complete()

    def test_a_chunk_after_one_in_time_is_full_again(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow._chunk_within(10, 5))
        probe.request(9)
        for n in range(3):
            source.push(n)
        clock.advance(5)
        for n in range(10):
            source.push(n)
        probe.expect_next([0, 1, 2], list(range(10)))
        probe.cancel()

    def test_it_asks_for_one_chunk_ahead(self, clock: VirtualClock):
        pulled: list[int] = []
        probe = Probe(Flow.range(100).tap(pulled.append)._chunk_within(3, 5))
        probe.request(2)
        probe.expect_next([0, 1, 2], [3, 4, 5])
        assert len(pulled) <= 9
        probe.cancel()

    def test_an_error_drops_what_is_no_chunk(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow._chunk_within(3, 5))
        probe.request(9)
        source.push(1)
        source.error(ValueError("x"))
        probe.expect_error(ValueError)

    @on_each_resource
    def test_it_runs_everywhere(self, clock: VirtualClock, resource: str):
        probe = Probe(moved(Flow.range(7), resource)._chunk_within(3, 5))
        probe.request(3)
        probe.expect_next([0, 1, 2], [3, 4, 5], [6])
        probe.expect_complete()


def ticks(elements: int) -> Flow[int]:
    return Flow.interval(0.0005).take(elements)


CONFORM = {
    "interval": ticks,
    "delay": lambda n: Flow.range(n).delay(0.0005, window=16),
    "debounce": lambda n: Flow.interval(0.003).take(n).debounce(0.0005),
    "sample": lambda n: Flow.interval(0.003).take(n).sample(0.0015),
    "throttle": lambda n: ticks(n).throttle(1e-9),
    "timeout": lambda n: Flow.range(n).timeout(60),
    "timestamp": lambda n: Flow.range(n).timestamp(),
    "chunk within": lambda n: Flow.range(n)._chunk_within(1, 60),
}


@pytest.mark.parametrize("operator", CONFORM)
def test_it_keeps_the_rules(operator: str):
    report = verify_publisher(CONFORM[operator])
    assert not report.broken, str(report)


def test_a_timer_keeps_the_rules():
    report = verify_publisher(lambda n: Flow.timer(0.001).take(n), max_elements=1)
    assert not report.broken, str(report)
