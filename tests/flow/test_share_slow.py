"""One run for several subscribers of which one is slow, or waits for another."""

from __future__ import annotations

import re
from typing import Any

import pytest

from penstock import UNBOUNDED, Flow, threads
from penstock.runtime._zip import ZIP
from penstock.testing import ManualPublisher, Probe
from tests.flow.share_helpers import numbers

# The slow ones.


def test_the_others_wait_for_a_slow_one_within_the_buffer() -> None:
    flow = numbers(100).share(8)
    slow, fast = Probe(flow), Probe(flow)
    fast.request(UNBOUNDED)
    assert len(fast.elements) == 8
    slow.request(1)
    assert len(fast.elements) == 9
    slow.request(3)
    assert len(fast.elements) == 12
    slow.cancel()
    assert fast.elements == list(range(100))
    assert fast.completed


def test_who_leaves_hears_of_its_end_before_the_others_go_on() -> None:
    flow = numbers(20).share(4)
    others_had: list[int] = []
    fast = Probe[int]()

    class Leaves(Probe[int]):
        def on_complete(self) -> None:
            others_had.append(len(fast.elements))
            super().on_complete()

    slow = Leaves(flow.take(2))
    flow.subscribe(fast)
    fast.request(UNBOUNDED)
    slow.request(2)
    assert others_had == [4]
    assert fast.elements == list(range(20))


def test_a_slow_one_is_dropped_and_told() -> None:
    flow = numbers(100).share(8, policy="drop")
    slow, fast = Probe(flow), Probe(flow)
    slow.request(1)
    fast.request(UNBOUNDED)
    assert fast.elements == list(range(100))
    assert slow.elements == [0]
    assert isinstance(slow.error, RuntimeError)
    assert re.match(r"share\(8\), test_share_slow.py:\d+ dropped this subscriber", str(slow.error))


def test_elements_are_dropped_for_a_slow_one() -> None:
    flow = numbers(100).share(8, policy="skip")
    slow, fast = Probe(flow), Probe(flow)
    slow.request(2)
    fast.request(UNBOUNDED)
    assert fast.elements == list(range(100))
    slow.request(UNBOUNDED)
    assert slow.elements == [0, 1, *range(92, 100)]
    assert slow.completed


def test_the_fastest_is_never_dropped() -> None:
    for policy in ("drop", "skip"):
        source = ManualPublisher[int]()
        probe = Probe(Flow.from_publisher(source).share(4, policy=policy))  # type: ignore[arg-type]
        probe.request(1)
        assert source.requested == 4
        source.emit(0, 1, 2, 3)
        probe.request(9)
        probe.expect_next(0, 1, 2, 3)


# A diamond.


def zipped(a: Flow[Any], b: Flow[Any]) -> Flow[Any]:
    return a._junction(ZIP, b, inputs=(b,))


def diamond(buffer: int, every: int) -> Flow[Any]:
    flow = numbers(100_000).share(buffer)
    return zipped(flow, flow.filter(lambda x: x % every == 0))


def test_a_diamond_that_fits_flows() -> None:
    probe = Probe(diamond(buffer=4096, every=100))
    probe.request(3)
    assert probe.elements == [(0, 0), (1, 100), (2, 200)]


def test_a_diamond_that_is_stuck_fails_and_says_what_to_do() -> None:
    probe = Probe(diamond(buffer=16, every=1000))
    probe.request(2)
    error = probe.error
    assert isinstance(error, RuntimeError)
    assert "share(16), test_share_slow.py:" in str(error)
    assert "larger buffer" in str(error)


def test_a_diamond_is_found_stuck_when_demand_comes_later() -> None:
    probe = Probe(diamond(buffer=16, every=1000))
    probe.request(1)
    probe.expect_next((0, 0))
    probe.expect_nothing()
    probe.request(1)
    probe.expect_error(RuntimeError, "is stuck")


def test_a_diamond_is_found_stuck_across_threads() -> None:
    pool = threads(2)
    for _ in range(20):
        flow = numbers(100_000).share(16)
        sparse = flow.filter(lambda x: x % 1000 == 0)
        with pytest.raises(RuntimeError, match="is stuck"):
            zipped(flow.on(pool, 8), sparse.on(pool, 8)).to_list().result(20)


def test_a_slow_outsider_is_no_stall() -> None:
    flow = numbers(100_000).share(16)
    slow, probe = Probe(flow), Probe(flow.filter(lambda x: x % 1000 == 0))
    probe.request(2)
    assert probe.elements == [0]
    assert probe.error is None
    slow.request(UNBOUNDED)
    assert probe.elements == [0, 1000]
