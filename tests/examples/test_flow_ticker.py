"""The example of drop policies, by a clock that is turned by hand."""

from __future__ import annotations

import asyncio

import pytest
from flow_helpers import EXAMPLES  # noqa: F401 - puts the examples on the path

from penstock.testing import VirtualClock

import ticker  # isort: skip


@pytest.fixture(scope="module")
def shown() -> dict[str, ticker.Shown]:
    async def main() -> dict[str, ticker.Shown]:
        with VirtualClock() as clock:
            displays = asyncio.create_task(ticker.main())
            await clock.aadvance(10)
            return await displays

    return asyncio.run(main())


def lasts(shown: ticker.Shown) -> list[int]:
    assert all(tick.first <= tick.last for tick in shown.ticks)
    return [tick.last for tick in shown.ticks]


@pytest.mark.parametrize(
    ("policy", "ticks"),
    [
        ("ERROR", [0]),
        ("DROP_NEWEST", [0, 1, 2, 3, 7, 13, 20, 26, 32, 39, 45]),
        ("DROP_OLDEST", [0, 4, 10, 17, 23, 29, 36, 42, 47, 48, 49]),
        ("LATEST", [0, 4, 11, 18, 25, 29, 36, 43, 47, 48, 49]),
        ("latest()", [0, 6, 12, 19, 25, 31, 38, 44, 49]),
        ("conflate()", [0, 6, 12, 19, 25, 31, 38, 44, 49]),
    ],
)
def test_what_each_policy_shows(
    shown: dict[str, ticker.Shown], policy: str, ticks: list[int]
) -> None:
    assert lasts(shown[policy]) == ticks


def test_what_is_not_shown_is_counted(shown: dict[str, ticker.Shown]) -> None:
    for policy in ("DROP_NEWEST", "DROP_OLDEST", "LATEST", "latest()"):
        assert len(shown[policy].ticks) + shown[policy].dropped == ticker.TICKS


def test_only_ERROR_fails(shown: dict[str, ticker.Shown]) -> None:  # noqa: N802
    assert {name for name, one in shown.items() if one.error} == {"ERROR"}
    assert isinstance(shown["ERROR"].error, OverflowError)


def test_conflate_leaves_no_gap(shown: dict[str, ticker.Shown]) -> None:
    covered = [n for tick in shown["conflate()"].ticks for n in range(tick.first, tick.last + 1)]
    assert covered == list(range(ticker.TICKS))
