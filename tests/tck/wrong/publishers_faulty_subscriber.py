"""Wrong Publishers: they go on with a Subscriber that has raised."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import penstock
from tests.tck.wrong._base import Source, Stream, Worker, spawn
from tests.tck.wrong.registry import case


class TellsItsError(Stream):
    """Has one `try` around both the source and the Subscriber."""

    def deliver_element(self, subscriber: Any, index: int) -> None:
        try:
            subscriber.on_next(self.pull(index))
        except Exception as error:  # noqa: BLE001 - that is the defect
            self.fail(subscriber, error)


@case("publisher", "a Subscriber that raised in on_next gets that as on_error", must="2.13")
def raiser_gets_on_error(elements: int) -> Source:
    return Source(elements, TellsItsError)


class SkipsErrors(Stream):
    def signal(self, method: Callable[..., Any], *args: Any) -> None:
        try:
            method(*args)
        except Exception as error:  # noqa: BLE001 - that is the defect
            penstock.on_dropped_error(error, "a Subscriber; the next element may go better")


@case("publisher", "logs what a Subscriber raised, and sends the next element", must="2.13")
def raiser_gets_the_next(elements: int) -> Source:
    return Source(elements, SkipsErrors)


class SkipsErrorsOnAWorker(SkipsErrors, Worker):
    pass


@case("publisher", "its worker logs what a Subscriber raised, and goes on", must="2.13")
def raiser_gets_the_next_from_a_worker(elements: int) -> Source:
    return Source(elements, SkipsErrorsOnAWorker)


class CompletesFinally(Stream):
    def deliver_element(self, subscriber: Any, index: int) -> None:
        super().deliver_element(subscriber, index)
        if self.faulty:
            self.signal(subscriber.on_complete)


@case("publisher", "completes a Subscriber that raised, in a finally", must="2.13")
def raiser_gets_on_complete(elements: int) -> Source:
    return Source(elements, CompletesFinally)


class GuardsOnNextOnly(Stream):
    def start(self) -> None:
        try:
            self.subscriber.on_subscribe(self)
        except Exception as error:  # noqa: BLE001 - that is the defect
            penstock.on_dropped_error(error, "on_subscribe")
        self.run()


@case("publisher", "serves a Subscriber that raised in on_subscribe", must="2.13")
def raiser_in_on_subscribe_is_served(elements: int) -> Source:
    return Source(elements, GuardsOnNextOnly)


class TellsOnSubscribeError(Stream):
    def start(self) -> None:
        subscriber = self.subscriber
        try:
            subscriber.on_subscribe(self)
        except Exception as error:  # noqa: BLE001 - that is the defect
            self.fail(subscriber, error)
        self.run()


@case("publisher", "a Subscriber that raised in on_subscribe gets on_error", must="2.13")
def raiser_in_on_subscribe_gets_on_error(elements: int) -> Source:
    return Source(elements, TellsOnSubscribeError)


class ErrorAfterCompletion(Stream):
    def deliver(self, subscriber: Any, name: str, value: Any) -> None:
        if name != "on_complete":
            super().deliver(subscriber, name, value)
            return
        try:
            subscriber.on_complete()
        except Exception as error:  # noqa: BLE001 - that is the defect
            self.signal(subscriber.on_error, error)


@case(
    "publisher",
    "a Subscriber that raised in on_complete gets that as on_error",
    must="1.7",
    may="2.13",
)
def raiser_in_on_complete_gets_on_error(elements: int) -> Source:
    return Source(elements, ErrorAfterCompletion)


class ErrorAfterError(Stream):
    def deliver(self, subscriber: Any, name: str, value: Any) -> None:
        super().deliver(subscriber, name, value)
        if name == "on_error" and self.faulty:
            self.signal(subscriber.on_error, RuntimeError("on_error failed"))


@case(
    "publisher",
    "a Subscriber that raised in on_error gets on_error again",
    must="1.7",
    may="2.13",
)
def raiser_in_on_error_gets_another(elements: int) -> Source:
    return Source(elements, ErrorAfterError)


class Supervised(Worker):
    """A supervisor starts its worker anew when that has died of an exception."""

    def deliver_element(self, subscriber: Any, index: int) -> None:
        try:
            subscriber.on_next(self.pull(index))
        except Exception as error:
            penstock.on_dropped_error(error, "its worker, which is started anew")
            self.thread = spawn(self.run)
            raise SystemExit from error


@case(
    "publisher",
    "starts its worker anew when that died of what the Subscriber raised",
    must="2.13",
)
def raiser_is_served_by_a_new_worker(elements: int) -> Source:
    return Source(elements, Supervised)
