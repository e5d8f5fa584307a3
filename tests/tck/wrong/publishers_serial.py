"""Wrong Publishers: two signals at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tests.tck.wrong._base import Source, Stream, Worker, bad, spawn, submit
from tests.tck.wrong.registry import case


class TwoWorkers(Worker):
    in_flight = 0

    def start(self) -> None:
        super().start()
        if not self.over:
            spawn(self.run)

    def must_wait(self) -> bool:
        """Say whether it is at an end that has to wait for the other's element."""
        return self.in_flight > 0 and (self.error is not None or self.at_end())

    def decide(self) -> Any:
        return None if self.must_wait() else super().decide()

    def can_go_on(self) -> bool:
        return not self.must_wait() and super().can_go_on()

    def take(self) -> None:
        super().take()
        self.in_flight += 1

    def deliver_element(self, subscriber: Any, index: int) -> None:
        super().deliver_element(subscriber, index)
        with self.lock:
            self.in_flight -= 1
            self.news.notify_all()


@case("publisher", "two threads of a pool signal side by side", must="1.3", may="2.13")
def two_workers(elements: int) -> Source:
    return Source(elements, TwoWorkers)


class EachRequestIsATask(Stream):
    """Has a pool of several threads work off its requests."""

    def wake(self) -> None:
        submit(self.run)


@case(
    "publisher",
    "each request is a task of its own on a pool of several threads",
    must="1.3",
    may="1.7 2.13",  # an end overtakes an element; on_next runs when on_subscribe raises
)
def each_request_is_a_task(elements: int) -> Source:
    return Source(elements, EachRequestIsATask)


class CompletedByAnother(Worker):
    """A second thread watches the source, and completes when that has nothing left."""

    def start(self) -> None:
        super().start()
        if not self.over:
            spawn(self.complete)

    def decide(self) -> Any:
        at_end = self.sent == self.elements and self.error is None
        return None if at_end else super().decide()

    def can_go_on(self) -> bool:
        return self.error is not None or (self.wanted() and not self.at_end())

    def take(self) -> None:
        super().take()
        self.news.notify_all()

    def complete(self) -> None:
        with self.lock:
            while not self.over and not self.at_end():
                self.news.wait(0.05)
            if self.over:
                return
            subscriber = self.subscriber
            self.end()
        self.signal(subscriber.on_complete)


@case(
    "publisher",
    "completes on another thread as soon as the last element is taken from the source",
    must="1.3",
    may="1.7",
)
def on_complete_while_on_next_runs(elements: int) -> Source:
    return Source(elements, CompletedByAnother)


class StartsOnRequest(Worker):
    """Starts its worker with the first request, which may come from inside on_subscribe."""

    def start(self) -> None:
        self.signal(self.subscriber.on_subscribe, self)
        self.wake()

    def wake(self) -> None:
        with self.lock:
            if self.thread is None and not self.over:
                self.thread = spawn(self.run)
            self.news.notify_all()


@case(
    "publisher",
    "its worker sends while on_subscribe is still running",
    must="1.3",
    may="2.13",  # on_next runs when on_subscribe raises
)
def on_next_while_on_subscribe_runs(elements: int) -> Source:
    return Source(elements, StartsOnRequest)


@case(
    "publisher",
    "the thread that connects reports a failure while on_subscribe is still running",
    must="1.3",
    failed=lambda: Source(5, StartsOnRequest, fails_at=0),
)
def on_error_while_on_subscribe_runs(elements: int) -> Source:
    return Source(elements, Worker)


class AnswersAtOnce(Worker):
    def accept(self, n: Any) -> None:
        if type(n) is int and n > 0:
            super().accept(n)
            return
        subscriber = self.subscriber
        self.end()
        self.answer = lambda: subscriber.on_error(bad(n))

    answer: Callable[[], None] | None = None

    def wake(self) -> None:
        super().wake()
        answer, self.answer = self.answer, None
        if answer is not None:
            self.signal(answer)


@case(
    "publisher",
    "answers a wrong request at once, though its worker is in on_next",
    must="1.3",
    may="1.7",
)
def on_error_while_on_next_runs(elements: int) -> Source:
    return Source(elements, AnswersAtOnce)


class ServesOnTheSpot(Worker):
    """A request is served on its own thread, and what that does not do is the worker's."""

    serving = False

    def wake(self) -> None:
        with self.lock:
            here = self.thread not in (None, threading.current_thread()) and not self.serving
            self.serving = self.serving or here
        if here:
            self.step()
            self.serving = False
        super().wake()


@case(
    "publisher",
    "serves a request on its thread, as a short cut, while the worker still sends",
    must="1.3",
    may="1.7",
)
def short_cut_past_the_worker(elements: int) -> Source:
    return Source(elements, ServesOnTheSpot)
