"""Threads as a resource: nothing is lost, whoever schedules and whenever."""

from __future__ import annotations

import gc
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

from penstock import _workers
from penstock.runtime._resource import Lease
from penstock.runtime._threads import Threads, threads
from tests.runtime.on_resource import Thing, run_on
from tests.waiting import DEADLINE, eventually


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("n", [1, 2])
def test_no_function_is_lost_when_a_thread_is_about_to_end(n: int):
    lease = threads(n).enter()
    for i in range(1500):
        assert run_on(lease, lambda i=i: i) == i


@pytest.mark.usefixtures("hasty")
def test_every_function_runs_once_whoever_schedules():
    resource, start = threads(3), threading.Barrier(4)
    ran: list[int] = []

    def schedule(first: int) -> None:
        lease = resource.enter()
        start.wait(DEADLINE)
        for i in range(first, first + 500):
            lease.schedule(lambda i=i: ran.append(i))
            if i % 7 == 0:
                eventually(lambda i=i: i in ran[-50:] or i in ran)

    callers = [threading.Thread(target=schedule, args=(k * 500,)) for k in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    eventually(lambda: len(ran) >= 2000)
    assert sorted(ran) == list(range(2000))


@pytest.mark.usefixtures("hasty")
def test_pools_schedule_on_each_other():
    here, there = threads(1, "here").enter(), threads(1, "there").enter()
    done, left = threading.Event(), 2000

    def hit(mine: Lease, other: Lease) -> None:
        nonlocal left
        left -= 1
        if left:
            other.schedule(lambda: hit(other, mine))
        else:
            done.set()

    here.schedule(lambda: hit(here, there))
    assert done.wait(DEADLINE)


@pytest.mark.usefixtures("hasty")
def test_a_finalizer_may_schedule_at_any_point():
    lease, lock = threads(2).enter(), threading.Lock()
    ran = made = 0

    def count() -> None:
        nonlocal ran
        Cycle()
        with lock:
            ran += 1

    class Cycle:
        def __init__(self) -> None:
            self.me = self

    class Scheduling(Cycle):
        def __del__(self) -> None:
            lease.schedule(count)

    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for _ in range(500):
            Scheduling()
            lease.schedule(count)
            made += 2
    finally:
        gc.set_threshold(*before)
    gc.collect()
    eventually(lambda: ran == made)


class Looked(deque[Callable[[], object]]):
    """Work to be done, which calls `then` the first time that it is found to be empty,
    then the second time, and so on: where a finalizer might run."""

    def __init__(self, *then: Callable[[], object] | None) -> None:
        super().__init__()
        self.then = list(then)

    def __bool__(self) -> bool:
        was_empty = not len(self)
        if was_empty and self.then and (fn := self.then.pop(0)):
            fn()
        return not was_empty


class Overtaken:
    """A worker's lock on which waiting times out while somebody wakes the worker."""

    def __init__(self, wake: threading.Lock, meanwhile: Callable[[], object]) -> None:
        self.wake = wake
        self.meanwhile = [meanwhile]

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if blocking and self.meanwhile:
            self.meanwhile.pop()()
            return False
        return self.wake.acquire(blocking, timeout)

    def release(self) -> None:
        self.wake.release()


def test_a_thread_may_be_woken_while_it_times_out(patient: Threads):
    lease: Any = patient.enter()
    first, second = threading.Event(), threading.Event()

    def overtake() -> None:
        worker = lease._idle[-1]
        worker.wake = Overtaken(worker.wake, lambda: lease.schedule(first.set))

    # When it is idle, it is overtaken; when it is idle again, it is woken at once.
    lease._work = Looked(None, overtake, None, lambda: lease.schedule(second.set))
    lease.schedule(Thing())
    assert first.wait(DEADLINE)
    assert second.wait(DEADLINE)


# A thread that finds nothing to do looks, says that it is idle, looks, waits, looks, says
# that it ends, and looks.
@pytest.mark.parametrize(("look", "idle"), [(1, 3600), (2, 3600), (3, 0), (4, 0)])
def test_a_finalizer_may_schedule_when_a_thread_has_just_looked(
    patient: Threads, monkeypatch: pytest.MonkeyPatch, look: int, idle: int
):
    monkeypatch.setattr(_workers, "IDLE", idle)
    lease, done = patient.enter(), threading.Event()
    lease._work = Looked(*[None] * (look - 1), lambda: lease.schedule(done.set))  # type: ignore[attr-defined]
    lease.schedule(Thing())
    assert done.wait(DEADLINE)
    eventually(lambda: patient.counts().waiting == 0)
    assert patient.counts().workers <= 1
