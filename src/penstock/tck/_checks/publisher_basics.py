"""What every other check of a Publisher relies on: it subscribes, emits and completes."""

from __future__ import annotations

from penstock.tck._check import check
from penstock.tck._publisher_trial import PublisherTrial
from penstock.tck._watch import Watch
from penstock.testing._log import brief

__all__ = ["ADDS", "BASICS", "REENTERS", "SUBSCRIBES"]

SUBSCRIBES = "spec_1_09_signals_on_subscribe"
EMITS = "spec_3_08_delivers_what_is_requested"
REENTERS = "spec_3_02_request_inside_on_subscribe spec_3_02_request_inside_on_next"
BASICS = f"{SUBSCRIBES} {EMITS}"
ADDS = f"{BASICS} {REENTERS} spec_3_08_requests_add_up"


@check("publisher")
def spec_1_09_signals_on_subscribe(trial: PublisherTrial) -> None:
    """Subscribes, and sees `on_subscribe` come, and nothing else before a request."""
    trial.watch(min(3, trial.knobs.max_elements))
    trial.stay_quiet()


@check("publisher", needs=SUBSCRIBES)
def spec_3_08_delivers_what_is_requested(trial: PublisherTrial) -> None:
    """Requests three elements one at a time, and sees each of them come."""
    n = trial.few(3)
    watch = trial.watch(n)
    for i in range(1, n + 1):
        watch.request(1)
        watch.await_elements(i)


@check("publisher", needs=BASICS)
def spec_3_02_request_inside_on_subscribe(trial: PublisherTrial) -> None:
    """Requests from inside `on_subscribe`, and sees the element come."""
    trial.instead = {"3.4": "3.2", "3.16": "3.2"}
    watch = trial.watch(trial.few(1), when_subscribed=lambda watch: watch.request(1))
    watch.await_elements(1, "3.2")


@check("publisher", needs=BASICS)
def spec_3_02_request_inside_on_next(trial: PublisherTrial) -> None:
    """Requests each next element from inside `on_next`, and sees all of them come."""
    trial.instead = {"3.4": "3.2", "3.16": "3.2"}
    n = trial.few(5, at_least=2)
    watch = trial.watch(n, when_next=lambda watch, _: watch.request(1))
    watch.request(1)
    watch.await_elements(n, "3.2")


@check("publisher", needs=f"{BASICS} {REENTERS}")
def spec_3_08_requests_add_up(trial: PublisherTrial) -> None:
    """Requests several times before anything is delivered: the sum of it comes."""
    n = trial.few(10, at_least=2)

    def split(watch: Watch, total: int) -> None:
        first = max(1, total // 3)
        watch.request(first)
        if total > first:
            watch.request(total - first)

    outside = trial.watch(n, "outside")
    split(outside, n)
    outside.await_elements(n)
    subscribing = trial.watch(n, "in on_subscribe", when_subscribed=lambda watch: split(watch, n))
    subscribing.await_elements(n)

    def once(watch: Watch, _: object) -> None:
        if watch.received == 1:
            split(watch, n - 1)

    inside = trial.watch(n, "in on_next", when_next=once)
    inside.request(1)
    inside.await_elements(n)


@check("publisher", needs=BASICS)
def spec_1_05_finite_stream_completes(trial: PublisherTrial) -> None:
    """Requests one more than there are, and sees `on_complete` come after the last."""
    n = trial.few(3)
    watch = trial.watch(n)
    watch.request(n + 1)
    _expect_completion(trial, watch, n)


@check("publisher", needs=SUBSCRIBES)
def spec_1_05_empty_stream_completes(trial: PublisherTrial) -> str:
    """Subscribes to an empty stream, and sees `on_complete` come, asked or not."""
    watch = trial.watch(0)
    if trial.wait_until(lambda: watch.ended, trial.env.quiet) and watch.completed:
        return "completed without a request"
    watch.request(1)
    _expect_completion(trial, watch, 0)
    return "completed when an element was requested"


def _expect_completion(trial: PublisherTrial, watch: Watch, n: int) -> None:
    trial.wait_until(lambda: watch.ended or watch.received > n, renew=True)
    if watch.received > n:
        trial.skip(f"asked for a stream of {n} elements, the factory made a longer one")
    if watch.error is not None:
        trial.fail(f"on_error({brief(watch.error)}) came instead of on_complete")
    if watch.ended:
        return
    if watch.received < n:
        watch.await_elements(n)
    watch.request(1)
    if trial.wait_until(lambda: watch.ended):
        trial.fail("there was demand, yet on_complete waited for one more request", "R.4")
    trial.fail(f"no on_complete came after the last of {n} elements")


@check("publisher", needs=f"{BASICS} spec_1_05_finite_stream_completes")
def spec_1_02_may_signal_fewer_than_requested(trial: PublisherTrial) -> str:
    """Requests more than there are, and tells what came."""
    n = trial.few(3)
    watch = trial.watch(n)
    watch.request(n + 7)
    if not trial.wait_until(lambda: watch.ended or watch.received > n, renew=True):
        trial.skip("the stream does not complete")
    return f"of {n + 7} requested elements {watch.received} came"


@check("publisher", needs=SUBSCRIBES)
def spec_2_12_on_subscribe_comes_once(trial: PublisherTrial) -> None:
    """Runs a stream to its end, and sees `on_subscribe` come once."""
    n = trial.few(2, at_least=0)
    watch = trial.watch(n)
    watch.request(n + 1)
    watch.await_length(n)
    trial.stay_quiet()
