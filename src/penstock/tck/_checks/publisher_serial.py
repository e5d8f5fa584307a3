"""Checks that look for races: one signal at a time."""

from __future__ import annotations

import threading
import time

from penstock.tck._check import check
from penstock.tck._checks.publisher_basics import BASICS, REENTERS
from penstock.tck._publisher_trial import PublisherTrial
from penstock.tck._watch import Watch

__all__: list[str] = []


@check("publisher", needs=f"{BASICS} {REENTERS}", stochastic=True)
def spec_1_03_signals_one_at_a_time(trial: PublisherTrial) -> str:
    """Dwells in every signal while requests come from inside and outside: none overlap."""
    n = trial.few(25)
    # Requests of two threads must not overlap either (rule 2.7).
    taking_turns = threading.RLock()

    def ask(watch: Watch, _: object = None) -> None:
        with taking_turns:
            if watch.requested <= n:
                watch.request(1)

    watch = Watch(trial, when_next=ask, when_subscribed=ask, dwell=trial.env.dwell)
    trial.subscribe(trial.publisher(n), watch)
    watch.await_subscription()
    while watch.requested <= n and not watch.ended:
        before = watch.signals
        ask(watch)
        if not _goes_on(trial, watch, before):
            break
    trial.wait_until(lambda: watch.ended or watch.received >= n, renew=True)
    trial.stay_quiet()
    return f"{watch.received} elements came on {len(watch.threads)} threads"


def _goes_on(trial: PublisherTrial, watch: Watch, signals: int) -> bool:
    return trial.wait_until(lambda: watch.signals > signals or watch.ended, renew=True)


@check("publisher", needs=BASICS, stochastic=True)
def spec_1_03_bursts_one_at_a_time(trial: PublisherTrial) -> None:
    """Requests a whole stream at once and dwells in its signals: none overlap."""
    n = trial.few(25)
    watch = trial.watch(n, dwell=trial.env.dwell)
    watch.request(n + 1)
    trial.wait_until(lambda: watch.ended or watch.received >= n, renew=True)
    trial.stay_quiet()


@check("publisher", needs=BASICS, stochastic=True)
def spec_1_03_on_subscribe_returns_before_others(trial: PublisherTrial) -> None:
    """Requests inside `on_subscribe` and stays there: nothing comes until it returns."""

    def stay(watch: Watch) -> None:
        watch.request(1)
        time.sleep(5 * trial.env.dwell)

    for _ in range(3):
        publishers = [trial.publisher(trial.few(2)), trial.publisher(0)]
        if (failed := trial.failed_one()) is not None:
            publishers.append(failed)
        for publisher in publishers:
            watch = Watch(trial, when_subscribed=stay)
            trial.subscribe(publisher, watch)
            watch.await_subscription()
            watch.await_something()


@check("publisher", needs=f"{BASICS} {REENTERS}", stochastic=True)
def spec_1_03_requests_from_elsewhere(trial: PublisherTrial) -> None:
    """Requests from another thread while `on_next` dwells: the next one waits its turn.

    A Subscriber behind a thread does so while the Publisher is still inside its first
    `request`. One that can't bear it on one thread either (rule 3.3) is not tried.
    """

    def ask(watch: Watch, _: object) -> None:
        if watch.received == 1:
            watch.request(1)
        elif watch.deepest == 1 and watch.received < 4:
            done = trial.on_thread("request", lambda: watch.request(1))
            done.wait(trial.env.quiet)
            time.sleep(trial.env.dwell)

    watch = trial.watch(trial.few(5, at_least=3), when_next=ask)
    watch.request(1)
    watch.await_something()
    trial.stay_quiet()
    if watch.deepest > 1:
        trial.skip("on_next comes inside on_next")


@check("publisher", needs=BASICS, stochastic=True)
def spec_1_03_refusal_waits_its_turn(trial: PublisherTrial) -> None:
    """Requests -1 from elsewhere while `on_next` dwells on the Publisher's own thread."""
    caller = threading.get_ident()

    def ask_wrongly(watch: Watch, _: object) -> None:
        # On the caller's thread its request is still running, and requests don't overlap.
        if threading.get_ident() != caller and watch.received == 1:
            trial.on_thread("request", lambda: watch.request(-1)).wait(trial.env.quiet)
            time.sleep(5 * trial.env.dwell)

    watch = trial.watch(trial.few(3), when_next=ask_wrongly)
    watch.request(1)
    watch.await_something()
    trial.stay_quiet()
