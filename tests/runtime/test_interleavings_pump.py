"""Every order of requests, cancels and ends on one pump."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from penstock import Flow
from penstock.runtime._pump import Pump
from tests.runtime.interleave import Play, explore
from tests.runtime.interleave_parts import Recorder, Source, subscribed

Check = Callable[[], object]


def requests_meet(play: Play) -> Check:
    """Two threads request while each other drains."""
    source, recorder = Source(play, 5), Recorder(play)
    run = subscribed(Flow.from_iterable(source.open).map(lambda x: x), recorder)
    play.thread(lambda: recorder.request(1), lambda: recorder.request(1))
    play.thread(lambda: recorder.request(2))

    def check() -> None:
        assert recorder.got == [0, 1, 2, 3], recorder
        assert not recorder.ended
        recorder.request(9)
        assert recorder.got == [0, 1, 2, 3, 4]
        assert recorder.completed
        assert source.closed == 1
        run.all_left()

    return check


def requests_reenter(play: Play) -> Check:
    """A subscriber that requests in on_next, and a thread that requests as well."""
    recorder = Recorder(play, more=1)
    run = subscribed(Flow.range(4), recorder)
    play.thread(lambda: recorder.request(1))
    play.thread(lambda: recorder.request(1))

    def check() -> None:
        assert recorder.got == [0, 1, 2, 3], recorder
        assert recorder.completed
        run.all_left()

    return check


def on_a_lease(play: Play) -> Check:
    """The drain is scheduled, and gives way after each batch."""
    source, recorder = Source(play, 6), Recorder(play)
    lease = play.lease(budget=1)
    run = subscribed(Flow.from_iterable(source.open).map(lambda x: x), recorder, lease)
    play.thread(lambda: recorder.request(2), lambda: recorder.request(1))
    play.thread(lambda: recorder.request(2))

    def check() -> None:
        assert recorder.got == [0, 1, 2, 3, 4], recorder
        assert not run.left

    return check


def cancel_meets_request(play: Play) -> Check:
    source, recorder = Source(play, 5), Recorder(play, 1)
    run = subscribed(Flow.from_iterable(source.open).map(lambda x: x), recorder)
    play.thread(lambda: recorder.request(3))
    play.thread(recorder.cancel)

    def check() -> None:
        assert recorder.got == list(range(len(recorder.got)))
        assert not recorder.ended
        assert source.closed == 1
        assert play.dropped == []
        run.all_left()

    return check


def cancels_meet(play: Play) -> Check:
    source, recorder = Source(play, 5), Recorder(play, 1)
    lease = play.lease()
    run = subscribed(Flow.from_iterable(source.open), recorder, lease)
    play.thread(recorder.cancel)
    play.thread(recorder.cancel)

    def check() -> None:
        assert not recorder.ended
        assert source.closed == source.given == len(recorder.got)
        run.all_left()

    return check


def cancel_meets_complete(play: Play) -> Check:
    source, recorder = Source(play, 2), Recorder(play)
    run = subscribed(Flow.from_iterable(source.open).filter(lambda _: True), recorder)
    play.thread(lambda: recorder.request(3))
    play.thread(recorder.cancel)

    def check() -> None:
        assert recorder.error is None
        assert not recorder.completed or recorder.got == [0, 1]
        assert source.closed == (1 if source.given or recorder.completed else source.closed)
        run.all_left()

    return check


def cancel_meets_error(play: Play) -> Check:
    source, recorder = Source(play, 1, fails=True), Recorder(play)
    run = subscribed(Flow.from_iterable(source.open), recorder)
    play.thread(lambda: recorder.request(3))
    play.thread(recorder.cancel)

    def check() -> None:
        assert not recorder.completed
        if recorder.error is not None:
            assert recorder.got == [0]
        told = [error for error, _ in play.dropped]
        assert len(told) + (recorder.error is not None) <= 1
        run.all_left()

    return check


def stop_meets_request(play: Play) -> Check:
    """stop() ends the source: the stream completes, once."""
    source, recorder = Source(play, 3), Recorder(play, 1)
    run = subscribed(Flow.from_iterable(source.open).map(lambda x: x), recorder)
    play.thread(lambda: recorder.request(3))
    play.thread(run.pump.stop)

    def check() -> None:
        assert recorder.completed, recorder
        assert source.closed == 1
        run.all_left()

    return check


def stop_meets_cancel(play: Play) -> Check:
    source, recorder = Source(play, 3), Recorder(play, 1)
    run = subscribed(Flow.from_iterable(source.open).map(lambda x: x), recorder)
    play.thread(run.pump.stop)
    play.thread(recorder.cancel)

    def check() -> None:
        assert recorder.error is None
        assert source.closed == 1
        run.all_left()

    return check


def stop_and_cancel_meet_the_drain(play: Play) -> Check:
    """A cancel is not taken back by the stop before it, so that a flush would wait for ever."""
    source, recorder = Source(play, 2), Recorder(play)
    run = subscribed(Flow.from_iterable(source.open).take_last(2), recorder)
    play.thread(lambda: recorder.request(1))
    play.thread(run.pump.stop)
    play.thread(recorder.cancel)

    def check() -> None:
        assert not recorder.ended or recorder.completed
        run.all_left()

    return check


def refused_meets_cancel(play: Play) -> Check:
    """A request that is refused, a cancel, and a good request: one end at most."""
    source, recorder = Source(play, 3), Recorder(play, 1)
    run = subscribed(Flow.from_iterable(source.open), recorder)
    subscription = run.pump
    play.thread(lambda: subscription.request(0))
    play.thread(recorder.cancel)

    def check() -> None:
        assert not recorder.completed
        assert recorder.error is None or "3.9" in str(recorder.error)
        assert source.closed == 1
        run.all_left()

    return check


def refused_meets_request(play: Play) -> Check:
    source, recorder = Source(play, 9), Recorder(play, 1)
    run = subscribed(Flow.from_iterable(source.open).map(lambda x: x), recorder)
    subscription = run.pump
    play.thread(lambda: recorder.request(2))
    play.thread(lambda: subscription.request(0))

    def check() -> None:
        assert recorder.error is not None, recorder
        assert "3.9" in str(recorder.error)
        assert source.closed == 1
        run.all_left()

    return check


def refused_meets_stop(play: Play) -> Check:
    """The error is told, unless the stream had completed before."""
    source, recorder = Source(play, 9), Recorder(play, 1)
    run = subscribed(Flow.from_iterable(source.open).map(lambda x: x), recorder)
    play.thread(run.pump.stop)
    play.thread(lambda: run.pump.request(0))

    def check() -> None:
        assert recorder.ended, recorder
        assert source.closed == 1
        run.all_left()

    return check


def wakes_meet(play: Play) -> Check:
    """What is flagged before a wake is looked at: no wake-up is lost."""
    flags: list[int] = []

    class Head:
        def next(self) -> object:
            if not flags:
                return ()
            return iter([flags.pop(0)])

        def ended(self) -> bool:
            return False

        def close(self) -> None:
            pass

    recorder = Recorder(play, 9)
    run = subscribed(Flow.never().map(lambda x: x), recorder)
    pump: Pump = run.pump
    # The loop looks for its head's `next` once, so it is made anew for this head.
    from penstock.runtime._loop import made

    pump._loop = made(pump.shape, pump, Head(), recorder, pump.nodes)

    def add(flag: int) -> None:
        flags.append(flag)
        pump.wake()

    play.thread(lambda: add(1))
    play.thread(lambda: add(2), lambda: add(3))

    def check() -> None:
        assert sorted(recorder.got) == [1, 2, 3], recorder

    return check


SCENARIOS = [
    requests_meet,
    requests_reenter,
    on_a_lease,
    cancel_meets_request,
    cancels_meet,
    cancel_meets_complete,
    cancel_meets_error,
    stop_meets_request,
    stop_meets_cancel,
    stop_and_cancel_meet_the_drain,
    refused_meets_cancel,
    refused_meets_request,
    refused_meets_stop,
    wakes_meet,
]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_in_every_order(scenario: Callable[[Play], Check]):
    assert explore(scenario) > 20
