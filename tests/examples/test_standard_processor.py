"""The map processor of `examples/standard`: what is not common to all publishers."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from standard_helpers import DEADLINE, ManualSubscription, Recorder, wait_until

from async_subscriber import AsyncSubscriber  # isort: skip
from iterable_publisher import IterablePublisher  # isort: skip
from map_processor import MapProcessor  # isort: skip
from number_subscriber import NumberSubscriber  # isort: skip
from range_publisher import RangePublisher  # isort: skip


def connected(
    fn: Any = lambda x: x * 10, buffer_size: int = 4
) -> tuple[MapProcessor[Any, Any], ManualSubscription, Recorder]:
    processor, upstream, downstream = (
        MapProcessor(fn, buffer_size),
        ManualSubscription(),
        Recorder(),
    )
    processor.on_subscribe(upstream)
    processor.subscribe(downstream)
    return processor, upstream, downstream


@pytest.mark.parametrize("upstream_first", [True, False])
def test_sides_connect_in_any_order(upstream_first: bool) -> None:
    processor, numbers = MapProcessor(lambda x: x + 1, 3), NumberSubscriber()
    sides = [lambda: RangePublisher(0, 10).subscribe(processor)]
    sides.insert(upstream_first, lambda: processor.subscribe(numbers))
    for connect in sides:
        connect()
    assert numbers.numbers == list(range(1, 11))
    assert numbers.finished.is_set()


def test_window_opens_with_the_first_demand_and_stays_bounded() -> None:
    processor, upstream, downstream = connected(buffer_size=4)
    assert upstream.requests == []
    downstream.subscription.request(2)
    assert upstream.requests == [4]
    for i in range(3):
        processor.on_next(i)
    assert downstream.elements == [0, 10]
    sent = 3
    while len(downstream.elements) < 20:
        asked = sum(upstream.requests)
        assert asked - len(downstream.elements) <= 4
        if sent < asked:
            processor.on_next(sent)
            sent += 1
        else:
            downstream.subscription.request(1)
    assert downstream.elements == [i * 10 for i in range(20)]
    processor.on_complete()
    downstream.subscription.request(10)
    downstream.check()


def test_window_of_one() -> None:
    processor, upstream, downstream = connected(buffer_size=1)
    downstream.subscription.request(3)
    for i in range(3):
        assert sum(upstream.requests) == i + 1
        processor.on_next(i)
    assert downstream.elements == [0, 10, 20]
    with pytest.raises(ValueError, match="buffer_size"):
        MapProcessor(str, 0)


def test_bears_elements_before_any_demand() -> None:
    processor, upstream, downstream = connected(buffer_size=2)
    processor.on_next(1)
    processor.on_next(2)
    assert downstream.elements == []
    downstream.subscription.request(2)
    assert downstream.elements == [10, 20]
    assert upstream.requests == [2]
    assert upstream.cancels == 0


def test_an_upstream_without_measure_is_cut_off() -> None:
    processor, upstream, downstream = connected(buffer_size=2)
    for i in range(5):
        processor.on_next(i)
    downstream.check([], error=RuntimeError)
    assert "1.1" in str(downstream.error)
    assert upstream.cancels == 1


def test_error_overtakes_what_nobody_asked_for() -> None:
    processor, _, downstream = connected()
    downstream.subscription.request(1)
    for i in range(3):
        processor.on_next(i)
    processor.on_error(LookupError())
    downstream.check([0], error=LookupError)
    assert "dropped" in downstream.error.__notes__[0]
    assert downstream.error.__notes__[0].endswith(" 2")


def test_what_was_demanded_goes_before_the_error() -> None:
    def during(recorder: Recorder, element: int) -> None:
        if element == 0:  # the drain is busy with us: these can only be kept
            processor.on_next(1)
            processor.on_next(2)
            processor.on_error(LookupError())
            recorder.subscription.request(5)  # this came after the error

    processor, upstream, downstream = connected()
    downstream.on_element = during
    downstream.subscription.request(2)
    processor.on_next(0)
    downstream.check([0, 10], error=LookupError)
    assert downstream.error.__notes__[0].endswith(" 1")
    assert upstream.cancels == 0


def test_an_error_that_a_cancel_leaves_untold_is_reported(dropped: list[BaseException]) -> None:
    def during(recorder: Recorder, _: int) -> None:
        processor.on_error(LookupError())
        recorder.subscription.cancel()

    processor, _, downstream = connected()
    downstream.on_element = during
    downstream.subscription.request(2)
    processor.on_next(0)
    assert not downstream.ended.is_set()
    assert type(dropped.pop()) is LookupError


def test_completion_waits_for_the_buffer() -> None:
    processor, upstream, downstream = connected()
    downstream.subscription.request(1)
    processor.on_next(0)
    processor.on_next(1)
    processor.on_complete()
    assert not downstream.ended.is_set()
    asked = list(upstream.requests)
    downstream.subscription.request(1)
    downstream.check([0, 10])
    assert upstream.requests == asked  # nothing is called after the end (rules 2.3, 2.4)
    assert upstream.cancels == 0


@pytest.mark.parametrize(
    ("raised", "got"),
    [
        (ZeroDivisionError, ZeroDivisionError),
        (StopIteration, StopIteration),
        (asyncio.CancelledError, RuntimeError),
        (GeneratorExit, RuntimeError),
        (None, TypeError),
    ],
)
def test_failing_function(raised: Any, got: type[Exception]) -> None:
    def fn(element: int) -> Any:
        if element == 1 and raised is not None:
            raise raised
        return None if element == 1 else element

    processor, upstream, downstream = connected(fn)
    downstream.subscription.request(4)
    for i in range(3):
        processor.on_next(i)
    downstream.check([0], error=got)
    assert upstream.cancels == 1
    if got is RuntimeError:
        assert type(downstream.error.__cause__) is raised
    processor.on_complete()
    downstream.check([0], error=got)


def test_failing_function_after_a_cancel_is_reported(dropped: list[BaseException]) -> None:
    def fn(_: int) -> int:
        downstream.subscription.cancel()
        raise ZeroDivisionError

    processor, upstream, downstream = connected(fn)
    downstream.subscription.request(1)
    processor.on_next(0)
    assert type(dropped.pop()) is ZeroDivisionError
    assert upstream.cancels == 1
    assert not downstream.ended.is_set()
    processor.on_error(LookupError())
    assert type(dropped.pop()) is LookupError


@pytest.mark.parametrize("upstream_first", [True, False])
def test_cancel_goes_upstream(upstream_first: bool) -> None:
    processor, upstream, downstream = MapProcessor(str), ManualSubscription(), Recorder()
    if upstream_first:
        processor.on_subscribe(upstream)
    processor.subscribe(downstream)
    downstream.subscription.request(3)
    downstream.subscription.cancel()
    downstream.subscription.cancel()
    if not upstream_first:
        processor.on_subscribe(upstream)
    assert upstream.cancels == 1
    processor.on_next(1)
    processor.on_complete()
    assert downstream.elements == []
    assert not downstream.ended.is_set()


def test_second_upstream_is_cancelled() -> None:
    processor, upstream, downstream = connected()
    second = ManualSubscription()
    processor.on_subscribe(second)
    assert (second.requests, second.cancels) == ([], 1)
    downstream.subscription.request(1)
    processor.on_next(1)
    assert downstream.elements == [10]
    processor.on_complete()
    third = ManualSubscription()
    processor.on_subscribe(third)
    assert third.cancels == 1
    assert upstream.cancels == 0


@pytest.mark.parametrize("when", ["running", "ended", "cancelled"])
def test_second_subscriber_is_rejected(when: str) -> None:
    processor, _, downstream = connected()
    if when == "ended":
        processor.on_complete()
    elif when == "cancelled":
        downstream.subscription.cancel()
    second = Recorder(first=1)
    processor.subscribe(second)
    second.check([], error=RuntimeError)
    wary = Recorder(on_start=lambda r: r.subscription.cancel())
    processor.subscribe(wary)  # as one with another subscription does: no error for it
    assert not wary.ended.is_set()
    if when == "running":
        downstream.subscription.request(1)
        processor.on_next(1)
        assert downstream.elements == [10]


@pytest.mark.parametrize("end", ["complete", "error"])
def test_ended_before_the_subscriber_came(end: str) -> None:
    processor, late = MapProcessor(str), Recorder()
    processor.on_subscribe(ManualSubscription())
    if end == "complete":
        processor.on_complete()
    else:
        processor.on_error(LookupError())
    processor.subscribe(late)
    late.check([], error=LookupError if end == "error" else None)


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error", "subscribe"])
def test_none_is_refused(signal: str) -> None:
    processor, _, downstream = connected()
    with pytest.raises(TypeError):
        getattr(processor, signal)(None)
    downstream.subscription.request(1)
    processor.on_next(1)
    assert downstream.elements == [10]


def test_an_upstream_that_raises() -> None:
    class Raising(ManualSubscription):
        def request(self, n: int) -> None:
            raise ZeroDivisionError

    processor, upstream, downstream = MapProcessor(str), Raising(), Recorder(first=1)
    processor.on_subscribe(upstream)
    processor.subscribe(downstream)
    downstream.check([], error=ZeroDivisionError)
    assert upstream.cancels == 1


def test_forgets_what_it_held() -> None:
    processor, upstream, downstream = connected()
    downstream.subscription.request(1)
    downstream.subscription.cancel()
    refs = [weakref.ref(upstream), weakref.ref(downstream)]
    del upstream, downstream
    gc.collect()
    assert [ref() for ref in refs] == [None, None]
    del processor


def test_calls_are_serial_in_both_directions(pool: ThreadPoolExecutor) -> None:
    """Elements, demand and the end all come from threads of their own."""
    for _ in range(50):
        processor, upstream, downstream = connected(lambda x: x, buffer_size=3)
        together = threading.Barrier(3)

        def send(
            processor: Any = processor, upstream: Any = upstream, together: Any = together
        ) -> None:
            together.wait(DEADLINE)
            for i in range(300):
                wait_until(lambda i=i: sum(upstream.requests) > i)
                processor.on_next(i)
            processor.on_complete()

        def ask(downstream: Any = downstream, together: Any = together) -> None:
            together.wait(DEADLINE)
            for _ in range(150):
                downstream.subscription.request(1)

        work = [pool.submit(f) for f in (send, ask, ask)]
        for future in work:
            future.result(DEADLINE)
        downstream.check(list(range(300)))
        assert upstream.overlaps == 0
        assert sum(upstream.requests) <= 303


def test_a_chain_across_threads(pool: ThreadPoolExecutor) -> None:
    class Collect(AsyncSubscriber[int]):
        def __init__(self) -> None:
            super().__init__(pool)
            self.elements: list[int] = []
            self.done = threading.Event()

        def when_next(self, element: int) -> bool:
            self.elements.append(element)
            return True

        def when_complete(self) -> None:
            self.done.set()

    for window in (1, 2, 7):
        first, second = MapProcessor(lambda x: x + 1, window), MapProcessor(str, window)
        collect: Any = Collect()
        second.subscribe(collect)
        first.subscribe(second)
        IterablePublisher(lambda: iter(range(5000)), pool).subscribe(first)
        assert collect.done.wait(DEADLINE)
        assert collect.elements == [str(i + 1) for i in range(5000)]
