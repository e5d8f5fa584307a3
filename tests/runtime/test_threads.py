"""Threads as a resource: who runs what, and that nothing is kept."""

from __future__ import annotations

import threading
import weakref
from typing import Any

import pytest

import penstock
from penstock import _workers
from penstock.runtime._resource import Lease, Resource
from penstock.runtime._threads import Threads, threads
from tests.runtime.on_resource import Thing, run_on
from tests.waiting import DEADLINE, eventually


class Dropped(list[tuple[BaseException, str]]):
    def __call__(self, error: BaseException, where: str) -> None:
        self.append((error, where))


@pytest.fixture
def dropped(monkeypatch: pytest.MonkeyPatch) -> Dropped:
    seen = Dropped()
    monkeypatch.setattr(penstock, "on_dropped_error", seen)
    return seen


def thread_name() -> str:
    return threading.current_thread().name


# What it is.


def test_it_is_a_resource():
    resource: Resource = threads(2, "mine")
    lease: Lease = resource.enter()
    assert (resource.name, lease.name, lease.budget) == ("mine", "mine", None)
    lease.leave()
    lease.leave()
    assert run_on(resource.enter(), thread_name) == "mine-1"


def test_its_threads_are_called_after_it():
    assert run_on(threads(1).enter(), thread_name) == "penstock-threads-1"
    assert run_on(threads(1, "io").enter(), lambda: threading.current_thread().daemon) is True


@pytest.mark.parametrize("n", [True, 1.0, "2", None])
def test_a_number_that_is_none_is_refused(n: Any):
    with pytest.raises(TypeError, match=rf"threads\(n\).*{n!r}"):
        threads(n)


@pytest.mark.parametrize("n", [0, -3])
def test_a_number_below_one_is_refused(n: int):
    with pytest.raises(ValueError, match=rf"threads\(n\).*{n}"):
        threads(n)


def test_a_name_that_is_no_str_is_refused():
    with pytest.raises(TypeError, match="name, not 7"):
        threads(1, 7)  # type: ignore[arg-type]


def test_repr_tells_how_it_stands():
    resource = threads(2, "io")
    assert repr(resource) == "<threads(2, 'io'): 0 busy, 0 idle, 0 waiting>"
    assert repr(threads(3)) == "<threads(3): 0 busy, 0 idle, 0 waiting>"
    gate = threading.Event()
    for _ in range(3):
        resource.enter().schedule(lambda: gate.wait(DEADLINE))
    eventually(lambda: repr(resource) == "<threads(2, 'io'): 2 busy, 0 idle, 1 waiting>")
    gate.set()
    eventually(lambda: resource.counts().waiting == 0)


# Who runs what, and when.


def test_no_thread_starts_before_there_is_work():
    resource = threads(4)
    resource.enter()
    assert resource.counts() == (0, 0, 0)


def test_all_threads_work_at_once():
    resource = threads(4)
    together = threading.Barrier(4)
    passed: list[int] = []
    for _ in range(4):
        resource.enter().schedule(lambda: passed.append(together.wait(DEADLINE)))
    eventually(lambda: len(passed) == 4)


def test_an_idle_thread_does_not_keep_others_from_starting():
    resource, together, passed = threads(2), threading.Barrier(2), list[int]()
    for i in range(50):
        run_on(resource.enter(), thread_name)  # one is idle, or about to be
        for _ in range(2):
            resource.enter().schedule(lambda: passed.append(together.wait(DEADLINE)))
        eventually(lambda i=i: len(passed) == 2 * (i + 1))


def test_there_are_never_more_threads_than_n():
    resource, lock = threads(3), threading.Lock()
    running = most = ran = 0

    def fn() -> None:
        nonlocal running, most, ran
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.0005)
        with lock:
            running -= 1
            ran += 1

    for _ in range(200):
        resource.enter().schedule(fn)
    eventually(lambda: ran == 200)
    assert most <= 3
    assert resource.counts().workers <= 3


def test_an_idle_thread_is_used_again():
    resource = threads(8)
    names: set[str] = set()
    for _ in range(20):
        names.add(run_on(resource.enter(), thread_name))
        eventually(lambda: resource.counts().idle == 1)
    assert names == {"penstock-threads-1"}


def test_one_thread_keeps_the_order():
    lease, seen = threads(1).enter(), list[int]()
    for i in range(1000):
        lease.schedule(lambda i=i: seen.append(i))
    eventually(lambda: len(seen) == 1000)
    assert seen == list(range(1000))


def test_it_never_runs_a_function_inside_schedule():
    lease, seen = threads(1).enter(), list[str]()

    def outer() -> None:
        lease.schedule(lambda: seen.append("inner"))
        seen.append("outer")

    lease.schedule(outer)
    eventually(lambda: len(seen) == 2)
    assert seen == ["outer", "inner"]


# What goes wrong.


@pytest.mark.parametrize("kind", [ValueError, SystemExit, KeyboardInterrupt, GeneratorExit])
def test_what_a_function_raises_is_dropped_and_the_thread_goes_on(
    kind: type[BaseException], dropped: Dropped
):
    lease = threads(1, "io").enter()
    error = kind("no")

    def fn() -> None:
        raise error

    before = run_on(lease, threading.get_ident)
    lease.schedule(fn)
    assert run_on(lease, threading.get_ident) == before
    assert dropped == [(error, "a function on io")]


def test_it_bears_a_hook_that_raises(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def hook(error: BaseException, where: str) -> None:
        raise RuntimeError("the hook's own")

    monkeypatch.setattr(penstock, "on_dropped_error", hook)
    lease = threads(1).enter()
    lease.schedule(lambda: 1 // 0)
    assert run_on(lease, lambda: 7) == 7
    assert "ZeroDivisionError" in caplog.text
    assert "the hook's own" in caplog.text


def fail_to_start(thread: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_it_says_that_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch):
    resource, ran = threads(1), list[int]()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail_to_start)
        with pytest.raises(RuntimeError, match="can't start new thread"):
            resource.enter().schedule(lambda: ran.append(1))
        assert resource.counts() == (0, 0, 0)
    assert run_on(resource.enter(), lambda: 2) == 2
    assert ran == []


def test_it_makes_do_with_the_threads_that_could_be_started(monkeypatch: pytest.MonkeyPatch):
    resource, gate, ran = threads(2), threading.Event(), list[int]()
    resource.enter().schedule(lambda: gate.wait(DEADLINE))
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail_to_start)
        resource.enter().schedule(lambda: ran.append(1))
    gate.set()
    eventually(lambda: ran == [1])


@pytest.mark.parametrize("launched", [False, True])
def test_ctrl_c_while_a_thread_starts_does_no_harm(monkeypatch: pytest.MonkeyPatch, launched: bool):
    resource, ran = threads(1), list[int]()
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        if launched:
            start(thread)
            eventually(lambda: ran)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", interrupted)
        with pytest.raises(KeyboardInterrupt):
            resource.enter().schedule(lambda: ran.append(1))
    assert run_on(resource.enter(), lambda: 2) == 2
    assert ran == [1] * launched
    assert resource.counts().workers == 1


# Nothing is kept.


def test_a_thread_that_waits_refers_to_nothing_it_ran(patient: Threads):
    thing = Thing()
    gone = weakref.ref(thing)
    patient.enter().schedule(thing)
    del thing
    eventually(lambda: gone() is None)
    eventually(lambda: patient.counts().idle == 1)


def test_a_thread_that_waits_refers_to_no_error(patient: Threads, monkeypatch: pytest.MonkeyPatch):
    errors: list[weakref.ref[BaseException]] = []
    monkeypatch.setattr(
        penstock, "on_dropped_error", lambda error, where: errors.append(weakref.ref(error))
    )

    class OurError(Exception):
        pass

    def fn() -> None:
        raise OurError

    patient.enter().schedule(fn)
    eventually(lambda: errors)
    eventually(lambda: errors[0]() is None)


def test_idle_threads_end_and_come_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_workers, "IDLE", 0.02)
    resource = threads(2, "brief")
    for _ in range(3):
        thread = run_on(resource.enter(), threading.current_thread)
        thread.join(DEADLINE)
        assert not thread.is_alive()
        assert resource.counts() == (0, 0, 0)
        assert thread.name == "brief-1"


def test_a_pool_that_nobody_has_goes_with_its_threads(hasty: None):
    resource = threads(1)
    run_on(resource.enter(), thread_name)
    gone = weakref.ref(resource.enter())
    del resource
    eventually(lambda: gone() is None)
