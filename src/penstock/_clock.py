"""What time it is and what happens later, on a clock that tests can replace."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from penstock._timers import Timers
from penstock._workers import IDLE, Workers, daemon, drop

__all__ = ["SYSTEM_CLOCK", "Clock", "SystemClock", "Timer", "current_clock", "use_clock"]

MOST_WORKERS = 16
"""So many slow functions may run at once before they delay other timers."""


class Timer(Protocol):
    """What `call_at` returns."""

    def cancel(self) -> None:
        """Let go of the function at once; it doesn't run, unless it has begun to already.

        Callable any number of times and from any thread, also from the function itself; it
        waits for nothing.
        """
        ...


class Clock(Protocol):
    """Tells the time and runs functions at a time."""

    def now(self) -> float:
        """Return the time in seconds since some beginning. It never goes back."""
        ...

    def call_at(self, when: float, fn: Callable[[], object], /) -> Timer:
        """Run `fn` once, as soon as `now()` is `when` or later, unless cancelled before.

        Callable from any thread; it never blocks, and never runs `fn` before it returns.
        `fn` runs in no particular context and on no particular thread. Raises `TypeError`
        if `fn` can't be called, `ValueError` if `when` is nan.
        """
        ...


class SystemClock:
    """The clock on the wall: `time.monotonic`, and a thread that is there while timers are.

    A function that is due runs on a small pool of daemon threads, so a slow one delays no
    other; those that are due at the same time may run at the same time. What it raises goes
    to `penstock.on_dropped_error`. The threads end when they have had nothing to do for half
    a second.
    """

    def __init__(self) -> None:
        self._workers = Workers(MOST_WORKERS, "penstock-timers")
        self.forget()

    def forget(self) -> None:
        """Forget all timers and the thread: for a forked child, where neither is."""
        self._timers = Timers()
        self._news = threading.Condition(self._timers.lock)
        self._running = False

    def now(self) -> float:
        """Return `time.monotonic()`."""
        return time.monotonic()

    def call_at(self, when: float, fn: Callable[[], object], /) -> Timer:
        """Run `fn` once when `now()` is `when`. See `Clock.call_at`.

        Raises `RuntimeError` if there is no thread yet and none can be started.
        """
        timer = self._timers.add(when, fn)
        with self._news:
            if self._running:
                if self._timers.is_next(timer):
                    self._news.notify()
                return timer
            self._running = True
        try:
            daemon("penstock-clock", self._run).start()
        except BaseException:
            # If it does run nevertheless, two threads share the timers, which is harmless.
            self._running = False
            timer.cancel()
            raise
        return timer

    def _run(self) -> None:
        while self._turn():
            pass

    def _turn(self) -> bool:
        """Hand over a timer that is due, or wait for one. False: there is none, so end."""
        with self._news:
            timer = self._timers.pop(self.now())
            if timer is None:
                return self._wait()
        try:
            self._workers.schedule(timer.fire)
        except Exception as error:  # noqa: BLE001 - the other timers need this thread
            drop(error, "the clock's call_at")
        return True

    def _wait(self) -> bool:
        # A cancelled timer wakes nobody (one per element is cancelled in a `timeout`), so we
        # look up now and then to see whether there is still something to wait for.
        when = self._timers.next_when()
        if when is not None:
            self._news.wait(min(when - self.now(), IDLE))
            return True
        if self._news.wait(IDLE):
            return True
        # In this order, so that a finalizer that arms a timer in between starts a thread.
        self._running = False
        if len(self._timers) > 0:
            self._running = True
        return self._running


SYSTEM_CLOCK: SystemClock = SystemClock()
"""The clock of whoever has been given no other."""

if sys.platform != "win32":
    os.register_at_fork(after_in_child=SYSTEM_CLOCK.forget)

_ambient: ContextVar[Clock] = ContextVar("penstock.clock", default=SYSTEM_CLOCK)


def current_clock() -> Clock:
    """Return the clock of the current context: `SYSTEM_CLOCK`, unless `use_clock` set one."""
    return _ambient.get()


@contextmanager
def use_clock(clock: Clock) -> Generator[None]:
    """Make `clock` the one that `current_clock()` returns in the body of the `with`."""
    token = _ambient.set(clock)
    try:
        yield
    finally:
        _ambient.reset(token)
