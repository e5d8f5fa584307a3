"""Every order of pushes, subscribers that come and go, and the end: Hub and share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from penstock import UNBOUNDED, Flow, Hub
from penstock.runtime import _zip
from tests.runtime.interleave import BUDGET, Play, explore
from tests.runtime.interleave_parts import Hand, Recorder, Source, subscribed

Check = Callable[[], object]


def pushes_meet(play: Play) -> Check:
    """Two threads push: both subscribers get the same, in the same order (R.1)."""
    hub: Hub[int] = Hub(8)
    one, two = Recorder(play, UNBOUNDED), Recorder(play, UNBOUNDED)
    subscribed(hub.flow, one)
    subscribed(hub.flow, two)
    taken: list[bool] = []
    play.thread(lambda: taken.append(hub.push(1)), lambda: taken.append(hub.push(2)))
    play.thread(lambda: taken.append(hub.push(11)))

    def check() -> None:
        assert taken == [True] * 3
        assert sorted(one.got) == [1, 2, 11], one
        assert one.got == two.got
        assert [x for x in one.got if x < 9] == [1, 2]

    return check


def push_meets_request(play: Play, *, leased: bool = False) -> Check:
    """The ring has room for one: what was taken arrives, once."""
    hub: Hub[int] = Hub(1)
    recorder = Recorder(play)
    subscribed(hub.flow, recorder, play.lease() if leased else None)
    taken: list[int] = []

    def push(*elements: int) -> None:
        taken.extend([x for x in elements if hub.push(x)])

    play.thread(partial(push, 1, 2, 3))
    play.thread(
        lambda: recorder.request(1), lambda: recorder.request(1), lambda: recorder.request(9)
    )

    def check() -> None:
        assert recorder.got == taken, (recorder, taken)
        assert taken[0] == 1

    return check


def push_meets_complete(play: Play) -> Check:
    hub: Hub[int] = Hub(4)
    recorder = Recorder(play, UNBOUNDED)
    run = subscribed(hub.flow, recorder)
    taken: list[bool] = []
    play.thread(lambda: taken.append(hub.push(1)), lambda: taken.append(hub.push(2)))
    play.thread(hub.complete)

    def check() -> None:
        assert recorder.got == [1, 2][: sum(taken)], (recorder, taken)
        assert recorder.completed
        run.all_left()

    return check


def push_meets_subscribe(play: Play) -> Check:
    """Who comes later gets an unbroken rest of it."""
    hub: Hub[int] = Hub(8)
    one, two = Recorder(play, UNBOUNDED), Recorder(play, UNBOUNDED)
    subscribed(hub.flow, one)
    play.thread(lambda: hub.push(1), lambda: hub.push(2), hub.complete)
    play.thread(lambda: subscribed(hub.flow, two))

    def check() -> None:
        assert one.got == [1, 2]
        assert two.got in ([], [2], [1, 2]), two
        assert one.completed
        assert two.completed, two

    return check


def slowest_leaves(play: Play, *, leased: bool = False) -> Check:
    """The one who holds up the others cancels while one more is pushed."""
    hub: Hub[int] = Hub(1)
    slow, fast = Recorder(play), Recorder(play, UNBOUNDED)
    subscribed(hub.flow, slow)
    subscribed(hub.flow, fast, play.lease() if leased else None)
    taken: list[int] = []

    def push(*elements: int) -> None:
        taken.extend([x for x in elements if hub.push(x)])

    play.thread(partial(push, 1, 2, 3))
    play.thread(slow.cancel)

    def check() -> None:
        assert fast.got == taken, (fast, taken)
        assert hub.push(9)
        assert not slow.ended

    return check


def slowest_leaves_with_upstream(play: Play) -> Check:
    """Upstream is asked for more as soon as the slowest one has left."""
    hub: Hub[int] = Hub(2)
    hand = Hand(play, 2)
    slow, fast = Recorder(play), Recorder(play, UNBOUNDED)
    subscribed(hub.flow, slow)
    subscribed(hub.flow, fast)
    hand.subscribe(hub)
    play.thread(partial(hand.give, 1, 2, 3, 4), hand.complete)
    play.thread(slow.cancel)

    def check() -> None:
        assert fast.got == [1, 2, 3, 4], fast
        assert fast.completed
        assert not hand.cancelled

    return check


def policies(play: Play, policy: str) -> Check:
    """A subscriber too slow is dropped, or misses some; the other one gets it all."""
    hub: Hub[int] = Hub(1, policy=policy)  # type: ignore[arg-type]
    slow, fast = Recorder(play), Recorder(play, UNBOUNDED)
    subscribed(hub.flow, slow)
    subscribed(hub.flow, fast)
    play.thread(lambda: hub.push(1), lambda: hub.push(2), lambda: hub.push(3))
    play.thread(lambda: slow.request(1), lambda: slow.request(2))

    def check() -> None:
        assert fast.got == [1, 2, 3], fast
        assert slow.got == sorted(set(slow.got))
        if policy == "drop":
            assert slow.error is not None or slow.got == [1, 2, 3], slow
        else:
            assert not slow.ended
            assert slow.got[-1:] == [3], slow

    return check


def sharing(play: Play, buffer: int = 2) -> Check:
    """Two subscribers of one share, each with its own thread of demand."""
    source = Source(play, 4)
    flow = Flow.from_iterable(source.open).map(lambda x: x).share(buffer)
    one, two = Recorder(play), Recorder(play)
    runs = [subscribed(flow, one), subscribed(flow, two)]
    play.thread(lambda: one.request(2), lambda: one.request(9))
    play.thread(lambda: two.request(1), lambda: two.request(9))

    def check() -> None:
        assert one.got == two.got == [0, 1, 2, 3], (one, two)
        assert one.completed
        assert two.completed
        assert source.closed == 1
        for run in runs:
            run.all_left()

    return check


def last_leaves_while_another_comes(play: Play) -> Check:
    """The newcomer either joins the run or begins a fresh one; it is never left alone."""
    sources: list[Source] = []

    def begin() -> Source:
        sources.append(Source(play, 3))
        return sources[-1].open()

    flow = Flow.from_iterable(begin).map(lambda x: x).share(2)
    one, two = Recorder(play, 1), Recorder(play, UNBOUNDED)
    subscribed(flow, one)
    play.thread(one.cancel)
    play.thread(lambda: subscribed(flow, two))

    def check() -> None:
        assert two.completed, two
        assert two.got in ([0, 1, 2], [1, 2]), two
        assert all(source.closed == 1 for source in sources)
        assert not one.ended

    return check


def last_leaves_while_it_is_asked(play: Play) -> Check:
    """Upstream is cancelled once, also if a request is on its way."""
    hand = Hand(play)
    one = Recorder(play)
    subscribed(Flow.from_publisher(hand).share(2), one)
    play.thread(lambda: one.request(2), partial(hand.give, 1))
    play.thread(one.cancel)

    def check() -> None:
        assert hand.cancelled == 1
        assert not one.ended

    return check


def hub_is_left_while_it_asks(play: Play) -> Check:
    """Upstream hears one thing at a time: the request, then the cancel."""
    hub: Hub[int] = Hub(2, keep_alive=False)
    hand, recorder = Hand(play), Recorder(play)
    run = subscribed(hub.flow, recorder)
    hand.subscribe(hub)
    play.thread(lambda: recorder.request(2))
    play.thread(recorder.cancel)

    def check() -> None:
        assert hand.cancelled == 1
        run.all_left()

    return check


def both_leave(play: Play) -> Check:
    hand = Hand(play)
    flow = Flow.from_publisher(hand).share(2)
    one, two = Recorder(play, 1), Recorder(play, 1)
    runs = [subscribed(flow, one), subscribed(flow, two)]
    play.thread(one.cancel)
    play.thread(two.cancel)

    def check() -> None:
        assert hand.cancelled == 1
        for run in runs:
            run.all_left()

    return check


def the_end_meets_leaving(play: Play, *, fails: bool) -> Check:
    hand = Hand(play)
    flow = Flow.from_publisher(hand).share(2)
    one, two = Recorder(play, 9), Recorder(play, 9)
    subscribed(flow, one)
    subscribed(flow, two)
    end = partial(hand.error, ValueError()) if fails else hand.complete
    play.thread(partial(hand.give, 1), end)
    play.thread(one.cancel)

    def check() -> None:
        assert two.ended, two
        assert two.completed is not fails
        assert fails or two.got == [1]
        assert not hand.cancelled

    return check


def diamond(play: Play, *, stuck: bool) -> Check:
    """Both sides of a zip share one source; if one drops all, that is found, always."""
    base = Flow.range(9).share(2)
    left = base.filter(lambda x: not stuck or x > 7).on(play.lease("left"), 1)
    right = base.on(play.lease("right"), 1)
    recorder = Recorder(play, UNBOUNDED)
    subscribed(left.zip(right), recorder)

    def check() -> None:
        if stuck:
            assert recorder.error is not None, recorder
            assert "stuck" in str(recorder.error)
        else:
            assert recorder.completed, recorder
            assert all(a == b for a, b in recorder.got)

    return check


SCENARIOS: dict[str, Callable[[Play], Check]] = {
    "pushes meet": pushes_meet,
    "push meets request": push_meets_request,
    "push meets request on a lease": partial(push_meets_request, leased=True),
    "push meets complete": push_meets_complete,
    "push meets subscribe": push_meets_subscribe,
    "slowest leaves": slowest_leaves,
    "slowest leaves, the other on a lease": partial(slowest_leaves, leased=True),
    "slowest leaves, with an upstream": slowest_leaves_with_upstream,
    "policy drop": partial(policies, policy="drop"),
    "policy skip": partial(policies, policy="skip"),
    "share": sharing,
    "share, buffer of 1": partial(sharing, buffer=1),
    "last leaves while another comes": last_leaves_while_another_comes,
    "last leaves while it is asked": last_leaves_while_it_is_asked,
    "hub is left while it asks": hub_is_left_while_it_asks,
    "both leave": both_leave,
    "completion meets leaving": partial(the_end_meets_leaving, fails=False),
    "error meets leaving": partial(the_end_meets_leaving, fails=True),
    "diamond": partial(diamond, stuck=False),
    "diamond that is stuck": partial(diamond, stuck=True),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_in_every_order(name: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(_zip, "WINDOW", 2)  # so that few elements fill it
    most = BUDGET // 3 if "diamond" in name else BUDGET  # they are long
    assert explore(SCENARIOS[name], most=most) > 20
