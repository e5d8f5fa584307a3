"""A clock that is turned by hand, and tasks that sleep on it."""

from __future__ import annotations

import asyncio
import sys

import pytest

from penstock.testing import VirtualClock
from penstock.testing import _virtual_clock as module
from tests.testing.clocks import Log


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


async def sleep(clock: VirtualClock, seconds: float) -> None:
    woken = asyncio.Event()
    timer = clock.call_at(clock.now() + seconds, woken.set)
    try:
        await woken.wait()
    finally:
        timer.cancel()


def test_tasks_take_all_their_steps_between_the_instants(clock: VirtualClock):
    log = Log(clock)

    async def sleeper(name: str, seconds: float) -> None:
        while True:
            await sleep(clock, seconds)
            for _ in range(30):  # some steps more before it arms its next timer
                await asyncio.sleep(0)
            log.append((clock.now(), name))

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(sleeper(*of)) for of in (("two", 2.0), ("three", 3.0))]
            await clock.aadvance(6.5)
            for task in tasks:
                task.cancel()

    asyncio.run(main())
    assert log == [(2, "two"), (3, "three"), (4, "two"), (6, "three"), (6, "two")]
    assert (clock.now(), clock.pending) == (6.5, 0)


def test_the_last_instant_is_settled_too(clock: VirtualClock):
    async def main() -> bool:
        task = asyncio.create_task(sleep(clock, 1))
        await clock.aadvance(1)
        return task.done()

    assert asyncio.run(main())


class Unasked(asyncio.SelectorEventLoop):
    """A loop that can't be asked, as one that isn't written in Python."""

    def __getattribute__(self, name: str) -> object:
        if name == "_ready" and module.__name__ in _callers():
            raise AttributeError(name)
        return super().__getattribute__(name)


def _callers() -> set[str]:
    return {sys._getframe(2).f_globals["__name__"]}


def test_a_loop_that_cannot_be_asked_gets_many_passes(clock: VirtualClock):
    async def main() -> bool:
        async def steps() -> None:
            await sleep(clock, 1)
            for _ in range(50):
                await asyncio.sleep(0)

        task = asyncio.create_task(steps())
        await clock.aadvance(1)
        return task.done()

    with asyncio.Runner(loop_factory=Unasked) as runner:
        assert runner.run(main())


def test_a_loop_that_never_settles_does_not_hold_it_up(
    clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "MOST_PASSES", 20)

    async def main() -> None:
        async def busy() -> None:
            while True:
                await asyncio.sleep(0)

        task = asyncio.create_task(busy())
        log = Log(clock)
        log.at(1, "fired")
        await clock.aadvance(1)
        assert log == [(1, "fired")]
        task.cancel()

    asyncio.run(main())


def test_two_tasks_cannot_advance_it(clock: VirtualClock):
    async def main() -> None:
        first = asyncio.create_task(clock.aadvance(1))
        second = asyncio.create_task(clock.aadvance(1))
        with pytest.raises(RuntimeError, match="two threads or tasks"):
            await second
        await first

    asyncio.run(main())
    assert clock.now() == 1
