"""Terminals: what a flow is run for."""

from __future__ import annotations

import asyncio
import functools
import itertools
import operator
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import Flow, Run
from penstock.testing import Probe
from tests.flow.forms import assert_conforms, at_once, iterated, stepwise

FOLDS: dict[str, tuple[Callable[[Flow[int]], Run[Any]], Callable[[list[int]], Any]]] = {
    "fold": (
        lambda flow: flow.fold((), lambda total, x: (*total, x)),
        lambda xs: functools.reduce(lambda total, x: (*total, x), xs, ()),
    ),
    "reduce": (
        lambda flow: flow.reduce(operator.sub),
        lambda xs: functools.reduce(operator.sub, xs),
    ),
    "reduce with a default": (
        lambda flow: flow.reduce(operator.sub, "none"),
        lambda xs: functools.reduce(operator.sub, xs) if xs else "none",
    ),
    "sum": (lambda flow: flow.sum(), sum),
    "sum from a start": (lambda flow: flow.sum(0.5), lambda xs: sum(xs, 0.5)),
    "count": (lambda flow: flow.count(), len),
    "to_list": (lambda flow: flow.to_list(), list),
    "first": (lambda flow: flow.first(), lambda xs: xs[0]),
    "first with a default": (lambda flow: flow.first(-1), lambda xs: xs[0] if xs else -1),
    "last": (lambda flow: flow.last(), lambda xs: xs[-1]),
    "last with a default": (lambda flow: flow.last(-1), lambda xs: xs[-1] if xs else -1),
}


@settings(max_examples=100, deadline=None)
@given(
    xs=st.lists(st.integers(), max_size=6),
    lazy=st.booleans(),
    name=st.sampled_from(sorted(FOLDS)),
)
def test_the_same_result_as_in_plain_python(xs: list[int], lazy: bool, name: str) -> None:
    fold, plain = FOLDS[name]
    flow = Flow.from_iterable((lambda: iter(xs)) if lazy else xs)
    try:
        expected = plain(xs)
    except (IndexError, TypeError):
        assert not xs
        for run in (
            lambda: fold(flow).result(),
            lambda: stepwise(fold(flow)),
            lambda: iterated(fold(flow).as_publisher()),
        ):
            with pytest.raises(LookupError, match=rf"{name}\(\) of a flow without elements"):
                run()
        return
    assert fold(flow).result() == expected
    assert stepwise(fold(flow)) == at_once(fold(flow)) == [expected]
    assert iterated(fold(flow).as_publisher()) == [expected]
    assert stepwise(fold(flow).as_publisher().map(lambda x: (x,))) == [(expected,)]


@pytest.mark.parametrize("name", [*FOLDS, "for_each", "drain"])
def test_as_a_publisher_it_keeps_the_standard(name: str) -> None:
    if name in FOLDS:
        assert_conforms(
            lambda n: FOLDS[name][0](Flow.range(1, 4)).as_publisher() if n else Flow.empty()
        )
    else:
        assert_conforms(lambda n: getattr(Flow.range(4), name)(*[str][: name == "for_each"]))


class TestFirst:
    def test_it_pulls_one_element_and_closes_the_source(self) -> None:
        pulled: list[int] = []
        closed: list[bool] = []

        def source() -> Any:
            try:
                for i in itertools.count():
                    pulled.append(i)
                    yield i
            finally:
                closed.append(True)

        assert Flow.from_iterable(source).first().result() == 0
        assert stepwise(Flow.from_iterable(source).first()) == [0]
        assert (pulled, closed) == ([0, 0], [True, True])


class TestNone:
    def test_it_may_be_a_result(self) -> None:
        assert Flow.of(1).fold(None, lambda total, x: None).result() is None
        assert Flow.empty().first(default=None).result() is None
        assert Flow.of(1, 2).reduce(lambda total, x: None).result() is None

    @pytest.mark.parametrize(
        ("name", "run"),
        [
            ("fold", lambda: Flow.of(1).fold(None, lambda total, x: None)),
            ("first", lambda: Flow.empty().first(default=None)),
            ("reduce", lambda: Flow.of(1, 2).reduce(lambda total, x: None)),
        ],
    )
    def test_but_never_an_element(self, name: str, run: Any) -> None:
        probe = Probe(run())
        probe.request(1)
        probe.expect_error(TypeError, rf"{name}\(.*made None")
        with pytest.raises(TypeError, match="made None"):
            run().as_publisher().map(str).to_list().result()
        with pytest.raises(TypeError, match="made None"):
            iterated(run().as_publisher())


class TestForEach:
    def test_it_calls_in_order_and_returns_none(self) -> None:
        seen: list[int] = []
        assert Flow.range(5).for_each(seen.append).result() is None
        assert seen == [0, 1, 2, 3, 4]

    def test_as_a_publisher_it_has_the_end_and_no_element(self) -> None:
        seen: list[int] = []
        probe = Probe(Flow.range(3).for_each(seen.append))
        probe.request(1)
        probe.expect_complete()
        assert seen == [0, 1, 2]

    def test_an_error_names_it_and_its_line(self) -> None:
        with pytest.raises(ZeroDivisionError) as caught:
            Flow.of(1, 0, 2).for_each(lambda n: 1 / n).result()
        assert caught.value.__notes__[0].startswith("in for_each(")
        assert "test_terminals.py:" in caught.value.__notes__[0]

    @pytest.mark.skipif(not hasattr(Flow, "map_async"), reason="map_async is not there yet")
    def test_a_coroutine_function_is_awaited_one_element_at_a_time(self) -> None:
        under_way = 0
        seen: list[int] = []

        async def store(element: int) -> None:
            nonlocal under_way
            under_way += 1
            assert under_way == 1
            await asyncio.sleep(0)
            under_way -= 1
            seen.append(element)

        class Store:
            async def __call__(self, element: int) -> None:
                await store(element)

        async def main() -> None:
            assert await Flow.range(5).for_each(store) is None

        asyncio.run(main())
        assert Flow.range(5, 7).for_each(Store()).result() is None
        assert seen == [0, 1, 2, 3, 4, 5, 6]


class TestDrain:
    def test_it_runs_for_what_happens_on_the_way(self) -> None:
        seen: list[int] = []
        assert Flow.range(3).tap(seen.append).drain().result() is None
        assert seen == [0, 1, 2]


def test_a_sum_leaves_its_start_alone() -> None:
    start: list[int] = []
    assert Flow.of([1], [2]).sum(start).result() == [1, 2]
    assert start == []


@pytest.mark.parametrize("method", ["for_each", "reduce"])
def test_what_is_no_function_is_refused(method: str) -> None:
    with pytest.raises(TypeError, match=rf"{method}\(fn=3\): give a function"):
        getattr(Flow.of(1), method)(3)
    with pytest.raises(TypeError, match=r"fold\(fn=3\)"):
        Flow.of(1).fold(0, 3)  # type: ignore[arg-type]


def fails(*_: object) -> Any:
    raise ArithmeticError("told to")


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("fold", lambda flow: flow.fold(0, fails)),
        ("reduce", lambda flow: flow.reduce(fails)),
        ("for_each", lambda flow: flow.for_each(fails)),
    ],
)
def test_a_function_that_raises_is_named(name: str, run: Any) -> None:
    for forms in (lambda: run(Flow.of(1, 2)).result(), lambda: stepwise(run(Flow.of(1, 2)))):
        with pytest.raises(ArithmeticError) as caught:
            forms()
        assert caught.value.__notes__[0].startswith(f"in {name}(")
