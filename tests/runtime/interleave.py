"""Runs two or three threads in every order that matters: a controlled scheduler.

Only one thread of a play runs at a time. Before each access to something that threads share
(see `interleave_points`), and wherever one has to wait, the schedule says who goes on. First
come the schedules with one switch that nobody was forced to, then those with two and three, as
many as the budget allows, chosen by a fixed seed: most races need one or two.

    def scenario(play: Play) -> Callable[[], None]:
        buffer = Buffer()
        play.thread(lambda: buffer.put(1))
        play.thread(lambda: buffer.put(2))

        def check() -> None:
            assert sorted(buffer.taken) == [1, 2]

        return check

    explore(scenario)

The locks, events and queues that penstock's modules make meanwhile are ours, so that a thread
which waits is known to wait. A failure names its schedule, and shows who stopped where.
"""

from __future__ import annotations

import gc
import os
import random
from collections import deque
from collections.abc import Callable

import pytest

from tests.runtime.interleave_play import Lease, Play, Schedule
from tests.runtime.interleave_points import ANY, Access
from tests.runtime.interleave_waits import cooperative

__all__ = ["BUDGET", "Lease", "Play", "explore"]

Scenario = Callable[[Play], Callable[[], object]]

BUDGET = int(os.environ.get("INTERLEAVINGS", "150"))
"""How many schedules a scenario is played in; set it to some thousands to look deeper."""


def _play(scenario: Scenario, schedule: Schedule, shared: set[str], *, log: bool = False) -> Play:
    play = Play(schedule, shared, log=log)
    Play.on_stage = play
    play.run(scenario(play))
    Play.on_stage = None
    return play


def explore(scenario: Scenario, *, switches: int = 3, most: int = 0, seed: int = 1) -> int:
    """Play the scenario in at most `most` schedules; return how many there were.

    Raises `AssertionError` with the first schedule that fails and what happened in it.
    """
    most = most or BUDGET
    shared: set[str] = set()
    played = 0
    with cooperative():
        _play(scenario, (), shared)  # what is imported or cached at first is so from here on
        while True:
            before = len(shared)
            count, played = _explore(scenario, switches, most, random.Random(seed), shared, played)
            gc.collect(0)
            if len(shared) == before:
                return count


def _explore(
    scenario: Scenario,
    switches: int,
    most: int,
    chance: random.Random,
    shared: set[str],
    played: int,
) -> tuple[int, int]:
    """Explore; return early if more turned out to be `shared` than was known."""
    seen: set[tuple[int, Access]] = set()
    known = len(shared)
    count = 0
    level: list[Schedule] = [()]
    for extra in range(switches + 1):
        # Two thirds of what is left for each level, which the first one rarely uses up.
        allowed = most if extra == switches else count + max(1, (most - count) * 2 // 3)
        following: list[Schedule] = []
        free = deque(level)
        while free and count < allowed:
            schedule = free.popleft()
            count += 1
            played += 1
            play = _play(scenario, schedule, shared)
            seen |= play.seen
            if play.problem:
                _report(scenario, schedule, shared, play.problem, played)
            if extra < 2:
                shared |= _shared(seen)
                if len(shared) != known:  # the steps are others now
                    return count, played
            now_free: list[Schedule] = []
            for choice in play.choices:
                for other in choice.others:
                    one = (*schedule, (choice.step, other))
                    (now_free if choice.forced else following).append(one)
            chance.shuffle(now_free)
            free.extendleft(now_free[: 4 if extra else None])
        chance.shuffle(following)
        level = following[: most * 4]
    shared |= _shared(seen)
    return count, played


def _shared(seen: set[tuple[int, Access]]) -> set[str]:
    """Return the names that two threads touched and at least one of them changed."""
    by_name: dict[str, set[int]] = {}
    for number, (name, _) in seen:
        by_name.setdefault(name, set()).add(number)
    changed = {name for _, (name, changes) in seen if changes}
    return {name for name in changed if len(by_name[name]) > 1 or name == ANY}


def _report(
    scenario: Scenario, schedule: Schedule, shared: set[str], problem: str, played: int
) -> None:
    again = _play(scenario, schedule, shared, log=True)
    lines = "\n  ".join(again.log or ())
    pytest.fail(
        f"{problem}\nin schedule {played}: {schedule}, shared: {sorted(shared)}\n  {lines}\n"
        f"the second time: {again.problem}",
        pytrace=False,
    )
