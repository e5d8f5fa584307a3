"""Checks that a Subscriber refuses None."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from penstock.api import Subscriber
from penstock.tck._check import check
from penstock.tck._checks.subscriber_basics import REQUESTS, RETURNS
from penstock.tck._raised import raised
from penstock.tck._subscriber_trial import SubscriberTrial

__all__: list[str] = []

_NONE: Any = None


@check("subscriber", needs=RETURNS)
def spec_2_13_on_subscribe_refuses_none(trial: SubscriberTrial) -> None:
    """Calls `on_subscribe(None)`: it must raise TypeError to the caller."""
    subscriber = trial.subscriber()
    _expect_type_error(trial, "on_subscribe(None)", lambda: subscriber.on_subscribe(_NONE))


@check("subscriber", needs=REQUESTS)
def spec_2_13_on_next_refuses_none(trial: SubscriberTrial) -> None:
    """Calls `on_next(None)` while there is demand: it must raise TypeError to the caller."""
    subscriber = _with_demand(trial)
    _expect_type_error(trial, "on_next(None)", lambda: subscriber.on_next(_NONE))


@check("subscriber", needs=RETURNS)
def spec_2_13_on_error_refuses_none(trial: SubscriberTrial) -> None:
    """Calls `on_error(None)` in mid-stream: it must raise TypeError to the caller."""
    subscriber = _with_demand(trial)
    _expect_type_error(trial, "on_error(None)", lambda: subscriber.on_error(_NONE))


def _with_demand(trial: SubscriberTrial) -> Subscriber[Any]:
    subscriber, upstream = trial.connect()
    trial.demand(subscriber, upstream)
    if upstream.cancelled:
        trial.skip("it cancels before it receives anything")
    return subscriber


def _expect_type_error(trial: SubscriberTrial, what: str, call: Callable[[], object]) -> None:
    trial.log.add("kit", f"calls {what}")
    try:
        with trial.calling(what, "2.2"):
            trial.gave(what, call())
    except TypeError as error:
        _must_be_meant(trial, what, error)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it must be a TypeError
        _fail(trial, what, f"raised {raised(error)}")
    else:
        _fail(trial, what, "returned normally")


def _must_be_meant(trial: SubscriberTrial, what: str, error: TypeError) -> None:
    # What `raise error` makes of None: a check was not done, an accident stands in for it.
    if "exceptions must derive from BaseException" in str(error):
        _fail(trial, what, f"tried to raise None: {raised(error)}")


def _fail(trial: SubscriberTrial, what: str, did: str) -> NoReturn:
    trial.fail(f"{what} {did}; it must raise TypeError to its caller")
