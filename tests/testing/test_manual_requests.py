"""The rules about requests, references and locks that ManualPublisher keeps."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from penstock import UNBOUNDED
from penstock.testing import ManualPublisher
from tests.testing.helpers import PATIENCE, Sink, connected, started

WRONG = [0, -1, -UNBOUNDED, True, False, 1.0, 1.5, "1", None]


# 3.9 and R.10: wrong requests.


@pytest.mark.parametrize("n", WRONG)
def test_3_9_a_wrong_request_is_answered_with_an_error(n: Any) -> None:
    publisher, sink = connected()
    sink.subscription.request(5)
    sink.subscription.request(n)
    assert sink.signals == ["on_subscribe", "on_error"]
    assert isinstance(sink.error, ValueError)
    assert "3.9" in str(sink.error)
    assert repr(n) in str(sink.error)
    assert publisher.expect_request() == 5
    publisher.expect_no_request()
    assert publisher.requested == 5


def test_3_9_an_n_that_cannot_be_shown_is_answered_too() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise ZeroDivisionError

    _, sink = connected()
    sink.subscription.request(Broken())
    assert "3.9" in str(sink.error)


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next"])
def test_3_9_inside_a_signal_the_answer_waits_for_its_end(signal: str) -> None:
    seen: list[list[Any]] = []

    def mistake(sink: Sink, *_: object) -> None:
        sink.subscription.request(2)
        sink.subscription.request(-1)
        sink.subscription.request(-2)
        seen.append(sink.signals.copy())

    publisher, sink = connected(**{signal: mistake})
    if signal == "on_next":
        sink.subscription.request(2)
        publisher.emit(1)
    assert "on_error" not in seen[0]
    assert sink.signals[-1] == "on_error"
    assert "request(-1)" in str(sink.error)
    with pytest.raises(AssertionError, match=r"rule 1\.7"):
        publisher.emit(2)


def test_3_9_the_answer_to_another_thread_waits_too() -> None:
    publisher, sink = connected(
        on_next=lambda sink, _: started(lambda: sink.subscription.request(0)).result(PATIENCE)
    )
    sink.subscription.request(1)
    publisher.emit(1)
    assert sink.signals == ["on_subscribe", ("on_next", 1), "on_error"]
    assert sink.overlaps == []


def test_3_9_inside_a_signal_inside_a_signal_it_waits_for_both() -> None:
    """The test is told to send the second element from within the first."""

    def nest(sink: Sink, element: int) -> None:
        if element == 1:
            publisher.emit(2)
            sink.signals.append("after the inner one")
        else:
            sink.subscription.request(0)

    publisher, sink = connected(on_next=nest)
    sink.subscription.request(2)
    publisher.emit(1)
    wanted = ["on_subscribe", ("on_next", 1), ("on_next", 2), "after the inner one", "on_error"]
    assert sink.signals == wanted


@pytest.mark.parametrize("end", ["cancel", "complete"])
def test_3_9_if_it_is_over_by_then_there_is_no_answer(end: str) -> None:
    def mistake_and_end(sink: Sink, element: object) -> None:
        sink.subscription.request(0)
        sink.subscription.cancel() if end == "cancel" else publisher.complete()

    publisher, sink = connected(on_next=mistake_and_end)
    sink.subscription.request(5)
    publisher.emit(1)
    wanted = ["on_subscribe", ("on_next", 1)]
    assert sink.signals == wanted + ["on_complete"] * (end == "complete")


def test_3_9_the_subscription_itself_never_raises() -> None:
    """Not even where the answer races with a cancellation, or with another end."""
    for _ in range(100):
        _, sink = connected()
        start = threading.Barrier(2)

        def cancel(sink: Sink = sink, start: threading.Barrier = start) -> None:
            start.wait(PATIENCE)
            sink.subscription.cancel()

        cancelling = started(cancel)
        start.wait(PATIENCE)
        sink.subscription.request(0)
        cancelling.result(PATIENCE)
        assert sink.signals in (["on_subscribe"], ["on_subscribe", "on_error"])


# 3.17: demand without an end.


def test_3_17_demand_saturates() -> None:
    publisher, sink = connected()
    for n in (UNBOUNDED, 1, UNBOUNDED, 10**5000):
        sink.subscription.request(n)
        assert publisher.demand == UNBOUNDED
        assert publisher.requested == UNBOUNDED
    publisher.emit(1)
    assert publisher.demand == UNBOUNDED - 1
    sink.subscription.request(1)
    assert publisher.demand == UNBOUNDED
    sink.subscription.request(UNBOUNDED)
    assert publisher.demand == UNBOUNDED


# 3.13: the Subscriber is not kept.


def is_collected(make: Callable[[], object]) -> bool:
    """Whether what `make` makes is gone as soon as nobody but what it returned may keep it."""
    kept = make()
    gc.collect()
    assert isinstance(kept, tuple)
    return kept[-1]() is None


@pytest.mark.parametrize("end", ["cancel", "complete", "error", "mistake", "raise", "sent"])
def test_3_13_a_subscriber_whose_stream_is_over_is_not_kept(end: str) -> None:
    def fail(sink: Sink, element: object) -> None:
        raise ZeroDivisionError

    def stream() -> object:
        publisher, sink = connected(**{"on_next": fail} if end == "raise" else {})
        subscription = sink.subscription
        if end in ("sent", "raise"):
            subscription.request(2)
        if end == "complete":
            publisher.complete()
        elif end == "error":
            publisher.error(OSError())
        elif end == "mistake":
            subscription.request(0)
        elif end == "raise":
            with pytest.raises(ZeroDivisionError):
                publisher.emit(1)
        elif end == "sent":
            publisher.emit(1)
            subscription.cancel()
            publisher.emit(2)
        else:
            subscription.cancel()
        return publisher, subscription, weakref.ref(sink)

    assert is_collected(stream)


def test_3_13_a_subscriber_whose_stream_goes_on_is_kept() -> None:
    def stream() -> object:
        publisher, sink = connected()
        return publisher, weakref.ref(sink)

    assert not is_collected(stream)


def test_3_13_a_rejected_one_is_not_kept() -> None:
    def stream() -> object:
        publisher, _ = connected()
        rejected = Sink()
        publisher.subscribe(rejected)
        return publisher, weakref.ref(rejected)

    assert is_collected(stream)


def test_3_13_one_that_has_demand_left_is_kept_until_it_is_sent() -> None:
    """Or what wraps a Subscriber, and has no other reference, would die before it is sent."""
    publisher = ManualPublisher[int]()
    received: list[int] = []
    for_nobody_else = Sink(on_next=lambda sink, element: received.append(element))
    alive = weakref.WeakKeyDictionary({for_nobody_else: None})
    publisher.subscribe(for_nobody_else)
    for_nobody_else.subscription.request(2)
    for_nobody_else.subscription.cancel()
    del for_nobody_else
    publisher.emit(1)
    gc.collect()
    assert len(alive) == 1
    publisher.emit(2)
    gc.collect()
    assert len(alive) == 0
    assert received == [1, 2]


def test_r_8_no_lock_is_held_while_the_subscriber_is_called() -> None:
    def look(sink: Sink, *_: object) -> None:
        seen = started(lambda: (publisher.demand, publisher.requested, len(publisher.log)))
        assert seen.result(PATIENCE)
        started(lambda: sink.subscription.request(1)).result(PATIENCE)

    publisher = ManualPublisher[int]()
    sink = Sink(on_subscribe=look, on_next=look, on_complete=look)
    publisher.subscribe(sink)
    publisher.emit(1, 2)
    publisher.complete()
    assert sink.signals == ["on_subscribe", ("on_next", 1), ("on_next", 2), "on_complete"]


def test_r_8_nor_while_it_dies() -> None:
    died: list[object] = []

    class Dying(Sink):
        def __del__(self) -> None:
            died.append(started(lambda: publisher.demand).result(PATIENCE))

    publisher = ManualPublisher[int]()
    subscription = Dying()
    publisher.subscribe(subscription)
    subscription = subscription.subscription  # the publisher has the last reference
    subscription.cancel()
    gc.collect()
    assert died == [0]
