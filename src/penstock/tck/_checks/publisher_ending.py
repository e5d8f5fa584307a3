"""Checks of how a stream ends: with an error or well, once, and without delay."""

from __future__ import annotations

from penstock.tck._check import check
from penstock.tck._checks.publisher_basics import BASICS, SUBSCRIBES
from penstock.tck._publisher_trial import PublisherTrial
from penstock.tck._watch import Watch
from penstock.testing._log import brief

__all__: list[str] = []

COMPLETES = "spec_1_05_finite_stream_completes"


@check("publisher", needs=SUBSCRIBES)
def spec_1_04_failure_reaches_on_error(trial: PublisherTrial) -> str:
    """Subscribes to a Publisher that fails, and sees `on_error` come, asked or not."""
    watch = trial.watch(trial.failed_publisher(), dwell=trial.env.dwell)
    unasked = trial.wait_until(lambda: watch.ended, trial.env.quiet)
    if not unasked:
        watch.request(1)
        trial.wait_until(lambda: watch.ended or watch.received > 0, renew=True)
        while not watch.ended and watch.received == watch.requested < 1000:
            watch.request(1)
            trial.wait_until(lambda: watch.ended or watch.received == watch.requested, renew=True)
    if watch.error is None:
        what = "on_complete" if watch.ended else "nothing"
        trial.fail(f"{what} came from a Publisher that failed, not on_error")
    trial.stay_quiet()
    return f"on_error({brief(watch.error)}) came " + ("unasked" if unasked else "after a request")


@check("publisher", needs="spec_1_04_failure_reaches_on_error")
def spec_R_07_error_does_not_wait_for_demand(trial: PublisherTrial) -> str:
    """Subscribes to a Publisher that fails and requests nothing, and tells when it hears.

    A Publisher that finds its failure by pulling can't know before it is asked, so that
    is no breach; what a Processor does with an error it has been given is judged strictly.
    """
    watch = trial.watch(trial.failed_publisher())
    if trial.wait_until(lambda: watch.ended):
        return "on_error came without demand"
    return "on_error waits for a request: right if the failure is found by pulling"


@check("publisher", needs=f"{BASICS} {COMPLETES}")
def spec_1_07_nothing_follows_on_complete(trial: PublisherTrial) -> None:
    """Runs streams to their end with demand to spare: no signal follows."""
    for n in sorted({trial.few(3, at_least=0), 0}):
        watch = _completed(trial, n)
        trial.stay_quiet()
        if watch.requested == 0:
            watch.request(1)
            trial.stay_quiet()


@check("publisher", needs=f"{BASICS} {COMPLETES}")
def spec_1_06_end_cancels_the_subscription(trial: PublisherTrial) -> None:
    """Requests, wrongly requests and cancels after `on_complete`: none has an effect."""
    watch = _completed(trial, trial.few(2, at_least=0))
    watch.request(1)
    watch.request(0)
    trial.stay_quiet()
    watch.cancel()
    watch.request(2)
    trial.stay_quiet()


@check("publisher", needs=SUBSCRIBES)
def spec_1_07_nothing_follows_on_error(trial: PublisherTrial) -> str:
    """Makes a stream fail, then requests: no signal follows the error."""
    told: list[str] = []
    if (failed := trial.failed_one()) is not None:
        watch = trial.watch(failed, "subscriber to a failed one")
        watch.request(2)
        if trial.wait_until(lambda: watch.ended, renew=True):
            _prod(trial, watch)
            told.append("after a failure")
    watch = trial.watch(trial.few(3))
    watch.request(-1)
    if trial.wait_until(lambda: watch.ended):
        _prod(trial, watch)
        told.append("after request(-1)")
    if not told:
        trial.skip("the stream could not be made to fail")
    return "seen " + " and ".join(told)


def _prod(trial: PublisherTrial, watch: Watch) -> None:
    trial.stay_quiet()
    watch.request(3)
    watch.request(0)
    trial.stay_quiet()


def _completed(trial: PublisherTrial, n: int) -> Watch:
    watch = trial.watch(n)
    if n or not trial.wait_until(lambda: watch.ended, trial.env.quiet):
        watch.request(n + 1)
    if not trial.wait_until(lambda: watch.ended or watch.received > n, renew=True):
        trial.skip("the stream does not complete")
    if not watch.completed:
        trial.skip("the stream does not complete after the elements it was made with")
    return watch


@check("publisher", needs=f"{BASICS} {COMPLETES}")
def spec_R_04_completes_without_one_more_request(trial: PublisherTrial) -> str:
    """Requests exactly as many as there are, and sees whether `on_complete` comes unasked.

    Judged if the Publisher knows its length: if it says so (`knows_length`) or completes
    an empty stream unasked. Finding the end by pulling is right where it isn't known.
    """
    n = trial.few(3)
    knows = trial.knobs.knows_length
    if knows is None:
        empty = trial.watch(0, "subscriber to an empty one")
        trial.wait_until(lambda: empty.ended, trial.env.quiet)
        knows = empty.completed
    if not knows:
        trial.skip("it does not know its length beforehand (knows_length)")
    watch = trial.watch(n)
    watch.request(n)
    watch.await_elements(n)
    if trial.wait_until(lambda: watch.ended):
        return "completed with its last element"
    watch.request(1)
    if trial.wait_until(lambda: watch.ended or watch.received > n) and watch.ended:
        trial.fail(f"after {n} of {n} elements on_complete waited for one more request")
    trial.skip("the stream goes on after the elements it was made with")
