"""The monitor: it watches the signals of live streams and reports every broken rule."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from penstock._monitor.publisher import CheckedProcessor, CheckedPublisher
from penstock._monitor.reporter import OnViolation, Reporter
from penstock._monitor.shape import PUBLISHER, SUBSCRIBER, lacks, refusal
from penstock._monitor.subscriber import CheckedSubscriber
from penstock._monitor.violation import Party, Position, RuleBroken, Violation
from penstock.api import Processor, Publisher, Subscriber

__all__ = ["OnViolation", "Party", "Position", "RuleBroken", "Violation", "checked"]

T = TypeVar("T")
R = TypeVar("R")


@overload
def checked(target: Processor[T, R], on_violation: OnViolation = "log") -> Processor[T, R]: ...
@overload
def checked(target: Publisher[T], on_violation: OnViolation = "log") -> Publisher[T]: ...
@overload
def checked(target: Subscriber[T], on_violation: OnViolation = "log") -> Subscriber[T]: ...
def checked(target: Any, on_violation: OnViolation = "log") -> Any:
    """Return `target` watched: a Publisher, a Subscriber or a Processor that does the same.

    Use what is returned in the place of `target`. All calls are passed on with the same
    arguments, on the same thread and in the same order, and so is what they return and
    raise. A watched Subscriber is given watched Subscriptions, and a watched Publisher
    gives them; no Subscriber is kept alive by being watched.

    `on_violation` says what to do about a broken rule:

    * `"log"`: log it as an error, to the logger `penstock`.
    * `"raise"`: log it, pass the call on all the same, and then raise `RuleBroken` to the
      caller whose call broke the rule, from what the call raised if it did. What is no
      `Exception`, such as `CancelledError`, goes first. What is raised on other threads may
      be lost: in tests of such streams, collect the violations with a function.
    * a function that takes the `Violation`: call it, on the thread that broke the rule. It
      may be called by several threads at once. What it raises is a dropped error.

    A rule that one party breaks again and again on one subscription is told of once, but is
    raised each time. Only what is sure to be a breach is reported:

    * 1.1 more elements than requested; 1.3 signals on two threads at once; 1.4 `on_error`
      with no `Exception`; 1.7 a signal after a terminal one; 1.8 a stream that goes on after
      `cancel` for over 1000 elements and over 10 s; 1.9 a signal before `on_subscribe`, or a
      `subscribe` that raises; 1.10 `subscribe` with an object that is subscribed already
    * 2.3 a call from inside a terminal signal; 2.5 a request on a second subscription;
      2.7 `request` on two threads at once (not if an element came for the one that runs, and
      never for `cancel`); 2.12 a second `on_subscribe`; 2.13 None for an element, error or
      subscription, a signal method that raises (but an interrupt) or takes None, and a Publisher
      that goes on, on the same thread, after one has raised
    * 3.3 over 16 requests nested in each other; 3.6 an element, sent from inside `request`,
      for a request made after `cancel`; 3.9 and R.10 a bad request (the Subscriber's breach),
      one that is answered, from inside `request`, with another terminal signal than the rule
      wants, and a stream that goes on after one and completes (the Publisher's); 3.15 and
      3.16 `cancel` and `request` that raise

    Once an object is in two subscriptions at the same time, or subscribes again after a
    cancel while the Publisher still holds it, its signals can't be told apart and are not
    judged any more. What only time can show (a signal that never comes, a call that takes
    long) and rules 2.4 and R.5, where a correct party may look like a wrong one, are left to
    the conformance kit.

    Raises `TypeError` if `target` is none of the three, and `ValueError` for any other
    `on_violation`.
    """
    reporter = Reporter(on_violation)
    publishes = not lacks(target, PUBLISHER)
    subscribes = not lacks(target, SUBSCRIBER)
    if isinstance(target, type) or not (publishes or subscribes):
        raise TypeError(refusal(target))
    if publishes and subscribes:
        return CheckedProcessor(target, reporter)
    return CheckedPublisher(target, reporter) if publishes else CheckedSubscriber(target, reporter)
