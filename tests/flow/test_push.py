"""A source that is pushed into."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

import penstock
from penstock import UNBOUNDED, Flow, event_loop, threads
from penstock.flow._overflow import Overflow
from penstock.tck import verify_publisher
from penstock.testing import Probe


def begun(flow_of: Any = lambda flow: flow, **options: Any) -> tuple[Any, Any]:
    """Return a probe with a demand of 1, and the emitter."""
    emitters: list[Any] = []
    probe = Probe(flow_of(Flow.create(emitters.append, **options)))
    assert emitters == []
    probe.request(1)
    return probe, emitters[0]


def test_each_run_calls_the_function_anew():
    calls: list[Any] = []

    def fn(emitter: Any) -> None:
        calls.append(emitter)
        emitter.push(len(calls))
        emitter.complete()

    flow = Flow.create(fn)
    assert flow.to_list().result() == [1]
    assert flow.to_list().result() == [2]


def test_a_push_says_whether_it_was_taken():
    probe, emitter = begun(size=2, overflow=Overflow.DROP_NEWEST)
    assert [emitter.push(n) for n in range(5)] == [True, True, True, False, False]
    assert probe.subscription.head.dropped == 2
    emitter.complete()
    assert emitter.push(9) is False
    assert not emitter.cancelled
    probe.request(9)
    probe.expect_next(0, 1, 2)
    probe.expect_complete()
    assert emitter.cancelled


@pytest.mark.parametrize(
    ("overflow", "kept"), [(Overflow.DROP_OLDEST, [0, 3, 4]), (Overflow.LATEST, [0, 3, 4])]
)
def test_dropping_what_waits(overflow: Overflow, kept: list[int]):
    probe, emitter = begun(size=2, overflow=overflow)
    assert all(emitter.push(n) for n in range(5))
    emitter.complete()
    probe.request(9)
    probe.expect_next(*kept)
    probe.expect_complete()


def test_an_overflow_can_fail_the_stream():
    probe, emitter = begun(size=2)
    assert [emitter.push(n) for n in range(5)] == [True, True, True, False, False]
    probe.expect_next(0)
    error = probe.expect_error(OverflowError, "create overflowed: 2 wait")
    assert any("in create(" in note for note in error.__notes__)
    assert emitter.cancelled


def test_completion_waits_for_no_demand():
    probe, emitter = begun()
    emitter.push(1)
    emitter.complete()
    probe.expect_next(1)
    probe.expect_complete()


def test_an_error_waits_for_no_demand():
    probe, emitter = begun()
    emitter.push(1)
    emitter.push(2)
    emitter.error(ValueError("x"))
    probe.expect_next(1)
    probe.expect_error(ValueError, "x")


def test_what_the_function_raises_fails_the_stream():
    def fn(emitter: Any) -> None:
        emitter.push(1)
        raise ValueError("x")

    probe = Probe(Flow.create(fn))
    probe.request(5)
    error = probe.expect_error(ValueError)
    assert any(
        "in create(test_what_the_function_raises" in n or "in create(fn" in n
        for n in error.__notes__
    )


def test_a_second_end_is_reported(monkeypatch: pytest.MonkeyPatch):
    dropped: list[Any] = []
    monkeypatch.setattr(penstock, "on_dropped_error", lambda error, where: dropped.append(error))
    probe, emitter = begun()
    emitter.complete()
    emitter.complete()
    late = ValueError("late")
    emitter.error(late)
    probe.expect_complete()
    assert dropped == [late]


@pytest.mark.parametrize("end", ["cancel", "complete", "overflow"])
def test_on_cancel_is_called_once_however_it_ends(end: str):
    probe, emitter = begun(size=1)
    calls: list[str] = []
    emitter.on_cancel(lambda: calls.append("one"))
    emitter.on_cancel(lambda: calls.append("two"))
    if end == "cancel":
        probe.cancel()
    elif end == "complete":
        emitter.complete()
    else:
        for n in range(3):
            emitter.push(n)
    assert calls == ["one", "two"]
    assert emitter.cancelled
    emitter.on_cancel(lambda: calls.append("late"))
    assert calls == ["one", "two", "late"]


def test_all_callbacks_are_called_if_one_raises(monkeypatch: pytest.MonkeyPatch):
    dropped: list[Any] = []
    monkeypatch.setattr(penstock, "on_dropped_error", lambda error, where: dropped.append(error))
    probe, emitter = begun()
    calls: list[int] = []

    def bad() -> None:
        raise ValueError("x")

    emitter.on_cancel(bad)
    emitter.on_cancel(lambda: calls.append(1))
    probe.cancel()
    assert calls == [1]
    assert [type(error) for error in dropped] == [ValueError]


@pytest.mark.parametrize("resource", ["caller", "threads", "event loop"])
def test_pushes_from_many_threads_all_arrive(resource: str):
    n, pushers = 500, 4

    def fn(emitter: Any) -> None:
        def push(first: int) -> None:
            for x in range(first, first + n):
                assert emitter.push(x)
            with lock:
                left.pop()
                last = not left
            if last:
                emitter.complete()

        lock, left = threading.Lock(), [None] * pushers
        for k in range(pushers):
            threading.Thread(target=push, args=(k * n,)).start()

    flow = Flow.create(fn, size=n * pushers)
    if resource == "threads":
        flow = flow.subscribe_on(threads(1))
    if resource == "event loop":
        flow = flow.subscribe_on(event_loop())
    got = flow.to_list().result(10)
    assert sorted(got) == list(range(n * pushers))
    for k in range(pushers):
        mine = [x for x in got if k * n <= x < (k + 1) * n]
        assert mine == sorted(mine), "each thread's own order is kept"


def test_an_event_loop_hears_of_a_push_at_once():
    async def main() -> list[int]:
        def fn(emitter: Any) -> None:
            for n in range(3):
                asyncio.get_running_loop().call_soon(emitter.push, n)
            asyncio.get_running_loop().call_soon(emitter.complete)

        return await Flow.create(fn).to_list()

    assert asyncio.run(main()) == [0, 1, 2]


def test_wrong_arguments():
    with pytest.raises(TypeError, match=r"create\(fn=3\): give a function"):
        Flow.create(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"create\(size=0\)"):
        Flow.create(print, size=0)
    with pytest.raises(TypeError, match=r"create\(overflow=1\)"):
        Flow.create(print, overflow=1)  # type: ignore[arg-type]
    _, emitter = begun()
    with pytest.raises(TypeError, match="must not be None"):
        emitter.push(None)
    with pytest.raises(TypeError, match="give an Exception"):
        emitter.error("x")
    with pytest.raises(TypeError, match="give a function"):
        emitter.on_cancel(3)


def test_it_keeps_the_rules():
    def create(n: int) -> Flow[int]:
        def fn(emitter: Any) -> None:
            for x in range(min(n, 5000)):
                emitter.push(x)
            if n < UNBOUNDED:
                emitter.complete()

        return Flow.create(fn, size=5000)

    report = verify_publisher(create)
    assert not report.broken, str(report)
