"""Operators that make other elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import UNBOUNDED, Flow
from penstock.runtime._signals import Complete, Error, Next
from penstock.testing import ManualPublisher, Probe
from tests.flow.forms import assert_conforms, everywhere, numbers, stepwise

SIZE = st.integers(min_value=1, max_value=4)

SAME_AS_PYTHON: dict[
    str, tuple[Callable[[Flow[Any], int], Flow[Any]], Callable[[list[Any], int], Any]]
] = {
    "map": (lambda flow, n: flow.map(lambda x: (x, n)), lambda xs, n: [(x, n) for x in xs]),
    "scan": (
        lambda flow, n: flow.scan(lambda total, x: (total, x), n),
        lambda xs, n: list(itertools.accumulate(xs, lambda t, x: (t, x), initial=n))[1:],
    ),
    "scan_all": (
        lambda flow, n: flow.scan(lambda total, x: (total, x)),
        lambda xs, n: itertools.accumulate(xs, lambda t, x: (t, x)),
    ),
    "enumerate": (lambda flow, n: flow.enumerate(n), enumerate),
    "pairwise": (lambda flow, n: flow.pairwise(), lambda xs, n: itertools.pairwise(xs)),
    "chunk": (
        lambda flow, n: flow.chunk(n),
        lambda xs, n: [xs[i : i + n] for i in range(0, len(xs), n)],
    ),
    "tap": (lambda flow, n: flow.tap(str, on_error=str, on_cancel=int), lambda xs, n: xs),
    "materialize": (
        lambda flow, n: flow.materialize(),
        lambda xs, n: [*map(Next, xs), Complete()],
    ),
    "dematerialize": (
        lambda flow, n: flow.materialize().take(n).dematerialize(),
        lambda xs, n: xs[:n],
    ),
}


@settings(max_examples=150, deadline=None)
@given(
    xs=st.lists(st.integers(), max_size=8),
    lazy=st.booleans(),
    names=st.lists(st.tuples(st.sampled_from(sorted(SAME_AS_PYTHON)), SIZE), max_size=4),
)
def test_the_same_elements_as_in_plain_python(
    xs: list[int], lazy: bool, names: list[tuple[str, int]]
) -> None:
    flow: Flow[Any] = Flow.from_iterable((lambda: iter(xs)) if lazy else xs)
    expected: list[Any] = list(xs)
    for name, n in names:
        ours, theirs = SAME_AS_PYTHON[name]
        flow, expected = ours(flow, n), list(theirs(expected, n))
    assert everywhere(flow) == expected


CONFORMING: dict[str, Callable[[int], Flow[Any]]] = {
    "map": lambda n: numbers(n).map(str),
    "scan": lambda n: numbers(n).scan(max, 0),
    "enumerate": lambda n: numbers(n).enumerate(),
    "pairwise": lambda n: numbers(n if n == UNBOUNDED else n + 1).pairwise(),
    "chunk": lambda n: numbers(n if n == UNBOUNDED else 3 * n).chunk(3),
    "chunk, short": lambda n: numbers(n if n == UNBOUNDED else max(0, 3 * n - 1)).chunk(3),
    "materialize": lambda n: (
        numbers(n if n == UNBOUNDED else n - 1).materialize() if n else numbers(0)
    ),
    "materialize an error": lambda n: (
        numbers(n) if n == UNBOUNDED else breaks_after(n - 1).materialize() if n else numbers(0)
    ),
    "dematerialize": lambda n: numbers(n).materialize().dematerialize(),
    "tap": lambda n: numbers(n).tap(str),
    "tap all": lambda n: numbers(n).tap(str, on_error=str, on_complete=list, on_cancel=list),
}


@pytest.mark.parametrize("name", CONFORMING)
def test_it_keeps_the_standard(name: str) -> None:
    assert_conforms(CONFORMING[name])


def breaks_after(n: int) -> Flow[int]:
    def elements() -> Any:
        yield from range(n)
        raise OSError("the disk")

    return Flow.from_iterable(elements)


def fails(*_: object) -> Any:
    raise ArithmeticError("told to")


def ends(*_: object) -> Any:
    raise StopIteration


def nothing(*_: object) -> Any:
    return None


WITH_FUNCTIONS: dict[str, Callable[[Flow[int], Any], Flow[Any]]] = {
    "map": lambda flow, f: flow.map(f),
    "scan": lambda flow, f: flow.scan(f, 0),
    "scan_all": lambda flow, f: flow.scan(f),
    "tap": lambda flow, f: flow.tap(f),
    "tap_complete": lambda flow, f: flow.tap(on_complete=f),
}


@pytest.mark.parametrize("name", WITH_FUNCTIONS)
class TestErrors:
    def test_a_function_that_raises_is_named_with_its_line(self, name: str) -> None:
        with pytest.raises(ArithmeticError, match="told to") as caught:
            everywhere(WITH_FUNCTIONS[name](Flow.of(1, 2), fails))
        [text] = caught.value.__notes__
        assert text.startswith(f"in {name.partition('_')[0]}(fails")
        assert "test_transform.py:" in text

    def test_stop_iteration_is_an_error_and_no_end(self, name: str) -> None:
        with pytest.raises(RuntimeError, match="StopIteration") as caught:
            everywhere(WITH_FUNCTIONS[name](Flow.of(1, 2), ends))
        assert f"in {name.partition('_')[0]}(ends" in caught.value.__notes__[0]

    def test_none_is_an_error_that_names_the_stage(self, name: str) -> None:
        flow = WITH_FUNCTIONS[name](Flow.of(1, 2), nothing)
        if name.startswith("tap"):
            assert everywhere(flow) == [1, 2]
            return
        with pytest.raises(TypeError, match=rf"{name.partition('_')[0]}\(nothing.*made None"):
            everywhere(flow)

    def test_what_is_no_function_is_refused(self, name: str) -> None:
        operator = name.partition("_")[0]
        with pytest.raises(TypeError, match=rf"{operator}\(\w+=3\): give a function"):
            WITH_FUNCTIONS[name](Flow.of(1), 3)


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (lambda f: f.chunk(0), ValueError, r"chunk\(size=0\)"),
        (lambda f: f.chunk("2"), TypeError, r"chunk\(size='2'\)"),
        (lambda f: f.enumerate("1"), TypeError, r"enumerate\(start='1'\)"),
        (lambda f: f.tap(), TypeError, r"tap\(\): give one of on_next, on_error"),
    ],
)
def test_arguments_are_checked_when_it_is_built(build: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        build(Flow.of(1))


class TestChunk:
    def test_it_asks_for_what_a_list_takes_and_no_more(self) -> None:
        seen: list[int] = []
        probe = Probe(numbers(UNBOUNDED).tap(seen.append).chunk(3))
        probe.request(2)
        probe.expect_next([0, 1, 2], [3, 4, 5])
        assert seen == [0, 1, 2, 3, 4, 5]
        probe.cancel()

    def test_the_last_list_waits_for_demand_and_the_end_does_not(self) -> None:
        probe = Probe(Flow.range(3).chunk(2))
        probe.request(1)
        probe.expect_next([0, 1])
        probe.expect_nothing(0.01)
        probe.request(1)
        probe.expect_next([2])
        probe.expect_complete()

    def test_an_error_drops_the_list_that_was_begun(self) -> None:
        probe = Probe(breaks_after(3).chunk(2))
        probe.request(5)
        probe.expect_next([0, 1])
        probe.expect_error(OSError)

    def test_each_list_is_the_consumers_own(self) -> None:
        first, second = Flow.range(4).chunk(2).to_list().result()
        first.clear()
        assert second == [2, 3]


class TestMaterialize:
    def test_an_error_is_the_last_element(self) -> None:
        *elements, last = stepwise(breaks_after(2).materialize())
        assert elements == [Next(0), Next(1)]
        assert isinstance(last, Error)
        assert isinstance(last.error, OSError)
        assert last.error.__notes__[0].startswith("in from_iterable(elements)")

    @pytest.mark.parametrize("behind", [lambda f: f, lambda f: f.map(lambda x: x)])
    def test_an_error_of_a_publisher_waits_for_demand_as_an_element_does(self, behind: Any) -> None:
        publisher = ManualPublisher[int]()
        probe = Probe(behind(Flow.from_publisher(publisher)).materialize())
        error = OSError("gone")
        publisher.error(error)
        probe.expect_nothing(0.01)
        probe.request(1)
        probe.expect_next(Error(error))
        probe.expect_complete()

    def test_an_error_of_a_stage_names_the_stage(self) -> None:
        [last] = stepwise(Flow.of(1).map(fails).materialize())
        assert last.error.__notes__ == [f"in map(fails), test_transform.py:{line(-1)}"]

    def test_back_and_forth(self) -> None:
        flow = breaks_after(2).materialize().dematerialize()
        probe = Probe(flow)
        probe.request(9)
        probe.expect_next(0, 1)
        probe.expect_error(OSError)

    def test_a_complete_ends_it_and_cancels(self) -> None:
        publisher = ManualPublisher[Any]()
        probe = Probe(Flow.from_publisher(publisher).dematerialize())
        probe.request(3)
        publisher.emit(Next("a"), Complete())
        probe.expect_next("a")
        probe.expect_complete()
        publisher.expect_cancel()

    def test_what_is_no_signal_is_an_error(self) -> None:
        with pytest.raises(TypeError, match=r"dematerialize\(\): 7 is no signal"):
            everywhere(Flow.of(7).dematerialize())  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="made None"):
            everywhere(Flow.of(Next(None)).dematerialize())


def line(offset: int) -> int:
    import sys

    return sys._getframe(1).f_lineno + offset


class TestTap:
    def tapped(self, flow: Flow[int]) -> tuple[Flow[int], list[Any]]:
        seen: list[Any] = []
        return (
            flow.tap(
                seen.append,
                on_error=seen.append,
                on_complete=lambda: seen.append("complete"),
                on_cancel=lambda: seen.append("cancel"),
            ),
            seen,
        )

    def test_it_sees_elements_and_the_end(self) -> None:
        flow, seen = self.tapped(Flow.of(1, 2))
        probe = Probe(flow)
        probe.request(1)
        assert seen == [1]
        probe.request(1)
        probe.expect_next(1, 2)
        probe.expect_complete()
        assert seen == [1, 2, "complete"]

    def test_it_sees_a_cancel_once(self) -> None:
        flow, seen = self.tapped(numbers(UNBOUNDED))
        assert flow.take(1).to_list().result() == [0]
        assert seen == [0, "cancel"]

    @pytest.mark.parametrize("demand", [0, 1])
    def test_it_sees_an_error_that_waits_for_no_demand(self, demand: int) -> None:
        publisher = ManualPublisher[int]()
        flow, seen = self.tapped(Flow.from_publisher(publisher))
        probe = Probe(flow)
        if demand:
            probe.request(demand)
        error = OSError("gone")
        publisher.error(error)
        assert probe.expect_error() is error
        assert seen == [error]
        assert not hasattr(error, "__notes__")

    def test_it_sees_an_error_of_a_stage_above_and_not_of_one_below(self) -> None:
        flow, seen = self.tapped(Flow.of(1).map(fails))
        with pytest.raises(ArithmeticError):
            flow.drain().result()
        assert isinstance(seen[0], ArithmeticError)
        assert len(seen) == 1
        flow, seen = self.tapped(Flow.of(1))
        with pytest.raises(ArithmeticError):
            flow.map(fails).drain().result()
        assert seen == [1, "cancel"]

    def test_it_leaves_the_callers_iterator_open(self) -> None:
        mine = (n for n in range(9))
        flow, _ = self.tapped(Flow.from_iterable(mine))
        probe = Probe(flow)
        probe.request(1)
        probe.cancel()
        assert next(mine) == 1
