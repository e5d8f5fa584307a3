"""The clock on the wall, and which clock is the ambient one."""

from __future__ import annotations

import contextlib
import math
import threading
import time
import weakref
from itertools import pairwise
from typing import Any

import pytest

import penstock
from penstock import _clock, _workers
from penstock._clock import SYSTEM_CLOCK, Clock, SystemClock, Timer, current_clock, use_clock
from penstock._timers import FEW
from tests.waiting import DEADLINE, eventually


@pytest.fixture
def clock() -> SystemClock:
    return SystemClock()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that end as soon as they have nothing to do."""
    monkeypatch.setattr(_clock, "IDLE", 0)
    monkeypatch.setattr(_workers, "IDLE", 0)


class Thing:
    def __init__(self) -> None:
        self.called = threading.Event()

    def __call__(self) -> None:
        self.called.set()


def noop() -> None:
    pass


def clock_threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "penstock-clock"]


# Timers.


def test_it_is_a_clock(clock: SystemClock):
    typed: Clock = clock
    timer: Timer = typed.call_at(0, noop)
    timer.cancel()
    before = time.monotonic()
    assert before <= clock.now() <= time.monotonic()


def test_a_function_runs_on_another_thread_when_its_time_has_come(clock: SystemClock):
    fired: list[tuple[float, int]] = []
    when = clock.now() + 0.02
    clock.call_at(when, lambda: fired.append((clock.now(), threading.get_ident())))
    eventually(lambda: fired)
    ((at, thread),) = fired
    assert at >= when
    assert thread != threading.get_ident()


def test_a_time_that_has_gone_by_is_now(clock: SystemClock):
    thing = Thing()
    clock.call_at(-math.inf, thing)
    assert thing.called.wait(DEADLINE)


def test_an_earlier_timer_overtakes(clock: SystemClock):
    fired: list[str] = []
    now = clock.now()
    clock.call_at(now + 3600, lambda: fired.append("late")).cancel()
    late = clock.call_at(now + 3600, lambda: fired.append("late"))
    clock.call_at(now + 0.03, lambda: fired.append("second"))
    clock.call_at(now + 0.01, lambda: fired.append("first"))
    eventually(lambda: len(fired) == 2)
    late.cancel()
    assert fired == ["first", "second"]


def test_a_slow_function_delays_no_other(clock: SystemClock):
    gate, thing = threading.Event(), Thing()
    clock.call_at(0, lambda: gate.wait(DEADLINE))
    clock.call_at(0, lambda: gate.wait(DEADLINE))
    clock.call_at(clock.now() + 0.001, thing)
    assert thing.called.wait(DEADLINE)
    gate.set()


def test_a_timer_may_arm_the_next(clock: SystemClock):
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        ticks.append(clock.now())
        if len(ticks) < 20:
            clock.call_at(ticks[-1] + 0.001, tick)
        else:
            done.set()

    tick()
    assert done.wait(DEADLINE)
    assert all(b - a >= 0.001 for a, b in pairwise(ticks))


def test_what_a_function_raises_is_dropped(clock: SystemClock, monkeypatch: pytest.MonkeyPatch):
    dropped: list[tuple[BaseException, str]] = []
    monkeypatch.setattr(penstock, "on_dropped_error", lambda *args: dropped.append(args))
    clock.call_at(0, lambda: 1 // 0)
    eventually(lambda: dropped)
    ((error, where),) = dropped
    assert isinstance(error, ZeroDivisionError)
    assert where == "a function on penstock-timers"
    thing = Thing()
    clock.call_at(0, thing)
    assert thing.called.wait(DEADLINE)


@pytest.mark.parametrize(
    ("when", "fn", "error", "says"),
    [
        (math.nan, noop, ValueError, "nan"),
        (0.0, None, TypeError, "not None"),
        (0.0, 3, TypeError, "not 3"),
    ],
)
def test_what_could_never_fire_is_refused(
    clock: SystemClock, when: float, fn: Any, error: type[Exception], says: str
):
    with pytest.raises(error, match=f"call_at needs.*{says}"):
        clock.call_at(when, fn)
    assert len(clock._timers) == 0


def test_never_is_a_time(clock: SystemClock):
    never, thing = Thing(), Thing()
    timer = clock.call_at(math.inf, never)
    clock.call_at(clock.now() + 0.01, thing)
    assert thing.called.wait(DEADLINE)
    assert not never.called.is_set()
    timer.cancel()


# Cancelling.


def test_a_cancelled_timer_does_not_fire(clock: SystemClock):
    first, second = Thing(), Thing()
    now = clock.now()
    timer = clock.call_at(now + 0.02, first)
    clock.call_at(now + 0.03, second)
    timer.cancel()
    timer.cancel()
    assert second.called.wait(DEADLINE)
    assert not first.called.is_set()


def test_a_cancelled_timer_lets_go_of_its_function_at_once(clock: SystemClock):
    thing = Thing()
    gone = weakref.ref(thing)
    timer = clock.call_at(clock.now() + 3600, thing)
    del thing
    timer.cancel()
    assert gone() is None


def test_a_timer_that_has_fired_lets_go_of_its_function(
    clock: SystemClock, monkeypatch: pytest.MonkeyPatch
):
    for module in (_clock, _workers):
        monkeypatch.setattr(module, "IDLE", 3600)  # the threads are there, and wait
    thing = Thing()
    gone = weakref.ref(thing)
    called = thing.called
    timer = clock.call_at(0, thing)
    del thing
    assert called.wait(DEADLINE)
    eventually(lambda: gone() is None)
    timer.cancel()
    for module in (_clock, _workers):
        monkeypatch.setattr(module, "IDLE", 0)
    clock.call_at(0, noop)
    eventually(lambda: not clock._running and clock._workers.counts().workers == 0)


def test_a_function_may_cancel_its_own_timer(clock: SystemClock):
    armed = threading.Event()
    timers: list[Timer] = []
    thing = Thing()

    def fn() -> None:
        armed.wait(DEADLINE)
        timers[0].cancel()
        thing()

    timers.append(clock.call_at(0, fn))
    armed.set()
    assert thing.called.wait(DEADLINE)


def test_cancelled_timers_do_not_pile_up(clock: SystemClock):
    kept = [clock.call_at(clock.now() + 3600 + i, noop) for i in range(50)]
    for i in range(5000):
        clock.call_at(clock.now() + 7200 - i, noop).cancel()
        assert len(clock._timers._heap) <= 2 * 50 + FEW + 1
    assert len(clock._timers) == 50
    for timer in kept:
        timer.cancel()
    assert len(clock._timers) == 0


def test_clearing_away_loses_no_timer(clock: SystemClock):
    fired: list[int] = []
    now = clock.now()
    for i in range(100):
        clock.call_at(now + 0.03 + i / 10_000, lambda i=i: fired.append(i))
        for _ in range(10):
            clock.call_at(now + 3600 - i, noop).cancel()
    eventually(lambda: len(fired) == 100)
    assert sorted(fired) == list(range(100))


# Its thread.


def test_no_thread_is_there_without_a_timer(monkeypatch: pytest.MonkeyPatch, clock: SystemClock):
    monkeypatch.setattr(_clock, "IDLE", 0.01)
    eventually(lambda: not clock_threads(), "the end of other tests' clocks")
    for _ in range(3):
        timer = clock.call_at(clock.now() + 3600, noop)
        (thread,) = clock_threads()
        assert thread.daemon
        timer.cancel()
        thread.join(DEADLINE)
        assert not thread.is_alive()


def test_it_says_that_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch, clock: SystemClock):
    def fail(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        with pytest.raises(RuntimeError, match="can't start"):
            clock.call_at(0, noop)
    assert len(clock._timers) == 0
    thing = Thing()
    clock.call_at(0, thing)
    assert thing.called.wait(DEADLINE)


@pytest.mark.usefixtures("hasty")
def test_no_timer_is_lost_when_the_thread_is_about_to_end(clock: SystemClock):
    for _ in range(500):
        thing = Thing()
        clock.call_at(0, thing)
        assert thing.called.wait(DEADLINE)


def test_a_timer_that_is_armed_while_the_thread_times_out_fires(clock: SystemClock):
    thing = Thing()

    class TimingOut(threading.Condition):
        def wait(self, timeout: float | None = None) -> bool:
            clock._news = threading.Condition(clock._timers.lock)  # the next one is as usual
            clock.call_at(0, thing)
            return False

    clock._news = TimingOut(clock._timers.lock)
    clock.call_at(0, noop)
    assert thing.called.wait(DEADLINE)


@pytest.mark.usefixtures("hasty")
def test_every_timer_fires_once_or_was_cancelled(clock: SystemClock):
    fired: list[int] = []
    cancelled: list[int] = []

    def arm(first: int) -> None:
        for i in range(first, first + 300):
            timer = clock.call_at(clock.now() + i % 5 / 5000, lambda i=i: fired.append(i))
            if i % 3 == 0:
                timer.cancel()
                cancelled.append(i)

    callers = [threading.Thread(target=arm, args=(k * 300,)) for k in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    eventually(lambda: {*fired, *cancelled} == {*range(1200)})
    eventually(lambda: len(clock._timers) == 0)
    assert len(fired) == len(set(fired))


# The ambient clock.


def test_the_system_clock_is_the_ambient_one():
    assert current_clock() is SYSTEM_CLOCK


def test_use_clock_makes_another_one_ambient(clock: SystemClock):
    other = SystemClock()
    with use_clock(clock):
        assert current_clock() is clock
        with contextlib.suppress(KeyError), use_clock(other):
            assert current_clock() is other
            raise KeyError
        assert current_clock() is clock
    assert current_clock() is SYSTEM_CLOCK


def test_no_thread_of_ours_takes_over_the_ambient_clock(clock: SystemClock):
    seen: list[object] = []

    def see() -> None:
        seen.append(current_clock())

    with use_clock(clock):
        clock.call_at(0, see)
        eventually(lambda: seen)
    assert seen == [SYSTEM_CLOCK]
