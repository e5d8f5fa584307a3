"""A stream of each element: how many at a time, in which order, and how they end."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import UNBOUNDED, Flow, threads
from penstock.tck import verify_publisher
from penstock.testing import ManualPublisher, Probe
from tests.flow.inputs import FORMS, Counted, elsewhere, pushed

lists = st.lists(
    st.tuples(st.lists(st.integers(0, 99), max_size=5), st.sampled_from(sorted(FORMS))),
    max_size=8,
)


class TestAgainstPython:
    @settings(max_examples=60, deadline=None)
    @given(lists, st.sampled_from(sorted(FORMS)))
    def test_concat_map_keeps_the_order(self, drawn: list[tuple[list[int], str]], outer: str):
        flow = FORMS[outer](drawn).concat_map(lambda one: FORMS[one[1]](one[0]))
        assert flow.to_list().result(5) == list(itertools.chain(*[xs for xs, _ in drawn]))

    @settings(max_examples=60, deadline=None)
    @given(lists, st.sampled_from(sorted(FORMS)), st.integers(1, 4), st.integers(1, 4))
    def test_flat_map_keeps_all_and_the_order_of_each(
        self, drawn: list[tuple[list[int], str]], outer: str, concurrency: int, window: int
    ):
        marked = [([(i, x) for x in elements], form) for i, (elements, form) in enumerate(drawn)]
        flow = FORMS[outer](marked).flat_map(
            lambda one: FORMS[one[1]](one[0]), concurrency=concurrency, window=window
        )
        got = flow.to_list().result(5)
        for i, (elements, _) in enumerate(marked):
            assert [x for x in got if x[0] == i] == elements
        assert len(got) == sum(len(elements) for elements, _ in marked)


class TestFlatMap:
    def test_no_more_than_concurrency_at_a_time(self):
        inner = [ManualPublisher[str]() for _ in range(4)]
        probe = Probe(Flow.of(*inner).flat_map(lambda one: one, concurrency=2))
        assert not any(one.subscriber for one in inner)  # nobody has asked for anything
        probe.request(UNBOUNDED)
        assert [one.subscriber is not None for one in inner] == [True, True, False, False]
        inner[1].emit("b")
        inner[0].emit("a")
        inner[1].complete()
        assert inner[2].subscriber is not None
        assert inner[3].subscriber is None
        probe.expect_next("b", "a")

    def test_asks_each_for_its_window(self):
        inner = ManualPublisher[int]()
        probe = Probe(Flow.of(inner).flat_map(lambda one: one, window=4))
        probe.request(1)
        inner.expect_request(4)
        inner.emit(1, 2, 3, 4)
        assert probe.elements == [1]
        inner.expect_no_request(0.01)
        probe.request(3)
        assert inner.demand > 0

    def test_asks_upstream_for_what_there_is_room_for(self):
        outer = ManualPublisher[int]()
        inner = [ManualPublisher[int]() for _ in range(9)]
        probe = Probe(Flow.from_publisher(outer).flat_map(inner.__getitem__, concurrency=2))
        probe.request(UNBOUNDED)
        outer.expect_request(2)
        outer.emit(0, 1)
        outer.expect_no_request(0.01)
        inner[0].complete()
        outer.expect_request(1)
        outer.complete()
        inner[1].complete()
        probe.expect_complete()

    def test_an_iterable_is_not_pulled_ahead_of_demand(self):
        source = Counted(range(9))
        calls: list[int] = []

        def make(x: int) -> Counted:
            calls.append(x)
            return source

        probe = Probe(Flow.range(5).flat_map(make))
        assert calls == []
        probe.request(3)
        assert (calls, source.taken) == ([0], 3)
        probe.cancel()
        assert (source.opened, source.closed) == (1, 1)

    def test_completes_with_the_last_element(self):
        probe = Probe(Flow.of(1, 2).flat_map(lambda n: [n]))
        probe.request(2)
        probe.expect_next(1, 2)
        probe.expect_complete()

    def test_an_endless_iterable_leaves_the_others_their_turn(self):
        streams = [pushed("ab"), itertools.count()]
        flow = Flow.of(*streams).flat_map(lambda one: one)
        assert flow.filter(lambda x: x == "b").first().result(5) == "b"

    def test_endless_elements_leave_the_inner_ones_their_turn(self):
        def make(n: int) -> Any:
            return pushed(["found"]) if n == 0 else [n]

        flow = Flow.from_iterable(itertools.count()).flat_map(make)
        assert flow.filter(lambda x: x == "found").first().result(5) == "found"

    def test_thousands_of_inner_streams_on_threads(self):
        pool = threads(3, name="inner")
        flow = Flow.range(300).flat_map(lambda n: Flow.range(n).on(pool, window=8), concurrency=8)
        assert flow.count().result(30) == sum(range(300))

    def test_what_the_function_raises_is_noted(self):
        def broken(_: int) -> list[int]:
            raise ValueError("broken")

        with pytest.raises(ValueError, match="broken") as caught:
            Flow.of(1).flat_map(broken).drain().result()
        assert any(
            "in flat_map(broken, 16, 32), test_flat_map" in n for n in caught.value.__notes__
        )

    def test_an_iterator_that_fails_to_close_fails_the_stream(self):
        class Sticky:
            def __init__(self) -> None:
                self.left = 1

            def __iter__(self) -> Iterator[int]:
                return self

            def __next__(self) -> int:
                if not self.left:
                    raise StopIteration
                self.left = 0
                return 1

            def close(self) -> None:
                raise OSError("can't be closed")

        with pytest.raises(OSError, match="can't be closed"):
            Flow.of(1).flat_map(lambda _: Sticky()).drain().result()


STANDARD: dict[str, Callable[[int], Flow[Any]]] = {
    "flat_map": lambda n: Flow.range(n).flat_map(lambda x: (x,)),
    "flat_map of publishers": lambda n: elsewhere(range(n)).flat_map(lambda x: pushed([x])),
    "concat_map": lambda n: pushed(range(n)).concat_map(lambda x: pushed([x])),
    "switch_map": lambda n: Flow.range(n).switch_map(lambda x: (x,)),
    "flatten": lambda n: Flow.range(n).map(lambda x: [x]).flatten(),
}


@pytest.mark.parametrize("name", STANDARD)
def test_it_keeps_the_standard(name: str):
    create = STANDARD[name]
    report = verify_publisher(lambda n: create(min(n, 2**62)))
    assert not report.broken, report
