"""What all publishers of `examples/standard` have in common, the processor included."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from standard_helpers import LoopThread, Recorder, wait_until

from penstock import UNBOUNDED

from asyncio_publisher import AsyncIterablePublisher  # isort: skip
from iterable_publisher import IterablePublisher  # isort: skip
from map_processor import MapProcessor  # isort: skip
from range_publisher import RangePublisher  # isort: skip

Make = Callable[[int], Any]
KINDS = ["range", "iterable", "asyncio", "processor", "threaded processor"]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def make(kind: str, pool: ThreadPoolExecutor, loop_thread: LoopThread) -> Make:
    """A function that makes a publisher of 0 ... n-1."""

    async def count(n: int) -> AsyncIterator[int]:
        for i in range(n):
            yield i

    def through(upstream: Any) -> Any:
        processor = MapProcessor(lambda x: x, buffer_size=5)
        upstream.subscribe(processor)
        return processor

    return {
        "range": lambda n: RangePublisher(0, n),
        "iterable": lambda n: IterablePublisher(lambda: range(n), pool),
        "asyncio": lambda n: AsyncIterablePublisher(lambda: count(n), loop_thread.loop),
        "processor": lambda n: through(RangePublisher(0, n)),
        "threaded processor": lambda n: through(IterablePublisher(lambda: range(n), pool)),
    }[kind]


@pytest.fixture
def settle(pool: ThreadPoolExecutor, loop_thread: LoopThread) -> Callable[[], None]:
    """A function that returns when whatever was scheduled has run."""

    def settled() -> None:
        for _ in range(3):  # a drain may have had another one follow it
            together = threading.Barrier(4)
            workers = [pool.submit(together.wait, 20) for _ in range(3)]
            together.wait(20)
            for worker in workers:
                worker.result()
            loop_thread.settle()

    return settled


def test_delivers_one_by_one_without_recursion(make: Make) -> None:
    n = 100_000
    recorder = Recorder(first=1, then=1)
    make(n).subscribe(recorder)
    recorder.check(list(range(n)))
    assert recorder.deepest == 1


def test_demand_saturates(make: Make) -> None:
    recorder = Recorder(first=UNBOUNDED, then=UNBOUNDED)
    make(1000).subscribe(recorder)
    recorder.check(list(range(1000)))


def test_sends_what_was_requested_and_no_more(make: Make, settle: Callable[[], None]) -> None:
    recorder = Recorder()
    make(10).subscribe(recorder)
    for n, total in [(1, 1), (3, 4), (2, 6)]:
        settle()
        recorder.subscription.request(n)
        wait_until(lambda total=total: len(recorder.elements) >= total)
        settle()
        assert len(recorder.elements) == total
        assert not recorder.ended.is_set()
    recorder.subscription.request(5)
    recorder.check(list(range(10)))


def test_completes_with_the_last_element(make: Make, kind: str) -> None:
    recorder = Recorder(first=7)
    make(7).subscribe(recorder)
    if kind == "asyncio":  # no generator knows that it has ended before it is asked
        wait_until(lambda: len(recorder.elements) == 7)
        assert not recorder.ended.is_set()
        recorder.subscription.request(1)
    recorder.check(list(range(7)))


def test_empty_completes_without_demand(make: Make, kind: str) -> None:
    recorder = Recorder(first=1 if kind == "asyncio" else 0)
    make(0).subscribe(recorder)
    recorder.check([])


def test_requests_add_up_before_any_is_answered(make: Make, settle: Callable[[], None]) -> None:
    def ask(recorder: Recorder) -> None:
        recorder.subscription.request(2)
        recorder.subscription.request(3)

    recorder = Recorder(on_start=ask)
    make(10).subscribe(recorder)
    wait_until(lambda: len(recorder.elements) >= 5)
    settle()
    assert recorder.elements == [0, 1, 2, 3, 4]
    recorder.subscription.cancel()


BAD = [0, -1, -(10**5000), True, False, 1.0, "3", None]


@pytest.mark.parametrize("n", BAD, ids=lambda n: str(n)[:4] if type(n) is not int else "int")
@pytest.mark.parametrize("when", ["on_subscribe", "on_next", "idle"])
def test_bad_request_is_answered_with_an_error(
    make: Make, n: Any, when: str, settle: Callable[[], None]
) -> None:
    def ask(recorder: Recorder, *_: Any) -> None:
        recorder.subscription.request(n)

    recorder = Recorder(
        first=2,
        on_start=ask if when == "on_subscribe" else None,
        on_element=ask if when == "on_next" else None,
    )
    make(10).subscribe(recorder)
    if when == "idle":
        wait_until(lambda: len(recorder.elements) == 2)
        ask(recorder)
    recorder.check(error=ValueError)
    assert "3.9" in str(recorder.error)
    ask(recorder)  # and now it is a no-op
    recorder.subscription.request(1)
    settle()
    recorder.check(error=ValueError)


def test_none_is_no_subscriber(make: Make) -> None:
    publisher = make(3)
    with pytest.raises(TypeError, match=r"1\.9"):
        publisher.subscribe(None)
    recorder = Recorder(first=UNBOUNDED)
    publisher.subscribe(recorder)
    recorder.check([0, 1, 2])


def test_cancel_in_a_signal_stops_at_once(make: Make, settle: Callable[[], None]) -> None:
    recorder = Recorder(
        first=UNBOUNDED, on_element=lambda r, x: r.subscription.cancel() if x == 4 else None
    )
    make(UNBOUNDED).subscribe(recorder)
    wait_until(lambda: len(recorder.elements) == 5)
    settle()
    recorder.subscription.request(10)
    recorder.subscription.request(-1)
    recorder.subscription.cancel()
    settle()
    assert recorder.elements == [0, 1, 2, 3, 4]
    assert not recorder.ended.is_set()
    assert recorder.faults == []


def test_cancel_in_on_subscribe(make: Make, settle: Callable[[], None]) -> None:
    recorder = Recorder(first=5, on_start=lambda r: r.subscription.cancel())
    make(10).subscribe(recorder)
    settle()
    assert recorder.elements == []
    assert not recorder.ended.is_set()


def test_cancel_from_another_thread(make: Make, settle: Callable[[], None]) -> None:
    recorder = Recorder()
    make(UNBOUNDED).subscribe(recorder)
    busy = threading.Thread(target=lambda: recorder.subscription.request(UNBOUNDED))
    busy.start()
    wait_until(lambda: len(recorder.elements) > 1000)
    cancels = [threading.Thread(target=recorder.subscription.cancel) for _ in range(3)]
    for thread in cancels:
        thread.start()
    for thread in [busy, *cancels]:
        thread.join(20)
        assert not thread.is_alive()
    settle()
    seen = len(recorder.elements)
    settle()
    assert len(recorder.elements) == seen
    assert recorder.faults == []
    assert not recorder.ended.is_set()


def test_requests_from_many_threads_add_up(make: Make, settle: Callable[[], None]) -> None:
    recorder = Recorder()
    make(UNBOUNDED).subscribe(recorder)
    settle()
    start = threading.Barrier(4)

    def ask() -> None:
        start.wait(20)
        for _ in range(1000):
            recorder.subscription.request(2)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    wait_until(lambda: len(recorder.elements) >= 8000)
    settle()
    assert recorder.elements == list(range(8000))
    assert recorder.faults == []
    recorder.subscription.cancel()


def test_nothing_overlaps_on_subscribe(make: Make) -> None:
    def ask_elsewhere(recorder: Recorder) -> None:
        asking = threading.Thread(target=recorder.subscription.request, args=(5,))
        asking.start()
        asking.join(20)  # the request has returned, yet nothing may come before we do
        assert recorder.elements == []

    recorder = Recorder(on_start=ask_elsewhere, first=10)
    make(10).subscribe(recorder)
    recorder.check(list(range(10)))


@pytest.mark.parametrize("how", ["cancel", "complete", "error"])
def test_forgets_the_subscriber(make: Make, how: str, settle: Callable[[], None]) -> None:
    publisher = make(10)
    recorder = Recorder(first=20 if how == "complete" else 2)
    publisher.subscribe(recorder)
    subscription, elements = recorder.subscription, recorder.elements
    if how != "complete":
        wait_until(lambda: len(elements) == 2)
        (subscription.cancel if how == "cancel" else lambda: subscription.request(0))()
    if how != "cancel":
        recorder.wait()
    settle()
    gone = weakref.ref(recorder)
    del recorder
    wait_until(lambda: (gc.collect(), gone() is None)[1], "the subscriber was collected")
    subscription.cancel()
    del publisher


@pytest.mark.parametrize("where", ["on_start", "on_element", "on_complete", "on_error"])
@pytest.mark.parametrize("raised", [ZeroDivisionError, GeneratorExit])
def test_a_raising_subscriber_is_reported_and_left_alone(
    make: Make,
    where: str,
    raised: type[BaseException],
    dropped: list[BaseException],
    settle: Callable[[], None],
) -> None:
    class Raising(Recorder):
        def on_complete(self) -> None:
            super().on_complete()
            raise raised

        def on_error(self, error: Exception) -> None:
            super().on_error(error)
            raise raised

    def fail(recorder: Recorder, *_: Any) -> None:
        if where == "on_error":
            recorder.subscription.request(0)
        else:
            raise raised

    recorder = Raising(first=5, **{where: fail} if where.startswith("on_s") else {})
    if where in ("on_element", "on_error"):
        recorder.on_element = fail
    publisher = make(3)
    publisher.subscribe(recorder)
    recorder.subscription.request(5)
    wait_until(lambda: dropped)
    settle()
    error = dropped.pop()
    assert isinstance(error, raised) or isinstance(error.__cause__, raised)
    assert recorder.faults == []
    assert len(recorder.elements) == {"on_start": 0, "on_complete": 3}.get(where, 1)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_goes_on_to_the_caller(
    raised: type[BaseException], dropped: list[BaseException]
) -> None:
    def interrupt(*_: Any) -> None:
        raise raised

    recorder = Recorder(first=5, on_element=interrupt)
    with pytest.raises(raised):
        RangePublisher(0, 10).subscribe(recorder)
    recorder.subscription.request(1)
    assert recorder.elements == [0]

    source, processor = RangePublisher(0, 10), MapProcessor(lambda x: x)
    recorder = Recorder(on_element=interrupt)
    source.subscribe(processor)
    processor.subscribe(recorder)
    with pytest.raises(raised):
        recorder.subscription.request(1)
    recorder.subscription.request(1)
    assert recorder.elements == [0]
    assert type(dropped.pop().__cause__) is raised


def test_code_that_runs_inside_our_locked_steps_may_cancel(
    make: Make, settle: Callable[[], None]
) -> None:
    class Cancelling(int):
        """Runs where a signal handler or a finaliser would, but reliably so."""

        def __radd__(self, other: int) -> int:
            recorder.subscription.cancel()
            return other + int(self)

    recorder = Recorder()
    make(10).subscribe(recorder)
    settle()
    asking = threading.Thread(
        target=lambda: recorder.subscription.request(Cancelling(2)), daemon=True
    )
    asking.start()
    asking.join(20)
    assert not asking.is_alive(), "a deadlock"
    settle()
    assert recorder.elements == []
    assert not recorder.ended.is_set()


def test_a_finaliser_may_cancel(make: Make, settle: Callable[[], None]) -> None:
    class Owner:
        def __init__(self, recorder: Recorder) -> None:
            self.subscription = recorder.subscription

        def __del__(self) -> None:
            self.subscription.cancel()

    recorder = Recorder(first=2)
    make(10).subscribe(recorder)
    owner: list[Any] = [Owner(recorder)]
    owner.append(owner)  # only the collector can find it, at any allocation
    del owner
    gc.collect()
    recorder.subscription.request(5)
    settle()
    assert len(recorder.elements) <= 2
    assert not recorder.ended.is_set()
