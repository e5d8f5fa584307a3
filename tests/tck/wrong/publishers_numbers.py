"""Wrong Publishers: numbers below 1, numbers that are none, and numbers without an end."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable
from typing import Any

from penstock import UNBOUNDED
from tests.tck.wrong._base import Source, Stream, Worker, bad
from tests.tck.wrong.registry import case


class RaisesBelowOne(Stream):
    def accept(self, n: Any) -> None:
        if type(n) is int and n < 1:
            raise bad(n)
        super().accept(n)


@case("publisher", "request(0) raises its ValueError to the caller", must="3.16", may="3.9")
def request_0_raises(elements: int) -> Source:
    return Source(elements, RaisesBelowOne)


def deaf_for(ignored: Callable[[int], bool]) -> type[Stream]:
    class IgnoresSome(Stream):
        def accept(self, n: Any) -> None:
            if not (type(n) is int and ignored(n)):
                super().accept(n)

    return IgnoresSome


@case("publisher", "ignores request(0), as nothing is asked for", must="3.9")
def request_0_ignored(elements: int) -> Source:
    return Source(elements, deaf_for(lambda n: n == 0))


@case("publisher", "ignores negative requests", must="3.9")
def negative_request_ignored(elements: int) -> Source:
    return Source(elements, deaf_for(lambda n: n < 0))


class TakesBackDemand(Stream):
    def accept(self, n: Any) -> None:
        if type(n) is int and n < 0:
            self.demand = max(0, self.demand + n)
        else:
            super().accept(n)


@case("publisher", "takes a negative request for demand that is taken back", must="3.9")
def negative_request_takes_back(elements: int) -> Source:
    return Source(elements, TakesBackDemand)


class OldEverything(Stream):
    def accept(self, n: Any) -> None:
        super().accept(UNBOUNDED if type(n) is int and n < -(2**31) else n)


@case(
    "publisher",
    "takes huge negative requests for the `everything` of an old protocol",
    must="3.9",
    may="1.1",
)
def huge_negative_is_everything(elements: int) -> Source:
    return Source(elements, OldEverything)


def answering(error: Callable[[Any], Any]) -> type[Stream]:
    class Answers(Stream):
        def accept(self, n: Any) -> None:
            before = self.error
            super().accept(n)
            if before is None and self.error is not None:
                self.error = error(n)

    return Answers


@case("publisher", "answers request(0) with a TypeError", must="3.9", may="R.10")
def request_0_is_a_type_error(elements: int) -> Source:
    return Source(elements, answering(lambda n: TypeError(f"rule 3.9: request({n!r})")))


@case("publisher", "answers request(0) with an AssertionError", must="3.9", may="R.10")
def request_0_is_an_assertion(elements: int) -> Source:
    return Source(elements, answering(lambda n: AssertionError(f"rule 3.9: request({n!r})")))


@case("publisher", "its ValueError does not name the rule", must="3.9", may="R.10")
def request_0_without_the_rule(elements: int) -> Source:
    return Source(elements, answering(lambda n: ValueError(f"request({n!r}): not positive")))


class CompletesInstead(Stream):
    def decide(self) -> Any:
        decided = super().decide()
        wrong = decided is not None and decided[0] == "on_error"
        return ("on_complete", None) if wrong else decided


@case("publisher", "just completes on a wrong request", must="3.9", may="R.10")
def request_0_completes(elements: int) -> Source:
    return Source(elements, CompletesInstead)


class Scolds(Stream):
    """Reports a wrong request, and goes on."""

    def end(self) -> None:
        if self.error is None:
            super().end()

    def step(self) -> bool:
        more = super().step()
        with self.lock:
            self.error = None
            if self.faulty:
                self.over = True
        return more


class ScoldsOnce(Scolds):
    def cancel(self) -> None:
        with self.lock:
            self.error = None
        super().cancel()


@case("publisher", "signals on_error for a wrong request, and goes on", must="1.7", may="3.9")
def goes_on_after_request_0(elements: int) -> Source:
    return Source(elements, ScoldsOnce)


class WaitsForDemandFirst(Stream):
    def decide(self) -> Any:
        error = self.error
        if error is not None and not self.wanted():
            return None
        return super().decide()


@case(
    "publisher",
    "signals the error of a wrong request only when an element is asked for",
    must="3.9",
    may="R.10",
)
def request_0_answered_late(elements: int) -> Source:
    return Source(elements, WaitsForDemandFirst)


# Numbers that are none.


class TakesTrue(Stream):
    def accept(self, n: Any) -> None:
        super().accept(int(n) if isinstance(n, bool) else n)


@case("publisher", "takes True for 1", must="R.10")
def true_is_one(elements: int) -> Source:
    return Source(elements, TakesTrue)


class TakesFloats(Stream):
    def accept(self, n: Any) -> None:
        super().accept(int(n) if isinstance(n, float) else n)


@case("publisher", "takes 1.5 for 1", must="R.10")
def floats_are_cut(elements: int) -> Source:
    return Source(elements, TakesFloats)


class ComparesFirst(Stream):
    def accept(self, n: Any) -> None:
        if n < 1:
            n = 0
        super().accept(n)


@case("publisher", 'raises TypeError for request("1")', must="R.10", may="3.16")
def request_of_a_text_raises(elements: int) -> Source:
    return Source(elements, ComparesFirst)


class IgnoresOtherTypes(Stream):
    def accept(self, n: Any) -> None:
        if type(n) is int:
            super().accept(n)


@case("publisher", "ignores requests whose n is no number", must="R.10")
def request_of_no_number_ignored(elements: int) -> Source:
    return Source(elements, IgnoresOtherTypes)


# Numbers without an end.


class Wraps(Stream):
    def add(self, n: int) -> None:
        self.demand = ctypes.c_int64(self.demand + n).value


@case("publisher", "counts demand in 64 bits, which wrap to negative", must="3.17", may="3.8")
def demand_wraps(elements: int) -> Source:
    return Source(elements, Wraps)


class WrapsOnAWorker(Worker):
    def add(self, n: int) -> None:
        self.demand = ctypes.c_int64(self.demand + n).value


@case("publisher", "its worker counts demand in 64 bits", must="3.17", may="3.8")
def demand_wraps_on_a_worker(elements: int) -> Source:
    return Source(elements, WrapsOnAWorker)


class WrapsAt32(Stream):
    def add(self, n: int) -> None:
        self.demand = ctypes.c_int32(self.demand + n).value


@case("publisher", "counts demand in 32 bits", must="3.17", may="3.8")
def demand_wraps_at_32_bits(elements: int) -> Source:
    return Source(elements, WrapsAt32)


class InAnArray(Stream):
    def __init__(self, *args: Any) -> None:
        self.cell = array("q", [0])
        super().__init__(*args)

    def add(self, n: int) -> None:
        self.cell[0] += n

    def wanted(self) -> bool:
        return self.cell[0] > 0

    def take(self) -> None:
        self.cell[0] -= 1
        self.sent += 1


@case(
    "publisher", "keeps demand in an array('q'), which raises above 2**63", must="3.17", may="3.16"
)
def demand_overflows_an_array(elements: int) -> Source:
    return Source(elements, InAnArray)


class TooMuch(Stream):
    def add(self, n: int) -> None:
        if self.demand + n > UNBOUNDED:
            self.error = OverflowError("more demand than can be counted")
        else:
            super().add(n)


@case("publisher", "signals on_error when demand exceeds 2**63 - 1", must="3.17")
def demand_overflow_is_an_error(elements: int) -> Source:
    return Source(elements, TooMuch)


class UnboundedOnce(Stream):
    unbounded = False

    def add(self, n: int) -> None:
        if self.unbounded and n == UNBOUNDED:
            self.error = RuntimeError("everything has been requested already")
        self.unbounded = self.unbounded or n == UNBOUNDED
        super().add(n)


@case("publisher", "refuses a second request for everything", must="3.17")
def unbounded_only_once(elements: int) -> Source:
    return Source(elements, UnboundedOnce)


class CountsRequests(Stream):
    requests = 0

    def add(self, n: int) -> None:
        self.requests += 1
        if self.requests > 255:
            self.error = RuntimeError("too many requests")
        super().add(n)


@case("publisher", "bears 255 requests and no more", must="3.17")
def too_many_requests(elements: int) -> Source:
    return Source(elements, CountsRequests)


class MinusOne(Stream):
    """Has -1 stand for demand without an end, and forgets it when it adds."""

    def add(self, n: int) -> None:
        self.demand = -1 if n == UNBOUNDED else self.demand + n

    def wanted(self) -> bool:
        return self.demand != 0

    def take(self) -> None:
        self.sent += 1
        if self.demand > 0:
            self.demand -= 1


@case("publisher", "marks unbounded demand with -1, to which one request adds 1", must="3.17")
def request_after_unbounded_ends_it(elements: int) -> Source:
    return Source(elements, MinusOne)
