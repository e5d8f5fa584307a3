"""Every order of what comes in at an inlet, what is asked for, and how it ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from penstock import UNBOUNDED, Flow
from tests.runtime.interleave import Play, explore
from tests.runtime.interleave_parts import Hand, Recorder, Source, subscribed

Check = Callable[[], object]


def crossing(play: Play, window: int, *, batches: bool, more: int = 0) -> Check:
    """One lease feeds another through a boundary."""
    recorder = Recorder(play, more or UNBOUNDED, more=more)
    here, there = play.lease("here"), play.lease("there")
    source = Source(play, 5)
    first = Flow.range(5) if batches else Flow.from_iterable(source.open).map(lambda x: x)
    run = subscribed(first.on(there, window).map(lambda x: x), recorder, here)

    def check() -> None:
        assert recorder.got == [0, 1, 2, 3, 4], recorder
        assert recorder.completed
        assert batches or source.closed == 1
        assert there.left == there.entered == 1
        run.all_left()

    return check


def pausing(play: Play, window: int, *, batches: bool) -> Check:
    """No end comes that would wake whom an element failed to wake."""
    recorder = Recorder(play, 3)
    here, there = play.lease("here"), play.lease("there")
    source = Source(play, 9)
    first = Flow.range(9) if batches else Flow.from_iterable(source.open).map(lambda x: x)
    subscribed(first.on(there, window).map(lambda x: x), recorder, here)

    def check() -> None:
        assert recorder.got == [0, 1, 2], recorder
        assert source.given <= 3 + window

    return check


def pausing_by_hand(play: Play, window: int, way: str) -> Check:
    """A foreign thread gives some and pauses; nothing else would wake who was not woken."""
    hand, recorder = Hand(play), Recorder(play, UNBOUNDED)
    lease = play.lease()
    flow = Flow.from_publisher(hand)
    match way:
        case "directly":
            subscribed(flow, recorder, lease)
        case "one by one":
            subscribed(flow.map(lambda x: x).on(lease, window), recorder)
        case _:
            subscribed(flow.on(lease, window), recorder)
    play.thread(partial(hand.give, *range(3)))

    def check() -> None:
        assert recorder.got == [0, 1, 2], recorder
        assert hand.asked >= 3

    return check


def given_by_hand(play: Play, window: int, *, fails: bool = False, requests: int = 0) -> Check:
    """A foreign thread gives; another requests, and drains what is there."""
    hand, recorder = Hand(play, window), Recorder(play)
    lease = play.lease()
    run = subscribed(Flow.from_publisher(hand).on(lease, window), recorder)
    n = requests or 4
    end = (lambda: hand.error(ValueError())) if fails else hand.complete
    play.thread(partial(hand.give, *range(4)), end)
    play.thread(*[lambda: recorder.request(1)] * n)

    def check() -> None:
        assert recorder.got == list(range(len(recorder.got)))
        if fails:
            assert isinstance(recorder.error, ValueError)
        else:
            assert recorder.got == [0, 1, 2, 3], recorder
            assert recorder.completed, recorder
        assert not hand.cancelled
        run.all_left()

    return check


def cancel_meets_giving(play: Play, window: int) -> Check:
    hand, recorder = Hand(play), Recorder(play, 2)
    run = subscribed(Flow.from_publisher(hand).on(play.lease(), window), recorder)
    play.thread(partial(hand.give, *range(4)), hand.complete)
    play.thread(recorder.cancel)

    def check() -> None:
        assert recorder.got == list(range(len(recorder.got)))
        assert recorder.error is None
        run.all_left()
        assert hand.cancelled or run.pumps[-1].over

    return check


def requests_meet_upstream(play: Play) -> Check:
    """What one thread notes while another requests upstream is asked for, once."""
    hand, recorder = Hand(play), Recorder(play)
    subscribed(Flow.from_publisher(hand), recorder)
    play.thread(*[lambda: recorder.request(1)] * 2)
    play.thread(lambda: recorder.request(2))

    def check() -> None:
        assert hand.asked <= 4, hand.requests
        hand.give(*range(4))
        assert recorder.got == [0, 1, 2, 3], recorder
        assert hand.asked == 4, hand.requests

    return check


def cancel_meets_request(play: Play) -> Check:
    """A cancel while a request is on its way upstream goes upstream behind it."""
    hand, recorder = Hand(play), Recorder(play)
    run = subscribed(Flow.from_publisher(hand).on(play.lease(), 2), recorder)
    play.thread(lambda: recorder.request(1), lambda: recorder.request(3))
    play.thread(recorder.cancel)
    play.thread(partial(hand.give, 0, 1))

    def check() -> None:
        assert hand.cancelled == 1
        assert not recorder.ended
        run.all_left()

    return check


def cancel_meets_subscribing(play: Play) -> Check:
    """The subscription comes while downstream cancels."""
    recorder = Recorder(play, 2)
    hand = Hand(play)

    class Late:
        def subscribe(self, subscriber: object) -> None:
            play.thread(lambda: hand.subscribe(subscriber))  # type: ignore[arg-type]

    run = subscribed(Flow.from_publisher(Late()).on(play.lease(), 2), recorder)  # type: ignore[arg-type]
    play.thread(recorder.cancel)

    def check() -> None:
        assert hand.cancelled == 1
        assert not recorder.ended
        run.all_left()

    return check


def cancel_meets_end(play: Play, *, fails: bool) -> Check:
    hand, recorder = Hand(play), Recorder(play, 1)
    run = subscribed(Flow.from_publisher(hand).on(play.lease(), 2), recorder)
    play.thread(
        partial(hand.give, 0), partial(hand.error, ValueError()) if fails else hand.complete
    )
    play.thread(recorder.cancel)

    def check() -> None:
        assert not (recorder.completed and fails)
        assert len(play.dropped) + recorder.ended <= 1
        run.all_left()

    return check


def request_meets_end(play: Play, *, fails: bool) -> Check:
    """What came in before the end is not lost; an error overtakes only what nobody asked for."""
    hand, recorder = Hand(play), Recorder(play, 1)
    run = subscribed(Flow.from_publisher(hand).on(play.lease(), 4).map(lambda x: x), recorder)
    ending = asked_before = False

    def end() -> None:
        nonlocal ending
        ending = True
        if fails:
            hand.error(ValueError())
        else:
            hand.complete()

    def ask() -> None:
        nonlocal asked_before
        recorder.request(1)
        asked_before = not ending

    play.thread(partial(hand.give, 0, 1), end)
    play.thread(ask)

    def check() -> None:
        assert recorder.ended, recorder
        least = 2 if not fails or asked_before else 1
        assert recorder.got[:least] == [0, 1][:least], (recorder, asked_before)
        assert recorder.completed is not fails
        run.all_left()

    return check


def request_before_error(play: Play) -> Check:
    """R.7: what was asked for before the error came is delivered before it."""
    hand, recorder = Hand(play), Recorder(play, 1)
    run = subscribed(Flow.from_publisher(hand).on(play.lease(), 4).map(lambda x: x), recorder)
    play.thread(
        partial(hand.give, 0, 1),
        lambda: play.wait(lambda: recorder.got),
        lambda: recorder.request(1),
        partial(hand.error, ValueError()),
    )

    def check() -> None:
        assert recorder.got == [0, 1], recorder
        assert recorder.error is not None
        run.all_left()

    return check


def three_in_a_row(play: Play) -> Check:
    """Two boundaries: leases wake each other, and the end passes through both."""
    recorder = Recorder(play, 2, more=1)
    here, there = play.lease("here"), play.lease("there")
    source = Source(play, 4)
    flow = Flow.from_iterable(source.open).on(there, 1).filter(lambda _: True).on(here, 2)
    run = subscribed(flow, recorder, there)

    def check() -> None:
        assert recorder.got == [0, 1, 2, 3], recorder
        assert recorder.completed
        assert source.closed == 1
        run.all_left()

    return check


def cancel_crosses(play: Play, *, stop: bool = False) -> Check:
    """A cancel, or stop, while elements cross closes the source, once."""
    recorder = Recorder(play, UNBOUNDED)
    here, there = play.lease("here"), play.lease("there")
    source = Source(play, 3)
    flow = Flow.from_iterable(source.open).map(lambda x: x).on(there, 2)
    run = subscribed(flow, recorder, here)
    play.thread(run.wiring.stop_sources if stop else recorder.cancel)

    def check() -> None:
        assert recorder.got == list(range(len(recorder.got)))
        assert source.closed <= 1
        assert source.closed or not source.given
        assert recorder.completed or not stop, recorder
        if stop:
            assert len(recorder.got) == source.given
        run.all_left()

    return check


SCENARIOS: dict[str, Callable[[Play], Check]] = {
    **{
        f"window {window}, {'batches' if batches else 'one by one'}": partial(
            crossing, window=window, batches=batches
        )
        for window in (1, 2, 4)
        for batches in (False, True)
    },
    **{
        f"pauses, window {window}, {'batches' if batches else 'one by one'}": partial(
            pausing, window=window, batches=batches
        )
        for window in (1, 2, 4)
        for batches in (False, True)
    },
    **{
        f"by hand, pauses, window {window}, {way}": partial(pausing_by_hand, window=window, way=way)
        for window in (1, 2, 4)
        for way in ("directly", "one by one", "batches")
    },
    "one at a time": partial(crossing, window=2, batches=False, more=1),
    "by hand, window 1": partial(given_by_hand, window=1),
    "by hand, window 2": partial(given_by_hand, window=2),
    "by hand, window 4": partial(given_by_hand, window=4),
    "by hand, fails": partial(given_by_hand, window=2, fails=True),
    "cancel meets giving": partial(cancel_meets_giving, window=1),
    "cancel meets giving, window 2": partial(cancel_meets_giving, window=2),
    "requests meet upstream": requests_meet_upstream,
    "cancel meets request": cancel_meets_request,
    "cancel meets subscribing": cancel_meets_subscribing,
    "cancel meets completion": partial(cancel_meets_end, fails=False),
    "cancel meets error": partial(cancel_meets_end, fails=True),
    "request meets completion": partial(request_meets_end, fails=False),
    "request meets error": partial(request_meets_end, fails=True),
    "request before error": request_before_error,
    "two boundaries": three_in_a_row,
    "cancel crosses": cancel_crosses,
    "stop crosses": partial(cancel_crosses, stop=True),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_in_every_order(name: str):
    assert explore(SCENARIOS[name]) > 20
