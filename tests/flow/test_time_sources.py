"""interval and timer, on a clock that the tests turn by hand."""

from __future__ import annotations

import threading

import pytest

from penstock import UNBOUNDED, Flow
from penstock.flow._overflow import Overflow
from penstock.testing import Probe, VirtualClock
from tests.flow.moving import moved, on_each_resource
from tests.waiting import eventually


class TestInterval:
    def test_it_counts_the_periods(self, clock: VirtualClock):
        probe = Probe(Flow.interval(60))
        probe.request(10)
        clock.advance(59)
        assert probe.elements == []
        clock.advance(1)
        probe.expect_next(0)
        clock.advance(120)
        probe.expect_next(1, 2)
        probe.cancel()
        assert clock.pending == 0

    def test_it_does_not_drift(self, clock: VirtualClock):
        probe = Probe(Flow.interval(0.1).timestamp())
        probe.request(UNBOUNDED)
        clock.advance(100)
        probe.cancel()
        assert len(probe.elements) == 1000
        assert probe.elements[-1][0] == pytest.approx(100)

    @pytest.mark.parametrize(
        ("overflow", "kept"),
        [(Overflow.LATEST, 4), (Overflow.DROP_OLDEST, 4), (Overflow.DROP_NEWEST, 0)],
    )
    def test_what_nobody_asked_for_goes_by_the_policy(
        self, clock: VirtualClock, overflow: Overflow, kept: int
    ):
        probe = Probe(Flow.interval(1, overflow=overflow))
        clock.advance(5)
        probe.request(1)
        probe.expect_next(kept)
        probe.request(1)
        clock.advance(1)
        probe.expect_next(5)
        probe.cancel()

    def test_an_overflow_can_be_an_error(self, clock: VirtualClock):
        probe = Probe(Flow.interval(1, overflow=Overflow.ERROR))
        clock.advance(1)
        probe.expect_nothing(0)
        clock.advance(1)
        error = probe.expect_error(OverflowError, "interval overflowed: 1 wait")
        assert any("in interval(1.0, Overflow.ERROR)" in note for note in error.__notes__)

    def test_a_busy_consumer_misses_ticks_and_does_not_hold_up_the_clock(self):
        entered, leave = threading.Event(), threading.Event()
        seen: list[int] = []

        def consume(tick: int) -> None:
            seen.append(tick)
            entered.set()
            leave.wait(5)

        run = Flow.interval(0.001).take(3).for_each(consume).start()
        assert entered.wait(5)
        threading.Timer(0.05, leave.set).start()
        run.result(5)
        assert seen[0] < seen[1] < seen[2]
        assert seen[1] > 5, "the latest tick only was to wait"

    @on_each_resource
    def test_it_runs_everywhere(self, clock: VirtualClock, resource: str):
        probe = Probe(moved(Flow.interval(1), resource).map(str))
        probe.request(2)
        for tick in ("0", "1"):
            clock.expect_pending(1)
            eventually(lambda: clock.pending == 1)
            clock.advance(1)
            probe.expect_next(tick)
        probe.cancel()

    @pytest.mark.parametrize("period", [0, -1, float("nan"), float("inf")])
    def test_a_wrong_period(self, period: float):
        with pytest.raises(ValueError, match=r"interval\(period=.*give a number of seconds"):
            Flow.interval(period)
        with pytest.raises(
            TypeError, match=r"interval\(overflow='x'\): give one of Overflow.ERROR"
        ):
            Flow.interval(1, overflow="x")  # type: ignore[arg-type]


class TestTimer:
    def test_it_gives_one_element_and_completes(self, clock: VirtualClock):
        probe = Probe(Flow.timer(5, "x"))
        probe.request(1)
        clock.advance(4.9)
        probe.expect_nothing(0)
        clock.advance(0.1)
        probe.expect_next("x")
        probe.expect_complete()

    def test_it_waits_for_demand(self, clock: VirtualClock):
        probe = Probe(Flow.timer(5))
        clock.advance(9)
        probe.expect_nothing(0)
        probe.request(1)
        probe.expect_next(0)
        probe.expect_complete()

    def test_a_cancel_cancels_the_timer(self, clock: VirtualClock):
        probe = Probe(Flow.timer(5))
        assert clock.pending == 1
        probe.cancel()
        assert clock.pending == 0

    def test_none_is_no_value(self):
        with pytest.raises(TypeError, match=r"timer\(value=None\)"):
            Flow.timer(1, None)
