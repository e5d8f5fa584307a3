"""Checks of what a Publisher does about a Subscriber that raises (rule 2.13)."""

from __future__ import annotations

from penstock.tck._check import check
from penstock.tck._checks.publisher_basics import BASICS, SUBSCRIBES
from penstock.tck._publisher_trial import PublisherTrial
from penstock.tck._verdict import Deliberate
from penstock.tck._watch import Watch

__all__ = ["refuse_all"]


@check("publisher", needs=BASICS)
def spec_2_13_subscriber_that_raises_in_on_next(trial: PublisherTrial) -> str:
    """Raises in `on_next` while there is demand: nothing more reaches this Subscriber."""
    watch = trial.watch(trial.few(4), when_next=refuse_all)
    return _nothing_follows(trial, watch)


@check("publisher", needs=SUBSCRIBES)
def spec_2_13_subscriber_that_raises_in_on_subscribe(trial: PublisherTrial) -> str:
    """Raises in `on_subscribe` after a request: nothing more reaches this Subscriber."""

    def refuse(watch: Watch) -> None:
        # A synchronous Publisher may deliver inside the request, which is no breach.
        watch.request(1)
        refuse_all(watch)

    watch = Watch(trial, when_subscribed=refuse)
    trial.subscribe(trial.publisher(trial.few(4, at_least=0)), watch)
    watch.await_subscription()
    watch.request(1)
    trial.stay_quiet()
    return "the exception escaped subscribe" if watch.escaped else "the exception was contained"


@check("publisher", needs=f"{BASICS} spec_1_05_finite_stream_completes")
def spec_2_13_subscriber_that_raises_at_the_end(trial: PublisherTrial) -> None:
    """Raises in `on_complete` and in `on_error`: nothing more reaches this Subscriber."""
    for n in (1, -1):
        watch = Watch(trial, f"subscriber that asks for {n}")
        watch.when_ended = refuse_all
        trial.subscribe(trial.publisher(trial.few(1)), watch)
        watch.await_subscription()
        watch.request(n)
        watch.await_length(1)
        if not watch.ended:
            watch.request(n)
        watch.await_length(1)
        trial.stay_quiet()


def refuse_all(watch: Watch, _: object = None) -> None:
    """Raise, on purpose."""
    watch.raised = True
    watch.log.add(watch.name, "raises, on purpose")
    raise Deliberate


def _nothing_follows(trial: PublisherTrial, watch: Watch) -> str:
    watch.request(3)
    trial.wait_until(lambda: watch.raised or watch.ended, renew=True)
    if not watch.raised:
        trial.skip("no element came to raise on")
    watch.request(1)
    trial.stay_quiet()
    return "the exception escaped request" if watch.escaped else "the exception was contained"
