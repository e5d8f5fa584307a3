"""Checks of how a Processor turns downstream demand into upstream demand."""

from __future__ import annotations

import threading
import time

from penstock.api import UNBOUNDED
from penstock.tck._check import check
from penstock.tck._processor_trial import ProcessorTrial
from penstock.tck._watch import Watch

__all__ = ["FLOWS"]

FLOWS = "spec_4_01_passes_elements_through"


@check("processor")
def spec_4_01_passes_elements_through(trial: ProcessorTrial) -> None:
    """Requests two downstream, sends them upstream, and sees both come out."""
    upstream, _, watch = trial.pipe()
    for i in (1, 2):
        watch.request(1)
        if not upstream.await_demand():
            trial.fail("an element was requested downstream, and none upstream", "3.8")
        upstream.send(trial.element())
        watch.await_elements(i, "3.8")


@check("processor", needs=FLOWS)
def spec_R_06_asks_only_after_demand(trial: ProcessorTrial) -> None:
    """Connects both sides and requests nothing: nothing is requested upstream."""
    upstream, _, _ = trial.pipe()
    trial.stay_quiet()
    if upstream.requests:
        trial.fail(f"{upstream.requested} elements were requested upstream before any demand")


@check("processor", needs=FLOWS)
def spec_R_06_asks_within_its_window(trial: ProcessorTrial) -> str:
    """Requests one at a time: upstream is asked at most the window more than was demanded."""
    upstream, _, watch = trial.pipe()
    window = trial.knobs.buffer_size
    furthest = 0
    for _ in range(3):
        watch.request(1)
        trial.send(upstream, 1)
        trial.stay_quiet()
        # All it asks for is sent, so what it holds is what it asked for beyond the demand.
        while upstream.demand > 0 and furthest <= window:
            upstream.send(trial.element())
            furthest = max(furthest, upstream.requested - watch.requested)
        trial.stay_quiet()
        furthest = max(furthest, upstream.requested - watch.requested)
        if furthest > window:
            trial.fail(
                f"{watch.requested} elements were demanded and {upstream.requested} requested "
                f"upstream: {furthest} ahead, its window is {window} (buffer_size)"
            )
    return f"asked at most {furthest} ahead"


@check("processor", needs=FLOWS)
def spec_R_06_cancel_reaches_upstream(trial: ProcessorTrial) -> None:
    """Cancels downstream, before and after an element: upstream is cancelled."""
    if trial.knobs.keep_alive:
        trial.skip("it is declared to go on without Subscribers (keep_alive=True)")
    for asks in (0, 1):
        upstream, _, watch = trial.pipe()
        if asks:
            watch.request(1)
            trial.send(upstream, 1)
            watch.await_elements(1, "3.8")
        watch.cancel()
        _expect_cancelled(trial, upstream.wait_cancelled())


@check("processor", needs=FLOWS)
def spec_R_06_last_cancel_reaches_upstream(trial: ProcessorTrial) -> None:
    """Cancels one of two Subscribers, then the other: only then upstream is cancelled."""
    if trial.knobs.keep_alive:
        trial.skip("it is declared to go on without Subscribers (keep_alive=True)")
    upstream, processor, first = trial.pipe()
    second = trial.watch(processor, "second downstream")
    if trial.wait_until(lambda: second.ended, trial.env.quiet):
        trial.skip("it takes one Subscriber only")
    first.cancel()
    trial.stay_quiet()
    if upstream.cancelled:
        trial.fail("upstream was cancelled while one of two Subscribers was still there")
    second.cancel()
    _expect_cancelled(trial, upstream.wait_cancelled())


def _expect_cancelled(trial: ProcessorTrial, cancelled: bool) -> None:
    if not cancelled:
        trial.fail("the last Subscriber cancelled, and upstream was not")


@check("processor", needs=FLOWS)
def spec_R_06_bears_elements_after_cancel(trial: ProcessorTrial) -> None:
    """Cancels downstream and sends what was still requested upstream: it is let go."""
    trial.instead = {"2.13": "R.6"}
    upstream, _, watch = trial.pipe()
    watch.request(3)
    if not upstream.await_demand():
        trial.skip("nothing was requested upstream")
    left = min(upstream.demand, 3)
    watch.cancel()
    upstream.wait_cancelled()
    for _ in range(left):
        upstream.send(trial.element())
    trial.stay_quiet()


@check("processor", needs=FLOWS)
def spec_R_06_bears_elements_before_demand(trial: ProcessorTrial) -> None:
    """Sends an element that nobody requested: whatever becomes of it, `on_next` returns."""
    trial.instead = {"2.13": "R.6"}
    upstream, _, watch = trial.pipe()
    watch.takes_surplus = True
    upstream.send(trial.element())
    trial.stay_quiet()


@check("processor", needs=FLOWS)
def spec_3_08_demand_from_long_ago_is_met(trial: ProcessorTrial) -> None:
    """Requests more than the window holds at once: upstream is asked until all have come."""
    upstream, _, watch = trial.pipe()
    n = 2 * trial.knobs.buffer_size + 3
    watch.request(n)
    trial.stay_quiet()
    while watch.received < n:
        before = watch.received
        if not trial.send(upstream, n - before):
            trial.fail(f"{n} elements were demanded; after {before} upstream is asked no more")
        watch.await_elements(before + 1)


@check("processor", needs=FLOWS)
def spec_3_08_demand_before_upstream_is_met(trial: ProcessorTrial) -> None:
    """Subscribes and requests downstream first, connects upstream then: the element comes."""
    processor = trial.processor()
    watch = Watch(trial, "downstream", when_subscribed=lambda watch: watch.request(1))
    trial.subscribe(processor, watch)
    upstream = trial.feed(processor)
    watch.await_subscription()
    if not upstream.await_demand():
        trial.fail("what was requested before upstream was there is not requested upstream")
    upstream.send(trial.element())
    watch.await_elements(1)


@check("processor", needs=FLOWS)
def spec_3_08_loses_no_element(trial: ProcessorTrial) -> None:
    """Sends all that is asked for while nobody takes it: on demand, all of it comes."""
    upstream, _, watch = trial.pipe()
    waiting = trial.fill(upstream, watch, 2 * trial.knobs.buffer_size)
    if waiting:
        watch.request(waiting)
    watch.await_elements(1 + waiting)


@check("processor", needs=FLOWS)
def spec_3_03_recursion_over_what_waits_is_bounded(trial: ProcessorTrial) -> str:
    """Requests inside each `on_next` while many elements wait: the stack stays flat."""
    upstream, _, watch = trial.pipe()
    waiting = trial.fill(upstream, watch, 2 * trial.knobs.buffer_size)
    allowed = trial.knobs.max_recursion_depth

    def more(watch: Watch, _: object) -> None:
        if watch.deepest > allowed:
            trial.note("3.3", f"on_next was running {watch.deepest} times on one stack")
        elif watch.requested <= waiting:
            watch.request(1)

    if waiting <= allowed:
        trial.skip(f"only {waiting} elements wait in it")
    watch.when_next = more
    watch.request(1)
    watch.await_elements(1 + waiting)
    return f"on_next was running at most {watch.deepest} times on one stack"


@check("processor", needs=FLOWS)
def spec_3_09_answers_wrong_requests_itself(trial: ProcessorTrial) -> None:
    """Calls `request(0)` downstream: `on_error` comes, and upstream sees no such request."""
    upstream, _, watch = trial.pipe()
    watch.request(0)
    trial.wait_until(lambda: watch.ended)
    if not isinstance(watch.error, ValueError):
        trial.fail("request(0) was not answered by on_error(ValueError)")
    if not trial.knobs.keep_alive and not upstream.wait_cancelled():
        trial.fail("its only Subscriber was refused for request(0), upstream not cancelled", "R.6")


@check("processor", needs=FLOWS, stochastic=True)
def spec_1_03_both_sides_at_once(trial: ProcessorTrial) -> None:
    """Sends from one thread while another requests: downstream gets one signal at a time."""
    upstream, _, watch = trial.pipe(dwell=trial.env.dwell)
    # What waits already can be sent by either thread.
    n = 21 + trial.fill(upstream, watch, trial.knobs.buffer_size // 2)
    pause = trial.env.dwell / 2

    def send() -> None:
        trial.contained(lambda: trial.send(upstream, 20, pause))

    done = trial.on_thread("upstream", send)
    while watch.requested < n:
        watch.request(min(3, n - watch.requested))
        time.sleep(pause)
    trial.wait_until(lambda: done.is_set() or watch.received >= n, renew=True)
    watch.await_elements(n)


@check("processor", needs=FLOWS)
def spec_3_17_unbounded_demand_passes(trial: ProcessorTrial) -> None:
    """Requests 2**63 - 1 twice downstream: elements come, and upstream gets no nonsense."""
    upstream, _, watch = trial.pipe()
    watch.request(UNBOUNDED)
    watch.request(UNBOUNDED)
    sent = trial.send(upstream, 3)
    watch.await_elements(min(sent, 3))


@check("processor", needs=FLOWS)
def spec_R_08_upstream_and_downstream_do_not_wait(trial: ProcessorTrial) -> str:
    """Sends upstream while a Subscriber dwells in `on_next` elsewhere: `on_next` returns."""
    caller = threading.get_ident()
    elsewhere = False

    def waits() -> bool:
        nonlocal elsewhere
        in_time: list[bool] = []
        sent_second = threading.Event()

        def stay(_: Watch, __: object) -> None:
            nonlocal elsewhere
            if threading.get_ident() != caller and not in_time:
                elsewhere = True
                in_time.append(sent_second.wait(trial.env.timeout / 2))

        upstream, _, watch = trial.pipe(when_next=stay)
        watch.request(2)
        if not upstream.await_demand():
            trial.skip("nothing was requested upstream")
        upstream.send(trial.element())
        if upstream.demand == 0:
            trial.skip("it asks for one element at a time")
        upstream.send(trial.element())
        sent_second.set()
        watch.await_elements(2)
        return bool(in_time) and not in_time[0]

    if trial.happens_twice(waits):
        trial.fail("on_next waited for the Subscriber's on_next on another thread")
    return "delivers on other threads" if elsewhere else "delivers on upstream's thread"
