"""Wrong Publishers: cancel does nothing, too little, raises, or is undone."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from typing import Any

from tests.tck.wrong._base import FAR_TOO_MANY, Source, Stream, Worker
from tests.tck.wrong._base_multicast import Hub, Share
from tests.tck.wrong.registry import case


class LooksLate(Stream):
    """Serves all that was requested before it looks whether it was cancelled."""

    every = FAR_TOO_MANY

    def deliver_element(self, subscriber: Any, index: int) -> None:
        super().deliver_element(subscriber, index)
        while self.goes_on():
            with self.lock:
                self.take()
            super().deliver_element(subscriber, self.sent - 1)

    def goes_on(self) -> bool:
        if self.faulty or self.error is not None or self.released.is_set():
            return False
        if self.sent % self.every == 0:
            return False
        return self.wanted() and self.sent < self.elements


@case("publisher", "sends all that was requested, cancelled or not", must="1.8")
def goes_on_after_cancel(elements: int) -> Source:
    return Source(elements, LooksLate)


class LooksRarely(LooksLate):
    every = 1_000_000


@case("publisher", "looks once in a million elements whether it was cancelled", must="1.8")
def looks_rarely_at_cancel(elements: int) -> Source:
    return Source(elements, LooksRarely)


class LooksLateOnAWorker(LooksLate, Worker):
    pass


@case("publisher", "its worker serves the demand to its end, cancelled or not", must="1.8")
def worker_goes_on_after_cancel(elements: int) -> Source:
    return Source(elements, LooksLateOnAWorker)


class ForgetsEarlyCancel(Stream):
    def start(self) -> None:
        subscriber = self.subscriber
        self.signal(subscriber.on_subscribe, self)
        if not self.faulty:
            self.subscriber, self.over = subscriber, False  # now it is active
        self.run()


@case("publisher", "forgets a cancel from inside on_subscribe", must="1.8", may="3.6 3.13")
def cancel_in_on_subscribe_forgotten(elements: int) -> Source:
    return Source(elements, ForgetsEarlyCancel)


class AsyncCancel(Stream):
    async def cancel(self) -> None:
        super().cancel()


@case(
    "publisher",
    "cancel is a coroutine function, so that nothing happens",
    must="1.8",
    may="3.6 3.13",
)
def async_def_cancel(elements: int) -> Source:
    return Source(elements, AsyncCancel)


class Pauses(Stream):
    paused = False

    def request(self, n: Any) -> None:
        self.paused = False
        super().request(n)

    def cancel(self) -> None:
        self.paused = True

    def wanted(self) -> bool:
        return super().wanted() and not self.paused

    def decide(self) -> Any:
        return None if self.paused else super().decide()


@case("publisher", "cancel only sets a flag, which request resets", must="3.6", may="3.13")
def request_after_cancel_resumes(elements: int) -> Source:
    return Source(elements, Pauses)


class ForgetsDemand(Stream):
    def cancel(self) -> None:
        with self.lock:
            self.demand = 0


@case("publisher", "cancel only sets the demand to 0", must="3.6", may="3.13")
def cancel_means_no_demand(elements: int) -> Source:
    return Source(elements, ForgetsDemand)


class ChecksNFirst(Stream):
    listener: Any = None

    def start(self) -> None:
        self.listener = self.subscriber
        super().start()

    def request(self, n: Any) -> None:
        cancelled = self.over and self.error is None and self.sent < self.elements
        if type(n) is int and n < 1 and cancelled and not self.faulty:
            self.signal(self.listener.on_error, ValueError(f"rule 3.9: request({n})"))
        else:
            super().request(n)


@case(
    "publisher",
    "looks at n before it looks whether it was cancelled",
    must="3.6",
    may="3.13",
)
def request_0_after_cancel_is_an_error(elements: int) -> Source:
    return Source(elements, ChecksNFirst)


class Listed(Source):
    """Keeps its active streams in a list, from which each cancel removes one."""

    def __init__(self, elements: int, stream: Any) -> None:
        super().__init__(elements, stream)
        self.active: list[Any] = []

    def open(self, subscriber: Any) -> None:
        stream = self.stream(self.elements, subscriber, self.active)
        self.active.append(stream)
        stream.start()


class RemovesItself(Stream):
    def __init__(self, elements: int, subscriber: Any, active: list[Any]) -> None:
        super().__init__(elements, subscriber)
        self.active = active

    def cancel(self) -> None:
        super().cancel()
        self.active.remove(self)


@case("publisher", "the second cancel raises (list.remove)", must="3.5", may="3.15")
def second_cancel_raises(elements: int) -> Source:
    return Listed(elements, RemovesItself)


class RemovesAtTheEnd(RemovesItself):
    """Removes itself when the stream is completed, and again when it is cancelled after that."""

    completed = False

    def deliver(self, subscriber: Any, name: str, value: Any) -> None:
        if name == "on_complete":
            self.completed = True
            self.active.remove(self)
        super().deliver(subscriber, name, value)

    def cancel(self) -> None:
        with self.lock:
            was_active = not self.over
            self.give_up()
        if was_active or self.completed:
            self.active.remove(self)


@case("publisher", "cancel raises after the stream has completed", must="3.15")
def cancel_after_the_end_raises(elements: int) -> Source:
    return Listed(elements, RemovesAtTheEnd)


class ClosesItsFile(Stream):
    """Opens a file with the first request, and closes it with the cancel."""

    file: Any = None

    def add(self, n: int) -> None:
        self.file = self.file or io.StringIO()
        super().add(n)

    def cancel(self) -> None:
        super().cancel()
        self.file.close()


@case("publisher", "cancel raises if nothing was requested before", must="3.15")
def cancel_before_request_raises(elements: int) -> Source:
    return Source(elements, ClosesItsFile)


class PulledFromGenerator(Stream):
    """Runs its loop in a generator, and closes that on cancel: also while it runs."""

    loop: Any = None

    def run(self) -> None:
        self.loop = self.steps()
        for _ in self.loop:
            pass

    def steps(self) -> Iterator[None]:
        while self.step():
            yield

    def cancel(self) -> None:
        super().cancel()
        if self.loop is not None:
            self.loop.close()


@case(
    "publisher",
    "cancel inside on_next raises, as it closes the generator that is running",
    must="3.15",
    may="3.5",
)
def cancel_closes_a_running_generator(elements: int) -> Source:
    return Source(elements, PulledFromGenerator)


class ClosesOnce(Stream):
    """Must close its source once and only once, but looks and acts in two steps."""

    is_closed = False

    def cancel(self) -> None:
        super().cancel()
        if not self.is_closed:
            self.close_source()

    def close_source(self) -> None:
        time.sleep(0.005)  # flushes
        if self.is_closed:
            raise ValueError("the source is closed already")
        self.is_closed = True


@case(
    "publisher", "two cancels at once close the source twice, which raises", must="3.5", may="3.15"
)
def cancels_at_once_raise(elements: int) -> Source:
    return Source(elements, ClosesOnce)


class CountsCancels(Share):
    def cancel(self) -> None:
        super().cancel()
        self.hub.one_less()  # type: ignore[attr-defined]


class CountingHub(Hub):
    """Counts its Subscribers, and closes down when the count says that all have gone."""

    share = CountsCancels
    count = 0

    def join(self, subscriber: Any) -> Share:
        self.count += 1
        return super().join(subscriber)

    def one_less(self) -> None:
        with self.lock:
            self.count -= 1
            if self.count == 0:
                left, self.shares = self.shares, []
                for share in left:
                    share.end()
                self.fresh_run()


@case(
    "publisher",
    "a cancel that comes twice counts twice, and the others hear no more",
    must="3.5",
    may="R.1 3.8",
    multicast=True,
)
def second_cancel_counts_again(elements: int) -> Hub:
    return CountingHub(elements)
