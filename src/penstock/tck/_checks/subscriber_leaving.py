"""Checks of how a Subscriber cancels, and what it bears after that."""

from __future__ import annotations

from penstock.tck._check import check
from penstock.tck._checks.subscriber_basics import REQUESTS, RETURNS
from penstock.tck._subscriber_trial import SubscriberTrial
from penstock.tck._upstream import Upstream

__all__ = ["CANCELS"]

CANCELS = "spec_2_06_cancels_when_told_to"


@check("subscriber", needs=REQUESTS)
def spec_2_06_cancels_when_told_to(trial: SubscriberTrial) -> None:
    """Has the Subscriber end its use in mid-stream: it cancels."""
    if not trial.can_stop:
        trial.skip("no shut_down was given")
    subscriber, upstream = trial.connect()
    trial.feed(subscriber, upstream, 2)
    trial.demand(subscriber, upstream)
    if upstream.cancelled:
        trial.skip("it had cancelled before that")
    trial.stop(subscriber)
    _expect_cancel(trial, upstream, "in mid-stream")


@check("subscriber", needs=RETURNS)
def spec_R_09_shutting_down_cancels(trial: SubscriberTrial) -> None:
    """Shuts down after `on_subscribe`, before and after the first element: it cancels."""
    if trial.subject.shut_down is None:
        trial.skip("no shut_down was given")
    subscriber, upstream = trial.connect()
    if upstream.cancelled:
        trial.skip("it cancels in on_subscribe")
    trial.shut_down(subscriber)
    _expect_cancel(trial, upstream, "right after on_subscribe")
    subscriber, upstream = trial.connect()
    if trial.demand(subscriber, upstream):
        trial.shut_down(subscriber)
        _expect_cancel(trial, upstream, "before its first element")
    subscriber, upstream = trial.connect()
    if trial.feed(subscriber, upstream, 1) and not upstream.cancelled:
        trial.shut_down(subscriber)
        _expect_cancel(trial, upstream, "after its first element")


def _expect_cancel(trial: SubscriberTrial, upstream: Upstream, when: str) -> None:
    if not upstream.wait_cancelled():
        trial.fail(f"its use was ended {when}, and it did not cancel", "2.6")


@check("subscriber", needs=f"{REQUESTS} {CANCELS}")
def spec_2_08_bears_elements_after_cancel(trial: SubscriberTrial) -> str:
    """Sends what was requested once the Subscriber has cancelled: `on_next` returns."""
    subscriber, upstream = trial.connect()
    goes_on = trial.feed(subscriber, upstream, 1)
    if trial.can_stop and goes_on and trial.demand(subscriber, upstream):
        trial.stop(subscriber)
        upstream.wait_cancelled()
    else:
        trial.feed(subscriber, upstream, trial.enough(upstream))
    if not upstream.cancelled:
        trial.skip("it does not cancel by itself, and no shut_down was given")
    left = min(3, upstream.demand)
    if not left:
        trial.skip("nothing was requested and not yet sent when it cancelled")
    trial.instead = {"2.13": "2.8"}
    for _ in range(left):
        upstream.send(trial.element())
    trial.stop_if_broken()
    return f"{left} elements were sent after it had cancelled"
