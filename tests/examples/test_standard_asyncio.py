"""The publisher of `examples/standard` that drives an async iterator on an event loop."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import AsyncIterator
from typing import Any

import pytest
from standard_helpers import DEADLINE, LoopThread, Recorder, Source, wait_until

from penstock import UNBOUNDED

from asyncio_publisher import TURN, AsyncIterablePublisher  # isort: skip


@pytest.mark.parametrize("raised", [GeneratorExit, asyncio.CancelledError])
def test_other_exceptions_on_a_loop_too(
    loop_thread: LoopThread, raised: type[BaseException]
) -> None:
    recorder = Recorder(first=1)
    AsyncIterablePublisher(Source(error=raised()), loop_thread.loop).subscribe(recorder)
    recorder.check([], error=RuntimeError)
    assert type(recorder.error.__cause__) is raised


def test_closed_loop() -> None:
    loop = asyncio.new_event_loop()
    loop.close()
    recorder = Recorder(first=1)
    AsyncIterablePublisher(Source(1), loop).subscribe(recorder)
    recorder.check([], error=RuntimeError)


def test_loop_closed_before_it_ran() -> None:
    loop, recorder = asyncio.new_event_loop(), Recorder()
    AsyncIterablePublisher(Source(1), loop).subscribe(recorder)
    loop.close()
    recorder.subscription.request(1)
    recorder.check([], error=RuntimeError)


@pytest.mark.parametrize("then", ["request", "bad request", "cancel"])
@pytest.mark.filterwarnings("ignore:coroutine method 'aclose'")
def test_loop_closed_while_idle(
    then: str, dropped: list[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    loop = asyncio.new_event_loop()
    recorder = Recorder(first=1)
    AsyncIterablePublisher(Source(1, 2), loop).subscribe(recorder)
    while not recorder.elements:
        loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    if then == "cancel":
        recorder.subscription.cancel()
        assert "closed" in str(dropped.pop())  # and the source could not be
    else:
        recorder.subscription.request(1 if then == "request" else 0)
        recorder.check([1], error=RuntimeError if then == "request" else ValueError)
    unraisable: list[Any] = []
    hook, sys.unraisablehook = sys.unraisablehook, unraisable.append
    del recorder
    gc.collect()  # the task's frame goes with it, and must not try to await anything
    sys.unraisablehook = hook
    assert unraisable == []


def test_cancel_interrupts_a_slow_pull(loop_thread: LoopThread) -> None:
    seen = []

    async def slow() -> AsyncIterator[int]:
        try:
            yield 1
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            seen.append("closed")

    recorder = Recorder(first=2)
    AsyncIterablePublisher(slow, loop_thread.loop).subscribe(recorder)
    wait_until(lambda: recorder.elements)
    loop_thread.settle()
    recorder.subscription.cancel()
    wait_until(lambda: loop_thread.tasks() == 0)
    assert seen == ["closed"]
    assert not recorder.ended.is_set()


def test_bad_request_interrupts_a_slow_pull(loop_thread: LoopThread) -> None:
    async def slow() -> AsyncIterator[int]:
        await asyncio.Event().wait()
        yield 1

    recorder = Recorder()
    AsyncIterablePublisher(slow, loop_thread.loop).subscribe(recorder)
    loop_thread.settle()
    recorder.subscription.request(1)
    loop_thread.settle()
    recorder.subscription.request(0)
    recorder.check([], error=ValueError)


def test_clean_up_is_not_interrupted(loop_thread: LoopThread, dropped: list[BaseException]) -> None:
    cleaning, go_on, cleaned = asyncio.Event(), asyncio.Event(), threading.Event()

    async def slow() -> AsyncIterator[int]:
        try:
            await asyncio.Event().wait()
            yield 1
        finally:
            cleaning.set()
            await go_on.wait()
            cleaned.set()

    recorder = Recorder(first=2)
    AsyncIterablePublisher(slow, loop_thread.loop).subscribe(recorder)
    loop_thread.settle()
    recorder.subscription.request(0)
    wait_until(cleaning.is_set)
    recorder.subscription.cancel()
    loop_thread.settle()
    loop_thread.loop.call_soon_threadsafe(go_on.set)
    assert cleaned.wait(DEADLINE)
    wait_until(lambda: loop_thread.tasks() == 0)
    loop_thread.settle()
    assert not recorder.ended.is_set()
    assert type(dropped.pop()) is ValueError


def test_one_task_drives_a_generator(loop_thread: LoopThread) -> None:
    async def tasks() -> AsyncIterator[Any]:
        async with asyncio.timeout(100):  # would fail if entered and left by different tasks
            for _ in range(3):
                yield asyncio.current_task()

    recorder = Recorder()
    AsyncIterablePublisher(tasks, loop_thread.loop).subscribe(recorder)
    for _ in range(4):
        loop_thread.settle()
        recorder.subscription.request(1)
    recorder.check()
    assert len(recorder.elements) == 3
    assert len(set(recorder.elements)) == 1
    recorder.elements.clear()


def test_a_loop_that_ends_ends_the_stream() -> None:
    source = Source(*range(10))
    recorder = Recorder(first=2)

    async def main() -> None:
        AsyncIterablePublisher(source, asyncio.get_running_loop()).subscribe(recorder)
        while len(recorder.elements) < 2:
            await asyncio.sleep(0)

    asyncio.run(main())
    recorder.check([0, 1], error=RuntimeError)
    assert type(recorder.error.__cause__) is asyncio.CancelledError
    assert source.closes == 1


def test_others_get_a_turn(loop_thread: LoopThread) -> None:
    async def endless() -> AsyncIterator[int]:
        while True:
            yield 1

    turns = []

    def note(recorder: Recorder, _: int) -> None:
        if len(recorder.elements) == 1:
            loop_thread.loop.call_soon(lambda: turns.append(len(recorder.elements)))

    recorder = Recorder(first=UNBOUNDED, on_element=note)
    AsyncIterablePublisher(endless, loop_thread.loop).subscribe(recorder)
    wait_until(lambda: turns)
    recorder.subscription.cancel()
    wait_until(lambda: loop_thread.tasks() == 0)
    assert turns == [TURN]
