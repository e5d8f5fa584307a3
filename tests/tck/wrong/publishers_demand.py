"""Wrong Publishers: more than was asked for."""

from __future__ import annotations

from threading import get_ident
from typing import Any

from penstock import UNBOUNDED
from tests.tck.wrong._base import Source, Stream, Worker
from tests.tck.wrong.registry import case


class OneMore(Stream):
    def add(self, n: int) -> None:
        super().add(n + 1)


@case("publisher", "sends one more for each request, on the requesting thread", must="1.1")
def one_more_per_request(elements: int) -> Source:
    return Source(elements, OneMore)


class OneAhead(Worker):
    def wanted(self) -> bool:
        return self.demand >= 0


@case("publisher", "its worker is always one element ahead (>= instead of >)", must="1.1")
def one_more_from_a_worker(elements: int) -> Source:
    return Source(elements, OneAhead)


class CountsOtherThreadsTwice(Stream):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.home = get_ident()

    def add(self, n: int) -> None:
        super().add(n)
        if get_ident() != self.home:
            super().add(n)  # "posted from outside", though it has been counted already


@case("publisher", "counts requests twice that come from another thread than subscribe", must="1.1")
def requests_of_other_threads_count_twice(elements: int) -> Source:
    return Source(elements, CountsOtherThreadsTwice)


class ForgetsToSubtract(Stream):
    """Works off batches. What was asked for meanwhile is the next batch, but with the last."""

    batch = served = 0

    def decide(self) -> Any:
        if self.served == self.batch:
            if self.demand == self.batch:
                self.demand = 0
            self.batch, self.served = self.demand, 0
        return super().decide()

    def wanted(self) -> bool:
        return self.served < self.batch

    def take(self) -> None:
        self.served += 1
        self.sent += 1


@case("publisher", "sends a batch again if there was a request while it was sent", must="1.1")
def one_more_after_a_request_in_on_next(elements: int) -> Source:
    return Source(elements, ForgetsToSubtract)


class FlushesTheLast(Stream):
    def wanted(self) -> bool:
        return self.demand > 0 or 0 < self.sent == self.elements - 1


@case("publisher", "sends the last element together with the end, asked for or not", must="1.1")
def one_more_at_the_end(elements: int) -> Source:
    return Source(elements, FlushesTheLast)


class Pushes(Stream):
    def start(self) -> None:
        self.demand = UNBOUNDED
        super().start()


@case("publisher", "pushes all it has as soon as someone subscribes", must="1.1")
def pushes_without_being_asked(elements: int) -> Source:
    return Source(elements, Pushes)


class PushesFromAWorker(Worker):
    def wanted(self) -> bool:
        return True


@case("publisher", "its worker pushes all it has, like a socket that is read", must="1.1")
def pushes_from_a_worker(elements: int) -> Source:
    return Source(elements, PushesFromAWorker)


class EverythingAfterTheFirstRequest(Stream):
    def add(self, n: int) -> None:
        self.demand = UNBOUNDED


@case("publisher", "takes the first request as the signal to send everything", must="1.1")
def request_means_everything(elements: int) -> Source:
    return Source(elements, EverythingAfterTheFirstRequest)


class SharesDemand(Stream):
    """Keeps the demand where all subscriptions of its Publisher find it."""

    def __init__(self, elements: int, subscriber: Any, *, home: dict[str, int]) -> None:
        self.home = home
        left = home.get("demand", 0)
        super().__init__(elements, subscriber)
        self.demand = left

    @property
    def demand(self) -> int:
        return self.home["demand"]

    @demand.setter
    def demand(self, value: int) -> None:
        self.home["demand"] = value


@case("publisher", "keeps the demand in the Publisher, where it outlives a cancel", must="1.1")
def demand_left_over_from_another_subscriber(elements: int) -> Source:
    return Source(elements, SharesDemand, home={})


class MeasuresDemandInPages(Stream):
    def add(self, n: int) -> None:
        super().add(-(-n // 10) * 10 if n > 10 else n)


@case("publisher", "rounds requests of more than ten up to full pages of ten", must="1.1")
def rounds_up_to_pages(elements: int) -> Source:
    return Source(elements, MeasuresDemandInPages)
