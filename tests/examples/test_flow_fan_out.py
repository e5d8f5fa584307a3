"""The example of a shared source, by a clock that is turned by hand."""

from __future__ import annotations

import asyncio

import pytest
from flow_helpers import EXAMPLES  # noqa: F401 - puts the examples on the path

from penstock.testing import VirtualClock

import fan_out  # isort: skip

EVERYTHING = fan_out.ELEMENTS


def outcome(policy: str) -> fan_out.Outcome:
    async def main() -> fan_out.Outcome:
        with VirtualClock() as clock:
            both = asyncio.create_task(fan_out.fan_out(policy))  # type: ignore[arg-type]
            await clock.aadvance(60)
            return await both

    return asyncio.run(main())


def test_with_wait_the_fast_one_is_held_at_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    found = outcome("wait")
    ahead = fan_out.STICKS_AT + 1 + fan_out.BUFFER  # one is in the slow one's hands
    assert (found.read, found.fast, found.slow) == (ahead, ahead, fan_out.STICKS_AT)
    assert (found.missed, found.error) == ([], None)
    explained = capsys.readouterr().out
    assert f"the buffer of {fan_out.BUFFER} is full" in explained  # why the fast one waits
    assert "1 of 1 calls are under way" in explained  # and the slow one


def test_with_drop_the_slow_one_is_told() -> None:
    found = outcome("drop")
    assert (found.read, found.fast, found.slow) == (EVERYTHING, EVERYTHING, fan_out.STICKS_AT)
    assert found.missed
    assert isinstance(found.error, RuntimeError)
    assert f"publish({fan_out.BUFFER})" in str(found.error)


def test_with_skip_the_slow_one_gets_what_is_left() -> None:
    found = outcome("skip")
    assert (found.read, found.fast, found.slow) == (EVERYTHING, EVERYTHING, fan_out.STICKS_AT)
    assert found.missed == [*range(fan_out.STICKS_AT + 1, EVERYTHING - fan_out.BUFFER)]
    assert found.error is None
