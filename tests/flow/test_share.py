"""share, publish and replay: one run for several subscribers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from penstock import UNBOUNDED, Flow
from penstock.tck import verify_publisher
from penstock.testing import ManualPublisher, Probe
from tests.flow.share_helpers import numbers, shared


def published(n: int) -> Flow[int]:
    flow = numbers(n).publish(16)
    flow.connect()
    return flow


@pytest.mark.parametrize(
    "create",
    [
        lambda n: numbers(n).share(16),
        lambda n: numbers(n).replay(3, buffer=16),
        published,
    ],
    ids=["share", "replay", "publish"],
)
def test_it_keeps_all_rules(create: Callable[[int], Flow[int]]) -> None:
    report = verify_publisher(create, multicast=True)
    assert not report.broken, report


@pytest.mark.parametrize("policy", ["drop", "skip"])
def test_policies_that_drop_keep_the_rules_of_each_subscriber(policy: Any) -> None:
    report = verify_publisher(lambda n: numbers(n).share(16, policy=policy))
    assert not report.broken, report


# The runs.


def test_the_last_one_to_leave_ends_the_run_and_the_next_starts_a_fresh_one() -> None:
    runs = iter("ab")
    flow = Flow.defer(lambda: [next(runs)] * 9).share()
    one, two = Probe(flow), Probe(flow)
    one.request(1)
    one.cancel()
    two.request(1)
    two.cancel()
    three = Probe(flow)
    three.request(1)
    assert (one.elements, two.elements, three.elements) == (["a"], ["a"], ["b"])


def test_a_completed_run_is_followed_by_a_fresh_one() -> None:
    runs = iter("ab")
    flow = Flow.defer(lambda: [next(runs)]).share()
    assert [flow.to_list().result() for _ in range(2)] == [["a"], ["b"]]


def test_a_failed_run_is_followed_by_a_fresh_one() -> None:
    errors = iter([OSError("first"), OSError("second")])
    flow = Flow.error(lambda: next(errors)).share()
    Probe(flow).expect_error(OSError, "first")
    Probe(flow).expect_error(OSError, "second")


def test_who_comes_when_all_is_done_but_not_delivered_gets_the_rest() -> None:
    flow = numbers(4).share()
    slow, late = Probe(flow), Probe[int]()
    slow.request(1)
    flow.subscribe(late)
    late.request(9)
    late.expect_next(1, 2, 3)
    late.expect_complete()
    slow.request(3)
    assert slow.elements == [0, 1, 2, 3]
    assert slow.completed


def test_a_kept_alive_run_waits_for_the_next_subscriber() -> None:
    source, flow = shared(keep_alive=True)
    one = Probe(flow)
    one.request(1)
    source.emit(0, 1, 2)
    one.cancel()
    assert not source.cancelled
    two = Probe(flow)
    two.request(9)
    two.expect_next(1, 2)


def test_it_asks_for_nothing_before_anybody_does_and_for_the_buffer_then() -> None:
    source, flow = shared()
    probe = Probe(flow)
    assert source.requested == 0
    probe.request(1)
    assert source.requested == 4


def test_an_error_overtakes_what_nobody_asked_for() -> None:
    source, flow = shared()
    one, two = Probe(flow), Probe(flow)
    one.request(2)
    source.emit(1, 2, 3)
    source.error(OSError("gone"))
    one.expect_next(1, 2)
    one.expect_error(OSError, "gone")
    assert two.elements == []
    two.expect_error(OSError, "gone")


def test_completion_comes_with_the_last_element_and_without_demand() -> None:
    source, flow = shared()
    one, two = Probe(flow), Probe(flow)
    one.request(1)
    two.request(1)
    source.emit(1)
    source.complete()
    assert one.completed
    assert two.completed


def test_operators_follow_it() -> None:
    flow = numbers(5).share()
    evens = flow.filter(lambda x: x % 2 == 0).map(str)
    one, two = Probe(evens), Probe(flow)
    one.request(9)
    two.request(9)
    assert one.elements == ["0", "2", "4"]
    assert two.elements == [0, 1, 2, 3, 4]


def test_the_same_subscriber_twice_is_rejected_and_may_come_again_later() -> None:
    class Counting(Probe[int]):
        greeted = 0

        def on_subscribe(self, subscription: Any, /) -> None:
            self.greeted += 1
            if self.greeted == 1:
                super().on_subscribe(subscription)

    _, flow = shared()
    probe = Counting(flow)
    flow.subscribe(probe)
    assert probe.greeted == 2
    probe.expect_error(RuntimeError, r"R\.5.*share\(4\)")


# publish and replay.


def test_nothing_is_subscribed_to_before_connect() -> None:
    source = ManualPublisher[int]()
    flow = Flow.from_publisher(source).publish()
    probe = Probe(flow)
    probe.request(1)
    assert source.subscriber is None
    flow.connect()
    flow.connect()
    source.emit(1)
    probe.expect_next(1)


def test_who_comes_to_a_publish_that_is_over_is_told() -> None:
    flow = numbers(3).publish()
    flow.connect()
    probe = Probe(flow)
    probe.request(1)
    probe.cancel()
    Probe(flow).expect_error(RuntimeError, "connect")
    flow.connect()
    assert flow.to_list().result() == [0, 1, 2]


def test_replay_gives_newcomers_the_last_ones_first() -> None:
    source = ManualPublisher[int]()
    flow = Flow.from_publisher(source).replay(2, buffer=4)
    one = Probe(flow)
    one.request(UNBOUNDED)
    source.emit(1, 2, 3)
    two = Probe(flow)
    two.request(UNBOUNDED)
    source.emit(4)
    assert two.elements == [2, 3, 4]
    assert one.elements == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("wrong", "kind", "says"),
    [
        (lambda flow: flow.share(0), ValueError, r"share\(buffer=0\)"),
        (lambda flow: flow.share(True), TypeError, r"share\(buffer=True\)"),
        (lambda flow: flow.share(keep_alive=1), TypeError, r"share\(keep_alive=1\)"),
        (lambda flow: flow.share(policy="hurry"), ValueError, r"share\(policy='hurry'\)"),
        (lambda flow: flow.publish(-1), ValueError, r"publish\(buffer=-1\)"),
        (lambda flow: flow.replay(0), ValueError, r"replay\(n=0\)"),
        (lambda flow: flow.replay(1, buffer="x"), TypeError, r"replay\(buffer='x'\)"),
    ],
)
def test_wrong_arguments_are_refused_at_once(
    wrong: Callable[[Any], Any], kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        wrong(numbers(1))
