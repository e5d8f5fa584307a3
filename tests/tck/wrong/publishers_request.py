"""Wrong Publishers: requests that do nothing, too little, or too deep."""

from __future__ import annotations

from typing import Any

from penstock import UNBOUNDED
from tests.tck.wrong._base import Nesting, Signal, Source, Stream, Worker
from tests.tck.wrong.registry import case


class Deaf(Stream):
    def add(self, n: int) -> None:
        pass


@case("publisher", "sends nothing, whatever is requested", must="3.8", may="1.5 3.2")
def nothing_after_request(elements: int) -> Source:
    return Source(elements, Deaf)


class FirstOnly(Stream):
    asked = False

    def add(self, n: int) -> None:
        if not self.asked:
            super().add(n)
        self.asked = True


@case("publisher", "ignores all requests but the first", must="3.8", may="3.2")
def second_request_ignored(elements: int) -> Source:
    return Source(elements, FirstOnly)


class Overwrites(Stream):
    def add(self, n: int) -> None:
        self.demand = n


@case("publisher", "a request replaces the demand (= instead of +=)", must="3.8")
def requests_overwrite(elements: int) -> Source:
    return Source(elements, Overwrites)


class OverwritesOnAWorker(Worker):
    def add(self, n: int) -> None:
        self.demand = n


@case("publisher", "a request replaces the demand that its worker has not met yet", must="3.8")
def requests_overwrite_on_a_worker(elements: int) -> Source:
    return Source(elements, OverwritesOnAWorker)


class KeepsTheLargest(Stream):
    def add(self, n: int) -> None:
        self.demand = max(self.demand, n)


@case("publisher", "the largest open request counts, not the sum", must="3.8")
def largest_request_counts(elements: int) -> Source:
    return Source(elements, KeepsTheLargest)


class StartsEmpty(Stream):
    def start(self) -> None:
        self.signal(self.subscriber.on_subscribe, self)
        self.demand = 0  # all set, now it begins
        self.run()


@case("publisher", "forgets what was requested inside on_subscribe", must="3.2", may="3.8")
def forgets_requests_in_on_subscribe(elements: int) -> Source:
    return Source(elements, StartsEmpty)


class FirstBatchIsAll(Stream):
    """Has a state for the first batch, and leaves it with a clean slate."""

    first: int | None = None

    def add(self, n: int) -> None:
        super().add(n)
        if self.first is None:
            self.first = n

    def decide(self) -> Signal | None:
        if self.first == self.sent:
            self.first = -1
            self.demand = 0
        return super().decide()


@case(
    "publisher",
    "forgets what is requested while the elements of the first request are sent",
    must="3.2",
    may="3.8",
)
def first_request_in_on_next_lost(elements: int) -> Source:
    return Source(elements, FirstBatchIsAll)


class ResetsAfterBatch(Worker):
    """Reads the demand, serves it, and writes zero."""

    batch = 0

    def decide(self) -> Signal | None:
        if self.batch == 0:
            self.batch = self.demand
        return super().decide()

    def wanted(self) -> bool:
        return self.batch > 0 or self.demand > 0

    def take(self) -> None:
        self.batch -= 1
        self.sent += 1

    def deliver_element(self, subscriber: Any, index: int) -> None:
        super().deliver_element(subscriber, index)
        with self.lock:
            if self.batch == 0:
                self.demand = 0


@case(
    "publisher",
    "its worker sets the demand to 0 after each batch, whatever was requested meanwhile",
    must="3.2",
    may="3.8",
)
def requests_during_a_batch_lost(elements: int) -> Source:
    return Source(elements, ResetsAfterBatch)


class NoWakeUp(Worker):
    """Its worker looks at the demand once, and then waits for a notice that never comes."""

    def wake(self) -> None:
        if self.error is not None:
            super().wake()

    def rest(self) -> None:
        with self.lock:
            while not self.over and self.error is None and not self.at_end():
                self.news.wait(0.05)
                if self.released.is_set():
                    self.end()


@case("publisher", "request does not wake the worker once it rests", must="3.8")
def request_does_not_wake_the_worker(elements: int) -> Source:
    return Source(elements, NoWakeUp)


class OneAtATime(Stream):
    def add(self, n: int) -> None:
        super().add(1)


@case("publisher", "each request is worth one element, whatever its n", must="3.8", may="3.17")
def request_is_worth_one(elements: int) -> Source:
    return Source(elements, OneAtATime)


class AsyncRequest(Stream):
    async def request(self, n: Any) -> None:
        super().request(n)


@case(
    "publisher",
    "request is a coroutine function, so that nothing happens",
    must="3.8",
    may="1.5 3.2 3.9 R.10",
)
def async_def_request(elements: int) -> Source:
    return Source(elements, AsyncRequest)


class Recursive(Nesting):
    depth = UNBOUNDED


@case("publisher", "request sends on the spot, however deep inside on_next", must="3.3")
def naive_recursion(elements: int) -> Source:
    return Source(elements, Recursive)


class RunsItself:
    """An executor for synchronous use: runs at once what is submitted."""

    def submit(self, work: Any) -> None:
        work()


class RecursiveByExecutor(Nesting):
    depth = UNBOUNDED
    executor = RunsItself()

    def run(self) -> None:
        self.executor.submit(super().run)


@case("publisher", "each request is a task, on an executor that runs tasks at once", must="3.3")
def recursion_through_an_executor(elements: int) -> Source:
    return Source(elements, RecursiveByExecutor)


class CountsTokens(Stream):
    """Keeps a token for each element requested."""

    def __init__(self, *args: Any) -> None:
        self.tokens: list[None] = []
        super().__init__(*args)

    def add(self, n: int) -> None:
        self.tokens.extend([None] * n)

    def wanted(self) -> bool:
        return bool(self.tokens)

    def take(self) -> None:
        self.tokens.pop()
        self.sent += 1


@case("publisher", "keeps a list with a token per element requested", must="3.17", may="3.16")
def a_token_per_element(elements: int) -> Source:
    return Source(elements, CountsTokens)
