"""Event loops as a resource: which loop it is, and how the background one comes and goes."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import penstock
from penstock.runtime import _background_loop
from penstock.runtime._event_loop import LoopLease, event_loop
from penstock.runtime._resource import Lease, Resource
from tests.runtime.on_resource import run_on
from tests.waiting import DEADLINE, eventually

Dropped = list[tuple[BaseException, str]]


@pytest.fixture
def dropped(monkeypatch: pytest.MonkeyPatch) -> Dropped:
    seen: Dropped = []
    monkeypatch.setattr(penstock, "on_dropped_error", lambda *args: seen.append(args))
    return seen


@pytest.fixture
def brief(monkeypatch: pytest.MonkeyPatch) -> None:
    """A background loop that ends as soon as the last one has left."""
    monkeypatch.setattr(_background_loop, "IDLE", 0)


@pytest.fixture
def background() -> Iterator[LoopLease]:
    lease = event_loop().enter()
    yield lease
    lease.leave()


def loop_threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "penstock-event-loop"]


# Which loop it is.


@pytest.mark.parametrize("loop", [3, "loop", asyncio, asyncio.SelectorEventLoop])
def test_what_is_no_loop_is_refused_at_once(loop: Any):
    with pytest.raises(TypeError, match=r"event_loop\(loop\) needs an asyncio event loop"):
        event_loop(loop)


def test_it_is_a_resource():
    async def main() -> None:
        resource: Resource = event_loop()
        lease: Lease = resource.enter()
        assert (resource.name, lease.name, lease.budget) == ("event loop", "event loop", 256)
        lease.leave()
        lease.leave()

    asyncio.run(main())
    assert repr(event_loop()) == "<event_loop()>"


def test_it_is_the_loop_that_was_given():
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        resource = event_loop(loop)
        assert repr(resource) == f"<event_loop({loop!r})>"
        assert resource.enter().loop is loop

        async def main() -> None:
            assert event_loop(loop).enter().loop is loop

        runner.run(main())


def test_else_it_is_the_one_that_runs_where_it_is_entered():
    resource = event_loop()

    async def main() -> None:
        assert resource.enter().loop is asyncio.get_running_loop()
        other = await asyncio.to_thread(resource.enter)
        assert other.loop is not asyncio.get_running_loop()
        other.leave()

    asyncio.run(main())


def test_else_it_is_one_of_its_own(background: LoopLease):
    assert background.name == "background event loop"
    assert run_on(background, asyncio.get_running_loop) is background.loop
    thread = run_on(background, threading.current_thread)
    assert (thread.name, thread.daemon) == ("penstock-event-loop", True)


def test_a_closed_loop_is_refused():
    loop = asyncio.new_event_loop()
    resource = event_loop(loop)
    lease = resource.enter()
    loop.close()
    for use in (resource.enter, lambda: lease.schedule(print)):
        with pytest.raises(RuntimeError, match=r"the event loop <.*closed=True.*> is closed"):
            use()


# Scheduling.


def test_on_its_own_thread_it_schedules_without_waking_the_loop(monkeypatch: pytest.MonkeyPatch):
    async def main() -> None:
        lease = event_loop().enter()
        loop, seen = lease.loop, list[int]()

        def wake(*args: object) -> None:
            raise AssertionError("it is awake")

        with monkeypatch.context() as patch:
            patch.setattr(loop, "call_soon_threadsafe", wake)
            for i in range(3):
                lease.schedule(lambda i=i: seen.append(i))
            assert seen == []
        while len(seen) < 3:
            await asyncio.sleep(0)
        assert seen == [0, 1, 2]

    asyncio.run(main())


def test_from_another_thread_it_wakes_the_loop():
    async def main() -> None:
        lease, woken = event_loop().enter(), asyncio.Event()
        await asyncio.to_thread(lease.schedule, woken.set)
        async with asyncio.timeout(DEADLINE):
            await woken.wait()

    asyncio.run(main())


def test_from_another_loop_it_wakes_the_loop(background: LoopLease):
    async def main() -> None:
        here, woken = event_loop().enter(), asyncio.Event()
        background.schedule(lambda: here.schedule(woken.set))
        async with asyncio.timeout(DEADLINE):
            await woken.wait()

    asyncio.run(main())


@pytest.mark.parametrize("kind", [ValueError, asyncio.CancelledError, GeneratorExit])
def test_what_a_function_raises_is_dropped(kind: type[BaseException], dropped: Dropped):
    error = kind("no")

    def fn() -> None:
        raise error

    async def main() -> None:
        lease, done = event_loop().enter(), asyncio.Event()
        lease.schedule(fn)
        lease.schedule(done.set)
        await done.wait()

    asyncio.run(main())
    assert dropped == [(error, "a function on an event loop")]


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_what_ends_a_program_ends_the_users_loop(kind: type[BaseException], dropped: Dropped):
    def fn() -> None:
        raise kind("no")

    async def main() -> None:
        event_loop().enter().schedule(fn)
        await asyncio.sleep(DEADLINE)

    with pytest.raises(kind):
        asyncio.run(main())
    assert dropped == []


# The background loop.


def test_it_is_shared(background: LoopLease):
    other = event_loop().enter()
    assert other.loop is background.loop
    other.leave()


def test_it_is_there_until_the_last_one_has_left(brief: None):
    eventually(lambda: not loop_threads(), "the end of other tests' loops")
    first, second = event_loop().enter(), event_loop().enter()
    first.leave()
    first.leave()  # counts once
    thread = run_on(second, threading.current_thread)
    assert run_on(second, lambda: 7) == 7
    second.leave()
    thread.join(DEADLINE)
    assert not thread.is_alive()
    assert second.loop.is_closed()
    with pytest.raises(RuntimeError, match="is closed"):
        second.schedule(print)
    third = event_loop().enter()
    assert third.loop is not second.loop
    assert run_on(third, lambda: 7) == 7
    third.leave()


def test_who_comes_back_in_time_finds_it_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_background_loop, "IDLE", 0.05)
    first = event_loop().enter()
    first.leave()
    second = event_loop().enter()
    assert second.loop is first.loop
    ended = threading.Event()
    # Later than the timer that the first one's leaving has set.
    second.schedule(lambda: second.loop.call_later(0.1, ended.set))
    assert ended.wait(DEADLINE)
    assert run_on(second, lambda: 7) == 7
    second.leave()


def test_what_was_scheduled_before_leaving_runs(brief: None):
    for _ in range(100):
        lease, done = event_loop().enter(), threading.Event()
        lease.schedule(done.set)
        lease.leave()
        assert done.wait(DEADLINE)


def test_tasks_and_generators_are_ended_with_it(brief: None):
    lease = event_loop().enter()
    seen: list[str] = []
    generators = []

    async def generate():
        try:
            yield 1
        finally:
            seen.append("closed")

    async def task() -> None:
        generators.append(generate())
        await anext(generators[0])
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    held = run_on(lease, lambda: lease.loop.create_task(task()))
    eventually(lambda: generators)
    lease.leave()
    eventually(lease.loop.is_closed)
    assert held.cancelled()
    assert seen == ["cancelled", "closed"]


def test_what_a_task_raises_when_it_is_cancelled_is_dropped(brief: None, dropped: Dropped):
    lease = event_loop().enter()

    async def task() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            raise KeyError("in the end")

    run_on(lease, lambda: lease.loop.create_task(task(), name="mine"))
    run_on(lease, lambda: None)  # the task has begun
    lease.leave()
    eventually(lease.loop.is_closed)
    ((error, where),) = dropped
    assert isinstance(error, KeyError)
    assert where == "mine, cancelled with the background event loop"


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_it_outlives_what_ends_a_program(
    background: LoopLease, dropped: Dropped, kind: type[BaseException]
):
    error = kind("no")

    def fn() -> None:
        raise error

    background.schedule(fn)
    assert run_on(background, lambda: 7) == 7
    assert dropped == [(error, "the background event loop")]


def test_nobody_stops_it(background: LoopLease):
    background.schedule(background.loop.stop)
    assert run_on(background, lambda: 7) == 7
    background.schedule(background.loop.stop)
    assert run_on(background, lambda: 7) == 7


def test_it_says_that_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch, brief: None):
    eventually(lambda: not loop_threads(), "the end of other tests' loops")

    def fail(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", fail)
        with pytest.raises(RuntimeError, match="can't start"):
            event_loop().enter()
    lease = event_loop().enter()
    assert run_on(lease, lambda: 7) == 7
    lease.leave()


def test_a_forked_child_does_not_close_what_it_shares_with_its_parent():
    background = _background_loop.BackgroundLoop()
    loop = background._loop = asyncio.new_event_loop()
    gone = weakref.ref(loop)
    del loop
    background.forget()
    gc.collect()
    kept = gone()
    assert kept is not None
    assert not kept.is_closed()
    kept.close()


@pytest.mark.usefixtures("brief")
def test_nothing_is_lost_when_it_is_about_to_end():
    start, lost = threading.Barrier(3), list[int]()

    def come_and_go() -> None:
        start.wait(DEADLINE)
        for i in range(150):
            lease, done = event_loop().enter(), threading.Event()
            lease.schedule(done.set)
            if i % 2:
                lease.leave()
            if not done.wait(DEADLINE):
                lost.append(i)
            lease.leave()

    users = [threading.Thread(target=come_and_go) for _ in range(3)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert lost == []
    eventually(lambda: not loop_threads())
