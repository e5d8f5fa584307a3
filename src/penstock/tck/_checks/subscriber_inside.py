"""Checks that a Subscriber bears signals that come from inside its own `request`."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, NamedTuple

from penstock.api import Subscriber
from penstock.tck._check import check
from penstock.tck._checks.subscriber_basics import REQUESTS
from penstock.tck._subscriber_trial import SubscriberTrial
from penstock.tck._upstream import Upstream
from penstock.tck._verdict import StreamError

__all__ = ["Pumped", "pumped"]

_ELEMENTS = 12
_DEPTH = 2
"""How many `on_next` are nested: rule 3.3 allows some, and 1 hides faults."""


@check("subscriber", needs=REQUESTS)
def spec_3_10_bears_elements_inside_request(trial: SubscriberTrial) -> str:
    """Sends elements from inside `request`: the Subscriber takes them and requests more.

    A synchronous Publisher does that, and may nest a few `on_next` in one another.
    """
    fed = pumped(trial)
    if not fed.goes_on:
        trial.fail(
            f"it received {len(fed.sent)} elements from inside request(), "
            "and then neither requested more nor cancelled",
            "2.1",
        )
    return f"it received {len(fed.sent)} elements as it requested them"


class Pumped(NamedTuple):
    """A Subscriber that was fed from inside its requests, and the elements it was sent.

    It `goes_on` if it has requested them all, cancelled, or is too slow to tell.
    """

    subscriber: Subscriber[Any]
    upstream: Upstream
    sent: list[Any]
    goes_on: bool


def pumped(trial: SubscriberTrial) -> Pumped:
    """Feed a Subscriber from inside its requests."""
    elements = [trial.element() for _ in range(_ELEMENTS)]
    left = deque(elements)
    until = time.monotonic() + trial.env.timeout

    def pump(upstream: Upstream, _: int) -> None:
        if time.monotonic() > until:
            with trial.news:
                left.clear()
        upstream.pump(left, _DEPTH)

    subscriber, upstream = trial.connect(when_requested=pump)
    while left and _asks(trial, subscriber, upstream, left):
        # Some request while on_subscribe or on_next runs elsewhere: then nothing may be sent
        # from inside that request, and it is left to this thread.
        upstream.pump(left)
    trial.wait_until(lambda: not upstream.signalling)
    goes_on = not left or upstream.cancelled
    return Pumped(subscriber, upstream, elements[: upstream.sent], goes_on)


def _asks(
    trial: SubscriberTrial, subscriber: Subscriber[Any], upstream: Upstream, left: deque[Any]
) -> bool:
    """Wait for demand that is left over, or for the end; push the Subscriber if need be."""
    before = len(left)
    if trial.can_push and upstream.demand <= 0:
        trial.push(subscriber, before)

    def moved() -> bool:
        return len(left) < before or upstream.cancelled or _left_over(upstream)

    return trial.wait_until(moved) and not upstream.cancelled


def _left_over(upstream: Upstream) -> bool:
    return upstream.demand > 0 and not upstream.signalling


@check("subscriber", needs=f"{REQUESTS} spec_3_10_bears_elements_inside_request")
def spec_3_11_bears_the_end_inside_request(trial: SubscriberTrial) -> str:
    """Completes and fails streams from inside the first `request` and a later one."""
    inside = 0
    for error in (None, StreamError()):
        for elements in (0, 2):
            inside += _ended_inside(trial, elements, error)
    return f"it heard of {inside} of 4 ends inside request()"


def _ended_inside(trial: SubscriberTrial, elements: int, error: Exception | None) -> bool:
    """End a stream inside the first request after so many elements; whether it came to that."""
    ended = False

    def end(upstream: Upstream, _: int) -> None:
        nonlocal ended
        with trial.news:
            too_early = upstream.sent < elements or upstream.signalling_elsewhere
            if ended or too_early:
                return
            ended = True
        upstream.finish(error)

    subscriber, upstream = trial.connect(when_requested=end)
    trial.feed(subscriber, upstream, elements)
    if not ended:
        trial.demand(subscriber, upstream)
    trial.wait_until(lambda: not upstream.signalling)
    trial.stop_if_broken()
    return ended
