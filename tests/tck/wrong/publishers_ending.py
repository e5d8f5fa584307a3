"""Wrong Publishers: ends that are missing, late, wrong or not the end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from tests.tck.wrong._base import Source, Stream, Worker, hang, submit
from tests.tck.wrong.registry import case


class CompletesTwice(Stream):
    def deliver(self, subscriber: Any, name: str, value: Any) -> None:
        super().deliver(subscriber, name, value)
        if name == "on_complete" and not self.faulty:
            self.signal(subscriber.on_complete)  # the loop and its `finally` both do it


@case("publisher", "completes twice, in the loop and in its finally", must="1.7")
def completes_twice(elements: int) -> Source:
    return Source(elements, CompletesTwice)


class NeverCompletes(Stream):
    def decide(self) -> Any:
        return None if self.at_end() and self.error is None else super().decide()


@case("publisher", "never completes", must="1.5", may="R.4")
def never_completes(elements: int) -> Source:
    return Source(elements, NeverCompletes)


class NeverCompletesEmpty(Stream):
    def decide(self) -> Any:
        nothing = self.elements == 0 and self.error is None
        return None if nothing else super().decide()


@case("publisher", "never completes a stream of no elements", must="1.5", may="R.4")
def never_completes_an_empty_stream(elements: int) -> Source:
    return Source(elements, NeverCompletesEmpty)


class CompletesOnlyAsked(Stream):
    """Looks for the end where it would send the next element."""

    def at_end(self) -> bool:
        return super().at_end() and self.wanted()


@case("publisher", "completes only when asked for one more", must="R.4", knows_length=True)
def completes_late(elements: int) -> Source:
    return Source(elements, CompletesOnlyAsked)


class CompletesTooSoon(Stream):
    """Looks one ahead, and completes on finding nothing there."""

    def step(self) -> bool:
        with self.lock:
            last = self.sent == self.elements - 1 and self.wanted() and self.error is None
            if not last or self.over:
                last = False
            else:
                subscriber, held = self.subscriber, self.sent
                self.end()
        if not last:
            return super().step()
        self.signal(subscriber.on_complete)
        if not self.faulty:
            self.signal(subscriber.on_next, held)
        return True


@case("publisher", "looks ahead, and completes before it has sent what it holds", must="1.7")
def on_next_after_on_complete(elements: int) -> Source:
    return Source(elements, CompletesTooSoon)


class ClosesBadly(Stream):
    def deliver(self, subscriber: Any, name: str, value: Any) -> None:
        super().deliver(subscriber, name, value)
        if name == "on_complete" and not self.faulty:
            self.signal(subscriber.on_error, OSError("closing the source failed"))


@case("publisher", "signals on_error when closing the source fails after the end", must="1.7")
def on_error_after_on_complete(elements: int) -> Source:
    return Source(elements, ClosesBadly)


class RequestCompletes(Stream):
    """Has `request` answer with the end when there is nothing left."""

    def end(self) -> None:
        if self.sent < self.elements or self.error is not None:
            self.subscriber = None
        self.over = True

    def cancel(self) -> None:
        super().cancel()
        self.subscriber = None

    def request(self, n: Any) -> None:
        with self.lock:
            listener = self.subscriber if self.over else None
        if listener is not None:
            self.signal(listener.on_complete)
        else:
            super().request(n)


@case("publisher", "completes again for each request after the end", must="1.7")
def completes_again_on_request(elements: int) -> Source:
    return Source(elements, RequestCompletes)


class FinallyCompletes(Stream):
    def fail(self, subscriber: Any, error: Exception) -> None:
        super().fail(subscriber, error)
        if not self.faulty:
            self.signal(subscriber.on_complete)


@case(
    "publisher",
    "completes in a finally, also after an error",
    must="1.7",
    failed=lambda: Source(5, FinallyCompletes, fails_at=0),
)
def on_complete_after_on_error(elements: int) -> Source:
    return Source(elements)


class GoesOnAfterError(Stream):
    def fail(self, subscriber: Any, error: Exception) -> None:
        self.signal(subscriber.on_error, error)  # and then the next one


@case(
    "publisher",
    "skips the element that failed, after on_error, and goes on",
    must="1.7",
    failed=lambda: Source(5, GoesOnAfterError, fails_at=0),
)
def goes_on_after_an_error(elements: int) -> Source:
    return Source(elements)


class TakesErrorsForTheEnd(Stream):
    def fail(self, subscriber: Any, error: Exception) -> None:
        with self.lock:
            self.end()
        self.signal(subscriber.on_complete)


@case(
    "publisher",
    "a source that breaks just ends the stream",
    must="1.4",
    failed=lambda: Source(5, TakesErrorsForTheEnd, fails_at=0),
)
def errors_become_completion(elements: int) -> Source:
    return Source(elements)


class Mapped(Stream):
    """Pulls from `map(function, source)`, and takes every StopIteration for the end."""

    def deliver_element(self, subscriber: Any, index: int) -> None:
        source: Iterator[Any] = map(self.function, (index,))
        try:
            element = next(source)
        except StopIteration:
            with self.lock:
                self.end()
            self.signal(subscriber.on_complete)
        else:
            self.signal(subscriber.on_next, element)

    def function(self, index: int) -> Any:
        if index == self.fails_at:
            next(iter(()))  # the user's slip
        return index


@case(
    "publisher",
    "takes a StopIteration out of the user's function for the end of the source",
    must="1.4",
    failed=lambda: Source(5, Mapped, fails_at=0),
)
def stop_iteration_becomes_completion(elements: int) -> Source:
    return Source(elements, Mapped)


class FailsInAFuture(Stream):
    """Runs on an executor, whose future keeps what is raised, and nobody looks at it."""

    def start(self) -> None:
        self.signal(self.subscriber.on_subscribe, self)
        submit(self.run)

    def wake(self) -> None:
        with self.lock:
            if self.busy:
                return
            self.busy = True
        submit(self.run)

    def fail(self, subscriber: Any, error: Exception) -> None:
        raise error


@case(
    "publisher",
    "an error of the source stays in the future of an executor",
    must="1.4",
    failed=lambda: Source(5, FailsInAFuture, fails_at=0),
)
def errors_stay_in_a_future(elements: int) -> Source:
    return Source(elements, Worker)


class FailsInSubscribe(Source):
    def open(self, subscriber: Any) -> None:
        raise OSError("can't connect")


@case(
    "publisher",
    "raises out of subscribe that it can't connect",
    must="1.9",
    may="1.4",
    failed=lambda: FailsInSubscribe(5),
)
def errors_leave_subscribe(elements: int) -> Source:
    return Source(elements)


class FailsInRequest(Stream):
    def fail(self, subscriber: Any, error: Exception) -> None:
        self.cancel()
        raise error


@case(
    "publisher",
    "raises out of request that the source is broken",
    must="3.16",
    may="1.4 1.9",  # what on_subscribe requests is sent when that has returned, by subscribe
    failed=lambda: Source(5, FailsInRequest, fails_at=0),
)
def errors_leave_request(elements: int) -> Source:
    return Source(elements)


class CancelledInside(Stream):
    def pull(self, index: int) -> Any:
        raise asyncio.CancelledError  # no Exception, so it passes by `except Exception`


@case(
    "publisher",
    "lets a CancelledError of its source pass, out of request",
    must="3.16",
    may="1.4 1.9",  # what on_subscribe requests is sent when that has returned, by subscribe
    failed=lambda: Source(5, CancelledInside),
)
def cancelled_error_leaves_request(elements: int) -> Source:
    return Source(elements)


def failing_with(error: Any) -> Source:
    class Fails(Stream):
        def fail(self, subscriber: Any, _: Exception) -> None:
            super().fail(subscriber, error)

    return Source(5, Fails, fails_at=0)


@case(
    "publisher",
    "on_error gets the text of the error",
    must="1.4",
    failed=lambda: failing_with("the source is broken"),
)
def on_error_with_a_text(elements: int) -> Source:
    return Source(elements)


@case(
    "publisher",
    "on_error gets the class of the error",
    must="1.4",
    failed=lambda: failing_with(OSError),
)
def on_error_with_a_class(elements: int) -> Source:
    return Source(elements)


@case(
    "publisher",
    "on_error gets the CancelledError of a task, which is no Exception",
    must="1.4",
    failed=lambda: failing_with(asyncio.CancelledError()),
)
def on_error_with_a_cancelled_error(elements: int) -> Source:
    return Source(elements)


@case(
    "publisher",
    "on_error(None), as in sys.exc_info() outside an except",
    must="2.13",
    may="1.4",
    failed=lambda: failing_with(None),
)
def on_error_with_none(elements: int) -> Source:
    return Source(elements)


class TriesAgain(Stream):
    def deliver_element(self, subscriber: Any, index: int) -> None:
        while not self.over and index == self.fails_at and not self.released.is_set():
            hang(0.05)  # "the next attempt may go better"
        super().deliver_element(subscriber, index)


class TriesAgainOnAWorker(TriesAgain, Worker):
    pass


@case(
    "publisher",
    "retries a source that is broken for ever, in silence",
    must="1.4",
    failed=lambda: Source(5, TriesAgainOnAWorker, fails_at=0),
)
def errors_are_retried_for_ever(elements: int) -> Source:
    return Source(elements)
