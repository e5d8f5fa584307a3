"""A stream of the latest element: when it is left for another, and when not."""

from __future__ import annotations

import itertools

from penstock import UNBOUNDED, Flow
from penstock.testing import ManualPublisher, Probe
from tests.flow.inputs import Counted, pushed


class TestSwitchMap:
    def test_a_new_element_cancels_the_inner_before(self):
        outer = ManualPublisher[int]()
        inner = [ManualPublisher[str]() for _ in range(3)]
        probe = Probe(Flow.from_publisher(outer).switch_map(inner.__getitem__))
        probe.request(UNBOUNDED)
        outer.emit(0)
        inner[0].emit("a")
        outer.emit(1)
        inner[0].expect_cancel()
        inner[1].emit("b")
        outer.complete()
        inner[1].emit("c")
        inner[1].complete()
        probe.expect_next("a", "b", "c")
        probe.expect_complete()

    def test_only_the_last_of_what_came_without_demand(self):
        outer = ManualPublisher[int]()
        calls: list[int] = []

        def make(n: int) -> list[int]:
            calls.append(n)
            return [n]

        probe = Probe(Flow.from_publisher(outer).switch_map(make))
        probe.request(1)
        outer.emit(1)
        outer.emit(2, 3, 4)
        assert calls == [1]
        probe.request(1)
        assert (calls, probe.elements) == ([1, 4], [1, 4])

    def test_an_element_interrupts_an_endless_iterable(self):
        outer = ManualPublisher[int]()
        first, second = Counted(itertools.count()), Counted(range(2))
        flow = Flow.from_publisher(outer).switch_map(lambda n: (first, second)[n])
        probe = Probe(flow)
        probe.request(3)
        outer.emit(0)
        outer.emit(1)
        outer.complete()
        probe.request(3)
        assert probe.elements == [0, 1, 2, 0, 1]
        probe.expect_next(0, 1, 2, 0, 1)
        probe.expect_complete()
        assert (first.closed, second.closed) == (1, 1)

    def test_of_an_iterable_each_gives_what_it_has_at_once(self):
        flow = Flow.range(3).switch_map(lambda n: pushed(range(n * 300)))
        assert flow.count().result(5) == 900
        assert Flow.range(3).switch_map(lambda n: range(n)).to_list().result() == [0, 0, 1]

    def test_an_inner_that_never_gives_anything_is_left(self):
        assert Flow.of(0, 1).switch_map(
            lambda n: Flow.of("x") if n else Flow.never()
        ).to_list().result(5) == ["x"]
