"""The publishers that run somebody else's iterator: on an executor, on an event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any

import pytest
from standard_helpers import DEADLINE, LoopThread, Recorder, Source, wait_until

from asyncio_publisher import AsyncIterablePublisher  # isort: skip
from iterable_publisher import IterablePublisher  # isort: skip


@pytest.fixture(params=["executor", "loop"])
def publish(
    request: pytest.FixtureRequest, pool: ThreadPoolExecutor, loop_thread: LoopThread
) -> Callable[[Any], Any]:
    """A function that makes a publisher of an iterable factory."""
    if request.param == "executor":
        return lambda factory: IterablePublisher(factory, pool)
    return lambda factory: AsyncIterablePublisher(factory, loop_thread.loop)


def test_is_never_pulled_ahead(publish: Callable[[Any], Any]) -> None:
    source, recorder = Source(1, 2, 3), Recorder()
    publish(source).subscribe(recorder)
    for n in (1, 2):
        recorder.subscription.request(n)
        wait_until(lambda n=n: len(recorder.elements) >= n)
        assert source.pulls == len(recorder.elements)
    assert not recorder.ended.is_set()
    assert source.closes == 0
    recorder.subscription.request(1)  # which is what finds the end
    recorder.check([1, 2, 3])
    assert source.pulls == 4
    assert source.closes == 1


def test_is_used_on_the_resource_only(publish: Callable[[Any], Any]) -> None:
    source, recorder = Source(1, 2, 3), Recorder(first=1)
    publish(source).subscribe(recorder)
    wait_until(lambda: recorder.elements)
    recorder.subscription.cancel()
    assert source.closed.wait(DEADLINE)
    assert threading.current_thread().name not in source.threads


@pytest.mark.parametrize(
    "end", ["complete", "source fails", "None", "bad request", "cancel", "subscriber raises"]
)
def test_is_closed_once(
    publish: Callable[[Any], Any], end: str, dropped: list[BaseException]
) -> None:
    def act(recorder: Recorder, _: Any) -> None:
        if end == "bad request":
            recorder.subscription.request(0)
        elif end == "cancel":
            recorder.subscription.cancel()
            recorder.subscription.cancel()
        elif end == "subscriber raises":
            raise ZeroDivisionError

    source = Source(1, *[None] * (end == "None"))
    source.error = LookupError() if end == "source fails" else None
    recorder = Recorder(first=5, on_element=act)
    publish(source).subscribe(recorder)
    errors = {"source fails": LookupError, "None": TypeError, "bad request": ValueError}
    if end in ("cancel", "subscriber raises"):
        assert source.closed.wait(DEADLINE)
        assert not recorder.ended.is_set()
    else:
        recorder.check([1], error=errors.get(end))
    if end == "subscriber raises":
        assert type(dropped.pop()) is ZeroDivisionError
    recorder.subscription.cancel()
    recorder.subscription.request(1)
    assert source.closes == 1


@pytest.mark.parametrize(
    "raised", [KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError]
)
@pytest.mark.parametrize("where", ["open", "pull"])
def test_other_exceptions_become_a_runtime_error(
    pool: ThreadPoolExecutor, raised: type[BaseException], where: str
) -> None:
    def factory() -> Iterator[int]:
        if where == "open":
            raise raised
        return Source(error=raised())

    recorder = Recorder(first=1)
    IterablePublisher(factory, pool).subscribe(recorder)
    recorder.check([], error=RuntimeError)
    assert type(recorder.error.__cause__) is raised


def test_a_source_that_cannot_be_opened(publish: Callable[[Any], Any]) -> None:
    def factory() -> Any:
        raise FileNotFoundError

    recorder = Recorder()  # without any demand
    publish(factory).subscribe(recorder)
    recorder.check([], error=FileNotFoundError)


def test_cancelled_before_it_was_opened(publish: Callable[[Any], Any]) -> None:
    opened = []
    recorder = Recorder(on_start=lambda r: r.subscription.cancel())
    publish(lambda: opened.append(1) or Source()).subscribe(recorder)
    done = Recorder(first=1)
    publish(Source()).subscribe(done)
    done.check([])
    assert opened == []


def test_stop_iteration_from_user_code_is_the_end(pool: ThreadPoolExecutor) -> None:
    recorder = Recorder(first=5)
    IterablePublisher(lambda: map(next, [iter([1]), iter([])]), pool).subscribe(recorder)
    recorder.check([1])


def test_a_failing_close_is_reported(
    pool: ThreadPoolExecutor, dropped: list[BaseException]
) -> None:
    def elements() -> Iterator[int]:
        try:
            yield 1
        finally:
            raise ZeroDivisionError

    recorder = Recorder(first=1)
    IterablePublisher(elements, pool).subscribe(recorder)
    wait_until(lambda: recorder.elements)
    recorder.subscription.cancel()
    wait_until(lambda: dropped)
    assert type(dropped.pop()) is ZeroDivisionError


def test_only_a_sequence_is_believed_its_length(pool: ThreadPoolExecutor) -> None:
    class Table:
        def __len__(self) -> int:
            return 2  # rows

        def __iter__(self) -> Iterator[str]:
            return iter(["a", "b", "c"])  # columns

    recorder = Recorder(first=4)
    IterablePublisher(Table, pool).subscribe(recorder)
    recorder.check(["a", "b", "c"])

    growing = [1]
    recorder = Recorder(first=2, on_element=lambda _r, x: growing.append(2) if x == 1 else None)
    IterablePublisher(lambda: growing, pool).subscribe(recorder)
    recorder.check([1, 2])


def test_executor_shut_down_before_subscribe() -> None:
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    recorder = Recorder(first=1)
    IterablePublisher(lambda: [1], pool).subscribe(recorder)
    recorder.check([], error=RuntimeError)


@pytest.mark.parametrize("then", ["request", "cancel"])
def test_executor_shut_down_while_idle(then: str) -> None:
    source, recorder = Source(1, 2, 3), Recorder(first=1)
    with ThreadPoolExecutor(1) as pool:
        IterablePublisher(source, pool).subscribe(recorder)
    assert recorder.elements == [1]
    if then == "request":
        recorder.subscription.request(1)
        recorder.check([1], error=RuntimeError)
    else:
        recorder.subscription.cancel()
        assert not recorder.ended.is_set()
    assert source.closes == 1


def test_executor_that_drops_the_work_it_took() -> None:
    working, go_on = threading.Event(), threading.Event()

    def work() -> None:
        working.set()
        go_on.wait(DEADLINE)

    pool = ThreadPoolExecutor(1)
    pool.submit(work)
    assert working.wait(DEADLINE)
    # It hears the error where no lock of the executor is held, so it may use the executor.
    recorder = Recorder(first=1)
    heard = []
    recorder.on_error = lambda e: heard.append((e, submit(pool)))
    IterablePublisher(lambda: [1], pool).subscribe(recorder)
    pool.shutdown(wait=False, cancel_futures=True)
    wait_until(lambda: heard)
    go_on.set()
    [(error, refused)] = heard
    assert type(error) is RuntimeError
    assert type(error.__cause__) is CancelledError
    assert type(refused) is RuntimeError
    pool.shutdown()


def submit(pool: ThreadPoolExecutor) -> BaseException | None:
    try:
        pool.submit(int)
    except RuntimeError as error:
        return error
    return None
