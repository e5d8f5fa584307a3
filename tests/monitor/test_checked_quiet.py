"""Right publishers and subscribers are never reported, whatever they run on."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from monitor_streams import TIMEOUT, Bare, OnLoop, OnThread, Queued, Right, Sink, in_thread

from penstock import UNBOUNDED, Publisher, Subscriber, Subscription, Violation, checked


def asking(batch: int) -> Sink:
    """A right subscriber that requests `batch` at a time, in its signals."""

    def ask(sink: Sink, *_: object) -> None:
        if len(sink.elements) % batch == 0:
            sink.subscription.request(batch)

    return Sink(on_subscribe=ask, on_next=ask)


def watched_both_ways(
    publisher: Publisher[Any], subscriber: Subscriber[Any], found: list[Violation]
) -> None:
    checked(publisher, found.append).subscribe(checked(subscriber, found.append))


@pytest.mark.parametrize("batch", [1, 2, 7, UNBOUNDED])
@pytest.mark.parametrize("count", [0, 1, 20])
def test_synchronous(batch: int, count: int) -> None:
    found: list[Violation] = []
    sink = asking(batch)
    watched_both_ways(Right(range(count)), sink, found)
    assert sink.elements == list(range(count))
    assert sink.over.is_set()
    assert found == []


@pytest.mark.parametrize("batch", [1, 7, UNBOUNDED])
def test_threads(batch: int) -> None:
    found: list[Violation] = []
    publisher = OnThread(range(50))
    try:
        for _ in range(20):
            sink = asking(batch)
            watched_both_ways(publisher, sink, found)
            assert sink.over.wait(TIMEOUT)
            assert sink.elements == list(range(50))
    finally:
        publisher.close()
    assert found == []


@pytest.mark.parametrize("batch", [1, 3, UNBOUNDED])
@pytest.mark.parametrize("kind", ["synchronous", "thread"])
def test_subscribers_on_a_thread_of_their_own(kind: str, batch: int) -> None:
    # They request after the terminal signal has come, as long as they have not got to it.
    found: list[Violation] = []
    publisher = OnThread(range(30)) if kind == "thread" else Right(range(30))
    try:
        for _ in range(20):
            subscriber = Queued(batch)
            watched_both_ways(publisher, subscriber, found)
            subscriber.join()
            assert subscriber.elements == list(range(30))
    finally:
        if isinstance(publisher, OnThread):
            publisher.close()
    assert found == []


@pytest.mark.parametrize("batch", [1, 7, UNBOUNDED])
def test_asyncio(batch: int) -> None:
    found: list[Violation] = []

    async def run() -> list[Any]:
        loop = asyncio.get_running_loop()
        over = asyncio.Event()
        sink = asking(batch)
        sink.does["on_complete"] = lambda sink: over.set()
        watched_both_ways(OnLoop(range(50), loop), sink, found)
        await asyncio.wait_for(over.wait(), TIMEOUT)
        return sink.elements

    assert asyncio.run(run()) == list(range(50))
    assert found == []


class Multicast(Publisher[Any]):
    """A right multicast publisher: pushes to all, drops for those who did not ask."""

    def __init__(self) -> None:
        self.members: dict[Any, Member] = {}

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        member = Member(self, subscriber)
        refused = subscriber in self.members
        self.members.setdefault(subscriber, member)
        subscriber.on_subscribe(member)
        if refused and not member.gone:
            subscriber.on_error(RuntimeError("subscribed already"))

    def push(self, element: object) -> None:
        for subscriber, member in list(self.members.items()):
            if member.demand and subscriber in self.members:
                member.demand -= 1
                subscriber.on_next(element)

    def end(self) -> None:
        members, self.members = self.members, {}
        for subscriber in members:
            subscriber.on_complete()


class Member(Subscription):
    def __init__(self, publisher: Multicast, subscriber: Any) -> None:
        self.publisher, self.subscriber = publisher, subscriber
        self.demand = 0
        self.gone = False

    def request(self, n: int, /) -> None:
        self.demand += n

    def cancel(self) -> None:
        self.gone = True
        if self.publisher.members.get(self.subscriber) is self:
            del self.publisher.members[self.subscriber]


def test_multicast() -> None:
    found: list[Violation] = []
    inner = Multicast()
    publisher = checked(inner, found.append)
    sinks = [asking(batch) for batch in (1, 2, UNBOUNDED)]
    leaver = asking(UNBOUNDED)
    for sink in (*sinks, leaver):
        publisher.subscribe(sink)
    for i in range(10):
        inner.push(i)
        if i == 5:
            leaver.subscription.cancel()
    inner.end()
    assert all(sink.elements == list(range(10)) for sink in sinks)
    assert leaver.elements == list(range(6))
    assert found == []


def test_multicast_pushes_from_inside_an_element() -> None:
    # Signals nested in each other on one thread, without a request: neither 1.3 nor 3.3.
    found: list[Violation] = []
    inner = Multicast()

    def push(sink: Sink, element: int) -> None:
        if element < 50:
            inner.push(element + 1)

    sink = Sink(on_subscribe=lambda sink, it: it.request(UNBOUNDED), on_next=push)
    checked(inner, found.append).subscribe(sink)
    inner.push(0)
    assert sink.elements == list(range(51))
    assert found == []


def test_the_same_object_refused() -> None:
    found: list[Violation] = []
    inner = Multicast()
    publisher = checked(inner, found.append)

    def once(sink: Sink, subscription: Subscription) -> None:
        subscription.cancel() if len(sink.subscriptions) > 1 else subscription.request(5)

    sink = Sink(on_subscribe=once)
    publisher.subscribe(sink)
    publisher.subscribe(sink)
    inner.push(1)
    inner.end()
    assert sink.elements == [1]
    assert [violation.rule for violation in found] == ["1.10"]  # the caller's, nobody else's


class Map(Sink):
    """A right processor, in lock-step: passes everything through, on the same thread."""

    def __init__(self) -> None:
        super().__init__()
        self.below: Any = None

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        self.below = subscriber
        subscriber.on_subscribe(self.subscription)

    def on_subscribe(self, subscription: Subscription, /) -> None:
        self.subscriptions.append(subscription)

    def on_next(self, element: Any, /) -> None:
        self.below.on_next(element + 1)

    def on_error(self, error: Exception, /) -> None:
        self.below.on_error(error)

    def on_complete(self) -> None:
        self.below.on_complete()


@pytest.mark.parametrize("batch", [1, 3, UNBOUNDED])
def test_a_chain_of_processors(batch: int) -> None:
    found: list[Violation] = []
    stages = [checked(Map(), found.append) for _ in range(3)]
    source = checked(Right(range(20)), found.append)
    source.subscribe(stages[0])
    stages[0].subscribe(stages[1])
    stages[1].subscribe(stages[2])
    sink = asking(batch)
    stages[2].subscribe(checked(sink, found.append))
    assert sink.elements == list(range(3, 23))
    assert found == []


def test_cancel_anywhere_and_often() -> None:
    found: list[Violation] = []
    publisher = OnThread(range(10_000))
    try:
        for at in range(20):

            def leave(sink: Sink, element: int, at: int = at) -> None:
                if element == at:
                    sink.subscription.cancel()
                    sink.subscription.cancel()
                    sink.subscription.request(0)
                    sink.subscription.request(5)
                    sink.over.set()

            sink = Sink(on_subscribe=lambda sink, it: it.request(UNBOUNDED), on_next=leave)
            watched_both_ways(publisher, sink, found)
            assert sink.over.wait(TIMEOUT)
            in_thread(sink.subscription.cancel)()
    finally:
        publisher.close()
    assert found == []


def test_signals_that_move_between_threads() -> None:
    # Each signal on a thread of its own, but one after the other.
    found: list[Violation] = []
    bare, sink = Bare(), Sink()
    watched_both_ways(bare, sink, found)
    for i in range(20):
        in_thread(lambda: sink.subscription.request(1))()
        sink.subscription.request(1)
        in_thread(lambda i=i: bare.to.on_next(i))()
    in_thread(lambda: bare.to.on_complete())()
    assert sink.elements == list(range(20))
    assert found == []


def test_requests_under_the_subscribers_own_lock() -> None:
    # 2.7 allows several threads that synchronize themselves; no demand may be lost.
    found: list[Violation] = []
    bare, sink = Bare(), Sink()
    watched_both_ways(bare, sink, found)
    lock = threading.Lock()

    def ask() -> None:
        for _ in range(500):
            with lock:
                sink.subscription.request(1)

    joins = [in_thread(ask) for _ in range(4)]
    for join in joins:
        join()
    for i in range(2000):
        bare.to.on_next(i)
    assert found == []
    bare.to.on_next(2000)
    assert {violation.rule for violation in found} == {"1.1"}


def test_no_demand_is_lost_when_requests_race() -> None:
    # They break 2.7, which is no reason to accuse the publisher of 1.1.
    found: list[Violation] = []
    bare, sink = Bare(), Sink()
    watched_both_ways(bare, sink, found)
    start = threading.Barrier(4)

    def ask() -> None:
        start.wait(TIMEOUT)
        for _ in range(3000):
            sink.subscription.request(1)

    joins = [in_thread(ask) for _ in range(4)]
    for join in joins:
        join()
    for i in range(12_000):
        bare.to.on_next(i)
    assert {violation.rule for violation in found} <= {"2.7"}


def test_an_update_that_a_race_lost_is_made_good() -> None:
    found: list[Violation] = []
    bare, sink = Bare(), Sink()
    checked(bare, found.append).subscribe(sink)
    sink.subscription.request(2)
    sink.subscription._link.requested = 1  # type: ignore[attr-defined]
    bare.to.on_next(1)
    bare.to.on_next(2)
    assert found == []
    bare.to.on_next(3)
    assert [violation.rule for violation in found] == ["1.1"]


def test_a_number_of_a_type_derived_from_int() -> None:
    class Number(int):
        pass

    found: list[Violation] = []
    bare, sink = Bare(), Sink()
    checked(bare, found.append).subscribe(sink)
    sink.subscription.request(Number(2))
    bare.to.on_next(1)
    bare.to.on_next(2)
    assert found == []
    assert type(bare.calls[0][1]) is Number


def test_subscribing_again_after_subscribe_raised() -> None:
    def fail(bare: Bare, to: Any) -> None:
        raise OSError

    found: list[Violation] = []
    bare, sink = Bare(subscribe=fail), Sink()
    publisher = checked(bare, found.append)
    with pytest.raises(OSError):  # noqa: PT011
        publisher.subscribe(sink)
    bare.does["subscribe"] = lambda bare, to: to.on_subscribe(bare)
    publisher.subscribe(sink)
    sink.subscription.request(1)
    bare.to.on_next(1)
    assert [violation.rule for violation in found] == ["1.9"]


def test_the_same_subscriber_one_stream_after_the_other() -> None:
    found: list[Violation] = []
    sink = checked(Sink(on_subscribe=lambda sink, it: it.request(3)), found.append)
    for _ in range(3):
        checked(Right(range(3)), found.append).subscribe(sink)
    assert found == []


def test_again_after_a_cancel_while_elements_are_under_way() -> None:
    # The publisher still holds it; what comes may be of the old stream or of the new one.
    found: list[Violation] = []
    bare, sink = Bare(), Sink()
    publisher = checked(bare, found.append)
    publisher.subscribe(sink)
    sink.subscription.request(2)
    sink.subscription.cancel()
    old = bare.to
    publisher.subscribe(sink)
    assert bare.to is old
    bare.to.on_next(1)
    bare.to.on_next(2)
    assert found == []


def test_signals_of_a_second_subscription_are_not_held_against_the_first() -> None:
    found: list[Violation] = []
    sink = Sink(on_subscribe=lambda sink, it: len(sink.subscriptions) > 1 and it.cancel())
    watched = checked(sink, found.append)
    watched.on_subscribe(Bare())
    sink.subscription.request(5)
    watched.on_next(1)
    watched.on_subscribe(Bare())
    watched.on_complete()  # sent by the second publisher, before it saw the cancel
    watched.on_next(2)
    watched.on_complete()
    assert [violation.rule for violation in found] == ["2.12"]  # somebody subscribed it twice


def test_a_refusal_is_not_taken_for_the_end_of_the_first_stream() -> None:
    # Refused without on_subscribe: wrong, but not a breach of 1.7 by the stream that goes on.
    found: list[Violation] = []
    bare, sink = Bare(), Sink()
    publisher = checked(bare, found.append)
    publisher.subscribe(sink)
    sink.subscription.request(1)
    bare.does["subscribe"] = lambda bare, to: to.on_error(RuntimeError("subscribed already"))
    publisher.subscribe(sink)
    bare.to.on_next(1)
    assert [violation.rule for violation in found] == ["1.10"]
