"""Several flows together, an element of each in a row: zip, combine_latest, with_latest_from."""

from __future__ import annotations

import itertools

import pytest

from penstock import UNBOUNDED, Flow
from penstock.testing import Probe
from tests.flow.combine_helpers import manual
from tests.flow.inputs import Counted, pushed


class TestZip:
    def test_waits_for_all(self):
        a, b = manual(2)
        probe = Probe(Flow.zip(a, b))
        probe.request(2)
        a.emit(1, 2, 3)
        assert probe.elements == []
        b.emit("x")
        probe.expect_next((1, "x"))
        b.emit("y", "z")
        probe.expect_next((2, "y"))
        b.complete()
        probe.request(1)
        probe.expect_next((3, "z"))
        probe.expect_complete()
        a.expect_cancel()

    def test_takes_no_more_than_python_does(self):
        a, b = Counted(range(2)), Counted(range(9))
        Flow.from_iterable(a).zip(Flow.from_iterable(b)).drain().result()
        assert (a.taken, b.taken) == (2, 2)
        assert (a.closed, b.closed) == (1, 1)

    def test_an_iterable_beside_what_is_pushed_is_not_pulled_ahead(self):
        (a,) = manual(1)
        b = Counted(range(9))
        probe = Probe(Flow.zip(a, Flow.from_iterable(b)))
        probe.request(5)
        a.emit("x", "y")
        assert probe.elements == [("x", 0), ("y", 1)]
        assert b.taken == 2
        a.complete()
        probe.expect_next(("x", 0), ("y", 1))
        probe.expect_complete()
        assert b.closed == 1

    def test_completes_without_demand_when_a_side_has_ended_and_is_used_up(self):
        a, b = manual(2)
        probe = Probe(Flow.zip(a, b))
        probe.request(1)
        a.emit(1)
        a.complete()
        b.emit(2)
        probe.expect_next((1, 2))
        probe.expect_complete()
        b.expect_cancel()

    def test_does_not_spin_on_a_side_that_is_ahead(self):
        a, b = manual(2)
        probe = Probe(Flow.zip(a, b))
        probe.request(1)
        a.emit(*range(64))  # would be woken again and again by what is there
        assert probe.elements == []
        b.emit("x")
        probe.expect_next((0, "x"))

    def test_an_error_does_not_wait_for_the_other_side(self):
        a, b = manual(2)
        probe = Probe(Flow.zip(a, b))
        probe.request(1)
        a.emit(1, 2)
        a.error(ValueError("broken"))
        probe.expect_error(ValueError, "broken")
        b.expect_cancel()

    def test_strict_knows_as_soon_as_it_can(self):
        a, b = manual(2)
        probe = Probe(Flow.zip(a, b, strict=True))
        probe.request(1)
        a.emit(1, 2)
        b.emit(1)
        probe.expect_next((1, 1))
        b.complete()
        probe.expect_error(ValueError, "of 2 inputs, 2 ended before the others")

    def test_strict_waits_if_the_other_may_end_as_well(self):
        a, b = manual(2)
        probe = Probe(Flow.zip(a, b, strict=True))
        probe.request(1)
        b.complete()
        probe.expect_nothing(0.01)
        a.complete()
        probe.expect_complete()


class TestLatest:
    def test_a_row_for_each_element_once_all_are_there(self):
        a, b = manual(2)
        probe = Probe(Flow.combine_latest(a, b))
        probe.request(UNBOUNDED)
        a.emit(1, 2)
        b.emit("x")
        a.emit(3)
        a.complete()
        b.emit("y")
        probe.expect_next((2, "x"), (3, "x"), (3, "y"))
        b.complete()
        probe.expect_complete()

    def test_an_empty_one_ends_it_at_once(self):
        a, b = manual(2)
        probe = Probe(Flow.combine_latest(a, b))
        b.complete()
        probe.expect_complete()
        a.expect_cancel()

    def test_an_iterable_is_not_used_up_while_others_are_awaited(self):
        source = Counted(itertools.count())
        (b,) = manual(1)
        probe = Probe(Flow.from_iterable(source).combine_latest(b))
        probe.request(2)
        assert source.taken == 1
        b.emit("x")
        probe.expect_next((0, "x"), (1, "x"))

    def test_with_latest_from_holds_back_until_there_is_one(self):
        a, b = manual(2)
        probe = Probe(Flow.from_publisher(a).with_latest_from(b))
        probe.request(9)
        a.expect_no_request(0.01)
        b.expect_request()
        b.emit("x", "y")
        a.emit(1)
        b.emit("z")
        a.emit(2)
        b.complete()
        a.emit(3)
        probe.expect_next((1, "y"), (2, "z"), (3, "z"))
        a.complete()
        probe.expect_complete()

    def test_with_latest_from_what_is_empty(self):
        a, b = manual(2)
        probe = Probe(Flow.from_publisher(a).with_latest_from(b))
        b.complete()
        probe.expect_complete()
        a.expect_cancel()
        assert Flow.of(1).with_latest_from(Flow.empty()).to_list().result() == []

    def test_with_latest_from_fails_with_either(self):
        for i in range(2):
            both = manual(2)
            probe = Probe(Flow.from_publisher(both[0]).with_latest_from(both[1]))
            both[i].error(ValueError("broken"))
            probe.expect_error(ValueError, "broken")
            both[1 - i].expect_cancel()

    def test_with_latest_from_through_a_function(self):
        flow = Flow.of(1, 2).with_latest_from(Flow.of(10), lambda x, y: x + y)
        assert flow.to_list().result() == [11, 12]
        none = Flow.of(1).with_latest_from(pushed([10]), lambda x, y: None)
        with pytest.raises(TypeError, match=r"with_latest_from\(.*made None"):
            none.to_list().result()
