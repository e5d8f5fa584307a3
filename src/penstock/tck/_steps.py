"""From what an author gives to the checks that are run with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from penstock.tck._check import Check, Side
from penstock.tck._checks import checks_of
from penstock.tck._environment import Environment
from penstock.tck._knobs import Knobs
from penstock.tck._processor_trial import processor_trials
from penstock.tck._publisher_trial import PublisherSubject, PublisherTrial
from penstock.tck._subscriber_trial import SubscriberSubject, SubscriberTrial
from penstock.tck._trial import Trial
from penstock.tck._whitebox_trial import WhiteboxSubject, WhiteboxTrial

__all__ = ["Given", "Step", "steps"]

Step = tuple[Check, Callable[[Check], Trial]]
"""A check, and how to make the trial that it is handed."""


def _itself(i: int) -> Any:
    return i


@dataclass(frozen=True)
class Given:
    """What an author gives; which of it counts depends on the side."""

    create: Callable[..., Any]
    failed: Callable[[], Any] | None = None
    trigger: Callable[[Any], object] | None = None
    element: Callable[[int], Any] | None = None
    shut_down: Callable[[Any], object] | None = None


def steps(side: Side, given: Given, environment: Environment, knobs: Knobs) -> list[Step]:
    """Return all checks of one kind of implementation, in the order in which they run."""
    if side == "processor":
        element = given.element or _itself
        return processor_trials(given.create, element, knobs, environment)
    make = _trials(side, given, environment, knobs)
    return [(check, make) for check in checks_of(side)]


def _trials(
    side: Side, given: Given, environment: Environment, knobs: Knobs
) -> Callable[[Check], Trial]:
    element = given.element or _itself
    if side == "publisher":
        publisher = PublisherSubject(given.create, given.failed)
        return lambda check: PublisherTrial(check, environment, knobs, publisher)
    if side == "subscriber":
        subscriber = SubscriberSubject(given.create, given.trigger, element, given.shut_down)
        return lambda check: SubscriberTrial(check, environment, knobs, subscriber)
    whitebox = WhiteboxSubject(given.create, given.trigger, element, given.shut_down)
    return lambda check: WhiteboxTrial(check, environment, knobs, whitebox)
