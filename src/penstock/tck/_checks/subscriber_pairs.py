"""Checks with two subscriptions, or with two Subscribers."""

from __future__ import annotations

import threading
from typing import Any

from penstock.api import Subscriber
from penstock.tck._check import check
from penstock.tck._checks.subscriber_basics import REQUESTS, RETURNS
from penstock.tck._subscriber_trial import SubscriberTrial
from penstock.tck._upstream import ForeignSubscription, Upstream

__all__: list[str] = []


@check("subscriber", needs=RETURNS)
def spec_2_05_cancels_a_second_subscription(trial: SubscriberTrial) -> None:
    """Offers a second and a third subscription in mid-stream: both are cancelled.

    Nothing is requested from them, and the first one is not cancelled.
    """
    subscriber, upstream = trial.connect()
    trial.demand(subscriber, upstream)
    offered = _offer_two(trial, subscriber, upstream)
    trial.stay_quiet()
    _expect_no_request(trial, offered)
    if upstream.cancelled:
        trial.fail("it cancelled its first subscription as well when a second one came")


@check("subscriber", needs=f"{REQUESTS} spec_2_05_cancels_a_second_subscription")
def spec_2_05_goes_on_with_its_first_subscription(trial: SubscriberTrial) -> None:
    """Offers two more subscriptions, then feeds the first: it requests from that, as before."""
    subscriber, upstream = trial.connect()
    trial.demand(subscriber, upstream)
    offered = _offer_two(trial, subscriber, upstream)
    goes_on = trial.feed(subscriber, upstream, trial.enough(upstream))
    _expect_no_request(trial, offered)
    if not goes_on and not upstream.cancelled:
        trial.fail("after it had been offered another subscription, it did not use the first")


def _offer_two(
    trial: SubscriberTrial, subscriber: Subscriber[Any], upstream: Upstream
) -> list[ForeignSubscription]:
    if upstream.cancelled:
        trial.skip("it had cancelled its first subscription before the second came")
    return [_refused(trial, subscriber, nth) for nth in ("second", "third")]


def _refused(trial: SubscriberTrial, subscriber: Subscriber[Any], nth: str) -> ForeignSubscription:
    other = ForeignSubscription(trial, f"{nth} subscription")
    trial.offer(subscriber, other, f"{nth} publisher")
    if not trial.wait_until(lambda: other.cancels > 0 or other.requests > 0):
        trial.fail(f"a {nth} subscription was not cancelled")
    return other


def _expect_no_request(trial: SubscriberTrial, offered: list[ForeignSubscription]) -> None:
    for other in offered:
        if other.requests:
            trial.fail(f"it requested from the {other.name}")


@check("subscriber", needs=REQUESTS)
def spec_3_01_uses_only_its_own_subscription(trial: SubscriberTrial) -> None:
    """Feeds two Subscribers in turn, and completes one: the other's subscription is let alone."""
    found: list[str] = []

    def meddles() -> bool:
        meddling = _meddling(trial)
        found.extend(meddling)
        return bool(meddling)

    # What comes on another thread might be a coincidence, once.
    if trial.happens_twice(meddles):
        trial.fail(found[-1])


def _meddling(trial: SubscriberTrial) -> list[str]:
    """Feed each of two; return what was called on the subscription of the one not fed."""
    one = trial.connect(name="first publisher")
    two = trial.connect(name="second publisher")
    for subscriber, upstream in (one, two):
        trial.demand(subscriber, upstream)
    trial.settle()
    for (subscriber, fed), (_, other) in ((one, two), (two, one)):
        before, sent = len(other.calls), fed.sent
        goes_on = trial.feed(subscriber, fed, 3) or fed.cancelled
        trial.settle()
        calls = _calls_since(trial, other, before)
        # One on another thread may be its own idea; it isn't, if there are as many as there
        # were elements, or if it is what the one that was fed should have called.
        if calls and (not goes_on or len(calls) >= fed.sent - sent):
            what = f"{calls[0]} was called on the {other.name}'s subscription"
            return [f"{what} when elements came from the {fed.name}"]
    (_, fed), (_, other) = one, two
    before = len(other.calls)
    if not fed.over:
        fed.finish()
        trial.settle()
    return [
        f"{call} was called on the {other.name}'s subscription when the {fed.name} completed"
        for call in _calls_since(trial, other, before)
    ]


def _calls_since(trial: SubscriberTrial, upstream: Upstream, before: int) -> list[str]:
    """Return the calls that came on other threads; those on this one are no coincidence."""
    here = threading.get_ident()
    calls = upstream.calls[before:]
    for call in calls:
        if call.thread == here:
            trial.fail(
                f"{call.what} was called on the {upstream.name}'s subscription "
                "while only the other Subscriber got signals"
            )
    return [call.what for call in calls]
