"""A clock that is turned by hand."""

from __future__ import annotations

import asyncio
import math
import threading
import weakref

import pytest

from penstock._clock import SYSTEM_CLOCK, Clock, current_clock
from penstock.testing import VirtualClock
from penstock.testing import _virtual_clock as module
from tests.testing.clocks import Log

DEADLINE = 10.0


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


def noop() -> None:
    pass


# The ambient clock.


def test_in_its_body_it_is_the_ambient_clock(clock: VirtualClock):
    with clock as entered, VirtualClock() as inner:
        assert entered is clock
        assert current_clock() is inner
        with clock:
            assert current_clock() is clock
        assert current_clock() is inner
    assert current_clock() is SYSTEM_CLOCK


def test_the_one_before_is_back_after_an_error(clock: VirtualClock):
    with pytest.raises(KeyError), clock:
        raise KeyError
    assert current_clock() is SYSTEM_CLOCK


# Turning it.


def test_time_passes_only_by_hand(clock: VirtualClock):
    typed: Clock = clock
    assert typed.now() == 0
    clock.advance(2.5)
    clock.advance(0)
    assert clock.now() == 2.5


def test_timers_fire_in_order_of_time_and_then_of_creation(clock: VirtualClock):
    log = Log(clock)
    log.at(2, "b")
    log.at(1, "a")
    log.at(2, "c")
    log.at(4, "later")
    clock.advance(3)
    assert log == [(1, "a"), (2, "b"), (2, "c")]
    assert (clock.now(), clock.pending) == (3, 1)
    clock.advance(1)
    assert log[3:] == [(4, "later")]


def test_they_fire_on_the_thread_that_advances(clock: VirtualClock):
    seen: list[int] = []
    clock.call_at(1, lambda: seen.append(threading.get_ident()))
    clock.advance(1)
    assert seen == [threading.get_ident()]


def test_a_timer_armed_by_a_timer_fires_if_it_is_due(clock: VirtualClock):
    log = Log(clock)

    def tick() -> None:
        log.append((clock.now(), "tick"))
        clock.call_at(clock.now() + 1, tick)

    clock.call_at(1, tick)
    clock.advance(3.5)
    assert log == [(1, "tick"), (2, "tick"), (3, "tick")]
    assert clock.pending == 1


def test_a_timer_armed_for_the_same_instant_comes_last(clock: VirtualClock):
    log = Log(clock)
    clock.call_at(1, lambda: log.at(1, "inner"))
    log.at(1, "outer")
    clock.advance(1)
    assert log == [(1, "outer"), (1, "inner")]


def test_a_time_that_has_gone_by_fires_with_the_next_turn(clock: VirtualClock):
    log = Log(clock)
    clock.advance(5)
    log.at(3, "missed")
    assert log == []
    clock.advance(0)
    assert log == [(5, "missed")]


def test_sums_of_floats_reach_whole_seconds(clock: VirtualClock):
    log = Log(clock)
    log.at(1.0, "whole")
    for _ in range(10):
        clock.advance(0.1)
    assert log == [(1.0, "whole")]
    assert clock.now() == 1.0


def test_a_cancelled_timer_does_not_fire_and_is_not_pending(clock: VirtualClock):
    log = Log(clock)
    timer = clock.call_at(1, lambda: log.at(0, "never"))
    log.at(1, "other")
    clock.call_at(1, timer.cancel)
    assert clock.pending == 3
    timer.cancel()
    timer.cancel()
    assert clock.pending == 2
    clock.advance(1)
    timer.cancel()
    assert log == [(1, "other")]
    assert clock.pending == 0


def test_a_cancelled_timer_lets_go_of_its_function(clock: VirtualClock):
    log = Log(clock)
    gone = weakref.ref(log)
    timer = clock.call_at(1, log.copy)
    del log
    timer.cancel()
    assert gone() is None


def test_an_error_comes_out_and_the_clock_goes_on_from_there(clock: VirtualClock):
    log = Log(clock)
    clock.call_at(1, lambda: 1 // 0)
    log.at(1, "same time")
    log.at(2, "later")
    with pytest.raises(ZeroDivisionError):
        clock.advance(5)
    assert (clock.now(), clock.pending) == (1, 2)
    clock.advance(1)
    assert log == [(1, "same time"), (2, "later")]


def test_to_the_next_timer(clock: VirtualClock):
    log = Log(clock)
    log.at(2, "a")
    log.at(2, "b")
    log.at(7, "c")
    assert clock.advance_to_next()
    assert log == [(2, "a"), (2, "b")]
    assert clock.advance_to_next()
    assert clock.now() == 7
    assert not clock.advance_to_next()
    clock.call_at(math.inf, noop)
    assert not clock.advance_to_next()
    assert clock.now() == 7


@pytest.mark.parametrize("seconds", [-1, -0.001, math.inf, math.nan])
def test_it_goes_neither_back_nor_on_for_ever(clock: VirtualClock, seconds: float):
    with pytest.raises(ValueError, match=f"not by {seconds!r}"):
        clock.advance(seconds)
    with pytest.raises(ValueError, match=f"not by {seconds!r}"):
        asyncio.run(clock.aadvance(seconds))
    assert clock.now() == 0
    clock.advance(1)


def test_a_timer_cannot_advance_the_clock(clock: VirtualClock):
    errors: list[Exception] = []

    def fn() -> None:
        for advance in (lambda: clock.advance(1), clock.advance_to_next):
            with pytest.raises(RuntimeError, match="a timer's function can't advance it") as raised:
                advance()
            errors.append(raised.value)

    clock.call_at(1, fn)
    clock.advance(2)
    assert len(errors) == 2
    assert clock.now() == 2


def test_timers_that_arm_each_other_at_one_instant_are_caught(
    clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "MOST_AT_ONCE", 100)

    def fn() -> None:
        clock.call_at(clock.now(), fn)

    clock.call_at(3, fn)
    with pytest.raises(RuntimeError, match="more than 100 timers fired at 3 s"):
        clock.advance(5)

    async def main() -> None:
        clock.call_at(clock.now(), fn)
        await clock.aadvance(5)

    with pytest.raises(RuntimeError, match="more than 100 timers fired at 3 s"):
        asyncio.run(main())


def test_many_instants_are_not_mistaken_for_one(
    clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "MOST_AT_ONCE", 100)
    log = Log(clock)
    for i in range(300):
        log.at(i // 50, "x")
    clock.advance(10)
    assert len(log) == 300


def test_many_turns_are_not_mistaken_for_one(clock: VirtualClock, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MOST_AT_ONCE", 3)
    log = Log(clock)
    for _ in range(10):
        log.at(0, "x")
        clock.advance(0)
    assert len(log) == 10


def test_repr_tells_how_it_stands(clock: VirtualClock):
    assert repr(clock) == "<VirtualClock at 0: 0 armed>"
    clock.call_at(2.5, noop)
    clock.advance(1)
    assert repr(clock) == "<VirtualClock at 1: 1 armed, the next at 2.5>"


# Other threads.


def test_it_waits_for_timers_that_other_threads_arm(clock: VirtualClock):
    log = Log(clock)
    turn, woken = threading.Event(), threading.Event()

    def worker() -> None:
        for i in range(50):
            clock.call_at(clock.now() + 1, woken.set)
            assert woken.wait(DEADLINE)
            woken.clear()
            log.append((clock.now(), str(i)))
        turn.set()

    thread = threading.Thread(target=worker)
    thread.start()
    for _ in range(50):
        clock.expect_pending(1)
        clock.advance(1)
    assert turn.wait(DEADLINE)
    thread.join()
    assert log == [(i + 1, str(i)) for i in range(50)]


def test_it_waits_for_timers_to_be_cancelled(clock: VirtualClock):
    timer = clock.call_at(1, noop)
    thread = threading.Thread(target=timer.cancel)
    thread.start()
    clock.expect_pending(0)
    thread.join()


def test_it_says_how_many_timers_there_are_instead(clock: VirtualClock):
    clock.call_at(1, noop)
    with pytest.raises(AssertionError, match=r"expected 2 armed timers .* got 1: .*next at 1"):
        clock.expect_pending(2, timeout=0.01)


def test_two_threads_cannot_advance_it(clock: VirtualClock):
    inside, gate = threading.Event(), threading.Event()

    def fn() -> None:
        inside.set()
        gate.wait(DEADLINE)

    clock.call_at(1, fn)
    thread = threading.Thread(target=clock.advance, args=(1,))
    thread.start()
    assert inside.wait(DEADLINE)
    with pytest.raises(RuntimeError, match="neither can two threads"):
        clock.advance(1)
    gate.set()
    thread.join()


def test_timers_may_be_armed_while_it_is_advanced(clock: VirtualClock):
    fired: list[int] = []
    lock = threading.Lock()

    def count() -> None:
        with lock:
            fired.append(1)

    def arm() -> None:
        for i in range(1000):
            timer = clock.call_at(clock.now() + i % 3, count)
            if i % 2:
                timer.cancel()

    threads = [threading.Thread(target=arm) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        clock.advance(1)
    clock.advance(3)
    assert clock.pending == 0
    assert 1500 <= len(fired) <= 3000
