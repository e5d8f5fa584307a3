"""Every order of what comes in at the inputs of one junction."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from penstock import UNBOUNDED, Flow
from tests.runtime.interleave import Play, explore
from tests.runtime.interleave_parts import Hand, Recorder, subscribed

Check = Callable[[], object]


def two(play: Play, window: int) -> tuple[Hand, Hand]:
    return Hand(play, window), Hand(play, window)


def merging(play: Play, *, ends: bool, leased: bool = False) -> Check:
    left, right = two(play, 64)
    recorder = Recorder(play, UNBOUNDED)
    flow = Flow.from_publisher(left).merge(Flow.from_publisher(right))
    run = subscribed(flow, recorder, play.lease() if leased else None)
    play.thread(partial(left.give, 1, 2), *[left.complete] * ends)
    play.thread(partial(right.give, 11, 12), *[right.complete] * ends)

    def check() -> None:
        assert sorted(recorder.got) == [1, 2, 11, 12], recorder
        assert [x for x in recorder.got if x < 9] == [1, 2]
        assert recorder.completed is ends
        if ends:
            run.all_left()

    return check


def merging_fails(play: Play) -> Check:
    left, right = two(play, 64)
    recorder = Recorder(play, 3)
    run = subscribed(Flow.from_publisher(left).merge(Flow.from_publisher(right)), recorder)
    play.thread(partial(left.give, 1), partial(left.error, ValueError()))
    play.thread(partial(right.give, 11), right.complete)

    def check() -> None:
        assert isinstance(recorder.error, ValueError), recorder
        assert not right.cancelled or 11 not in recorder.got or recorder.got
        run.all_left()

    return check


def merging_under_demand(play: Play) -> Check:
    left, right = two(play, 64)
    recorder = Recorder(play, 1)
    run = subscribed(Flow.from_publisher(left).merge(Flow.from_publisher(right)), recorder)
    play.thread(partial(left.give, 1), left.complete, lambda: recorder.request(1))
    play.thread(partial(right.give, 11), right.complete)

    def check() -> None:
        assert sorted(recorder.got) == [1, 11], recorder
        assert recorder.completed
        run.all_left()

    return check


def merging_is_cancelled(play: Play) -> Check:
    left, right = two(play, 64)
    recorder = Recorder(play, 3)
    run = subscribed(Flow.from_publisher(left).merge(Flow.from_publisher(right)), recorder)
    play.thread(partial(left.give, 1), left.complete)
    play.thread(recorder.cancel)

    def check() -> None:
        assert not recorder.ended
        assert right.cancelled == 1
        run.all_left()

    return check


def zipping(play: Play, *, ends: bool, strict: bool = False) -> Check:
    left, right = two(play, 64)
    recorder = Recorder(play, UNBOUNDED)
    flow = Flow.from_publisher(left).zip(Flow.from_publisher(right), strict=strict)
    run = subscribed(flow, recorder)
    play.thread(partial(left.give, 1, 2), *[left.complete] * ends)
    play.thread(partial(right.give, 11, 12), *[right.complete] * ends)

    def check() -> None:
        assert recorder.got == [(1, 11), (2, 12)], recorder
        assert recorder.completed is ends, recorder
        if ends:
            run.all_left()

    return check


def zipping_under_demand(play: Play, *, fails: bool = False) -> Check:
    left, right = two(play, 64)
    recorder = Recorder(play, 1)
    run = subscribed(Flow.from_publisher(left).zip(Flow.from_publisher(right)), recorder)
    end = partial(left.error, ValueError()) if fails else left.complete
    play.thread(partial(left.give, 1, 2), end)
    play.thread(partial(right.give, 11), lambda: recorder.request(1), partial(right.give, 12))

    def check() -> None:
        if fails:
            assert recorder.error is not None, recorder
            assert recorder.got in ([], [(1, 11)], [(1, 11), (2, 12)])
        else:
            assert recorder.got == [(1, 11), (2, 12)], recorder
            assert recorder.completed
        run.all_left()

    return check


def zipping_uneven(play: Play) -> Check:
    """One ends early: the other is cancelled, once, if it has not ended."""
    left, right = two(play, 64)
    recorder = Recorder(play, UNBOUNDED)
    run = subscribed(Flow.from_publisher(left).zip(Flow.from_publisher(right)), recorder)
    play.thread(partial(left.give, 1), left.complete)
    play.thread(partial(right.give, 11, 12), right.complete)

    def check() -> None:
        assert recorder.got == [(1, 11)], recorder
        assert recorder.completed
        run.all_left()

    return check


def mapping_to_flows(play: Play, *, ends: bool = True, demand: int = UNBOUNDED) -> Check:
    """An inner stream gives and completes while the outer one gives the next."""
    outer, first, second = Hand(play, 2), Hand(play, 64), Hand(play, 64)
    recorder = Recorder(play, demand)
    inner = {1: Flow.from_publisher(first), 2: Flow.from_publisher(second)}
    flow = Flow.from_publisher(outer).flat_map(lambda x: inner[x], 2)
    run = subscribed(flow, recorder)

    def of(hand: Hand, *elements: Any) -> None:
        play.wait(lambda: hand.subscriber)
        hand.give(*elements)
        if ends:
            hand.complete()

    play.thread(partial(outer.give, 1, 2), *[outer.complete] * ends, partial(of, second, 21))
    play.thread(partial(of, first, 11, 12))

    def check() -> None:
        assert sorted(recorder.got) == [11, 12, 21], recorder
        assert recorder.completed is ends
        if ends:
            run.all_left()

    return check


def mapping_one_at_a_time(play: Play) -> Check:
    """The end of an inner stream lets the next outer element in."""
    outer, first, second = Hand(play, 1), Hand(play, 64), Hand(play, 64)
    recorder = Recorder(play, UNBOUNDED)
    inner = {1: Flow.from_publisher(first), 2: Flow.from_publisher(second)}
    run = subscribed(Flow.from_publisher(outer).flat_map(lambda x: inner[x], 1), recorder)

    def of(hand: Hand, *elements: Any) -> None:
        play.wait(lambda: hand.subscriber)
        hand.give(*elements)
        hand.complete()

    play.thread(partial(outer.give, 1, 2), outer.complete)
    play.thread(partial(of, first, 11), partial(of, second, 21))

    def check() -> None:
        assert recorder.got == [11, 21], recorder
        assert recorder.completed
        run.all_left()

    return check


def mapping_is_cancelled(play: Play) -> Check:
    """A cancel while an inner stream is being subscribed to: nobody is left behind."""
    outer, first = Hand(play, 2), Hand(play, 64)
    recorder = Recorder(play, UNBOUNDED)
    flow = Flow.from_publisher(outer).flat_map(lambda _: Flow.from_publisher(first), 2)
    run = subscribed(flow, recorder)
    play.thread(partial(outer.give, 1))
    play.thread(recorder.cancel)

    def check() -> None:
        assert not recorder.ended
        assert outer.cancelled == 1
        assert first.cancelled == (first.subscriber is not None)
        run.all_left()

    return check


def mapping_fails(play: Play) -> Check:
    """The outer stream fails while an inner one gives."""
    outer, first = Hand(play, 2), Hand(play, 64)
    recorder = Recorder(play, UNBOUNDED)
    flow = Flow.from_publisher(outer).flat_map(lambda _: Flow.from_publisher(first), 2)
    run = subscribed(flow, recorder)

    def inner() -> None:
        play.wait(lambda: first.subscriber or outer.cancelled or recorder.ended)
        if first.subscriber:
            first.give(11)
            first.complete()

    play.thread(partial(outer.give, 1), partial(outer.error, ValueError()))
    play.thread(inner)

    def check() -> None:
        assert isinstance(recorder.error, ValueError), recorder
        run.all_left()

    return check


def switching(play: Play) -> Check:
    """A new inner stream takes the place of one that is giving."""
    outer, first, second = Hand(play), Hand(play), Hand(play)
    recorder = Recorder(play, UNBOUNDED)
    inner = {1: Flow.from_publisher(first), 2: Flow.from_publisher(second)}
    run = subscribed(Flow.from_publisher(outer).switch_map(lambda x: inner[x]), recorder)

    def of(hand: Hand, *elements: Any) -> None:
        play.wait(lambda: hand.subscriber or recorder.ended)
        if hand.subscriber is not None:
            hand.give(*elements)
            hand.complete()

    play.thread(partial(outer.give, 1, 2), outer.complete, partial(of, second, 21))
    play.thread(partial(of, first, 11))

    def check() -> None:
        assert recorder.got in ([21], [11, 21]), recorder
        assert recorder.completed
        run.all_left()

    return check


def racing(play: Play) -> Check:
    left, right = two(play, 2000)
    recorder = Recorder(play, UNBOUNDED)
    run = subscribed(Flow.from_publisher(left).race(Flow.from_publisher(right)), recorder)
    play.thread(partial(left.give, 1, 2), left.complete)
    play.thread(partial(right.give, 11, 12), right.complete)

    def check() -> None:
        assert recorder.got in ([1, 2], [11, 12]), recorder
        assert recorder.completed
        run.all_left()

    return check


def taking_until(play: Play) -> Check:
    left, right = two(play, 2000)
    recorder = Recorder(play, UNBOUNDED)
    run = subscribed(Flow.from_publisher(left).take_until(Flow.from_publisher(right)), recorder)
    play.thread(partial(left.give, 1, 2, 3))
    play.thread(partial(right.give, 11))

    def check() -> None:
        assert recorder.got == [1, 2, 3][: len(recorder.got)], recorder
        assert recorder.completed
        assert left.cancelled == 1
        run.all_left()

    return check


def combining(play: Play) -> Check:
    left, right = two(play, 64)
    recorder = Recorder(play, UNBOUNDED)
    run = subscribed(Flow.from_publisher(left).combine_latest(Flow.from_publisher(right)), recorder)
    play.thread(partial(left.give, 1, 2), left.complete)
    play.thread(partial(right.give, 11, 12), right.complete)

    def check() -> None:
        assert recorder.got[-1] == (2, 12), recorder
        assert recorder.got == sorted(recorder.got), recorder
        assert recorder.completed
        run.all_left()

    return check


SCENARIOS: dict[str, Callable[[Play], Check]] = {
    "merge": partial(merging, ends=True),
    "merge, pauses": partial(merging, ends=False),
    "merge on a lease, pauses": partial(merging, ends=False, leased=True),
    "merge fails": merging_fails,
    "merge under demand": merging_under_demand,
    "merge is cancelled": merging_is_cancelled,
    "zip": partial(zipping, ends=True),
    "zip, strict": partial(zipping, ends=True, strict=True),
    "zip, pauses": partial(zipping, ends=False),
    "zip under demand": zipping_under_demand,
    "zip under demand, fails": partial(zipping_under_demand, fails=True),
    "zip, uneven": zipping_uneven,
    "flat_map": mapping_to_flows,
    "flat_map, pauses": partial(mapping_to_flows, ends=False),
    "flat_map, just enough demand": partial(mapping_to_flows, demand=3),
    "flat_map, one at a time": mapping_one_at_a_time,
    "flat_map is cancelled": mapping_is_cancelled,
    "flat_map fails": mapping_fails,
    "switch_map": switching,
    "race": racing,
    "take_until": taking_until,
    "combine_latest": combining,
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_in_every_order(name: str):
    assert explore(SCENARIOS[name]) > 20
