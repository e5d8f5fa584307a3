"""Wrong multicast Publishers, and elements that are none."""

from __future__ import annotations

from typing import Any

from tests.tck.wrong._base import Source, Stream
from tests.tck.wrong._base_multicast import Choir, Hub, Seat, Share
from tests.tck.wrong.registry import case


class NoneInBetween(Stream):
    def pull(self, index: int) -> Any:
        return {0: "a", 1: "b"}.get(index) if index < 3 else index


@case("publisher", "sends None for what it could not find", must="2.13")
def none_as_an_element(elements: int) -> Source:
    return Source(elements, NoneInBetween)


class DealsOut(Hub):
    """All pull from one iterator."""

    def element(self, index: int) -> Any:
        with self.lock:
            self.oldest += 1
            return self.oldest - 1


class DealtTo(Share):
    def at_end(self) -> bool:
        return self.hub.oldest >= self.elements


DealsOut.share = DealtTo


@case("publisher", "deals its elements out to its Subscribers", must="R.1", multicast=True)
def elements_are_dealt_out(elements: int) -> Hub:
    return DealsOut(elements)


class ByRequest(Hub):
    """Makes an element anew for each one who asks."""

    made = 0

    def fresh_run(self) -> None:
        super().fresh_run()
        self.made = 0

    def element(self, index: int) -> Any:
        with self.lock:
            self.made += 1
            return index, self.made


@case("publisher", "makes the elements anew for each Subscriber", must="R.1", multicast=True)
def elements_differ(elements: int) -> Hub:
    return ByRequest(elements)


class FromTheTail(Hub):
    """Reads ahead, and has newcomers start where it reads."""

    ahead = 16

    def join(self, subscriber: Any) -> Share:
        return Share(self, subscriber, self.oldest + len(self.kept))

    def element(self, index: int) -> Any:
        element = super().element(index)
        with self.lock:
            while len(self.kept) < self.ahead and self.oldest + len(self.kept) < self.elements:
                self.kept.append(self.produce())
        return element


@case(
    "publisher",
    "newcomers start behind what it has read ahead",
    must="R.2",
    multicast=True,
)
def newcomers_start_at_the_tail(elements: int) -> Hub:
    return FromTheTail(elements)


class OneTooLate(Hub):
    def join(self, subscriber: Any) -> Share:
        late = 1 if 0 < self.oldest < self.elements else 0
        return Share(self, subscriber, self.oldest + late)


@case("publisher", "newcomers miss the element of the moment", must="R.2", multicast=True)
def newcomers_miss_one(elements: int) -> Hub:
    return OneTooLate(elements)


class Undead(Hub):
    keep_alive = True


@case(
    "publisher",
    "goes on without Subscribers, and the next one finds itself in the middle",
    must="R.3",
    multicast=True,
)
def goes_on_without_subscribers(elements: int) -> Hub:
    return Undead(elements)


class TakesTwice(Hub):
    def is_in(self, subscriber: Any) -> bool:
        return False


@case(
    "publisher",
    "one object that subscribes twice gets everything twice",
    must="R.5",
    multicast=True,
)
def same_object_twice(elements: int) -> Hub:
    return TakesTwice(elements)


class SilentAboutTwice(Hub):
    def subscribe(self, subscriber: Any) -> None:
        if subscriber is None or not self.is_in(subscriber):
            super().subscribe(subscriber)


@case("publisher", "ignores an object that subscribes twice", must="R.5", may="1.9", multicast=True)
def same_object_twice_is_ignored(elements: int) -> Hub:
    return SilentAboutTwice(elements)


class RaisesForTwice(Hub):
    def subscribe(self, subscriber: Any) -> None:
        if subscriber is not None and self.is_in(subscriber):
            raise RuntimeError("subscribed already")
        super().subscribe(subscriber)


@case(
    "publisher",
    "raises for an object that subscribes twice",
    must="1.9",
    may="R.5",
    multicast=True,
)
def same_object_twice_raises(elements: int) -> Hub:
    return RaisesForTwice(elements)


class EndsTheFirst(Hub):
    """Refuses the second subscription with on_error, whether or not it was cancelled."""

    def subscribe(self, subscriber: Any) -> None:
        if subscriber is not None and self.is_in(subscriber):
            subscriber.on_subscribe(Share(self, subscriber, 0))
            subscriber.on_error(RuntimeError("subscribed already"))
        else:
            super().subscribe(subscriber)


@case(
    "publisher",
    "its refusal of a second subscription ends the first, in spite of the cancel",
    must="R.5",
    multicast=True,
)
def refusal_ends_the_first(elements: int) -> Hub:
    return EndsTheFirst(elements)


class Equals(Hub):
    def is_in(self, subscriber: Any) -> bool:
        return any(share.subscriber == subscriber for share in self.shares)


@case(
    "publisher",
    "refuses a Subscriber that compares equal to one it has",
    must="2.12",
    multicast=True,
)
def equal_subscribers_refused(elements: int) -> Hub:
    return Equals(elements)


class LiveList(Choir):
    """Loops over the list from which a cancel removes."""

    def listeners(self) -> list[Seat]:
        return self.seats

    def forget(self, seat: Seat) -> None:
        if seat in self.seats:
            self.seats.remove(seat)

    def enter(self, seat: Seat) -> None:
        self.seats = [*self.seats, seat]


@case(
    "publisher",
    "a Subscriber that cancels inside on_next makes the one after it miss that element",
    must="3.8",
    may="R.1",
    multicast=True,
    coordinated_emission=True,
)
def cancel_makes_another_miss_one(elements: int) -> Choir:
    return LiveList(elements)


class FallsWithOne(Choir):
    """Has one `try` around the whole round."""

    def perform(self) -> None:
        try:
            for seat in self.audience:
                self.send_unguarded(seat)
        except Exception:  # noqa: BLE001 - that is the defect
            for seat in self.seats:
                seat.end()
            self.seats = []
        self.audience = []

    def send_unguarded(self, seat: Seat) -> None:
        def signal(method: Any, *args: Any) -> None:
            method(*args)

        seat.signal = signal  # type: ignore[method-assign]
        self.send(seat, (self.name, self.value))


@case(
    "publisher",
    "one Subscriber that raises silences all the others",
    must="2.13",
    may="3.8 R.1",
    multicast=True,
    coordinated_emission=True,
)
def one_raiser_silences_all(elements: int) -> Choir:
    return FallsWithOne(elements)


class DropsForTheSlow(Hub):
    """Keeps so many elements for the slow; who is later than that misses some."""

    bound = 4

    def trim(self) -> None:
        super().trim()
        while len(self.kept) > self.bound:
            self.kept.popleft()
            self.oldest += 1

    def element(self, index: int) -> Any:
        with self.lock:
            return super().element(max(index, self.oldest))


@case(
    "publisher",
    "drops silently what a slow Subscriber has not taken in time",
    must="R.1",
    multicast=True,
)
def slow_subscribers_miss_some(elements: int) -> Hub:
    return DropsForTheSlow(elements)


class Takes(Share):
    def cancel(self) -> None:
        super().cancel()
        self.hub.close()  # type: ignore[attr-defined]


class OneForAll(Hub):
    share = Takes

    def close(self) -> None:
        with self.lock:
            for other in self.shares:
                other.end()
            self.shares = []
            self.fresh_run()


@case(
    "publisher",
    "the cancel of one ends it for all, in silence",
    must="3.8",
    may="R.1",
    multicast=True,
)
def cancel_of_one_ends_all(elements: int) -> Hub:
    return OneForAll(elements)
