"""The rules about signals that ManualPublisher keeps, whatever is done to it."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from penstock import UNBOUNDED
from penstock.testing import ManualPublisher, Probe
from tests.testing.helpers import LONGER, PATIENCE, Sink, connected, started, until_waited_on

WRONG = [0, -1, -UNBOUNDED, True, False, 1.0, 1.5, "1", None]


# 1.3: one signal at a time.


def test_1_3_signals_of_several_threads_take_turns() -> None:
    inside = threading.Event()
    leave = threading.Event()

    def dwell(sink: Sink, element: object) -> None:
        if element == 1:
            inside.set()
            assert leave.wait(PATIENCE)

    publisher, sink = connected(on_next=dwell)
    sink.subscription.request(2)
    first = started(lambda: publisher.emit(1))
    assert inside.wait(PATIENCE)
    second = started(lambda: (publisher.emit(2), publisher.complete()))
    until_waited_on(publisher)
    assert len(sink.signals) == 2
    leave.set()
    first.result(PATIENCE)
    second.result(PATIENCE)
    assert sink.signals == ["on_subscribe", ("on_next", 1), ("on_next", 2), "on_complete"]
    assert sink.overlaps == []


def test_1_3_the_end_waits_for_on_subscribe() -> None:
    inside, leave = threading.Event(), threading.Event()

    def dwell(sink: Sink, subscription: object) -> None:
        inside.set()
        assert leave.wait(PATIENCE)

    publisher, sink = ManualPublisher[int](timeout=LONGER), Sink(on_subscribe=dwell)
    subscribing = started(lambda: publisher.subscribe(sink))
    assert publisher.expect_subscriber() is sink
    ending = started(publisher.complete)
    until_waited_on(publisher)
    assert inside.wait(PATIENCE)
    assert sink.signals == ["on_subscribe"]
    leave.set()
    subscribing.result(PATIENCE)
    ending.result(PATIENCE)
    assert sink.signals == ["on_subscribe", "on_complete"]
    assert sink.overlaps == []


def test_1_3_under_many_threads() -> None:
    publisher, sink = connected(on_next=lambda sink, element: sink.subscription.request(1))
    sink.subscription.request(1)
    start = threading.Barrier(4)

    def send(thread: int) -> None:
        start.wait(PATIENCE)
        for i in range(100):
            publisher.emit((thread, i))

    for sender in [started(lambda n=n: send(n)) for n in range(4)]:
        sender.result(PATIENCE)
    publisher.complete()
    assert sink.overlaps == []
    assert len(sink.signals) == 402
    for thread in range(4):
        sent = [signal[1][1] for signal in sink.signals[1:-1] if signal[1][0] == thread]
        assert sent == [*range(100)]


# 1.7, 1.6, 3.6: the end and what may come after it.


@pytest.mark.parametrize("end", ["complete", "error", "cancel", "request"])
def test_3_6_what_is_requested_after_the_end_has_no_effect(end: str) -> None:
    publisher, sink = connected()
    {
        "complete": publisher.complete,
        "error": lambda: publisher.error(OSError()),
        "cancel": sink.subscription.cancel,
        "request": lambda: sink.subscription.request(0),
    }[end]()
    before = sink.signals.copy()
    for n in (1, 0, UNBOUNDED, None):
        sink.subscription.request(n)
    sink.subscription.cancel()
    assert sink.signals == before
    assert (publisher.demand, publisher.requested) == (0, 0)
    publisher.expect_no_request()


def test_1_7_a_race_to_the_end_has_one_winner() -> None:
    for _ in range(50):
        publisher, sink = connected()
        start = threading.Barrier(3)

        def race(end: Callable[[], object], start: threading.Barrier = start) -> bool:
            start.wait(PATIENCE)
            try:
                end()
            except AssertionError:
                return False
            return True

        ends = [publisher.complete, lambda p=publisher: p.error(OSError())]
        racers = [started(lambda end=end: race(end)) for end in ends]
        mistaken = started(lambda s=sink: race(lambda: s.subscription.request(0)))
        assert mistaken.result(PATIENCE)  # request never raises (3.16)
        won = [racer.result(PATIENCE) for racer in racers]
        assert won.count(True) == (0 if getattr(sink, "error", None).__class__ is ValueError else 1)
        assert len(sink.signals) == 2
        assert sink.overlaps == []


# 1.9 and R.5: subscribing.


def test_1_9_none_is_refused() -> None:
    publisher = ManualPublisher[int]()
    with pytest.raises(TypeError, match=r"rule 1\.9"):
        publisher.subscribe(None)  # type: ignore[arg-type]
    Probe(publisher).expect_subscription()  # it has not been taken by that


@pytest.mark.parametrize("state", ["active", "cancelled", "completed"])
def test_1_9_a_second_subscriber_is_turned_away(state: str) -> None:
    publisher, sink = connected()
    {"cancelled": sink.subscription.cancel, "completed": publisher.complete}.get(state, str)()
    before = sink.signals.copy()
    second = Sink(on_subscribe=lambda sink, subscription: subscription.request(1))
    publisher.subscribe(second)
    assert second.signals == ["on_subscribe", "on_error"]
    assert isinstance(second.error, RuntimeError)
    assert "one Subscriber" in str(second.error)
    second.subscription.request(0)
    second.subscription.cancel()
    assert len(second.signals) == 2
    assert sink.signals == before
    assert publisher.cancelled == (state == "cancelled")
    assert publisher.requested == 0
    assert "rejects a further Subscriber" in str(publisher.log)


def test_1_9_the_same_subscriber_again_is_turned_away_by_itself() -> None:
    publisher = ManualPublisher[int]()
    probe = Probe(publisher)
    publisher.subscribe(probe)  # it cancels the second subscription (2.5), so gets no error
    probe.request(1)
    publisher.emit(1)
    publisher.complete()
    probe.expect_next(1)
    probe.expect_complete()


def test_1_9_of_many_at_once_one_is_taken() -> None:
    publisher, sinks = ManualPublisher[int](), [Sink() for _ in range(8)]
    start = threading.Barrier(len(sinks))

    def subscribe(sink: Sink) -> None:
        start.wait(PATIENCE)
        publisher.subscribe(sink)

    for thread in [started(lambda sink=sink: subscribe(sink)) for sink in sinks]:
        thread.result(PATIENCE)
    signals = sorted((sink.signals for sink in sinks), key=len)
    assert signals == [["on_subscribe"]] + [["on_subscribe", "on_error"]] * 7


# 2.13: a Subscriber that raises.


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error", "on_complete"])
@pytest.mark.parametrize("kind", [ZeroDivisionError, KeyboardInterrupt])
def test_2_13_what_the_subscriber_raises_comes_out_and_ends_it(
    signal: str, kind: type[BaseException]
) -> None:
    def fail(sink: Sink, *_: object) -> None:
        sink.subscription.request(0)  # not answered, since nothing may follow
        raise kind

    publisher, sink = ManualPublisher[int](), Sink(**{signal: fail})
    if signal == "on_subscribe":
        with pytest.raises(kind):
            publisher.subscribe(sink)
    else:
        publisher.subscribe(sink)
        sink.subscription.request(2)
        send = {
            "on_next": lambda: publisher.emit(1, 2),
            "on_error": lambda: publisher.error(OSError()),
            "on_complete": publisher.complete,
        }[signal]
        with pytest.raises(kind):
            send()
    before = sink.signals.copy()
    sink.subscription.request(0)
    sink.subscription.request(1)
    for send in (lambda: publisher.emit(3), publisher.complete):
        with pytest.raises(AssertionError):
            send()
    assert sink.signals == before
    assert publisher.subscriber is None
    assert publisher.requested == 2 * (signal != "on_subscribe")


# 2.8: demand after a cancellation.


def test_2_8_what_was_in_demand_may_still_be_sent() -> None:
    publisher, sink = connected()
    sink.subscription.request(3)
    publisher.emit(1)
    sink.subscription.cancel()
    sink.subscription.cancel()
    assert publisher.demand == 2
    publisher.emit(2, 3)
    with pytest.raises(AssertionError, match="cancelled"):
        publisher.emit(4)
    with pytest.raises(AssertionError, match="cancelled"):
        publisher.complete()
    assert sink.signals[1:] == [("on_next", 1), ("on_next", 2), ("on_next", 3)]


def test_2_8_and_the_end_instead() -> None:
    publisher, sink = connected()
    sink.subscription.request(3)
    sink.subscription.cancel()
    publisher.complete()
    assert sink.signals == ["on_subscribe", "on_complete"]
    with pytest.raises(AssertionError, match=r"rule 1\.7"):
        publisher.emit(1)
