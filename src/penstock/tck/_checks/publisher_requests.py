"""Checks of `request`: it adds up, returns, never recurses far, and answers bad numbers."""

from __future__ import annotations

import re
import threading
import time
from typing import Any

from penstock.api import UNBOUNDED
from penstock.tck._check import check
from penstock.tck._checks.publisher_basics import ADDS, BASICS, REENTERS, SUBSCRIBES
from penstock.tck._publisher_trial import PublisherTrial
from penstock.tck._watch import Watch
from penstock.testing._log import brief

__all__: list[str] = []

NESTED = f"{BASICS} {REENTERS}"


@check("publisher", needs=NESTED)
def spec_3_03_recursion_is_bounded(trial: PublisherTrial) -> str:
    """Requests inside every `on_next`, and looks how deep the two call each other."""
    n = trial.few(30, at_least=2)
    allowed = trial.knobs.max_recursion_depth

    def more(watch: Watch, _: object) -> None:
        if watch.deepest > allowed:
            # Noted before the stack overflows; without a request the recursion unwinds.
            trial.note("3.3", f"on_next was running {watch.deepest} times on one stack")
        elif watch.received < n:
            watch.request(1)

    watch = trial.watch(n, when_next=more)
    began = time.monotonic()
    watch.request(1)
    trial.wait_until(
        lambda: (
            watch.received >= n or watch.ended or time.monotonic() - began > 2 * trial.env.timeout
        ),
        renew=True,
    )
    if watch.received < 2:
        trial.skip(f"only {watch.received} elements came")
    return f"on_next was running at most {watch.deepest} times on one stack"


@check("publisher", needs=BASICS)
def spec_3_04_request_returns_promptly(trial: PublisherTrial) -> str:
    """Times `request(1)`, best of three; a synchronous Publisher may emit meanwhile."""
    best, limit = float("inf"), trial.env.prompt
    for _ in range(3):
        watch = trial.watch(trial.few(1))
        began = time.perf_counter()
        watch.request(1)
        took = time.perf_counter() - began
        # Running stages is not waiting: a slow source on this thread gets more time.
        ran_here = watch.received > 0 and threading.get_ident() in watch.threads
        limit = max(trial.env.prompt, trial.env.timeout / 4) if ran_here else trial.env.prompt
        best = min(best, took)
        if best <= limit:
            return f"request returned after {best * 1000:.1f} ms"
    trial.fail(f"request(1) took {best * 1000:.0f} ms, best of three; {limit * 1000:.0f} may do")


@check("publisher", needs=BASICS)
def spec_3_04_request_does_not_wait_for_on_next(trial: PublisherTrial) -> str:
    """Stays in `on_next` on the Publisher's own thread until `request` has returned."""
    asynchronous = False

    def waits() -> bool:
        nonlocal asynchronous
        caller = threading.get_ident()
        returned = threading.Event()
        in_time: list[bool] = []

        def stay(_: Watch, __: object) -> None:
            if threading.get_ident() != caller:
                in_time.append(returned.wait(trial.env.timeout / 2))

        watch = trial.watch(trial.few(2), when_next=stay)
        watch.request(1)
        returned.set()
        watch.await_elements(1)
        asynchronous = caller not in watch.threads or bool(in_time)
        return bool(in_time) and not in_time[0]

    if trial.happens_twice(waits):
        trial.fail("request(1) returned only after on_next had returned on another thread")
    return "delivers on other threads" if asynchronous else "delivers on the caller's thread"


@check("publisher", needs=BASICS)
def spec_R_08_request_is_free_while_on_next_runs(trial: PublisherTrial) -> str:
    """Requests from another thread while `on_next` dwells on the Publisher's own."""
    caller = threading.get_ident()
    synchronous = False

    def waits() -> bool:
        nonlocal synchronous
        in_time: list[bool] = []

        def stay(watch: Watch, _: object) -> None:
            nonlocal synchronous
            if threading.get_ident() == caller:
                # The request that led here has not returned, and requests don't overlap (2.7).
                synchronous = True
            elif not in_time:
                done = trial.on_thread("request", lambda: watch.request(1))
                in_time.append(done.wait(trial.env.timeout / 2))

        watch = trial.watch(trial.few(2), when_next=stay)
        watch.request(1)
        watch.await_elements(1)
        trial.wait_until(lambda: synchronous or bool(in_time))
        return bool(in_time) and not in_time[0]

    if trial.happens_twice(waits):
        trial.fail("request() waited until on_next returned: a lock is held across user code")
    if synchronous:
        trial.skip("delivers on the caller's thread, where requests can't overlap on_next")
    return "request returned while on_next was running"


@check("publisher", needs=SUBSCRIBES)
def spec_3_09_request_zero(trial: PublisherTrial) -> None:
    """Calls `request(0)`: `on_error(ValueError)` that names rule 3.9 comes."""
    _refused(trial, 0)


@check("publisher", needs=SUBSCRIBES)
def spec_3_09_request_negative(trial: PublisherTrial) -> None:
    """Calls `request(-1)`, then on a new stream the smallest number: each is refused."""
    _refused(trial, -1)
    _refused(trial, -UNBOUNDED - 1)


@check("publisher", needs=NESTED)
def spec_3_09_request_negative_inside_on_next(trial: PublisherTrial) -> None:
    """Calls `request(-1)` inside `on_next`: it is refused, and the stream ends."""
    trial.instead = {"3.16": "3.9"}
    watch = trial.watch(trial.few(4, at_least=2), when_next=lambda watch, _: watch.request(-1))
    watch.request(1)
    watch.await_elements(1)
    _expect_refusal(trial, watch, "request(-1)", "3.9")


@check("publisher", needs="spec_3_09_request_zero spec_3_09_request_negative")
def spec_R_10_request_of_what_is_no_int(trial: PublisherTrial) -> None:
    """Calls `request(True)`, `request(1.5)` and `request("1")`: each is refused like 0."""
    for n in (True, 1.5, "1"):
        _refused(trial, n, "R.10")


def _refused(trial: PublisherTrial, n: Any, rule: str = "3.9") -> None:
    watch = trial.watch(trial.few(3))
    # What comes unasked is seen here; what comes after was made to come by a wrong request.
    trial.stay_quiet()
    if watch.ended:
        trial.skip("the stream ended without a request")
    trial.instead["1.1"] = rule
    trial.instead["3.16"] = rule
    watch.request(n)
    _expect_refusal(trial, watch, f"request({brief(n)})", rule)
    trial.instead.clear()


def _expect_refusal(trial: PublisherTrial, watch: Watch, what: str, rule: str) -> None:
    trial.wait_until(lambda: watch.ended, renew=True)
    error = watch.error
    if watch.completed:
        trial.fail(f"{what} was answered by on_complete", rule)
    if error is None:
        trial.fail(f"{what} was not answered by on_error", rule)
    if not isinstance(error, ValueError):
        trial.fail(f"{what} was answered by {brief(error)}, not by a ValueError", rule)
    if not re.search(r"3[.:]0?9", str(error)):
        trial.fail(f"{what} was answered by {brief(error)}, whose text does not name 3.9", rule)
    trial.stay_quiet()


@check("publisher", needs=SUBSCRIBES)
def spec_3_16_request_returns_normally(trial: PublisherTrial) -> None:
    """Calls `request` before, after and outside everything, well and badly: none raises."""
    n = trial.few(2, at_least=0)
    trial.watch(n, "in on_subscribe", when_subscribed=lambda watch: watch.request(1))
    for wrong in (0, -1):
        watch = trial.watch(n, f"with {wrong}")
        watch.request(wrong)
        watch.request(1)
    done = trial.watch(n, "after the end")
    done.request(n + 1)
    done.await_length(n)
    done.request(1)
    gone = trial.watch(n, "after cancel")
    gone.cancel()
    gone.request(1)
    trial.stay_quiet()


@check("publisher", needs=ADDS)
def spec_3_17_demand_may_be_unbounded(trial: PublisherTrial) -> None:
    """Requests 2**63 - 1 at once: elements come, and no error."""
    trial.instead = {"3.16": "3.17"}
    n = trial.few(5)
    watch = trial.watch(n, when_next=lambda watch, _: _stop_at(watch, n))
    watch.request(UNBOUNDED)
    watch.await_elements(n, "3.17")


@check("publisher", needs=ADDS)
def spec_3_17_demand_saturates(trial: PublisherTrial) -> None:
    """Adds 2**63 - 1 to the demand in every signal: elements go on coming, and no error."""
    trial.instead = {"3.16": "3.17"}
    n = trial.few(10, at_least=2)

    def more(watch: Watch, _: object) -> None:
        if not _stop_at(watch, n):
            watch.request(UNBOUNDED)
            watch.request(1)

    watch = trial.watch(n, when_next=more)
    watch.request(1)
    watch.await_elements(n, "3.17")

    def ask_thrice(watch: Watch) -> None:
        for _ in range(3):
            watch.request(UNBOUNDED)

    upfront = trial.watch(
        n,
        "in on_subscribe",
        when_subscribed=ask_thrice,
        when_next=lambda watch, _: _stop_at(watch, n),
    )
    upfront.await_elements(n, "3.17")


def _stop_at(watch: Watch, n: int) -> bool:
    if watch.received >= n:
        watch.cancel()
        return True
    return False


@check("publisher", needs=ADDS)
def spec_3_17_bears_many_requests(trial: PublisherTrial) -> str:
    """Calls `request(1)` a thousand times: as many elements come, and no error."""
    trial.instead = {"3.16": "3.17"}
    calls = trial.few(1000, at_least=300)
    watch = trial.watch(calls)
    deadline = time.monotonic() + trial.env.timeout
    while watch.requested < calls and time.monotonic() < deadline:
        for _ in range(20):
            watch.request(1)
        watch.await_elements(min(watch.requested, calls), "3.17")
    return f"{watch.requested} requests were met"


@check("publisher", needs=BASICS)
def spec_3_10_may_emit_inside_request(trial: PublisherTrial) -> str:
    """Tells whether `on_next` comes inside `request`."""
    watch = trial.watch(trial.few(1))
    watch.request(1)
    inside = watch.received > 0 and threading.get_ident() in watch.threads
    watch.await_elements(1)
    return "on_next comes inside request" if inside else "on_next comes outside request"


@check("publisher", needs=f"{BASICS} spec_1_05_finite_stream_completes")
def spec_3_11_may_end_inside_request(trial: PublisherTrial) -> str:
    """Tells whether `on_complete` comes inside `request`."""
    n = trial.few(1)
    watch = trial.watch(n)
    watch.request(n + 1)
    inside = watch.ended and watch.threads == {threading.get_ident()}
    if not trial.wait_until(lambda: watch.ended or watch.received > n, renew=True):
        trial.skip("the stream does not complete")
    return "the end comes inside request" if inside else "the end comes outside request"
