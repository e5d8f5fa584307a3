"""What type checkers accept. Checked by tests/test_api.py, never run."""

from typing import Any, TypeVar, assert_type

import penstock
from penstock import UNBOUNDED, Flow, Processor, Publisher, Run, Subscriber, Subscription, threads
from penstock.testing import ManualPublisher, Probe

T = TypeVar("T")


class Line(Subscription):
    def request(self, n: int) -> None: ...

    def cancel(self) -> None: ...


class Numbers(Publisher[int]):
    def subscribe(self, subscriber: Subscriber[int]) -> None:
        subscriber.on_subscribe(Line())
        subscriber.on_next(1)


class Anything(Subscriber[object]):
    def on_subscribe(self, subscription: Subscription) -> None:
        subscription.request(UNBOUNDED)

    def on_next(self, element: object) -> None: ...

    def on_error(self, error: Exception) -> None: ...

    def on_complete(self) -> None: ...


class Length(Processor[str, int]):
    """Goes on from a Subscriber[str] to a Publisher[int]."""

    def subscribe(self, subscriber: Subscriber[int]) -> None: ...

    def on_subscribe(self, subscription: Subscription) -> None: ...

    def on_next(self, element: str) -> None: ...

    def on_error(self, error: Exception) -> None: ...

    def on_complete(self) -> None: ...


# Of no base class, with names and defaults of their own.


class ForeignLine:
    def request(self, amount: int = 1) -> None: ...

    def cancel(self, reason: str = "") -> None: ...


class ForeignNumbers:
    def subscribe(self, sink: Subscriber[int], *, eager: bool = False) -> None:
        sink.on_subscribe(ForeignLine())


class ForeignSink:
    def on_subscribe(self, source: Subscription) -> None: ...

    def on_next(self, value: int, is_complete: bool = False) -> None: ...

    def on_error(self, exc: BaseException, /) -> None: ...

    def on_complete(self, *_: object) -> None: ...


class ForeignStage(ForeignSink):
    def subscribe(self, sink: Subscriber[str]) -> None: ...


subscription: Subscription = ForeignLine()
publisher: Publisher[int] = ForeignNumbers()
subscriber: Subscriber[int] = ForeignSink()
stage: Processor[int, str] = ForeignStage()

# What a Publisher sends may be less general, what a Subscriber takes more general.

sends_objects: Publisher[object] = Numbers()
takes_numbers: Subscriber[int] = Anything()
takes_flags: Subscriber[bool] = subscriber
wider: Processor[str, object] = Length()
upper: Subscriber[str] = Length()
lower: Publisher[int] = Length()
publisher.subscribe(Anything())
ForeignNumbers().subscribe(ForeignSink())
Numbers().subscribe(ForeignSink())

# What is inferred.


def first_of(publisher: Publisher[T]) -> T:
    return Probe(publisher).next()


def taken_by(subscriber: Subscriber[T]) -> list[T]:
    return [*vars(subscriber).values()]


assert_type(first_of(ForeignNumbers()), int)
assert_type(first_of(Length()), int)
assert_type(taken_by(Anything()), list[object])
assert_type(taken_by(Length()), list[str])


def element_of(publisher: Publisher[int]) -> Probe[int]:
    probe = Probe(publisher)
    assert_type(probe, Probe[int])
    assert_type(probe.next(), int)
    assert_type(probe.elements, list[int])
    probe.expect_next(1, True)
    return probe


def narrowed(thing: Publisher[int] | Subscription | None) -> None:
    if isinstance(thing, Publisher):
        thing.subscribe(Anything())
    elif isinstance(thing, Subscription):
        thing.request(1)
    else:
        assert_type(thing, None)


# The parties that a test drives.

manual = ManualPublisher[str]()
manual.subscribe(Probe[str]())
manual.subscribe(Anything())
manual.emit("a", "b")
manual_as_publisher: Publisher[object] = manual
probe_as_subscriber: Subscriber[bool] = Probe[int]()
assert_type(manual.expect_subscriber(), Subscriber[str])
assert_type(manual.expect_request(), int)
assert_type(Probe[int]().expect_error(), Exception)
assert_type(Probe[int]().expect_error(ValueError, "3.9"), ValueError)
assert_type(Probe[int]().error, Exception | None)


def keep(error: BaseException, where: str) -> None: ...


penstock.on_dropped_error = keep
untyped: Any = object()
Numbers().subscribe(untyped)


# Flows: what an operator gives follows from the functions it is given.


def length(text: str) -> int:
    return len(text)


flow = Flow.of("a", "bb")
assert_type(flow, Flow[str])
assert_type(flow.map(length), Flow[int])
assert_type(flow.map(length).filter(bool).chunk(2), Flow[list[int]])
assert_type(flow.zip(flow.map(length)), Flow[tuple[str, int]])
assert_type(flow.enumerate().on(threads(1)), Flow[tuple[int, str]])
assert_type(flow.map(length).sum(), Run[int])
assert_type(flow.to_list().result(), list[str])
assert_type(flow.fold(0, lambda total, text: total + length(text)), Run[int])
objects: Flow[object] = flow  # a description of a stream of str is one of objects
source: Publisher[str] = flow
assert_type(Flow.from_publisher(source), Flow[str])
