"""Checks that no element comes that was not requested, however requests are made."""

from __future__ import annotations

import threading

from penstock.tck._check import check
from penstock.tck._checks.publisher_basics import BASICS, REENTERS
from penstock.tck._publisher_trial import PublisherTrial
from penstock.tck._watch import Watch

__all__: list[str] = []

_THREADS = 3


@check("publisher", needs=BASICS)
def spec_1_01_sends_no_more_than_requested(trial: PublisherTrial) -> None:
    """Requests one, two, three more, and sees no element too many after each."""
    n = trial.few(8)
    watch = trial.watch(n)
    asked = 0
    for more in (1, 2, 3):
        asked = min(asked + more, n)
        if watch.requested < asked:
            watch.request(asked - watch.requested)
            watch.await_elements(asked)
            trial.stay_quiet()


@check("publisher", needs=BASICS)
def spec_1_01_takes_numbers_as_they_are(trial: PublisherTrial) -> None:
    """Requests odd numbers of a longer stream, and sees exactly so many come."""
    n = trial.few(60)
    watch = trial.watch(n)
    for more in (11, 17, 3):
        if watch.requested + more < n:
            watch.request(more)
            watch.await_elements(watch.requested)
            trial.stay_quiet()


@check("publisher", needs=f"{BASICS} {REENTERS}")
def spec_1_01_counts_requests_inside_on_next(trial: PublisherTrial) -> None:
    """Requests a few, and a few more inside the first and the last of them."""
    n = trial.few(12, at_least=3)

    def ask(watch: Watch, _: object) -> None:
        if watch.received in (1, 3) and watch.requested + 2 <= n:
            watch.request(2)

    watch = trial.watch(n, when_next=ask)
    watch.request(3)
    trial.stay_quiet()
    watch.await_elements(watch.requested)
    trial.stay_quiet()


@check("publisher", needs=BASICS)
def spec_1_01_stops_where_demand_stops(trial: PublisherTrial) -> None:
    """Requests exactly what is left of a short stream, and less than a long one has."""
    short = trial.few(2)
    exact = trial.watch(short)
    exact.request(short)
    exact.await_elements(short)
    inside = trial.watch(trial.few(6), when_subscribed=lambda watch: watch.request(2))
    trial.wait_until(lambda: inside.received >= 2 or inside.ended, trial.env.quiet, renew=True)
    trial.stay_quiet()


@check("publisher", needs=BASICS)
def spec_1_01_demand_is_each_subscribers_own(trial: PublisherTrial) -> None:
    """Leaves demand behind with one Subscriber: another one gets none of it."""
    publisher = trial.publisher(trial.few(8, at_least=3))
    first = trial.watch(publisher, "first", when_next=lambda watch, _: watch.cancel())
    first.request(5)
    first.await_elements(1)
    trial.stay_quiet()
    second = trial.watch(publisher, "second")
    third = trial.watch(publisher, "third")
    trial.stay_quiet()
    third.request(1)
    third.await_something()
    trial.stay_quiet()
    if second.received:
        trial.fail("an element came that only another Subscriber had requested")


@check("publisher", needs=BASICS, stochastic=True)
def spec_1_01_counts_requests_of_many_threads(trial: PublisherTrial) -> None:
    """Requests from three threads, one call at a time: exactly the sum of it comes."""
    each = trial.few(90, at_least=_THREADS * 2) // (_THREADS * 2)
    watch = trial.watch(trial.few(90))
    taking_turns = threading.Lock()

    def ask() -> None:
        for _ in range(each):
            with taking_turns:
                watch.request(1)

    done = [trial.on_thread("request", ask) for _ in range(_THREADS)]
    trial.wait_until(lambda: all(event.is_set() for event in done), renew=True)
    watch.await_elements(each * _THREADS)
    trial.stay_quiet()
