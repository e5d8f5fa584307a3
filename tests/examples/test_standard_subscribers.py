"""The subscribers of `examples/standard`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from standard_helpers import DEADLINE, ManualSubscription, wait_until

from async_subscriber import BATCH, AsyncSubscriber  # isort: skip
from iterable_publisher import IterablePublisher  # isort: skip
from range_publisher import RangePublisher  # isort: skip
from sync_subscriber import SyncSubscriber  # isort: skip


class Told:
    """The `when_...` methods: record what they are told; `act` may refuse or raise."""

    def __init__(self, *args: Any, act: Callable[[Any], bool] = lambda _: True) -> None:
        super().__init__(*args)
        self.act = act
        self.told: list[Any] = []
        self.inside = 0
        self.faults: list[str] = []

    def when_next(self, element: Any) -> bool:
        self.inside += 1
        if self.inside > 1:
            self.faults.append("when_next overlaps itself")
        try:
            self.told.append(element)
            return self.act(element)
        finally:
            self.inside -= 1

    def when_complete(self) -> None:
        self.told.append("complete")

    def when_error(self, error: Exception) -> None:
        self.told.append(type(error))


class Sync(Told, SyncSubscriber[Any]):
    pass


class Async(Told, AsyncSubscriber[Any]):
    pass


Make = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def make(request: pytest.FixtureRequest, pool: ThreadPoolExecutor) -> Make:
    return Sync if request.param == "sync" else lambda **kw: Async(pool, **kw)


@pytest.fixture
def settle(pool: ThreadPoolExecutor) -> Callable[[], None]:
    """A function that returns when the executor has worked on what was queued."""

    def settled() -> None:
        for _ in range(2):
            together = threading.Barrier(4)
            workers = [pool.submit(together.wait, DEADLINE) for _ in range(3)]
            together.wait(DEADLINE)
            for worker in workers:
                worker.result()

    return settled


def test_asks_only_as_it_works(make: Make, settle: Callable[[], None]) -> None:
    subscriber, subscription = make(), ManualSubscription()
    subscriber.on_subscribe(subscription)
    settle()
    most = 1 if isinstance(subscriber, Sync) else BATCH
    assert subscription.requests == [most]
    for i in range(100):
        subscriber.on_next(i)
        settle()
        in_flight = sum(subscription.requests) - (i + 1)
        assert 1 <= in_flight <= most
    assert min(subscription.requests) >= most // 2  # in batches, if it has any
    subscriber.on_complete()
    settle()
    assert subscriber.told == [*range(100), "complete"]
    assert subscription.cancels == 0


@pytest.mark.parametrize("end", ["says no", "raises", "shut down", "completes", "fails"])
def test_an_end_is_told_once_and_is_final(
    make: Make, settle: Callable[[], None], end: str, dropped: list[BaseException]
) -> None:
    def act(element: int) -> bool:
        if element == 2 and end == "raises":
            raise LookupError
        return not (element == 2 and end == "says no")

    subscriber, subscription = make(act=act), ManualSubscription()
    subscriber.on_subscribe(subscription)
    subscriber.on_next(1)
    if end in ("says no", "raises"):
        subscriber.on_next(2)
    settle()
    if end == "shut down":
        subscriber.shut_down()
    elif end == "completes":
        subscriber.on_complete()
    elif end == "fails":
        subscriber.on_error(LookupError())
    settle()
    asked, cancels = list(subscription.requests), subscription.cancels
    assert cancels == (end in ("says no", "raises", "shut down"))
    told = {
        "says no": [1, 2],
        "raises": [1, 2, LookupError],
        "shut down": [1],
        "completes": [1, "complete"],
        "fails": [1, LookupError],
    }[end]
    assert subscriber.told == told

    subscriber.on_next(3)
    subscriber.on_complete()
    subscriber.on_error(ZeroDivisionError())
    subscriber.shut_down()
    late = ManualSubscription()
    subscriber.on_subscribe(late)
    settle()
    assert subscriber.told == told
    assert (subscription.requests, subscription.cancels) == (asked, cancels)
    assert (late.requests, late.cancels) == ([], 1)
    assert type(dropped.pop()) is ZeroDivisionError  # it had nowhere to go


def test_a_second_subscription_is_cancelled(make: Make, settle: Callable[[], None]) -> None:
    subscriber, first, second = make(), ManualSubscription(), ManualSubscription()
    subscriber.on_subscribe(first)
    subscriber.on_subscribe(second)
    settle()
    assert (second.requests, second.cancels) == ([], 1)
    assert first.cancels == 0
    subscriber.on_next(1)
    settle()
    assert subscriber.told == [1]


def test_shut_down_before_it_is_subscribed(make: Make, settle: Callable[[], None]) -> None:
    subscriber, subscription = make(), ManualSubscription()
    subscriber.shut_down()
    subscriber.on_subscribe(subscription)
    settle()
    assert (subscription.requests, subscription.cancels) == ([], 1)


def test_ends_before_any_request(make: Make, settle: Callable[[], None]) -> None:
    for end, told in [("on_complete", ["complete"]), ("on_error", [LookupError])]:
        subscriber = make()
        subscriber.on_subscribe(ManualSubscription())
        getattr(subscriber, end)(*[LookupError()] * (end == "on_error"))
        settle()
        assert subscriber.told == told


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error"])
def test_none_is_refused(make: Make, settle: Callable[[], None], signal: str) -> None:
    subscriber, subscription = make(), ManualSubscription()
    for _ in range(2):  # without a subscription, and with one
        with pytest.raises(TypeError, match=r"2\.13"):
            getattr(subscriber, signal)(None)
        subscriber.on_subscribe(subscription)
    subscriber.on_next(1)
    settle()
    assert subscriber.told == [1]


@pytest.mark.parametrize("method", ["when_complete", "when_error"])
def test_failing_hooks_are_reported(
    make: Make, settle: Callable[[], None], method: str, dropped: list[BaseException]
) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    subscriber = make()
    setattr(subscriber, method, fail)
    subscriber.on_subscribe(ManualSubscription())
    if method == "when_complete":
        subscriber.on_complete()
    else:
        subscriber.on_error(LookupError())
    settle()
    assert type(dropped.pop()) is ZeroDivisionError


def test_a_failure_after_shut_down_is_reported(
    make: Make, settle: Callable[[], None], dropped: list[BaseException]
) -> None:
    def act(_: Any) -> bool:
        subscriber.shut_down()
        raise ZeroDivisionError

    subscriber, subscription = make(act=act), ManualSubscription()
    subscriber.on_subscribe(subscription)
    subscriber.on_next(1)
    settle()
    assert type(dropped.pop()) is ZeroDivisionError
    assert subscription.cancels == 1


def test_a_subscription_that_raises(
    make: Make, settle: Callable[[], None], dropped: list[BaseException]
) -> None:
    class Raising(ManualSubscription):
        def request(self, n: int) -> None:
            super().request(n)
            raise ZeroDivisionError

        def cancel(self) -> None:
            super().cancel()
            raise LookupError

    subscriber, subscription = make(), Raising()
    subscriber.on_subscribe(subscription)
    settle()
    assert subscription.cancels == 1
    assert {type(e) for e in dropped} == {ZeroDivisionError, LookupError}
    dropped.clear()


def test_calls_on_the_subscription_never_overlap(make: Make, settle: Callable[[], None]) -> None:
    for _ in range(20):
        subscriber, subscription = make(), ManualSubscription(dwell=0.005)
        subscribing = threading.Thread(target=subscriber.on_subscribe, args=(subscription,))
        subscribing.start()
        assert subscription.inside.wait(DEADLINE)  # a request was begun, on that thread
        subscriber.shut_down()
        subscribing.join(DEADLINE)
        settle()
        assert subscription.overlaps == 0
        assert subscription.cancels == 1


def test_bears_a_naive_synchronous_publisher(make: Make, settle: Callable[[], None]) -> None:
    n = 10_000

    class Naive:  # sends inside request, without a drain
        sent = 0

        def request(self, k: int) -> None:
            for _ in range(k):
                if self.sent < n:
                    self.sent += 1
                    subscriber.on_next(self.sent)
            if self.sent == n:
                self.sent += 1
                subscriber.on_complete()

        def cancel(self) -> None:
            raise AssertionError

    subscriber = make()
    subscriber.on_subscribe(Naive())
    wait_until(lambda: subscriber.told and subscriber.told[-1] == "complete")
    assert subscriber.told == [*range(1, n + 1), "complete"]


@pytest.mark.parametrize("threaded", [False, True])
def test_takes_all_of_a_long_stream(make: Make, threaded: bool, pool: ThreadPoolExecutor) -> None:
    n = 100_000 if not threaded else 20_000
    subscriber = make()
    source = IterablePublisher(lambda: range(n), pool) if threaded else RangePublisher(0, n)
    source.subscribe(subscriber)
    wait_until(lambda: subscriber.told and subscriber.told[-1] == "complete")
    assert subscriber.told == [*range(n), "complete"]
    assert subscriber.faults == []


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit])
def test_ctrl_c_cancels_and_goes_on_to_the_caller(raised: type[BaseException]) -> None:
    def act(_: Any) -> bool:
        raise raised

    subscriber, subscription = Sync(act=act), ManualSubscription()
    subscriber.on_subscribe(subscription)
    with pytest.raises(raised):
        subscriber.on_next(1)
    assert (subscription.requests, subscription.cancels) == ([1], 1)

    subscriber = Sync(act=act)
    cancelled = []

    class Synchronous:  # so that the exception comes through our own call of request
        def request(self, n: int) -> None:
            subscriber.on_next(1)

        def cancel(self) -> None:
            cancelled.append(1)

    with pytest.raises(raised):
        subscriber.on_subscribe(Synchronous())
    assert cancelled == [1]


# Of the asynchronous one only.


def test_nothing_is_called_after_the_end_has_come(pool: ThreadPoolExecutor) -> None:
    working, go_on = threading.Event(), threading.Event()

    def act(_: Any) -> bool:
        working.set()
        return go_on.wait(DEADLINE)

    subscriber, subscription = Async(pool, act=act), ManualSubscription()
    subscriber.on_subscribe(subscription)
    for i in range(BATCH):
        subscriber.on_next(i)
    assert working.wait(DEADLINE)
    subscriber.on_complete()  # while all the elements are still to be worked on
    go_on.set()
    wait_until(lambda: subscriber.told[-1] == "complete")
    assert subscriber.told == [*range(BATCH), "complete"]
    assert (subscription.requests, subscription.cancels) == ([BATCH], 0)


def test_signals_return_while_the_work_goes_on(pool: ThreadPoolExecutor) -> None:
    working, go_on = threading.Event(), threading.Event()

    def act(_: Any) -> bool:
        working.set()
        return go_on.wait(DEADLINE)

    subscriber, subscription = Async(pool, act=act), ManualSubscription()
    subscriber.on_subscribe(subscription)
    subscriber.on_next(1)
    assert working.wait(DEADLINE)
    subscriber.on_next(2)
    subscriber.shut_down()
    go_on.set()
    wait_until(lambda: subscription.cancels)
    assert subscriber.told == [1]


@pytest.mark.parametrize("live", [True, False])
def test_executor_shut_down(live: bool, dropped: list[BaseException]) -> None:
    pool = ThreadPoolExecutor(1)
    subscriber, subscription = Async(pool), ManualSubscription()
    if live:
        subscriber.on_subscribe(subscription)
    pool.shutdown()
    (subscriber.on_next if live else subscriber.on_subscribe)(1 if live else subscription)
    assert subscription.cancels == 1
    assert type(dropped.pop()) is RuntimeError
    subscriber.on_next(2)
    subscriber.shut_down()
    assert subscriber.told == []
    assert subscription.cancels == 1


def test_executor_that_drops_the_work_it_took(dropped: list[BaseException]) -> None:
    working, go_on = threading.Event(), threading.Event()

    def work() -> None:
        working.set()
        go_on.wait(DEADLINE)

    pool = ThreadPoolExecutor(1)
    pool.submit(work)
    assert working.wait(DEADLINE)
    subscriber, subscription = Async(pool), ManualSubscription()
    subscriber.on_subscribe(subscription)
    pool.shutdown(wait=False, cancel_futures=True)
    wait_until(lambda: subscription.cancels)
    go_on.set()
    pool.shutdown()
    wait_until(lambda: dropped)
    dropped.clear()
