"""A clock that a test turns by hand."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Self

from penstock._clock import Timer, use_clock
from penstock._timers import Timers

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["VirtualClock"]

NEAR = 1e-9
"""Seconds that sums of floats may be off: 0.1 added ten times reaches a timer at 1.0."""

MOST_AT_ONCE = 100_000
"""More timers than this at one instant are taken for a loop that arms itself for ever."""

MOST_PASSES = 10_000
"""Of a busy event loop, before the clock moves on regardless."""

BLIND_PASSES = 100
"""Of an event loop that can't be asked whether anything is ready."""


class VirtualClock:
    """A clock whose time passes only when a test says so; it begins at 0.

        with VirtualClock() as clock:  # every stream that is subscribed here uses it
            probe = Probe(Flow.interval(60))
            probe.request(2)
            clock.advance(120)
            probe.expect_next(0, 1)

    **One thread**: `advance` runs everything that becomes due on the thread that calls it,
    so when it returns it has all happened.

    **An event loop**: `await clock.aadvance(…)` does the same, and at every instant lets
    the loop run until nothing on it is ready.

    **Other threads** run when they run: nobody can know when they have done what they are
    about to do, so a test waits for what it can see. Turn the clock from one instant to the
    next, and before each turn wait, by a `Probe`'s `expect_…`, for the signals of the last
    one, or by `expect_pending` for the timer that the other thread is to arm. A timer armed
    for a time that has gone by meanwhile fires with the next turn; `advance(0)` is one.

    Timers may be armed and cancelled on any thread.
    """

    def __init__(self) -> None:
        self._timers = Timers()
        self._news = threading.Condition(self._timers.lock)
        self._now = 0.0
        self._turning = False
        self._fired = 0  # at this instant, in this turn
        self._uses: list[AbstractContextManager[None]] = []

    def __enter__(self) -> Self:
        """Become the ambient clock of this context."""
        use = use_clock(self)
        use.__enter__()
        self._uses.append(use)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give way to the clock that was the ambient one before."""
        self._uses.pop().__exit__(kind, error, traceback)

    def now(self) -> float:
        """Return the seconds by which it has been advanced.

        While a timer fires, this is that timer's own time.
        """
        return self._now

    def call_at(self, when: float, fn: Callable[[], object], /) -> Timer:
        """Arm a timer: `fn` runs in the turn that reaches `when`. See `Clock.call_at`."""
        timer = self._timers.add(when, fn)
        with self._news:
            self._news.notify_all()
        return timer

    @property
    def pending(self) -> int:
        """How many timers are armed."""
        return len(self._timers)

    def advance(self, seconds: float) -> None:
        """Let `seconds` pass, firing what becomes due, in order of time, on this thread.

        Timers that are due at the same time fire in the order in which they were armed;
        timers that are armed meanwhile fire as well if they are due. What a timer's function
        raises is raised, and leaves the clock at that timer's time and the others armed.

        Raises `ValueError` if `seconds` is negative or not finite, `RuntimeError` if the
        clock is being advanced already: by another thread, or by the caller of the caller,
        if that is a timer's function.
        """
        with self._turn():
            until = self._after(seconds)
            self._fire(until)
            self._now = max(self._now, until)

    def advance_to_next(self) -> bool:
        """Let time pass until the next timer is due, and fire all that are due then.

        Returns False, and does nothing, if no timer is armed. Raises as `advance` does.
        """
        with self._turn():
            when = self._timers.next_when()
            if when is None or math.isinf(when):
                return False
            self._fire(max(self._now, when))
            return True

    async def aadvance(self, seconds: float) -> None:
        """Let `seconds` pass, and the running event loop take every step that follows.

        Before the first timer and after those of each instant, the loop runs until nothing
        on it is ready, so a task that sleeps on this clock, arms its next timer, and sleeps
        again is woken as often as it should be. What the loop waits for from outside (other
        threads, sockets, its own clock) is not waited for. A loop that is never without
        something ready is left after 10 000 passes; one that isn't asyncio's own and can't
        be asked gets 100. Raises as `advance` does.
        """
        with self._turn():
            until = self._after(seconds)
            await _settle()
            while (when := self._timers.next_when()) is not None and when <= until + NEAR:
                self._fire(max(self._now, when))
                await _settle()
            self._now = max(self._now, until)

    def expect_pending(self, n: int, timeout: float = 1.0) -> None:
        """Wait until exactly `n` timers are armed: for those that other threads are to arm.

        Raises `AssertionError` if that isn't so within `timeout` seconds of real time.
        """
        __tracebackhide__ = True
        deadline = time.monotonic() + timeout
        with self._news:
            while (pending := len(self._timers)) != n:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AssertionError(
                        f"expected {n} armed timers within {timeout} s, got {pending}: {self!r}"
                    )
                self._news.wait(min(left, 0.01))  # a cancelled timer is no news

    def __repr__(self) -> str:
        when = self._timers.next_when()
        after = "" if when is None else f", the next at {when:g}"
        return f"<VirtualClock at {self._now:g}: {self.pending} armed{after}>"

    def _after(self, seconds: float) -> float:
        if not (seconds >= 0 and math.isfinite(seconds)):
            raise ValueError(f"a clock can be advanced by 0 seconds or more, not by {seconds!r}")
        return self._now + seconds

    @contextmanager
    def _turn(self) -> Generator[None]:
        with self._news:
            if self._turning:
                raise RuntimeError(
                    "this VirtualClock is being advanced already: a timer's function can't "
                    "advance it, and neither can two threads or tasks at once"
                )
            self._turning = True
            self._fired = 0
        try:
            yield
        finally:
            self._turning = False

    def _fire(self, until: float) -> None:
        """Fire all timers that are due by `until`."""
        while True:
            with self._news:
                timer = self._timers.pop(until + NEAR)
                if timer is None:
                    return
                self._fired = 1 if timer.when > self._now else self._fired + 1
                self._now = max(self._now, timer.when)
            if self._fired > MOST_AT_ONCE:
                timer.cancel()
                raise RuntimeError(
                    f"more than {MOST_AT_ONCE} timers fired at {self._now:g} s: does one arm "
                    "another for the same time, again and again?"
                )
            timer.fire()


async def _settle() -> None:
    """Let the running loop run until nothing is ready on it but this coroutine."""
    import asyncio

    # There is no public way to ask. When it is our turn, what is in here is what is left
    # of this pass, and what will make up the next one.
    ready = getattr(asyncio.get_running_loop(), "_ready", None)
    for _ in range(BLIND_PASSES if ready is None else MOST_PASSES):
        await asyncio.sleep(0)
        if ready is not None and not ready:
            return
