"""Each rule that a Subscriber can be seen to break, on one that breaks just that."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from monitor_streams import SEES_OTHER_THREADS, TIMEOUT, Bare, Right, Sink, ids, in_thread

from penstock import Violation, checked


def feed(sink: Sink) -> tuple[list[Violation], Any, Bare]:
    """Watch `sink` by itself, and give it a subscription."""
    found: list[Violation] = []
    watched = checked(sink, found.append)
    bare = Bare()
    watched.on_subscribe(bare)
    return found, watched, bare


@pytest.mark.parametrize("call", ["request", "cancel"])
@pytest.mark.parametrize("signal", ["on_error", "on_complete"])
def test_2_3_calls_back(signal: str, call: str) -> None:
    def call_back(sink: Sink, *args: object) -> None:
        getattr(sink.subscription, call)(*([1] if call == "request" else []))

    found, watched, bare = feed(Sink(**{signal: call_back}))
    getattr(watched, signal)(*([OSError()] if signal == "on_error" else []))
    assert ids(found) == [("2.3", "subscriber")]
    assert found[0].here.calls[-1][2] == "call_back"
    assert bare.calls[0][0] == call


def test_2_3_subscribes_again() -> None:
    found: list[Violation] = []
    publisher = checked(Right([]), found.append)
    publisher.subscribe(Sink(on_complete=lambda sink: publisher.subscribe(Sink())))
    assert ids(found) == [("2.3", "subscriber")]


def test_2_3_not_on_another_thread_or_later() -> None:
    def hand_over(sink: Sink) -> None:
        in_thread(lambda: sink.subscription.request(1))()

    found, watched, bare = feed(Sink(on_complete=hand_over))
    watched.on_complete()
    assert bare.calls == [("request", 1)]
    assert found == []


def test_2_3_another_publisher_may_be_subscribed_to() -> None:
    found: list[Violation] = []
    other = checked(Right([1]), found.append)
    publisher = checked(Right([]), found.append)
    publisher.subscribe(Sink(on_complete=lambda sink: other.subscribe(Sink())))
    assert found == []


def test_2_5_uses_a_second_subscription() -> None:
    found, watched, first = feed(Sink())
    second = Bare()
    watched.on_subscribe(second)
    assert ids(found) == [("2.12", "publisher")]
    found.clear()
    watched._subscriber.subscriptions[1].request(1)
    assert ids(found) == [("2.5", "subscriber")]
    assert first.calls == []
    assert second.calls == [("request", 1)]


def test_2_5_a_second_one_cancelled() -> None:
    found, watched, _ = feed(Sink())
    second = Bare()
    watched.on_subscribe(second)
    sink = watched._subscriber
    sink.subscriptions[1].cancel()
    sink.subscription.request(1)
    watched.on_next(1)
    watched.on_complete()
    assert ids(found) == [("2.12", "publisher")]
    assert second.calls == [("cancel",)]


def test_2_7_two_requests_at_once() -> None:
    inside, leave = threading.Event(), threading.Event()

    def dwell(bare: Bare, n: int) -> None:
        if n == 1:
            inside.set()
            assert leave.wait(TIMEOUT)

    found: list[Violation] = []
    sink = Sink()
    checked(Bare(request=dwell), found.append).subscribe(sink)
    join = in_thread(lambda: sink.subscription.request(1))
    assert inside.wait(TIMEOUT)
    sink.subscription.cancel()
    assert found == []
    sink.subscription.request(2)
    assert found == []  # after cancel it's a NOP
    leave.set()
    join()

    inside.clear()
    leave.clear()
    sink = Sink()
    checked(Bare(request=dwell), found.append).subscribe(sink)
    join = in_thread(lambda: sink.subscription.request(1))
    assert inside.wait(TIMEOUT)
    sink.subscription.request(2)
    leave.set()
    join()
    assert ids(found) == [("2.7", "subscriber")]
    there = found[0].there
    if not SEES_OTHER_THREADS:
        assert there is None
        return
    assert there is not None
    assert there.thread != found[0].here.thread
    assert "dwell" in {name for _, _, name in there.calls}


def test_2_7_a_request_that_has_brought_an_element_is_over() -> None:
    # It runs a synchronous stream now; a subscriber on another thread may ask for more.
    taken, leave = threading.Event(), threading.Event()

    def emit(bare: Bare, n: int) -> None:
        if n == 5:
            bare.to.on_next(1)
            taken.set()
            assert leave.wait(TIMEOUT)

    found: list[Violation] = []
    sink = Sink()
    checked(Bare(request=emit), found.append).subscribe(sink)
    join = in_thread(lambda: sink.subscription.request(5))
    assert taken.wait(TIMEOUT)
    sink.subscription.request(1)
    leave.set()
    join()
    assert found == []


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error", "on_complete"])
def test_2_13_raises(signal: str) -> None:
    def fail(sink: Sink, *args: object) -> None:
        raise OSError("broken")

    found: list[Violation] = []
    watched = checked(Sink(**{signal: fail}), found.append)
    args: dict[str, list[Any]] = {
        "on_subscribe": [Bare()],
        "on_next": [1],
        "on_error": [OSError()],
        "on_complete": [],
    }
    if signal != "on_subscribe":
        watched.on_subscribe(Bare())
        watched._subscriber.subscription.request(1)
    with pytest.raises(OSError, match="broken"):
        getattr(watched, signal)(*args[signal])
    assert ids(found) == [("2.13", "subscriber")]
    assert found[0].there is not None
    assert found[0].there.calls[-1][2] == "fail"


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error"])
def test_2_13_takes_none(signal: str) -> None:
    class TakesAll(Sink):
        def take(self, signal: str, *args: object) -> None:
            self.log.append((signal, *args))

    found: list[Violation] = []
    watched = checked(TakesAll(), found.append)
    if signal != "on_subscribe":
        watched.on_subscribe(Bare())
        watched._subscriber.subscription.request(1)
    getattr(watched, signal)(None)
    assert ids(found) == [("2.13", "publisher"), ("2.13", "subscriber")]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_2_13_not_for_interrupts(error: type[BaseException]) -> None:
    def stop(sink: Sink, element: object) -> None:
        raise error

    found, watched, _ = feed(Sink(on_next=stop))
    watched._subscriber.subscription.request(1)
    with pytest.raises(error):
        watched.on_next(1)
    assert found == []


def test_2_13_for_a_cancelled_error() -> None:
    # Nobody awaits a signal method, so it was not interrupted, but let another's error out.
    def let_out(sink: Sink, element: object) -> None:
        raise asyncio.CancelledError

    bare, found, sink = Bare(), [], Sink(on_next=let_out)
    checked(bare, "raise").subscribe(checked(sink, found.append))
    sink.subscription.request(1)
    with pytest.raises(asyncio.CancelledError):
        bare.to.on_next(1)
    assert ids(found) == [("2.13", "subscriber")]


def test_2_13_is_told_of_the_one_that_raised() -> None:
    # What comes out of `request` is the subscriber's own exception, then it comes out of its
    # `on_subscribe`, and then out of `subscribe`: still one breach.
    def fail(sink: Sink, element: int) -> None:
        raise OSError("broken")

    found: list[Violation] = []
    bare = Bare(request=lambda bare, n: bare.to.on_next(1))
    with pytest.raises(OSError, match="broken"):
        checked(bare, found.append).subscribe(
            Sink(on_subscribe=lambda sink, subscription: subscription.request(1), on_next=fail)
        )
    assert ids(found) == [("2.13", "subscriber")]


def test_2_13_not_for_a_request_that_raises() -> None:
    def fail(bare: Bare, n: int) -> None:
        raise OSError("broken")

    found: list[Violation] = []
    with pytest.raises(OSError, match="broken"):
        checked(Bare(request=fail), found.append).subscribe(
            Sink(on_subscribe=lambda sink, subscription: subscription.request(1))
        )
    assert ids(found) == [("3.16", "publisher")]


def test_3_9_a_bad_request_only_while_active() -> None:
    found, watched, bare = feed(Sink())
    watched.on_complete()
    watched._subscriber.subscription.request(0)
    assert found == []
    assert bare.calls == [("request", 0)]


def test_1_10_the_same_object_again() -> None:
    found: list[Violation] = []
    given: list[Any] = []
    bare = Bare(subscribe=lambda bare, to: (given.append(to), to.on_subscribe(bare)))
    publisher = checked(bare, found.append)
    sink = Sink()
    publisher.subscribe(sink)
    publisher.subscribe(sink)
    assert ids(found) == [("1.10", "subscriber")]
    assert given[0] is given[1]  # so the publisher can tell


def test_1_10_not_after_the_end() -> None:
    found: list[Violation] = []
    publisher = checked(Right([1]), found.append)
    sink = Sink(on_subscribe=lambda sink, subscription: subscription.request(5))
    publisher.subscribe(sink)
    publisher.subscribe(sink)
    assert found == []
    assert sink.elements == [1, 1]


def test_1_10_refused_by_identity() -> None:
    class Refusing(Bare):
        """Right by 1.9 and R.5: one stream, and a refusal for the same object."""

        def subscribe(self, subscriber: Any, /) -> None:
            if self.to is subscriber:
                subscriber.on_subscribe(Bare())
                subscriber.on_error(RuntimeError("subscribed already"))
            else:
                super().subscribe(subscriber)

    found: list[Violation] = []
    publisher = checked(Refusing(), found.append)
    sink, other = Sink(), Sink()
    publisher.subscribe(sink)
    publisher.subscribe(sink)
    assert [entry[0] for entry in sink.log] == ["on_subscribe", "on_subscribe", "on_error"]
    publisher.subscribe(other)
    assert [entry[0] for entry in other.log] == ["on_subscribe"]
    assert ids(found) == [("1.10", "subscriber")]
