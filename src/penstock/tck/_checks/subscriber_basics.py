"""Checks that a Subscriber's signals return, and that it requests what it receives."""

from __future__ import annotations

import time

from penstock.tck._check import check
from penstock.tck._subscriber_trial import SubscriberTrial
from penstock.tck._verdict import StreamError

__all__ = ["REQUESTS", "RETURNS"]

RETURNS = "spec_2_02_signals_return"
REQUESTS = "spec_2_01_requests_what_it_receives"


@check("subscriber")
def spec_2_02_signals_return(trial: SubscriberTrial) -> None:
    """Runs a short stream, once to a good and once to a bad end: each signal returns."""
    asks = True
    for error in (None, StreamError()):
        subscriber, upstream = trial.connect()
        # One wait is enough for a Subscriber that never requests; that is rule 2.1.
        asks = asks and trial.demand(subscriber, upstream)
        if asks:
            upstream.send(trial.element())
        upstream.finish(error)


@check("subscriber", needs=RETURNS)
def spec_2_01_requests_what_it_receives(trial: SubscriberTrial) -> str:
    """Sends what is requested until it is used up: the Subscriber requests more each time.

    One that requests nothing more has to cancel; one that requests only when it is told to
    needs a trigger.
    """
    hint = "" if trial.can_push else "; if it requests on command only, give trigger_request"
    subscriber, upstream = trial.connect()
    if not trial.demand(subscriber, upstream):
        if upstream.cancelled:
            trial.skip("it cancelled before it requested anything")
        trial.fail(f"nothing was requested within {trial.env.timeout} s of on_subscribe{hint}")
    first = upstream.demand
    patience = 3 * trial.env.timeout
    if not trial.feed(subscriber, upstream, trial.enough(upstream), seconds=patience):
        if upstream.cancelled:
            return f"it cancelled after {upstream.sent} elements"
        trial.fail(
            f"it requested {upstream.requested} elements, received them, and then neither "
            f"requested more nor cancelled{hint}"
        )
    return f"its first demand was {first}; it received {upstream.sent} elements"


@check("subscriber", needs=REQUESTS)
def spec_3_09_requests_numbers_above_zero(trial: SubscriberTrial) -> str:
    """Feeds the Subscriber and looks at each number that it requests."""
    subscriber, upstream = trial.connect()
    trial.demand(subscriber, upstream)
    trial.feed(subscriber, upstream, trial.enough(upstream))
    trial.stop_if_broken()
    if not upstream.requests:
        trial.skip("it requested nothing")
    return f"it requested {', '.join(map(str, sorted(upstream.asked)))} at a time"


@check("subscriber", needs=REQUESTS)
def spec_2_13_signals_return_normally(trial: SubscriberTrial) -> None:
    """Runs streams of no and of some elements to a good and to a bad end: nothing is raised."""
    for elements in (0, 3):
        for error in (None, StreamError()):
            subscriber, upstream = trial.connect()
            trial.feed(subscriber, upstream, elements)
            upstream.finish(error)
    trial.stop_if_broken()


@check("subscriber", needs=REQUESTS)
def spec_2_02_signals_return_promptly(trial: SubscriberTrial) -> None:
    """Times each signal: three out of three times above a quarter of the timeout is too slow."""
    limit = trial.env.timeout / 4
    for error in (None, StreamError()):
        slow: list[tuple[str, float]] = []
        while len(slow) < 3:
            found = _slow_signal(trial, error, limit)
            if found is None or (slow and found[0] != slow[0][0]):
                break
            slow.append(found)
        else:
            seconds = min(seconds for _, seconds in slow)
            trial.fail(
                f"{slow[0][0]} took {seconds:.2f} s, at best of three; at most {limit:.2f} s "
                "may pass. Slow work belongs on a thread or task of its own"
            )


def _slow_signal(
    trial: SubscriberTrial, error: Exception | None, limit: float
) -> tuple[str, float] | None:
    """Run a stream up to its first slow signal, and return that one and its time."""
    began = time.monotonic()
    subscriber, upstream = trial.connect()
    found = _if_slow("on_subscribe", began, limit)
    for _ in range(6):
        if found is not None or not trial.demand(subscriber, upstream):
            break
        element = trial.element()
        began = time.monotonic()
        upstream.send(element)
        found = _if_slow("on_next", began, limit)
    began = time.monotonic()
    upstream.finish(error)
    return found or _if_slow("on_complete" if error is None else "on_error", began, limit)


def _if_slow(signal: str, began: float, limit: float) -> tuple[str, float] | None:
    took = time.monotonic() - began
    return (signal, took) if took > limit else None
