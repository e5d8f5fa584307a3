"""What ManualPublisher sends and says. Its rules and its failures have modules of their own."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from penstock.testing import ManualPublisher
from tests.testing.helpers import LONGER, PATIENCE, Sink, connected, started, until_waited_on

# What is sent.


def test_elements_and_the_end_are_sent_as_told() -> None:
    publisher, sink = connected()
    sink.subscription.request(3)
    publisher.emit("a", 0)
    publisher.emit()
    publisher.emit([])
    publisher.complete()
    wanted = ["on_subscribe", ("on_next", "a"), ("on_next", 0), ("on_next", []), "on_complete"]
    assert sink.signals == wanted


def test_the_error_is_sent_as_it_is() -> None:
    publisher, sink = connected()
    error = OSError()
    publisher.error(error)
    assert sink.signals == ["on_subscribe", "on_error"]
    assert sink.error is error


def test_signals_are_sent_on_the_calling_thread() -> None:
    threads: list[str] = []

    def note(*_: object) -> None:
        threads.append(threading.current_thread().name)

    publisher, sink = connected(on_next=note, on_complete=note)
    sink.subscription.request(1)
    started(lambda: publisher.emit(1), name="worker").result(PATIENCE)
    publisher.complete()
    assert threads == ["worker", threading.current_thread().name]


def test_of_several_elements_none_is_sent_if_one_is_none() -> None:
    publisher, sink = connected()
    sink.subscription.request(3)
    with pytest.raises(TypeError, match="None is never an element"):
        publisher.emit(1, None)
    assert sink.signals == ["on_subscribe"]
    assert publisher.demand == 3


@pytest.mark.parametrize("error", [None, "text", OSError, KeyboardInterrupt()])
def test_an_error_is_an_exception(error: Any) -> None:
    publisher, sink = connected()
    with pytest.raises(TypeError, match=r"error\(.*\): an error is always an Exception"):
        publisher.error(error)
    publisher.complete()
    assert sink.signals == ["on_subscribe", "on_complete"]


# What is asked.


def test_requests_are_seen_one_by_one_and_in_sum() -> None:
    publisher, sink = connected()
    assert (publisher.demand, publisher.requested) == (0, 0)
    sink.subscription.request(2)
    sink.subscription.request(3)
    assert publisher.expect_request() == 2
    assert publisher.expect_request(3) == 3
    publisher.expect_no_request()
    publisher.emit("a")
    assert (publisher.demand, publisher.requested) == (4, 5)


@pytest.mark.parametrize("what", ["request", "cancel", "subscriber"])
def test_another_threads_doing_is_waited_for(what: str) -> None:
    publisher, sink = ManualPublisher[int](timeout=LONGER), Sink()
    if what != "subscriber":
        publisher.subscribe(sink)
    waiting = started(getattr(publisher, f"expect_{what}"))
    until_waited_on(publisher)
    assert not waiting.done()
    if what == "subscriber":
        publisher.subscribe(sink)
    elif what == "request":
        sink.subscription.request(3)
    else:
        sink.subscription.cancel()
    wanted = {"subscriber": sink, "request": 3, "cancel": None}[what]
    assert waiting.result(PATIENCE) is wanted


def test_no_request_is_waited_for_as_long_as_said() -> None:
    publisher, sink = connected()
    waiting = started(lambda: publisher.expect_no_request(within=LONGER))
    until_waited_on(publisher)
    sink.subscription.request(1)
    with pytest.raises(AssertionError, match=r"got request\(1\)"):
        waiting.result(PATIENCE)


def test_cancelled_and_subscriber() -> None:
    publisher = ManualPublisher[Any]()
    assert publisher.subscriber is None
    sink = Sink()
    publisher.subscribe(sink)
    assert publisher.subscriber is publisher.expect_subscriber() is sink
    assert not publisher.cancelled
    sink.subscription.request(1)
    sink.subscription.cancel()
    assert publisher.cancelled
    assert publisher.subscriber is None
    publisher.expect_cancel()


def test_a_request_inside_a_signal_counts_at_once() -> None:
    publisher, sink = connected(
        on_subscribe=lambda sink, subscription: subscription.request(1),
        on_next=lambda sink, element: sink.subscription.request(1),
    )
    publisher.emit(1, 2, 3)
    assert publisher.demand == 1
    assert sink.signals[1:] == [("on_next", 1), ("on_next", 2), ("on_next", 3)]
