"""Wrong Publishers: on_subscribe missing, late, twice; subscribe raises or takes None."""

from __future__ import annotations

from typing import Any
from weakref import WeakSet

from tests.tck.wrong._base import Source, Stream, Worker, hang, reject, released
from tests.tck.wrong.registry import case


class GreetsWithAnElement(Stream):
    def start(self) -> None:
        if self.elements:
            self.sent = 1
            self.signal(self.subscriber.on_next, 0)
        super().start()


@case("publisher", "sends its latest value ahead of on_subscribe", must="1.9", may="1.1")
def on_next_before_on_subscribe(elements: int) -> Source:
    return Source(elements, GreetsWithAnElement)


class EmptyFirst(Stream):
    def start(self) -> None:
        subscriber = self.subscriber
        if not self.elements:
            self.end()
            self.signal(subscriber.on_complete)
            self.signal(subscriber.on_subscribe, self)
        else:
            super().start()


@case("publisher", "an empty stream completes ahead of on_subscribe", must="1.9", may="1.7")
def on_complete_before_on_subscribe(elements: int) -> Source:
    return Source(elements, EmptyFirst)


class EmptyOnly(Stream):
    def start(self) -> None:
        if not self.elements:
            self.signal(self.subscriber.on_complete)
        else:
            super().start()


@case("publisher", "an empty stream completes without on_subscribe", must="1.9")
def completes_without_on_subscribe(elements: int) -> Source:
    return Source(elements, EmptyOnly)


class FailsFirst(Stream):
    def start(self) -> None:
        subscriber = self.subscriber
        self.end()
        self.signal(subscriber.on_error, OSError("can't connect"))
        self.signal(subscriber.on_subscribe, self)


@case(
    "publisher",
    "reports that it can't connect ahead of on_subscribe",
    must="1.9",
    may="1.7",
    failed=lambda: Source(5, FailsFirst),
)
def on_error_before_on_subscribe(elements: int) -> Source:
    return Source(elements)


class FailsOnly(Stream):
    def start(self) -> None:
        self.signal(self.subscriber.on_error, OSError("can't connect"))


@case(
    "publisher",
    "reports that it can't connect without on_subscribe",
    must="1.9",
    failed=lambda: Source(5, FailsOnly),
)
def on_error_without_on_subscribe(elements: int) -> Source:
    return Source(elements)


class Silent(Stream):
    def start(self) -> None:
        self.busy = False


@case("publisher", "never calls on_subscribe", must="1.9")
def never_calls_on_subscribe(elements: int) -> Source:
    return Source(elements, Silent)


class AsyncSource(Source):
    async def subscribe(self, subscriber: Any) -> None:
        super().subscribe(subscriber)


@case("publisher", "subscribe is a coroutine function, so that nothing happens", must="1.9")
def async_def_subscribe(elements: int) -> AsyncSource:
    return AsyncSource(elements)


class Twice(Source):
    def open(self, subscriber: Any) -> None:
        super().open(subscriber)
        super().open(subscriber)  # a base class has done it already


@case("publisher", "subclass and base class both call on_subscribe", must="2.12")
def on_subscribe_twice(elements: int) -> Twice:
    return Twice(elements)


class Reconnects(Stream):
    def deliver_element(self, subscriber: Any, index: int) -> None:
        if index == 0:
            self.signal(subscriber.on_subscribe, self)  # "connected"
        super().deliver_element(subscriber, index)


@case("publisher", "calls on_subscribe again when the source really starts", must="2.12")
def on_subscribe_again_with_the_first_element(elements: int) -> Source:
    return Source(elements, Reconnects)


class PassesAMethod(Stream):
    def start(self) -> None:
        self.signal(self.subscriber.on_subscribe, self.request)
        self.run()


@case("publisher", "passes a function to request with as the subscription", must="1.9")
def on_subscribe_with_a_function(elements: int) -> Source:
    return Source(elements, PassesAMethod)


class PassesNone(Stream):
    def start(self) -> None:
        self.signal(self.subscriber.on_subscribe, None)
        self.run()


@case("publisher", "calls on_subscribe(None)", must="2.13", may="1.9")
def on_subscribe_with_none(elements: int) -> Source:
    return Source(elements, PassesNone)


class IgnoresNone(Source):
    def subscribe(self, subscriber: Any) -> None:
        if subscriber is not None:
            self.open(subscriber)


@case("publisher", "subscribe(None) does nothing", must="1.9")
def none_is_ignored(elements: int) -> Source:
    return IgnoresNone(elements)


class ValueErrorForNone(Source):
    def subscribe(self, subscriber: Any) -> None:
        if subscriber is None:
            raise ValueError("a subscriber is needed")
        self.open(subscriber)


@case("publisher", "subscribe(None) raises ValueError", must="1.9")
def none_is_a_value_error(elements: int) -> Source:
    return ValueErrorForNone(elements)


class Unchecked(Source):
    def subscribe(self, subscriber: Any) -> None:
        self.open(subscriber)


@case("publisher", "subscribe(None) raises AttributeError, as nothing looks at it", must="1.9")
def none_is_not_looked_at(elements: int) -> Source:
    return Unchecked(elements)


class Once(Source):
    taken = False

    def open(self, subscriber: Any) -> None:
        if self.taken:
            self.refuse(subscriber)
        else:
            self.taken = True
            super().open(subscriber)

    def refuse(self, subscriber: Any) -> None:
        reject(subscriber, "this stream is taken")


class OnceOrRaise(Once):
    def refuse(self, subscriber: Any) -> None:
        raise RuntimeError("this stream is taken")


@case("publisher", "raises in subscribe for the second Subscriber", must="1.9", may="1.10")
def raises_for_the_second(elements: int) -> Source:
    return OnceOrRaise(elements)


class OnceOrError(Once):
    def refuse(self, subscriber: Any) -> None:
        subscriber.on_error(RuntimeError("this stream is taken"))


@case("publisher", "refuses the second Subscriber without on_subscribe", must="1.9", may="1.10")
def rejects_without_on_subscribe(elements: int) -> Source:
    return OnceOrError(elements)


class OnceOrNothing(Once):
    def refuse(self, subscriber: Any) -> None:
        pass


@case("publisher", "does not answer the second Subscriber at all", must="1.9", may="1.10")
def ignores_the_second(elements: int) -> Source:
    return OnceOrNothing(elements)


class OverForAll(Stream):
    def __init__(self, elements: int, subscriber: Any, *, home: dict[str, bool]) -> None:
        super().__init__(elements, subscriber)
        self.home = home
        self.over = home.get("over", False)

    def closed(self) -> None:
        self.home["over"] = True


@case(
    "publisher",
    "keeps the flag that it is over in the Publisher, so later Subscribers hear nothing",
    must="1.10",
    may="1.5 3.8",
)
def over_for_all_that_follow(elements: int) -> Source:
    return Source(elements, OverForAll, home={})


class ByEquality(Source):
    """Forgets those that are over, so that it does not keep them."""

    def __init__(self, elements: int) -> None:
        super().__init__(elements)
        self.streams: list[Stream] = []

    def open(self, subscriber: Any) -> None:
        self.streams = [stream for stream in self.streams if not stream.over]
        if any(stream.subscriber == subscriber for stream in self.streams):
            reject(subscriber, "this Subscriber is subscribed already")
            return
        stream = Stream(self.elements, subscriber)
        self.streams.append(stream)
        stream.start()


@case("publisher", "takes two Subscribers that compare equal for one", must="2.12")
def equal_subscribers_are_one(elements: int) -> Source:
    return ByEquality(elements)


class Counted(Source):
    """Knows who has subscribed, for its statistics, and keeps nobody."""

    def __init__(self, elements: int) -> None:
        super().__init__(elements)
        self.audience: WeakSet[Any] = WeakSet()

    def open(self, subscriber: Any) -> None:
        self.audience.add(subscriber)
        super().open(subscriber)


@case("publisher", "raises TypeError for Subscribers that are not hashable", must="1.9")
def subscribers_must_be_hashable(elements: int) -> Source:
    return Counted(elements)


class Unreachable(Source):
    def open(self, subscriber: Any) -> None:
        hang()
        super().open(subscriber)


@case("publisher", "subscribe waits for a server that does not answer", must="1.9", may="R.8")
def subscribe_hangs(elements: int) -> Source:
    return Unreachable(elements)


class WaitsForTheEnd(Source):
    def open(self, subscriber: Any) -> None:
        stop = released()
        worker = Worker(self.elements, subscriber)
        worker.start()
        while not stop.is_set() and worker.thread is not None and worker.thread.is_alive():
            worker.thread.join(0.05)


@case("publisher", "subscribe joins its worker, until the stream is over", must="1.9", may="R.8")
def subscribe_waits_for_the_worker(elements: int) -> Source:
    return WaitsForTheEnd(elements)
