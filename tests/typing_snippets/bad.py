"""What type checkers refuse, line by line. Checked by tests/test_api.py, never run."""

from penstock import Flow, Processor, Publisher, Subscriber, Subscription
from penstock.testing import ManualPublisher, Probe


class Numbers(Publisher[int]):
    def subscribe(self, subscriber: Subscriber[int]) -> None: ...


class Sink(Subscriber[int]):
    def on_subscribe(self, subscription: Subscription) -> None: ...

    def on_next(self, element: int) -> None: ...

    def on_error(self, error: Exception) -> None: ...

    def on_complete(self) -> None: ...


class Stage(Sink, Processor[int, str]):
    def subscribe(self, subscriber: Subscriber[str]) -> None: ...


def use(numbers: Publisher[int], sink: Subscriber[int], objects: Publisher[object]) -> None:
    _flags: Publisher[bool] = numbers  # refused: it may send other ints
    _anything: Subscriber[object] = sink  # refused: it can't take other objects
    objects.subscribe(sink)  # refused: it is sent what is no int
    numbers.subscribe(None)  # refused: rule 1.9
    numbers.subscribe(numbers)  # refused: that is no Subscriber
    numbers.subscribe(subscriber=sink)  # refused: foreign ones call it otherwise
    sink.on_next("a")  # refused
    sink.on_next(None)  # refused: None is never an element
    sink.on_next(1, True)  # refused: only foreign ones take more
    sink.on_error("a")  # refused
    sink.on_error(KeyboardInterrupt())  # refused: that is no Exception
    sink.on_error(ValueError)  # refused: a class is no exception
    sink.on_complete(None)  # refused
    sink.on_subscribe(numbers)  # refused


def ask(subscription: Subscription) -> None:
    subscription.request()  # refused
    subscription.request(1.5)  # refused: R.10
    subscription.request("1")  # refused
    subscription.request(n=1)  # refused: foreign ones call it otherwise
    subscription.cancel(1)  # refused


def exchange(stage: Processor[int, str]) -> None:
    _wider_in: Processor[object, str] = stage  # refused
    _narrower_out: Processor[int, bool] = stage  # refused
    _swapped: Processor[str, int] = stage  # refused
    stage.subscribe(Sink())  # refused: it sends str


# Classes that lack something, or have it otherwise.


class NoCancel:
    def request(self, n: int) -> None: ...


class NoComplete(Subscriber[int]):
    def on_subscribe(self, subscription: Subscription) -> None: ...

    def on_next(self, element: int) -> None: ...

    def on_error(self, error: Exception) -> None: ...


class OfNeedMore:
    def on_subscribe(self, subscription: Subscription) -> None: ...

    def on_next(self, element: int, is_complete: bool) -> None: ...

    def on_error(self, error: Exception) -> None: ...

    def on_complete(self) -> None: ...


class Async:
    async def subscribe(self, subscriber: Subscriber[int]) -> None: ...


class TakesText(Subscriber[int]):
    def on_subscribe(self, subscription: Subscription) -> None: ...

    def on_next(self, element: str) -> None: ...  # refused: it says that it takes int

    def on_error(self, error: ValueError) -> None: ...  # refused: there are other errors

    def on_complete(self) -> None: ...


class SendsOther(Publisher[int]):
    def subscribe(self, subscriber: Subscriber[str]) -> None: ...  # refused


no_cancel: Subscription = NoCancel()  # refused
no_complete = NoComplete()  # refused: on_complete is abstract
more: Subscriber[int] = OfNeedMore()  # refused: is_complete has no default
later: Publisher[int] = Async()  # refused: a call of it does nothing
half: Processor[int, int] = Sink()  # refused: it can't be subscribed to
other: Publisher[int] = Stage()  # refused: it sends str
bare = Subscription()  # refused

# The parties that a test drives.

probe: Probe[str] = Probe(Numbers())  # refused
text: str = Probe(Numbers()).next()  # refused
Probe(Numbers()).expect_next("a")  # refused
Probe[int]().expect_error(KeyboardInterrupt)  # refused
ManualPublisher[str]().emit(1)  # refused
ManualPublisher[str]().subscribe(Sink())  # refused
ManualPublisher[str]().error("a")  # refused

# Flows.

Flow.of(1).map(len)  # refused: an int has no length
Flow.of("a").on(3)  # refused
numbers: Flow[int] = Flow.of("a")  # refused
result: str = Flow.of(1).count().result()  # refused
