"""Checks of what a Subscriber does when its stream ends."""

from __future__ import annotations

import contextlib
from typing import Any

from penstock.api import Subscriber
from penstock.tck._check import check
from penstock.tck._checks.subscriber_basics import REQUESTS, RETURNS
from penstock.tck._subscriber_trial import SubscriberTrial
from penstock.tck._upstream import Upstream, UpstreamCall
from penstock.tck._verdict import StreamError

__all__: list[str] = []

Life = tuple[Subscriber[Any], Upstream]


@check("subscriber", needs=RETURNS)
def spec_2_03_on_complete_calls_nothing(trial: SubscriberTrial) -> None:
    """Completes at once, with demand open, and after elements: `on_complete` calls nothing.

    It may call neither `request` nor `cancel`, as nothing is left to be asked or cancelled.
    """
    _end_at_three_moments(trial, None)


@check("subscriber", needs=RETURNS)
def spec_2_03_on_error_calls_nothing(trial: SubscriberTrial) -> None:
    """Fails at once, with demand open, and after elements: `on_error` calls nothing.

    It may call neither `request` nor `cancel`, as nothing is left to be asked or cancelled.
    """
    _end_at_three_moments(trial, StreamError())


def _end_at_three_moments(trial: SubscriberTrial, error: Exception | None) -> None:
    _end_at_once(trial, error)
    subscriber, upstream = trial.connect()
    demand = trial.demand(subscriber, upstream)
    upstream.finish(error)
    if demand:
        subscriber, upstream = trial.connect()
        trial.feed(subscriber, upstream, 3)
        upstream.finish(error)
    trial.stop_if_broken()


def _end_at_once(trial: SubscriberTrial, error: Exception | None) -> None:
    _, upstream = trial.connect()
    if upstream.cancelled:
        trial.skip("it cancels in on_subscribe, so no end can be signalled")
    upstream.finish(error)


@check("subscriber", needs=RETURNS)
def spec_2_09_bears_completion_without_request(trial: SubscriberTrial) -> None:
    """Completes without an element, before and after a request: `on_complete` returns."""
    _end_without_element(trial, None, "2.9")


@check("subscriber", needs=RETURNS)
def spec_2_10_bears_an_error_without_request(trial: SubscriberTrial) -> None:
    """Fails without an element, before and after a request: `on_error` returns."""
    _end_without_element(trial, StreamError(), "2.10")


def _end_without_element(trial: SubscriberTrial, error: Exception | None, rule: str) -> None:
    for request in (False, True):
        subscriber, upstream = trial.connect()
        if request:
            trial.demand(subscriber, upstream)
        if upstream.cancelled:
            trial.skip("it cancels before an end can be signalled")
        trial.stop_if_broken()
        trial.instead = {"2.13": rule}
        upstream.finish(error)
        trial.stop_if_broken()
        trial.instead = {}


@check("subscriber", needs=REQUESTS)
def spec_2_04_calls_nothing_after_the_end(trial: SubscriberTrial) -> None:
    """Ends streams when all is quiet, triggers, and waits: the Subscribers call nothing more.

    Requests for elements that wait in a Subscriber's own queue are not held against it, so
    nothing is left to be worked on when the end comes.
    """
    found: list[str] = []
    if trial.happens_twice(lambda: _calls_late(trial, found)):
        trial.fail(found[-1])


def _calls_late(trial: SubscriberTrial, found: list[str]) -> bool:
    """Whether one of four Subscribers, ended in different ways, makes a call after its end."""
    lives = [
        (_live(trial, with_element), error)
        for error in (None, StreamError())
        for with_element in (False, True)
    ]
    trial.settle()
    ended: list[Life] = []
    for life, error in lives:
        if life is not None and not life[1].cancelled:
            life[1].finish(error)
            ended.append(life)
    if not ended:
        trial.skip("it cancels before an end can be signalled")
    # A call that comes ends the wait; this one is longer for those that use a timer.
    trial.wait_until(lambda: _late(trial, ended) is not None, 2 * trial.env.quiet)
    if _late(trial, ended) is None and trial.subject.trigger is not None:
        for subscriber, _ in ended:
            # A trigger may well find nothing left that it could ask.
            with contextlib.suppress(Exception):
                trial.subject.trigger(subscriber)
        trial.wait_until(lambda: _late(trial, ended) is not None, trial.env.quiet)
    late = _late(trial, ended)
    if late is not None:
        found.append(late)
    return late is not None


def _live(trial: SubscriberTrial, with_element: bool) -> Life | None:
    """Have a Subscriber request, and take an element; None if it may not be through with it."""
    subscriber, upstream = trial.connect()
    demand = trial.demand(subscriber, upstream)
    if not with_element:
        return subscriber, upstream
    before = upstream.demand
    if not demand:
        return None
    upstream.send(trial.element())
    # Only if all is requested anew, it has certainly worked on what it got.
    anew = trial.wait_until(lambda: upstream.demand >= before, trial.env.quiet)
    return (subscriber, upstream) if anew else None


def _late(trial: SubscriberTrial, lives: list[Life]) -> str | None:
    trigger = getattr(trial.subject.trigger, "__code__", None)
    for _, upstream in lives:
        for call in upstream.calls:
            if call.late and not _is_trigger(call, trigger):
                return f"{call.what} was called after {upstream.ended_with}"
    return None


def _is_trigger(call: UpstreamCall, trigger: object) -> bool:
    """Whether the author's trigger called the Subscription itself, past the Subscriber."""
    return trigger is not None and call.caller is trigger
