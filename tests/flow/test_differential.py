"""Random flows against the oracle: the same elements, the same end, and no work unasked.

`PENSTOCK_EXAMPLES=20` has twenty times the examples, drawn anew each time.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

import penstock
from tests.flow.oracle import Boom, Description
from tests.flow.strategies import ELSEWHERE, HERE, SOURCES, descriptions, schedules
from tests.flow.trial import WAYS, Case, Failing, stepped, whole

MORE = int(os.environ.get("PENSTOCK_EXAMPLES", "0"))


def examples(n: int) -> Any:
    return settings(
        max_examples=n * max(1, MORE),
        derandomize=not MORE,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture(autouse=True)
def dropped(monkeypatch: pytest.MonkeyPatch) -> list[tuple[BaseException, str]]:
    """Keep dropped errors: only those that were raised on purpose may be among them."""
    seen: list[tuple[BaseException, str]] = []
    monkeypatch.setattr(penstock, "on_dropped_error", lambda *dropped: seen.append(dropped))
    yield seen
    assert [one for one in seen if not isinstance(one[0], Boom)] == []


ASYNC_TOO = (*SOURCES, "async")
ANYWHERE = (*HERE, *ELSEWHERE * 3)


@examples(1500)
@given(descriptions(), schedules())
def test_step_by_step_on_this_thread(drawn: tuple[Description, Failing], schedule: list[int]):
    stepped(Case(*drawn, stepwise=True), schedule, elsewhere=False)


@examples(500)
@given(descriptions(ANYWHERE, ASYNC_TOO), schedules())
def test_step_by_step_across_resources(drawn: tuple[Description, Failing], schedule: list[int]):
    stepped(Case(*drawn, stepwise=True), schedule, elsewhere=True)


@pytest.mark.parametrize("way", WAYS)
@examples(250)
@given(drawn=descriptions())
def test_all_at_once_on_this_thread(way: str, drawn: tuple[Description, Failing]):
    case = Case(*drawn, stepwise=False)
    whole(case, lambda: WAYS[way](case))


@pytest.mark.parametrize("way", WAYS)
@examples(120)
@given(drawn=descriptions(ANYWHERE, ASYNC_TOO))
def test_all_at_once_across_resources(way: str, drawn: tuple[Description, Failing]):
    case = Case(*drawn, stepwise=False)
    whole(case, lambda: WAYS[way](case))
