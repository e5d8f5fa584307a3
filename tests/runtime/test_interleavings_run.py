"""Every order of what is done with a run while it is driven, and of leases that are left."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import CancelledError
from functools import partial
from typing import Any

import pytest

from penstock import UNBOUNDED, Flow, Run
from penstock.flow import _run
from penstock.runtime import _caller
from tests.runtime.interleave import Lease, Play, explore
from tests.runtime.interleave_parts import Hand, Recorder, Source, subscribed

Check = Callable[[], object]


class Caller:
    """One who calls `result`, and what came of it."""

    def __init__(self, run: Run[Any]) -> None:
        self.run = run
        self.outcomes: list[Any] = []

    def result(self, timeout: float | None = None) -> None:
        try:
            self.outcomes.append(self.run.result(timeout))
        except (CancelledError, TimeoutError, ValueError) as error:
            self.outcomes.append(type(error))


def background(play: Play) -> Lease:
    """What the run's own thread is, in this play."""
    lease = play.lease("penstock-run")
    for module in (_run, _caller):
        module.threads = lambda *_, **__: lease  # type: ignore[attr-defined]  # the test resets it
    return lease


def cancel_meets_result(play: Play) -> Check:
    source = Source(play, 2)
    caller = Caller(Flow.from_iterable(source.open).map(lambda x: x).sum())
    background(play)
    play.thread(caller.result)
    play.thread(caller.run.cancel)

    def check() -> None:
        assert caller.outcomes in ([1], [CancelledError])
        assert caller.run.done()
        assert source.closed == (source.given > 0)

    return check


def cancel_meets_result_across(play: Play) -> Check:
    """As above, with the source on another resource: it does not go on for itself."""
    source, there = Source(play, 4), play.lease("there")
    caller = Caller(Flow.from_iterable(source.open).map(lambda x: x).subscribe_on(there).sum())
    background(play)
    play.thread(caller.result)
    play.thread(caller.run.cancel)

    def check() -> None:
        assert caller.outcomes in ([6], [CancelledError])
        assert caller.run.done()
        assert source.closed == (source.given > 0)

    return check


def cancel_meets_start(play: Play) -> Check:
    source = Source(play, 2)
    run = Flow.from_iterable(source.open).map(lambda x: x).sum()
    background(play)
    play.thread(run.start)
    play.thread(run.cancel)

    def check() -> None:
        assert run.done()
        assert source.closed == (source.given > 0)

    return check


def cancel_meets_timeout(play: Play) -> Check:
    """Who drives leaves while somebody cancels: somebody else drives on."""
    hand = Hand(play)
    caller = Caller(Flow.from_publisher(hand).count())
    background(play)
    play.thread(lambda: caller.result(0.01))
    play.thread(caller.run.cancel)

    def check() -> None:
        assert caller.outcomes in ([TimeoutError], [CancelledError])
        assert caller.run.done()
        assert hand.cancelled == (hand.subscriber is not None)

    return check


def results_meet(play: Play, *, timeout: float | None = None) -> Check:
    """Two wait for the same result; the one who drives may give up before."""
    source = Source(play, 2)
    run = Flow.from_iterable(source.open).map(lambda x: x).sum()
    one, two = Caller(run), Caller(run)
    background(play)
    play.thread(lambda: one.result(timeout))
    play.thread(two.result)

    def check() -> None:
        assert one.outcomes == [1] or (timeout and one.outcomes == [TimeoutError])
        assert two.outcomes == [1], two.outcomes
        assert source.closed == 1

    return check


def result_after_timeout(play: Play) -> Check:
    """A second result() drives on what the first one left."""
    hand = Hand(play)
    caller = Caller(Flow.from_publisher(hand).count())
    background(play)

    def give() -> None:
        play.wait(lambda: hand.subscriber)
        hand.give(1, 2)
        hand.complete()

    play.thread(lambda: caller.result(0.01), caller.result)
    play.thread(give)

    def check() -> None:
        assert caller.outcomes in ([TimeoutError, 2], [2, 2])

    return check


def start_meets_result(play: Play) -> Check:
    source = Source(play, 2)
    caller = Caller(Flow.from_iterable(source.open).map(lambda x: x).sum())
    background(play)
    play.thread(caller.run.start)
    play.thread(caller.result)

    def check() -> None:
        assert caller.outcomes == [1]
        assert source.closed == 1

    return check


def stop_meets_completion(play: Play) -> Check:
    """What came in before the stop is in the result."""
    source = Source(play, 3)
    caller = Caller(Flow.from_iterable(source.open).map(lambda x: x).count())
    background(play)
    play.thread(caller.result)
    play.thread(caller.run.stop)

    def check() -> None:
        assert caller.outcomes == [source.given]
        assert source.closed == (source.given > 0)

    return check


def stop_meets_cancel(play: Play) -> Check:
    source = Source(play, 3)
    caller = Caller(Flow.from_iterable(source.open).map(lambda x: x).count())
    background(play)
    play.thread(caller.result)
    play.thread(caller.run.stop, caller.run.cancel)

    def check() -> None:
        assert caller.outcomes in ([source.given], [CancelledError])
        assert source.closed == (source.given > 0)

    return check


def error_meets_cancel(play: Play) -> Check:
    source = Source(play, 1, fails=True)
    caller = Caller(Flow.from_iterable(source.open).map(lambda x: x).count())
    background(play)
    play.thread(caller.result)
    play.thread(caller.run.cancel)

    def check() -> None:
        assert caller.outcomes in ([ValueError], [CancelledError])
        assert caller.run.done()

    return check


def growing_meets_leaving(play: Play) -> Check:
    """An inner stream on a lease is subscribed to while the flow ends: the lease is left once."""
    there = play.lease("there")
    outer = Hand(play, 4)
    recorder = Recorder(play, UNBOUNDED)
    flow = Flow.from_publisher(outer).flat_map(lambda x: Flow.of(x, x).on(there, 2), 2)
    run = subscribed(flow, recorder)
    play.thread(partial(outer.give, 1, 2), outer.complete)
    play.thread(recorder.cancel)

    def check() -> None:
        assert there.left == there.entered
        assert not (recorder.completed and len(recorder.got) < 4)
        run.all_left()

    return check


def growing_meets_completion(play: Play) -> Check:
    """One inner stream ends on its lease while the next one is subscribed to."""
    there = play.lease("there")
    outer = Hand(play, 4)
    recorder = Recorder(play, UNBOUNDED)
    flow = Flow.from_publisher(outer).flat_map(lambda x: Flow.of(x).subscribe_on(there), 1)
    run = subscribed(flow, recorder)
    play.thread(partial(outer.give, 1, 2), outer.complete)

    def check() -> None:
        assert recorder.got == [1, 2], recorder
        assert recorder.completed
        assert there.left == there.entered
        run.all_left()

    return check


SCENARIOS = [
    cancel_meets_result,
    cancel_meets_result_across,
    cancel_meets_start,
    cancel_meets_timeout,
    results_meet,
    partial(results_meet, timeout=0.01),
    result_after_timeout,
    start_meets_result,
    stop_meets_completion,
    stop_meets_cancel,
    error_meets_cancel,
    growing_meets_leaving,
    growing_meets_completion,
]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_in_every_order(scenario: Callable[[Play], Check], monkeypatch: pytest.MonkeyPatch):
    for module in (_run, _caller):
        monkeypatch.setattr(module, "threads", module.threads)  # put back afterwards
    assert explore(scenario) > 20
