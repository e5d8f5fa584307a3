"""Operators that let some elements pass."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import UNBOUNDED, Flow
from penstock.testing import ManualPublisher, Probe
from tests.flow.forms import assert_conforms, endless, everywhere, numbers

SMALL = st.integers(min_value=0, max_value=5)

SAME_AS_PYTHON: dict[
    str, tuple[Callable[[Flow[int], int], Flow[int]], Callable[[list[int], int], Any]]
]
SAME_AS_PYTHON = {
    "filter": (
        lambda flow, n: flow.filter(lambda x: x % (n + 1)),
        lambda xs, n: filter(lambda x: x % (n + 1), xs),
    ),
    "filter_map": (
        lambda flow, n: flow.filter_map(lambda x: -x if x > n else None),
        lambda xs, n: [-x for x in xs if x > n],
    ),
    "take": (lambda flow, n: flow.take(n), lambda xs, n: xs[:n]),
    "take_last": (lambda flow, n: flow.take_last(n), lambda xs, n: xs[max(0, len(xs) - n) :]),
    "take_while": (
        lambda flow, n: flow.take_while(lambda x: x < n),
        lambda xs, n: itertools.takewhile(lambda x: x < n, xs),
    ),
    "take_while_inclusive": (
        lambda flow, n: flow.take_while(lambda x: x < n, inclusive=True),
        lambda xs, n: xs[: next((i + 1 for i, x in enumerate(xs) if x >= n), len(xs))],
    ),
    "skip": (lambda flow, n: flow.skip(n), lambda xs, n: xs[n:]),
    "skip_last": (lambda flow, n: flow.skip_last(n), lambda xs, n: xs[: max(0, len(xs) - n)]),
    "skip_while": (
        lambda flow, n: flow.skip_while(lambda x: x < n),
        lambda xs, n: itertools.dropwhile(lambda x: x < n, xs),
    ),
    "distinct": (lambda flow, n: flow.distinct(), lambda xs, n: dict.fromkeys(xs)),
    "distinct_by": (
        lambda flow, n: flow.distinct(lambda x: x // 2),
        lambda xs, n: {x // 2: x for x in reversed(xs)} and _first_by_half(xs),
    ),
    "distinct_until_changed": (
        lambda flow, n: flow.distinct_until_changed(),
        lambda xs, n: [x for x, _ in itertools.groupby(xs)],
    ),
    "distinct_until_changed_by": (
        lambda flow, n: flow.distinct_until_changed(lambda x: x // 2),
        lambda xs, n: [next(group) for _, group in itertools.groupby(xs, lambda x: x // 2)],
    ),
    "element_at": (lambda flow, n: flow.element_at(n, -1), lambda xs, n: [[*xs, *[-1] * 6][n]]),
    "default_if_empty": (lambda flow, n: flow.default_if_empty(n), lambda xs, n: xs or [n]),
    "switch_if_empty": (
        lambda flow, n: flow.switch_if_empty(Flow.range(n)),
        lambda xs, n: xs or range(n),
    ),
}


def _first_by_half(xs: list[int]) -> list[int]:
    first: dict[int, int] = {}
    for x in xs:
        first.setdefault(x // 2, x)
    return list(first.values())


@settings(max_examples=150, deadline=None)
@given(
    xs=st.lists(SMALL, max_size=8),
    lazy=st.booleans(),
    names=st.lists(st.tuples(st.sampled_from(sorted(SAME_AS_PYTHON)), SMALL), max_size=4),
)
def test_the_same_elements_as_in_plain_python(
    xs: list[int], lazy: bool, names: list[tuple[str, int]]
) -> None:
    flow = Flow.from_iterable((lambda: iter(xs)) if lazy else xs)
    expected = list(xs)
    for name, n in names:
        ours, theirs = SAME_AS_PYTHON[name]
        flow, expected = ours(flow, n), list(theirs(expected, n))
    assert everywhere(flow) == expected


CONFORMING: dict[str, Callable[[int], Flow[Any]]] = {
    "filter": lambda n: numbers(n if n == UNBOUNDED else 2 * n).filter(lambda x: x % 2),
    "filter_map": lambda n: numbers(n).filter_map(lambda x: x + 1),
    "take": lambda n: endless().take(n),
    "take_last": lambda n: numbers(n) if n == UNBOUNDED else Flow.range(2 * n).take_last(n),
    "take_while": lambda n: endless().take_while(lambda x: x < n),
    "take_while_inclusive": lambda n: (
        endless().take_while(lambda x: x < n - 1, inclusive=True) if n else Flow.empty()
    ),
    "take_until": lambda n: numbers(n).take_until(Flow.never()),
    "skip": lambda n: numbers(n if n == UNBOUNDED else n + 3).skip(3),
    "skip_last": lambda n: numbers(n if n == UNBOUNDED else n + 3).skip_last(3),
    "skip_while": lambda n: numbers(n if n == UNBOUNDED else n + 3).skip_while(lambda x: x < 3),
    "distinct": lambda n: numbers(n).distinct(bound=10),
    "distinct_until_changed": lambda n: numbers(n).distinct_until_changed(),
    "element_at": lambda n: numbers(5).element_at(2) if n == 1 else numbers(n),
    "default_if_empty": lambda n: numbers(n).default_if_empty(1) if n else numbers(0),
    "switch_if_empty": lambda n: Flow.empty().switch_if_empty(numbers(n)),
}


@pytest.mark.parametrize("name", CONFORMING)
def test_it_keeps_the_standard(name: str) -> None:
    assert_conforms(CONFORMING[name])


class Counted:
    """An iterable that counts what was pulled, and how often it was closed."""

    def __init__(self, n: int | None = None) -> None:
        self.n = n
        self.pulled = 0
        self.closed = 0

    def __call__(self) -> Any:
        try:
            for i in itertools.count() if self.n is None else range(self.n):
                self.pulled += 1
                yield i
        finally:
            self.closed += 1


class TestNoMoreThanNeeded:
    @pytest.mark.parametrize("form", ["result", "emit"])
    def test_take_completes_with_the_last_element_and_pulls_no_other(self, form: str) -> None:
        source = Counted()
        flow = Flow.from_iterable(source).take(3)
        if form == "result":
            assert flow.to_list().result() == [0, 1, 2]
        else:
            probe = Probe(flow)
            probe.request(3)
            probe.expect_next(0, 1, 2)
            probe.expect_complete()
        assert (source.pulled, source.closed) == (3, 1)

    def test_take_nothing_does_not_look_upstream(self) -> None:
        source = Counted()
        probe = Probe(Flow.from_iterable(source).take(0))
        assert probe.completed
        assert source.pulled == 0
        assert "take(0)" in Flow.range(3).take(0).described()

    def test_take_cancels_what_it_takes_from(self) -> None:
        publisher = ManualPublisher[int]()
        probe = Probe(Flow.from_publisher(publisher).take(2))
        probe.request(5)
        publisher.emit(1, 2)
        probe.expect_next(1, 2)
        probe.expect_complete()
        publisher.expect_cancel()

    def test_filter_asks_on_until_demand_is_met_and_not_beyond(self) -> None:
        source = Counted()
        probe = Probe(Flow.from_iterable(source).filter(lambda x: x % 10 == 9))
        probe.request(1)
        probe.expect_next(9)
        assert source.pulled == 10
        probe.cancel()
        assert source.closed == 1

    def test_a_cancel_at_the_first_element_calls_nobody_again(self) -> None:
        calls: list[int] = []

        class CancelsAtOnce(Probe[int]):
            def on_next(self, element: int, /) -> None:
                super().on_next(element)
                self.cancel()

        probe = CancelsAtOnce()
        source = Counted()
        flow = Flow.from_iterable(source).take_while(lambda x: calls.append(x) or x < 9)
        flow.skip_while(lambda x: False).default_if_empty(7).subscribe(probe)
        probe.request(100)
        assert probe.elements == [0]
        assert calls == [0]
        assert (source.pulled, source.closed) == (1, 1)
        assert not probe.completed

    def test_a_cancel_with_the_last_element_leaves_nothing_to_flush(self) -> None:
        class CancelsAtOnce(Probe[object]):
            def on_next(self, element: object, /) -> None:
                super().on_next(element)
                self.cancel()

        probe = CancelsAtOnce(Flow.range(9).take(2).chunk(1).take_while(lambda x: True))
        probe.request(9)
        assert probe.elements == [[0]]
        probe = CancelsAtOnce(Flow.range(5).take_last(3))
        probe.request(9)
        assert probe.elements == [2]

    def test_element_at_asks_for_no_element_behind_it(self) -> None:
        source = Counted()
        assert everywhere(Flow.from_iterable(source).element_at(2)) == [2]
        assert source.pulled == 3 * source.closed


class TestTheEnd:
    def test_element_at_of_a_short_flow_says_by_how_much(self) -> None:
        with pytest.raises(IndexError, match=r"element_at\(5\).* 3 too early") as caught:
            everywhere(Flow.range(3).element_at(5))
        assert "test_select.py" in caught.value.__notes__[0]

    def test_take_last_is_followed_by_the_end_without_more_demand(self) -> None:
        probe = Probe(Flow.range(9).take_last(2))
        probe.request(1)
        probe.expect_next(7)
        probe.expect_nothing(0.01)
        probe.request(1)
        probe.expect_next(8)
        probe.expect_complete()

    def test_a_stop_after_the_end_of_the_source_loses_nothing(self) -> None:
        probe = Probe(Flow.range(9).take_last(3))
        probe.request(1)
        probe.expect_next(6)
        pump: Any = probe.subscription
        pump.stop()
        probe.expect_nothing(0.01)
        probe.request(1)
        probe.expect_next(7)
        pump.stop()
        probe.request(1)
        probe.expect_next(8)
        probe.expect_complete()

    def test_distinct_forgets_the_oldest_beyond_its_bound(self) -> None:
        flow = Flow.of(1, 2, 1, 3, 2, 1).distinct(bound=2)
        assert everywhere(flow) == [1, 2, 3, 1]

    def test_distinct_names_itself_at_what_has_no_hash(self) -> None:
        with pytest.raises(TypeError, match="unhashable") as caught:
            everywhere(Flow.of([1]).distinct())
        assert caught.value.__notes__[-1].startswith("in distinct(100000), test_select.py:")

    def test_distinct_until_changed_takes_a_key_that_is_none(self) -> None:
        assert everywhere(Flow.of(1, 2, 3).distinct_until_changed(lambda x: None)) == [1]
        assert everywhere(Flow.of(1, 2, 3).distinct(lambda x: None)) == [1]


class TestTakeUntil:
    @pytest.mark.parametrize("ring", [lambda bell: bell.emit(1), lambda bell: bell.complete()])
    @pytest.mark.parametrize("demand", [0, 5])
    def test_the_first_signal_of_the_other_ends_it(self, ring: Any, demand: int) -> None:
        up, bell = ManualPublisher[int](), ManualPublisher[int]()
        probe = Probe(Flow.from_publisher(up).take_until(bell))
        assert bell.requested == 1
        if demand:
            probe.request(demand)
            up.emit(7)
            probe.expect_next(7)
        ring(bell)
        probe.expect_complete()
        up.expect_cancel()

    def test_what_is_behind_it_is_flushed(self) -> None:
        up, bell = ManualPublisher[int](), ManualPublisher[int]()
        probe = Probe(Flow.from_publisher(up).take_until(bell).chunk(5))
        probe.request(1)
        up.emit(7)
        bell.emit(1)
        probe.expect_next([7])
        probe.expect_complete()

    def test_it_fails_if_the_other_fails(self) -> None:
        up, bell = ManualPublisher[int](), ManualPublisher[int]()
        probe = Probe(Flow.from_publisher(up).take_until(bell))
        bell.error(OSError("no bell"))
        probe.expect_error(OSError, "no bell")
        up.expect_cancel()

    def test_the_other_is_cancelled_at_the_end(self) -> None:
        bell = ManualPublisher[int]()
        assert Flow.range(3).take_until(bell).to_list().result() == [0, 1, 2]
        bell.expect_cancel()

    def test_an_endless_loop_sees_it(self) -> None:
        bell = ManualPublisher[int]()
        flow = endless().tap(lambda x: bell.emit(1) if x == 1000 else None).take_until(bell)
        assert flow.count().result() >= 1000

    def test_one_that_is_over_already_ends_it_at_once(self) -> None:
        assert Probe(endless().take_until(Flow.empty())).completed
        seen: list[int] = []
        assert endless().tap(seen.append).take_until(Flow.empty()).to_list().result() == []
        assert seen == []


class TestSwitchIfEmpty:
    def test_the_other_is_left_alone_if_there_is_an_element(self) -> None:
        other = ManualPublisher[int]()
        assert everywhere(Flow.of(1).switch_if_empty(other)) == [1]
        assert other.subscriber is None

    def test_demand_passes_to_the_other(self) -> None:
        first, other = ManualPublisher[int](), ManualPublisher[int]()
        probe = Probe(Flow.from_publisher(first).switch_if_empty(other))
        probe.request(2)
        assert first.requested == 2
        first.complete()
        assert other.requested == 2
        other.emit(1, 2)
        probe.expect_next(1, 2)
        assert other.requested == 2
        other.complete()
        probe.expect_complete()

    def test_both_sources_are_closed_once(self) -> None:
        first, other = Counted(0), Counted(2)
        flow = Flow.from_iterable(first).switch_if_empty(Flow.from_iterable(other))
        assert everywhere(flow) == [0, 1]
        assert first.closed == other.closed == 5

    def test_an_error_does_not_switch(self) -> None:
        with pytest.raises(OSError, match="no"):
            everywhere(Flow.error(OSError("no")).switch_if_empty(Flow.of(1)))


def fails(x: object) -> bool:
    raise ArithmeticError("told to")


def ends(x: object) -> bool:
    raise StopIteration


WITH_FUNCTIONS: dict[str, Callable[[Flow[int], Any], Flow[Any]]] = {
    "filter": lambda flow, f: flow.filter(f),
    "filter_map": lambda flow, f: flow.filter_map(f),
    "take_while": lambda flow, f: flow.take_while(f),
    "take_while_inclusive": lambda flow, f: flow.take_while(f, inclusive=True),
    "skip_while": lambda flow, f: flow.skip_while(f),
    "distinct": lambda flow, f: flow.distinct(f),
    "distinct_until_changed": lambda flow, f: flow.distinct_until_changed(f),
}


@pytest.mark.parametrize("name", WITH_FUNCTIONS)
class TestErrors:
    def test_a_function_that_raises_is_named_with_its_line(self, name: str) -> None:
        source = Counted()
        flow = WITH_FUNCTIONS[name](Flow.from_iterable(source), fails)
        with pytest.raises(ArithmeticError, match="told to") as caught:
            everywhere(flow)
        operator = name.removesuffix("_inclusive")
        [text] = caught.value.__notes__
        assert text.startswith(f"in {operator}(fails")
        assert "test_select.py:" in text
        assert source.closed == 6

    def test_stop_iteration_is_an_error_and_no_end(self, name: str) -> None:
        with pytest.raises(RuntimeError, match="StopIteration"):
            everywhere(WITH_FUNCTIONS[name](Flow.of(1), ends))

    def test_what_is_no_function_is_refused(self, name: str) -> None:
        operator = name.removesuffix("_inclusive")
        with pytest.raises(TypeError, match=rf"{operator}\(\w+=3\): give a function"):
            WITH_FUNCTIONS[name](Flow.of(1), 3)


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (lambda f: f.take(-1), ValueError, r"take\(n=-1\)"),
        (lambda f: f.take(True), TypeError, r"take\(n=True\)"),
        (lambda f: f.take_last("3"), TypeError, r"take_last\(n='3'\)"),
        (lambda f: f.skip(1.5), TypeError, r"skip\(n=1.5\)"),
        (lambda f: f.skip_last(-2), ValueError, r"skip_last\(n=-2\)"),
        (lambda f: f.take_while(bool, inclusive=1), TypeError, r"take_while\(inclusive=1\)"),
        (lambda f: f.distinct(bound=0), ValueError, r"distinct\(bound=0\)"),
        (lambda f: f.element_at(-1), ValueError, r"element_at\(n=-1\)"),
        (lambda f: f.element_at(1, None), TypeError, r"element_at\(default=None\)"),
        (lambda f: f.default_if_empty(None), TypeError, r"default_if_empty\(element=None\)"),
        (lambda f: f.take_until(3), TypeError, r"take_until\(3\)"),
        (lambda f: f.switch_if_empty(3), TypeError, r"switch_if_empty\(3\)"),
    ],
)
def test_arguments_are_checked_when_it_is_built(build: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        build(Flow.of(1))
