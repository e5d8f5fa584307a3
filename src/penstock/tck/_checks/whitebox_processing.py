"""Checks of what a Subscriber makes of its signals, as it tells the probe."""

from __future__ import annotations

from typing import Any, NoReturn

from penstock.api import UNBOUNDED
from penstock.tck._check import check
from penstock.tck._checks.subscriber_inside import pumped
from penstock.tck._checks.whitebox_basics import REQUESTS, RETURNS
from penstock.tck._verdict import StreamError
from penstock.tck._whitebox_probe import Record
from penstock.tck._whitebox_trial import WhiteboxTrial
from penstock.testing._log import brief

__all__: list[str] = []

_BURST = 17
"""How many elements are sent at once: an odd number, for those that work on pairs."""


@check("whitebox", needs=REQUESTS)
def spec_3_08_whitebox_requests_add_up(trial: WhiteboxTrial) -> None:
    """Has the puppet request 1, 2 and 3 elements in a row: 6 more are requested."""
    subscriber, upstream = trial.connect()
    puppet = trial.puppet(subscriber)
    before = upstream.requested
    for n in (1, 2, 3):
        if upstream.cancelled:
            trial.skip("it cancels before it receives anything")
        with trial.calling(f"puppet.trigger_request({n})", "2.1"):
            puppet.trigger_request(n)

    def has_asked() -> bool:
        return upstream.requested >= before + 6 or upstream.demand >= UNBOUNDED

    if not trial.wait_until(has_asked):
        asked = upstream.requested - before
        trial.fail(f"told to request 1, 2 and 3 elements, it requested {asked}", "2.1")


@check("whitebox", needs=RETURNS)
def spec_2_09_whitebox_deals_with_completion(trial: WhiteboxTrial) -> None:
    """Completes the stream before and after a request: the Subscriber deals with it."""
    _end(trial, None, "on_complete")


@check("whitebox", needs=RETURNS)
def spec_2_10_whitebox_deals_with_an_error(trial: WhiteboxTrial) -> None:
    """Fails the stream before and after a request: the Subscriber deals with it."""
    _end(trial, StreamError(), "on_error")


def _end(trial: WhiteboxTrial, error: Exception | None, signal: str) -> None:
    for request in (False, True):
        subscriber, upstream = trial.connect()
        if request:
            trial.demand(subscriber, upstream)
        if upstream.cancelled:
            trial.skip("it cancels before an end can be signalled")
        upstream.finish(error)
        if not trial.wait_until(trial.record(subscriber).has(signal)):
            when = "with a request before it" if request else "with no request before it"
            trial.fail(f"{signal} came, {when}, and probe.register_{signal} was not called")


@check("whitebox", needs=REQUESTS)
def spec_2_11_whitebox_deals_with_all_in_order(trial: WhiteboxTrial) -> str:
    """Sends a burst of elements and completes: all are dealt with, once and in order."""
    return _burst(trial, threads=False)


@check("whitebox", needs=REQUESTS, stochastic=True)
def spec_2_11_whitebox_deals_with_all_from_changing_threads(trial: WhiteboxTrial) -> str:
    """Does the same with each element sent from a thread of its own, one after another."""
    return _burst(trial, threads=True)


def _burst(trial: WhiteboxTrial, *, threads: bool) -> str:
    trial.dwell = trial.env.dwell
    subscriber, upstream = trial.connect()
    sent: list[Any] = []
    # As much demand at once as there may be: one by one, few things go wrong.
    trial.demand(subscriber, upstream, _BURST)
    while len(sent) < _BURST and trial.demand(subscriber, upstream):
        sent.append(trial.element())
        if threads:
            trial.send_elsewhere(upstream, sent[-1])
        else:
            upstream.send(sent[-1])
    if upstream.cancelled:
        trial.skip("it cancels in mid-stream, and may drop what came before that")
    upstream.finish()
    record = trial.record(subscriber)
    trial.wait_until(lambda: len(record.elements) >= len(sent), renew=True)
    trial.settle()
    _expect_in_order(trial, record, sent)
    return f"it dealt with {len(sent)} elements in order"


@check("whitebox", needs=REQUESTS)
def spec_2_11_whitebox_deals_in_order_with_nested_elements(trial: WhiteboxTrial) -> str:
    """Sends elements inside `request`, some inside `on_next`: they are dealt with in order."""
    fed = pumped(trial)
    record = trial.record(fed.subscriber)
    if fed.upstream.cancelled:
        trial.skip("it cancels in mid-stream, and may drop what came before that")
    trial.wait_until(lambda: len(record.elements) >= len(fed.sent), renew=True)
    _expect_in_order(trial, record, fed.sent)
    return f"it dealt with {len(fed.sent)} elements in order"


def _expect_in_order(trial: WhiteboxTrial, record: Record, sent: list[Any]) -> None:
    dealt_with = record.elements
    for i, (got, expected) in enumerate(zip(dealt_with, sent, strict=False), 1):
        if not _same(got, expected):
            _fail(trial, f"the {_nth(i)} was {brief(expected)}", f"with {brief(got)} instead")
    if len(dealt_with) < len(sent):
        missing = sent[len(dealt_with)]
        what = f"{len(sent)} elements came"
        _fail(trial, what, f"with {len(dealt_with)} of them; {brief(missing)} is missing")
    if len(dealt_with) > len(sent):
        _fail(trial, f"{len(sent)} elements came", f"with {len(dealt_with)}")
    names = [name for name, _ in record.signals]
    if "on_complete" in names[: len(sent)]:
        _fail(trial, "on_complete came last", "with it before the last element")


def _fail(trial: WhiteboxTrial, came: str, dealt: str) -> NoReturn:
    trial.fail(f"{came}; as the probe was told, the Subscriber dealt {dealt}")


def _nth(i: int) -> str:
    return f"element number {i}"


def _same(got: Any, expected: Any) -> bool:
    """Whether this is the element, or a copy of it."""
    try:
        return got is expected or bool(got == expected)
    except Exception:  # noqa: BLE001 - an element that can't be compared is no copy
        return False
