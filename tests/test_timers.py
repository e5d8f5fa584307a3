"""Timers in order, however many of them have been cancelled."""

from __future__ import annotations

import random

import pytest

from penstock._timers import ArmedTimer, Timers


@pytest.mark.parametrize("seed", range(20))
def test_what_is_left_comes_out_in_order(seed: int):
    rng = random.Random(seed)
    timers = Timers()
    armed: list[tuple[float, int, ArmedTimer]] = []
    for i in range(400):
        when = rng.randrange(50)
        armed.append((when, i, timers.add(when, print)))
        if rng.random() < 0.6:
            armed.pop(rng.randrange(len(armed)))[2].cancel()
        if rng.random() < 0.05 and (timer := timers.pop(20)):
            assert (*min(armed)[:2], timer) == min(armed)
            armed.remove(min(armed))
            assert not timer.armed
    assert len(timers) == len(armed)
    armed.sort()
    for when, _, timer in armed:
        assert timers.next_when() == when
        assert timers.is_next(timer)
        assert timers.pop(50) is timer
    assert timers.pop(50) is timers.next_when() is None
    assert len(timers) == 0


def test_cancelling_what_has_come_out_changes_nothing():
    timers = Timers()
    timer = timers.add(1, print)
    timers.add(2, print)
    assert timers.pop(0.5) is None
    assert timers.pop(1) is timer
    timer.cancel()
    assert len(timers) == 1
