"""One run for several subscribers: on threads, and what is kept of them."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest

from penstock import Flow, threads
from penstock.testing import ManualPublisher, Probe
from tests.flow.share_helpers import numbers, shared
from tests.waiting import eventually


def test_subscribers_on_threads_all_get_all() -> None:
    pool = threads(4)
    flow = numbers(5000).share(64)
    runs = [flow.on(pool, 16).map(lambda x: x).to_list() for _ in range(4)]
    # Held back until all are there: a subscriber that asks for nothing.
    brake = Probe(flow)
    for run in runs:
        run.start()
    eventually(lambda: len(_ring(flow).subscribers) == 5)
    brake.cancel()
    for run in runs:
        assert run.result(20) == list(range(5000))


def _ring(flow: Any) -> Any:
    return flow.op._run.ring


def test_coming_and_going_from_many_threads_loses_nothing() -> None:
    flow = Flow.range(2**62).share(8, keep_alive=True)
    failures: list[object] = []

    def work() -> None:
        for _ in range(200):
            probe = Probe[int](flow)
            probe.request(5)
            try:
                got = [probe.next() for _ in range(5)]
            except AssertionError as error:
                failures.append(error)
            else:
                if got != list(range(got[0], got[0] + 5)):
                    failures.append(got)
            probe.cancel()

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures
    assert not _ring(flow).subscribers
    assert not _ring(flow).at


def test_whoever_left_is_let_go() -> None:
    source, flow = shared()
    stays, leaves = Probe(flow), Probe(flow)
    leaves.request(1)
    source.emit(1)
    leaves.cancel()
    gone = weakref.ref(leaves)
    del leaves
    gc.collect()
    assert gone() is None
    stays.cancel()


def test_a_shared_error_keeps_no_subscriber() -> None:
    flow = Flow.from_publisher(source := ManualPublisher[int]()).share(keep_alive=True)
    probes = [Probe(flow) for _ in range(3)]
    probes[0].request(1)
    error = OSError("gone")
    source.error(error)
    assert all(probe.error is error for probe in probes)
    gone = [weakref.ref(probe) for probe in probes]
    probes.clear()
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3


@pytest.mark.parametrize(("slow", "left"), [(1, [11, 12]), (2, [12]), (3, [])])
def test_elements_that_all_have_got_are_let_go(slow: int, left: list[int]) -> None:
    source, flow = shared()
    one, two = Probe(flow), Probe(flow)
    one.request(3)
    two.request(slow)
    source.emit(10, 11, 12)
    assert [x for x in _ring(flow)._items if x is not None] == left


def test_no_frame_of_memory_grows_with_what_has_passed() -> None:
    flow = numbers(50_000).share(64)
    one, two = Probe(flow.filter(lambda x: x < 0)), Probe(flow.filter(lambda x: x < 0))
    one.request(1)
    ring = _ring(flow)
    sizes: list[int] = []
    add = ring.add

    def watched(element: Any, **how: Any) -> bool:
        sizes.append(len(ring._items))
        return bool(add(element, **how))

    ring.add = watched
    two.request(1)
    assert ring.tail == 50_000
    assert max(sizes) <= 2 * 64
