"""Checks of `cancel`: it stops the stream, returns at once, and lets go of the Subscriber."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any

from penstock.api import UNBOUNDED, Publisher
from penstock.tck._check import check
from penstock.tck._checks.publisher_basics import ADDS, BASICS, SUBSCRIBES
from penstock.tck._publisher_trial import PublisherTrial
from penstock.tck._watch import Watch

__all__: list[str] = []

_LONG = 200
"""How long a stream must be for going on and stopping to look different."""


@check("publisher", needs=ADDS)
def spec_1_08_cancel_inside_on_next_stops_the_stream(trial: PublisherTrial) -> str:
    """Cancels inside the third `on_next` of a long stream that was requested without bound."""
    publisher = trial.long_publisher(at_least=_LONG)

    def stop(watch: Watch, _: object) -> None:
        if watch.received == 3:
            watch.cancel()

    watch = trial.watch(publisher, when_next=stop)
    watch.request(UNBOUNDED)
    watch.await_elements(3)
    return _expect_silence(trial, watch)


@check("publisher", needs=ADDS)
def spec_3_12_cancel_from_elsewhere_stops_the_stream(trial: PublisherTrial) -> str:
    """Cancels from another thread while a long stream flows."""
    watch = trial.watch(trial.long_publisher(at_least=_LONG), dwell=trial.env.dwell / 4)

    def stop() -> None:
        with trial.news:
            trial.news.wait_for(lambda: watch.received >= 3 or trial.violations, trial.env.timeout)
        watch.cancel()

    trial.on_thread("cancel", stop)
    watch.request(UNBOUNDED)
    watch.await_elements(3)
    trial.wait_until(lambda: watch.cancelled)
    return _expect_silence(trial, watch)


def _expect_silence(trial: PublisherTrial, watch: Watch) -> str:
    """Wait until the stream is silent; the watch notes 1.8 if it still isn't after `timeout`."""
    began, at_cancel = time.monotonic(), watch.received
    spell = max(trial.env.quiet, 3 * watch.longest_gap)
    while trial.stay_quiet(spell):
        # One element a spell would never be noted by the clock alone if elements are slow.
        if time.monotonic() - began > 2 * trial.env.timeout + spell:
            trial.fail("elements went on coming after cancel()", "1.8")
    return f"{watch.received - at_cancel} elements came after cancel"


@check("publisher", needs=BASICS)
def spec_3_05_cancel_does_not_wait(trial: PublisherTrial) -> None:
    """Cancels from another thread while `on_next` dwells: `cancel` returns all the same."""

    def waits() -> bool:
        in_time: list[bool] = []

        def stay(watch: Watch, _: object) -> None:
            if not in_time:
                done = trial.on_thread("cancel", watch.cancel)
                in_time.append(done.wait(trial.env.timeout / 2))

        watch = trial.watch(trial.few(3), when_next=stay)
        watch.request(1)
        watch.await_elements(1)
        trial.wait_until(lambda: bool(in_time))
        return not in_time[0]

    if trial.happens_twice(waits):
        trial.fail("cancel() did not return while on_next was running on another thread")


@check("publisher", needs=BASICS)
def spec_3_05_cancel_returns_promptly(trial: PublisherTrial) -> str:
    """Times `cancel()`, best of three, before and after an element was delivered."""
    best = float("inf")
    for attempt in range(3):
        watch = trial.watch(trial.few(3, at_least=0))
        if attempt:
            watch.request(1)
            watch.await_something()
        began = time.perf_counter()
        watch.cancel()
        best = min(best, time.perf_counter() - began)
        if best <= trial.env.prompt:
            return f"cancel returned after {best * 1000:.1f} ms"
    trial.fail(f"cancel() took {best * 1000:.0f} ms, best of three")


@check("publisher", needs=BASICS, stochastic=True)
def spec_3_05_cancel_is_thread_safe(trial: PublisherTrial) -> None:
    """Cancels from four threads at the same moment, ten times over: none raises or hangs."""
    trial.instead = {"3.15": "3.5"}
    for _ in range(10):
        watch = trial.watch(trial.few(3))
        watch.request(1)
        watch.await_elements(1)
        together = threading.Barrier(4)

        def cancel(watch: Watch = watch, together: threading.Barrier = together) -> None:
            together.wait(trial.env.timeout + trial.env.grace)
            watch.cancel()

        done = [trial.on_thread("cancel", cancel) for _ in range(4)]
        deadline = time.monotonic() + 5 * trial.env.timeout
        for event in done:
            event.wait(max(0.0, deadline - time.monotonic()))
    trial.stay_quiet()


@check("publisher", needs=BASICS)
def spec_3_07_cancel_again_is_a_no_op(trial: PublisherTrial) -> None:
    """Cancels three times, before and after elements came: nothing comes of it."""
    for n in (0, 1):
        trial.instead = {}
        watch = trial.watch(trial.few(3, at_least=0))
        if n:
            watch.request(n)
            watch.await_something()
        watch.cancel()
        trial.stay_quiet()
        ended = watch.ended
        trial.instead = {"3.15": "3.7"}
        watch.cancel()
        watch.cancel()
        trial.stay_quiet()
        if watch.ended and not ended:
            trial.fail("a second cancel() was answered by a terminal signal")


@check("publisher", needs=BASICS)
def spec_3_07_cancel_again_spares_others(trial: PublisherTrial) -> None:
    """Cancels one of two Subscribers twice: the other one is served all the same."""
    publisher = trial.publisher(trial.few(6, at_least=3))
    first, second = trial.watch(publisher, "first"), trial.watch(publisher, "second")
    for watch in (first, second):
        watch.request(1)
    second.await_something()
    if not second.received or second.ended:
        trial.skip("it takes one Subscriber at a time")
    first.cancel()
    second.request(1)
    second.await_elements(2)
    first.cancel()
    first.cancel()
    second.request(1)
    if not second.reaches(3):
        trial.fail("cancelled twice by one Subscriber, it stopped serving the other one")


@check("publisher", needs=BASICS)
def spec_3_06_request_after_cancel_is_a_no_op(trial: PublisherTrial) -> None:
    """Requests, well and badly, after a cancel: nothing comes of it."""
    trial.instead = {"3.16": "3.6"}
    watch = trial.watch(trial.few(20, at_least=2))
    watch.request(1)
    watch.await_elements(1)
    watch.cancel()
    trial.stay_quiet()
    before, ended = watch.received, watch.ended
    for n in (1, 3, 0, -1):
        watch.request(n)
        trial.stay_quiet()
        if watch.received > before:
            trial.fail(f"after cancel() request({n}) made {watch.received - before} elements come")
        if watch.ended and not ended:
            trial.fail(f"after cancel() request({n}) was answered by a terminal signal")


@check("publisher", needs=f"{ADDS} spec_3_06_request_after_cancel_is_a_no_op")
def spec_1_08_cancel_inside_on_subscribe_stops_the_stream(trial: PublisherTrial) -> str:
    """Cancels inside `on_subscribe`, and requests without bound later: no stream comes of it."""
    publisher = trial.long_publisher(at_least=_LONG)
    watch = trial.watch(publisher, when_subscribed=lambda watch: watch.cancel())
    watch.request(UNBOUNDED)
    return _expect_silence(trial, watch)


@check("publisher", needs=SUBSCRIBES)
def spec_3_15_cancel_returns_normally(trial: PublisherTrial) -> None:
    """Cancels at the start, inside signals, and after the end: none raises."""
    n = trial.few(3, at_least=0)
    trial.watch(n, "at once").cancel()
    trial.watch(n, "in on_subscribe", when_subscribed=lambda watch: watch.cancel())
    inside = trial.watch(n, "in on_next", when_next=lambda watch, _: watch.cancel())
    inside.request(2)
    done = trial.watch(n, "after the end")
    done.request(n + 1)
    done.await_length(n)
    done.cancel()
    twice = trial.watch(n, "a second time")
    twice.cancel()
    twice.cancel()
    wrong = trial.watch(n, "after request(0)")
    wrong.request(0)
    trial.stay_quiet()
    wrong.cancel()


@check("publisher", needs=BASICS)
def spec_3_13_cancel_drops_the_subscriber(trial: PublisherTrial) -> None:
    """Cancels, forgets the Subscriber, and sees it collected while the Publisher lives."""
    kept = trial.publisher(trial.few(3, at_least=0))
    fresh = trial.publisher(trial.few(3, at_least=0))
    ghosts = [_ghost(trial, kept, asks=1), _ghost(trial, fresh, asks=0)]
    deadline = time.monotonic() + trial.env.gc_timeout
    pause = 0.001
    while any(ghost() is not None for ghost in ghosts):
        if time.monotonic() > deadline:
            trial.fail(
                f"{trial.env.gc_timeout} s after cancel() the Subscriber is still referenced"
            )
        gc.collect()
        with trial.news:
            trial.news.wait(pause)
        pause = min(2 * pause, 0.1)


def _ghost(trial: PublisherTrial, publisher: Publisher[Any], asks: int) -> weakref.ref[Watch]:
    watch = trial.watch(publisher, f"subscriber that asked for {asks}")
    if asks:
        watch.request(asks)
        watch.await_something()
    watch.cancel()
    return weakref.ref(watch)


@check("publisher", needs=BASICS)
def spec_3_14_may_shut_down_with_its_last_subscriber(trial: PublisherTrial) -> str:
    """Cancels the only Subscriber, subscribes another, and tells what that one gets."""
    publisher = trial.publisher(trial.few(3))
    first = trial.watch(publisher, "first")
    first.request(1)
    first.await_elements(1)
    first.cancel()
    trial.stay_quiet()
    second = trial.watch(publisher, "second")
    second.request(1)
    second.await_something()
    if second.received:
        return "the next Subscriber is served"
    return "the next Subscriber is told that it is over" if second.ended else "it stays silent"
