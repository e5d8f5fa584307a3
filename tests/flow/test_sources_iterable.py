"""Flows that begin with an iterable."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Iterator
from typing import Any

import pytest

from penstock import Flow
from penstock.testing import ManualPublisher, Probe
from tests.flow.forms import everywhere
from tests.flow.sources_helpers import ticks


class Mine:
    """An iterator that counts what is done to it."""

    def __init__(self, n: int = 9) -> None:
        self._left = iter(range(n))
        self.pulled = 0
        self.closed = 0

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        self.pulled += 1
        return next(self._left)

    def close(self) -> None:
        self.closed += 1


class TestFromIterable:
    def test_a_function_opens_it_anew_for_each_run_and_closes_it(self) -> None:
        made: list[Mine] = []

        def make() -> Mine:
            made.append(Mine(3))
            return made[-1]

        assert everywhere(Flow.from_iterable(make)) == [0, 1, 2]
        assert len(made) > 1
        assert {mine.closed for mine in made} == {1}

    def test_it_is_opened_at_the_first_demand(self) -> None:
        made: list[Mine] = []

        def make() -> Mine:
            made.append(Mine())
            return made[-1]

        probe = Probe(Flow.from_iterable(make))
        assert not made
        probe.request(1)
        assert made[0].pulled == 1
        probe.cancel()
        assert made[0].closed == 1

    def test_the_callers_iterator_is_the_callers_to_close(self) -> None:
        mine = Mine()
        assert Flow.from_iterable(mine).first().result() == 0
        assert (mine.pulled, mine.closed) == (1, 0)

    def test_a_bare_iterator_runs_once(self) -> None:
        flow = Flow.from_iterable(n for n in range(3))
        assert flow.to_list().result() == [0, 1, 2]
        probe = Probe(flow)
        probe.request(1)
        error = probe.expect_error(RuntimeError, "generator.* was run before.*give a function")
        assert error.__notes__[0].startswith(
            "in from_iterable(generator), test_sources_iterable.py:"
        )

    def test_a_class_that_is_iterable_is_no_function(self) -> None:
        class Color(enum.Enum):
            RED = 1

        assert everywhere(Flow.from_iterable(Color)) == [Color.RED]
        assert everywhere(Flow.from_iterable(list)) == []

    def test_none_is_refused_and_the_source_named(self) -> None:
        for flow in (
            Flow.from_iterable([1, None]),
            Flow.from_callable(lambda: None),
            Flow.unfold(0, lambda i: (None, i)),
        ):
            with pytest.raises(TypeError, match="None is never an element") as caught:
                everywhere(flow)
            assert "test_sources_iterable.py" in caught.value.__notes__[0]

    @pytest.mark.parametrize(
        ("given", "hint"),
        [
            (3, "give an iterable"),
            (Flow.of(1), "use from_publisher"),
            (ManualPublisher[int](), "use from_publisher"),
            (ticks, "use from_async_iterable"),
            (asyncio.sleep, "give an iterable"),
        ],
    )
    def test_what_is_no_iterable_is_refused_with_a_remedy(self, given: Any, hint: str) -> None:
        with pytest.raises(TypeError, match=rf"from_iterable\(.*{hint}"):
            Flow.from_iterable(given)
