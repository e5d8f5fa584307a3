"""Operators that let pass what comes at its time, on a clock that the tests turn by hand."""

from __future__ import annotations

from penstock import Flow
from penstock.testing import Probe, VirtualClock
from tests.flow.moving import moved, on_each_resource
from tests.flow.time_helpers import Source


class TestDebounce:
    def test_only_what_nothing_follows_is_given(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.debounce(1))
        probe.request(9)
        for element in "abc":
            source.push(element)
            clock.advance(0.9)
        probe.expect_nothing(0)
        clock.advance(0.1)
        probe.expect_next("c")
        source.push("d")
        clock.advance(1)
        probe.expect_next("d")
        probe.cancel()

    def test_one_timer_serves_the_later_time_too(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.debounce(1))
        probe.request(9)
        source.push("a")
        clock.advance(0.5)
        source.push("b")
        assert clock.pending == 1
        clock.advance(0.9)
        probe.expect_nothing(0)
        clock.advance(0.1)
        probe.expect_next("b")
        probe.cancel()

    def test_the_end_gives_the_last_one_at_once(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.debounce(1))
        probe.request(1)
        source.push("a")
        source.complete()
        probe.expect_next("a")
        probe.expect_complete()

    def test_an_error_drops_what_has_not_settled(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.debounce(1))
        probe.request(1)
        source.push("a")
        source.error(ValueError("x"))
        probe.expect_error(ValueError)

    def test_without_demand_the_latest_that_settled_waits(
        self, clock: VirtualClock, source: Source
    ):
        probe = Probe(source.flow.debounce(1))
        probe.request(1)
        for element in "abc":
            source.push(element)
            clock.advance(1)
        probe.expect_next("a")
        source.push("d")  # which has not settled, and takes nobody's place
        probe.request(1)
        probe.expect_next("c")
        probe.expect_nothing(0)
        probe.cancel()

    @on_each_resource
    def test_it_runs_everywhere(self, clock: VirtualClock, resource: str):
        probe = Probe(moved(Flow.range(3), resource).debounce(3))
        probe.request(3)
        probe.expect_next(2)
        probe.expect_complete()


class TestSample:
    def test_the_latest_of_each_period(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.sample(10))
        probe.request(9)
        clock.advance(3)
        source.push("a")
        source.push("b")
        clock.advance(6.9)
        probe.expect_nothing(0)
        clock.advance(0.1)
        probe.expect_next("b")
        clock.advance(35)
        probe.expect_nothing(0)
        source.push("c")
        clock.advance(5)
        probe.expect_next("c")
        source.push("d")
        source.complete()
        probe.expect_next("d")
        probe.expect_complete()

    @on_each_resource
    def test_it_runs_everywhere(self, clock: VirtualClock, resource: str):
        probe = Probe(moved(Flow.range(3), resource).sample(3))
        probe.request(3)
        probe.expect_next(2)
        probe.expect_complete()


class TestThrottle:
    def test_the_first_of_each_period(self, clock: VirtualClock, source: Source):
        probe = Probe(source.flow.throttle(10))
        probe.request(9)
        for at, element in ((0, "a"), (9, "b"), (2, "c"), (9, "d"), (1, "e")):
            clock.advance(at)
            source.push(element)
        assert probe.elements == ["a", "c", "e"]
        probe.cancel()

    @on_each_resource
    def test_it_runs_everywhere(self, clock: VirtualClock, resource: str):
        probe = Probe(moved(Flow.range(3), resource).throttle(3))
        probe.request(3)
        probe.expect_next(0)
        probe.expect_complete()
