"""Checks of a Subscriber whose signals and calls come on several threads."""

from __future__ import annotations

import time

from penstock.tck._check import check
from penstock.tck._checks.subscriber_basics import REQUESTS
from penstock.tck._checks.subscriber_leaving import CANCELS
from penstock.tck._subscriber_trial import SubscriberTrial
from penstock.tck._upstream import Upstream

__all__: list[str] = []


@check("subscriber", needs=REQUESTS, stochastic=True)
def spec_2_07_requests_one_at_a_time(trial: SubscriberTrial) -> None:
    """Dwells in `request` while elements come on changing threads: no two requests overlap."""
    until = time.monotonic() + 2 * trial.env.timeout
    for factor, elements in ((1, 8), (1, 8), (4, 4), (10, 2)):
        subscriber, upstream = trial.connect(dwell=factor * trial.env.dwell)
        if trial.demand(subscriber, upstream):
            for _ in range(3):
                trial.push(subscriber)
        trial.feed(subscriber, upstream, elements, threads=True)
        trial.stop_if_broken()
        if time.monotonic() > until:
            break


@check("subscriber", needs=REQUESTS, stochastic=True)
def spec_2_11_takes_elements_from_any_thread(trial: SubscriberTrial) -> str:
    """Sends each element from a thread of its own, one after another: all are taken."""
    subscriber, upstream = trial.connect()
    trial.demand(subscriber, upstream)
    goes_on = trial.feed(subscriber, upstream, trial.enough(upstream), threads=True)
    if not goes_on and not upstream.cancelled:
        trial.fail(
            f"it requested no more after {upstream.sent} elements from changing threads; "
            "from one thread, it did"
        )
    return f"it received {upstream.sent} elements from changing threads"


class _Hold:
    """Keeps the first call that comes from outside all signals, until it is released."""

    def __init__(self, trial: SubscriberTrial) -> None:
        self.trial = trial
        self.holding = False
        self.released = False
        self.gave_up = False

    def __call__(self, upstream: Upstream, _: int = 0) -> None:
        trial = self.trial
        with trial.news:
            # While a signal runs, another one would break rule 1.3.
            if self.holding or upstream.signalling_here:
                return
            if not trial.news.wait_for(lambda: not upstream.signalling, trial.env.timeout):
                return
            if self.holding:
                return
            self.holding = True
            trial.news.notify_all()
            in_time = trial.news.wait_for(self._may_go, trial.env.timeout)
            self.gave_up = not in_time

    def _may_go(self) -> bool:
        return self.released or bool(self.trial.violations)

    def release(self) -> None:
        """Let the call return."""
        with self.trial.news:
            self.released = True
            self.trial.news.notify_all()


@check("subscriber", needs=REQUESTS)
def spec_R_08_waits_for_no_request(trial: SubscriberTrial) -> str:
    """Sends an element while a request on another thread is held up: `on_next` returns."""
    if not _requests_outside_signals(trial):
        trial.skip("it requests only from inside its signals")
    hold = _Hold(trial)
    subscriber, upstream = trial.connect(when_requested=hold, judges_overlaps=False)
    trial.cleanup(hold.release)
    if trial.can_push:
        trial.on_thread("trigger", lambda: trial.contained(lambda: trial.push(subscriber)))
    for _ in range(2):
        if trial.wait_until(lambda: hold.holding or upstream.cancelled, trial.env.timeout / 2):
            break
        if upstream.demand > 0:
            upstream.send(trial.element())
    return _send_meanwhile(trial, hold, upstream, "request()")


def _requests_outside_signals(trial: SubscriberTrial) -> bool:
    subscriber, upstream = trial.connect()
    trial.feed(subscriber, upstream, 2)
    trial.demand(subscriber, upstream)
    return any(not call.inside for call in upstream.calls)


@check("subscriber", needs=f"{REQUESTS} {CANCELS}")
def spec_R_08_waits_for_no_cancel(trial: SubscriberTrial) -> str:
    """Sends an element while a cancel on another thread is held up: `on_next` returns."""
    if not trial.can_stop:
        trial.skip("no shut_down was given")
    hold = _Hold(trial)
    subscriber, upstream = trial.connect(when_cancelled=hold)
    trial.cleanup(hold.release)
    if not trial.demand(subscriber, upstream):
        trial.skip("nothing was requested that could be sent meanwhile")
    trial.on_thread("shut_down", lambda: trial.contained(lambda: trial.stop(subscriber)))
    trial.wait_until(lambda: hold.holding)
    return _send_meanwhile(trial, hold, upstream, "cancel()")


def _send_meanwhile(trial: SubscriberTrial, hold: _Hold, upstream: Upstream, call: str) -> str:
    if not hold.holding or upstream.demand <= 0:
        hold.release()
        trial.skip(f"there was no {call} during which an element could be sent")
    upstream.send(trial.element())
    hold.release()
    if hold.gave_up:
        trial.fail(f"on_next did not return before {call} on another thread did")
    return f"on_next returned while {call} was running on another thread"
