"""Processors that get demand and elements wrong, on their way up or down."""

from __future__ import annotations

import time
from functools import partial
from threading import get_ident
from typing import Any

from penstock import UNBOUNDED
from tests.tck.wrong._proc_base import Elsewhere, Identity, Job, Line, LockStep, bad
from tests.tck.wrong._sub_base import DeadlockableLock, released, spawn
from tests.tck.wrong.registry import case

# R.6: asks upstream too early, or too much.


@case("processor", "requests its window upstream as soon as it is connected", must="R.6")
def proc_requests_before_demand(buffer_size: int) -> Any:
    class Wrong(Identity):
        def __init__(self, window: int) -> None:
            super().__init__(window)
            self.wanted = True

    return Wrong(buffer_size)


@case("processor", "requests its window upstream as soon as somebody subscribes", must="R.6")
def proc_takes_a_subscriber_for_demand(buffer_size: int) -> Any:
    class Wrong(Identity):
        def new_line(self, subscriber: Any) -> Line:
            self.wanted = True
            return super().new_line(subscriber)

    return Wrong(buffer_size)


@case("processor", "requests without bound upstream, whatever is demanded", must="R.6")
def proc_asks_for_everything(buffer_size: int) -> Any:
    class Wrong(Identity):
        def lacks(self) -> int:
            return 0 if self.asked else UNBOUNDED

    return Wrong(buffer_size)


@case("processor", "asks twice its window ahead", must="R.6")
def proc_asks_twice_its_window(buffer_size: int) -> Any:
    class Wrong(Identity):
        def __init__(self, window: int) -> None:
            super().__init__(2 * window)

    return Wrong(buffer_size)


@case("processor", "refills what has arrived, though it still has that in its buffer", must="R.6")
def proc_does_not_count_its_buffer(buffer_size: int) -> Any:
    class Wrong(Identity):
        def lacks(self) -> int:
            free = self.window - self.asked
            return free if 2 * free >= self.window else 0

    return Wrong(buffer_size)


@case("processor", "asks for a window more at each request from below", must="R.6")
def proc_asks_a_window_per_request(buffer_size: int) -> Any:
    class Wrong(Identity):
        due = 0

        def add(self, line: Line, n: int) -> None:
            super().add(line, n)
            self.due += self.window

        def lacks(self) -> int:
            due, self.due = self.due, 0
            return max(due, super().lacks())

    return Wrong(buffer_size)


# 3.8: demand that is forgotten.


@case("processor", "remembers no more demand than its buffer holds", must="3.8")
def proc_forgets_demand_beyond_its_buffer(buffer_size: int) -> Any:
    class Wrong(Identity):
        def add(self, line: Line, n: int) -> None:
            line.demand = min(line.demand + n, self.window)

    return Wrong(buffer_size)


@case("processor", "a request replaces the demand that there was", must="3.8")
def proc_assigns_demand(buffer_size: int) -> Any:
    class Wrong(LockStep):
        def add(self, line: Line, n: int) -> None:
            line.demand = n

    return Wrong(buffer_size)


@case("processor", "forgets what is requested before upstream is there", must="3.8")
def proc_forgets_early_requests(buffer_size: int) -> Any:
    class Wrong(Identity):
        def requested(self, line: Line, n: Any) -> None:
            if self.up is None and self.end is None and bad(n) is None:
                return
            super().requested(line, n)

    return Wrong(buffer_size)


@case(
    "processor",
    "forgets demand that was not met within 40 ms",
    must="3.8",
    may="1.5 3.2 3.17 R.4 R.7",  # wherever a busy machine is as slow as that
)
def proc_forgets_old_demand(buffer_size: int) -> Any:
    class Wrong(LockStep):
        asked_at = 0.0

        def add(self, line: Line, n: int) -> None:
            super().add(line, n)
            self.asked_at = time.monotonic()

        def arrived(self, element: Any) -> None:
            super().arrived(element)
            if self.line is not None and time.monotonic() - self.asked_at > 0.04:
                self.line.demand = 0

    return Wrong(buffer_size)


# 3.8: elements that are lost.


@case(
    "processor", "loses elements that arrive while nothing is demanded", must="3.8", may="1.5 R.6"
)
def proc_loses_elements_without_demand(buffer_size: int) -> Any:
    class Wrong(Identity):
        def arrived(self, element: Any) -> None:
            self.asked = max(0, self.asked - 1)
            if self.line is not None and self.line.demand > len(self.buffer):
                self.buffer.append(element)

    return Wrong(buffer_size)


@case(
    "processor",
    "its buffer drops the oldest when it is half as full as it asks for",
    must="3.8",
    may="R.6",
)
def proc_drops_elements_when_full(buffer_size: int) -> Any:
    class Wrong(Identity):
        def arrived(self, element: Any) -> None:
            super().arrived(element)
            while len(self.buffer) > self.window // 2:
                self.buffer.popleft()

    return Wrong(buffer_size)


# 1.1: more than was requested.


@case("processor", "sends elements as they arrive, demanded or not", must="1.1")
def proc_emits_without_demand(buffer_size: int) -> Any:
    class Wrong(Identity):
        def may_emit(self, line: Line) -> bool:
            return True

    return Wrong(buffer_size)


@case("processor", "sends one element more than was requested", must="1.1")
def proc_emits_one_too_many(buffer_size: int) -> Any:
    class Wrong(Identity):
        def may_emit(self, line: Line) -> bool:
            return line.demand > -1

    return Wrong(buffer_size)


@case("processor", "sends each element twice, for the demand of one", must="1.1")
def proc_sends_elements_twice(buffer_size: int) -> Any:
    class Wrong(Identity):
        def emit(self, subscriber: Any, line: Line) -> Job:
            job = super().emit(subscriber, line)

            def twice() -> None:
                job()
                if line.subscriber is not None:
                    job()

            return twice

    return Wrong(buffer_size)


@case("processor", "sends what is left in its buffer when upstream fails", must="1.1")
def proc_flushes_before_an_error(buffer_size: int) -> Any:
    class Wrong(Identity):
        def may_emit(self, line: Line) -> bool:
            failed = self.end is not None and self.end[1] is not None
            return failed or super().may_emit(line)

    return Wrong(buffer_size)


# 1.3, 2.7, 3.3: who does it, and when.


class _OfEachThread(Identity):
    def __init__(self, window: int) -> None:
        super().__init__(window)
        self.at_it: set[int] = set()

    def signal(self) -> None:
        me = get_ident()
        if me in self.at_it:
            return
        self.at_it.add(me)
        try:
            while self.signal_one():
                pass
        finally:
            self.at_it.discard(me)


@case(
    "processor",
    "each thread sends what it finds: upstream's, and those that request",
    must="1.3",
    may="1.7 2.4 2.7",
)
def proc_signals_from_each_thread(buffer_size: int) -> Any:
    return _OfEachThread(buffer_size)


@case("processor", "has a pool make its calls upstream, so that they overlap", must="2.7")
def proc_requests_on_a_pool(buffer_size: int) -> Any:
    class Wrong(LockStep):
        def next_request(self) -> Job | None:
            job = super().next_request()
            return None if job is None else partial(spawn, job)

    return Wrong(buffer_size)


@case("processor", "request sends on the spot, also from inside on_next", must="3.3")
def proc_recurses(buffer_size: int) -> Any:
    class Wrong(Identity):
        owner = 0
        depth = 0

        def signal(self) -> None:
            with self.lock:
                if self.busy and self.owner != get_ident():
                    return
                self.busy, self.owner = True, get_ident()
                self.depth += 1
            while self.signal_one():
                pass

        def signal_one(self) -> bool:
            with self.lock:
                job = self.next_signal()
                if job is None:
                    self.depth -= 1
                    self.busy = self.depth > 0
                    return False
            self.guard(job)
            return True

    return Wrong(buffer_size)


# 3.9: bad numbers.


@case("processor", "passes request(0) on to upstream instead of answering it", must="3.9")
def proc_passes_zero_upstream(buffer_size: int) -> Any:
    class Wrong(LockStep):
        def requested(self, line: Line, n: Any) -> None:
            up = self.up
            if up is not None and self.line is line and n == 0:
                up.request(n)
            else:
                super().requested(line, n)

    return Wrong(buffer_size)


@case("processor", "ignores request(-1)", must="3.9")
def proc_ignores_negative_requests(buffer_size: int) -> Any:
    class Wrong(Identity):
        def requested(self, line: Line, n: Any) -> None:
            if not isinstance(n, int) or n >= 0:
                super().requested(line, n)

    return Wrong(buffer_size)


# 2.2, 3.4, 3.5, R.8: waiting.


@case("processor", "on_next waits until there is demand", must="2.2", may="3.4 R.8")
def proc_waits_for_demand_in_on_next(buffer_size: int) -> Any:
    class Wrong(Identity):
        def __init__(self, window: int) -> None:
            super().__init__(window)
            self.released = released()

        def on_next(self, element: Any) -> None:
            super().on_next(element)
            while self.buffer and self.line is not None and not self.released.wait(0.005):
                pass

    return Wrong(buffer_size)


@case("processor", "request waits until what it asked for has come", must="3.4", may="R.8")
def proc_waits_for_elements_in_request(buffer_size: int) -> Any:
    class Wrong(LockStep):
        def __init__(self, window: int) -> None:
            super().__init__(window)
            self.released = released()
            self.owner = 0

        def signal_one(self) -> bool:
            self.owner = get_ident()
            return super().signal_one()

        def requested(self, line: Line, n: Any) -> None:
            super().requested(line, n)
            while (
                line.demand > 0
                and self.line is line
                and self.up is not None
                and not (self.busy and self.owner == get_ident())
                and not self.released.wait(0.005)
            ):
                pass

    return Wrong(buffer_size)


@case(
    "processor",
    "sends with its lock held, which request, cancel and on_next need",
    must="R.8",
    may="3.4 3.5",
)
def proc_signals_with_its_lock_held(buffer_size: int) -> Any:
    class Wrong(Elsewhere):
        def __init__(self, window: int) -> None:
            super().__init__(window)
            self.lock = DeadlockableLock()  # type: ignore[assignment]

        def guard(self, job: Job) -> None:
            with self.lock:
                super().guard(job)

    return Wrong(buffer_size)
