"""More pitfalls that were measured, each pinned: closing, contexts, caches and recovery."""

from __future__ import annotations

import contextvars
import linecache
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from penstock import Flow, threads
from penstock.runtime import _compile
from penstock.runtime._stage import Stage
from penstock.testing import Probe
from tests.waiting import eventually


class TestClosing:
    """`close()` on a generator that runs raises, and is for the segment's own resource."""

    def test_a_source_is_closed_once_where_it_runs(self) -> None:
        inside, go = threading.Event(), threading.Event()
        closed: list[str] = []

        def busy() -> Iterator[int]:
            try:
                yield 0
                inside.set()
                go.wait(10)
                yield 1
            finally:
                closed.append(threading.current_thread().name)

        probe = Probe[int](Flow.from_iterable(busy).subscribe_on(threads(1, name="mine")))
        probe.request(5)
        assert inside.wait(10)
        probe.cancel()  # on this thread, while the generator runs on the other
        assert closed == []
        go.set()
        eventually(lambda: closed)
        assert closed == ["mine-1"]

    def test_it_may_cancel_itself(self) -> None:
        closed: list[int] = []
        probe = Probe[int]()

        def leaving() -> Iterator[int]:
            try:
                yield 0
                probe.cancel()
                yield 1
            finally:
                closed.append(1)

        Flow.from_iterable(leaving).subscribe(probe)
        probe.request(5)
        assert closed == [1]
        assert probe.elements in ([0], [0, 1])  # the one that was being made may still come


def test_a_context_is_copied_for_each_segment() -> None:
    """A `Context` can't be entered twice."""
    variable = contextvars.ContextVar[int]("variable")
    variable.set(7)
    entered = threading.Event()

    def above(element: int) -> int:
        assert element == 0 or entered.wait(10)  # while the segment below is in its context
        return variable.get()

    def below(element: int) -> int:
        entered.set()
        return element + variable.get()

    flow = Flow.range(2).map(above).on(threads(1), 2).map(below)
    assert flow.to_list().result(10) == [14, 14]


@pytest.mark.parametrize("kind", ["flatten", "flat_map", "recover_each", "mixed"])
def test_more_flattens_than_python_nests_blocks(kind: str) -> None:
    """CPython allows 20 nested blocks."""
    flow: Flow[Any] = Flow.range(2)
    for _ in range(60):
        if kind in ("flatten", "mixed"):
            flow = flow.map(lambda x: [x]).flatten()
        if kind in ("flat_map", "mixed"):
            flow = flow.flat_map(lambda x: [x])
        if kind in ("recover_each", "mixed"):
            flow = flow.map(lambda x: x).recover_each(lambda error: None)
    assert flow.to_list().result(10) == [0, 1]
    assert list(flow) == [0, 1]
    probe = Probe[Any](flow)
    probe.request(3)
    probe.expect_next(0, 1)
    probe.expect_complete()


def test_shapes_and_their_sources_are_bounded() -> None:
    for number in range(_compile.MOST_SHAPES + 50):
        _compile.shape_of((Stage(f"one{number}", body=("x = x",)),), "feed")
    kept = [name for name in linecache.cache if name.startswith("<penstock segment")]
    assert len(_compile._shapes) <= _compile.MOST_SHAPES
    assert len(kept) <= _compile.MOST_SHAPES


@pytest.mark.parametrize(
    "protect",
    [
        lambda flow: flow.catch(lambda error: [99]),
        lambda flow: flow.retry(None),
        lambda flow: flow.on_error_return(99),
        lambda flow: flow.map(lambda x: x).recover_each(lambda error: 99),
        lambda flow: flow.catch(lambda error: [99]).map(lambda x: x).retry(3),
    ],
    ids=["catch", "retry", "on_error_return", "recover_each", "both"],
)
@pytest.mark.parametrize("boundary", [False, True])
def test_the_answer_to_a_wrong_request_bypasses_recovery(protect: Any, boundary: bool) -> None:
    flow = protect(Flow.range(9))
    probe = Probe[Any](flow.on(threads(1), 2) if boundary else flow)
    probe.request(1)
    probe.expect_next(0)
    probe.request(0)
    probe.expect_error(ValueError, r"3\.9")


def test_a_wrong_request_of_an_inner_subscriber_is_not_hidden_either() -> None:
    class Wrong:
        """A Processor of somebody's that requests nothing."""

        def subscribe(self, subscriber: Any) -> None:
            self.subscriber = subscriber
            subscriber.on_subscribe(self)

        def request(self, n: int) -> None:
            self.upstream.request(0)

        def cancel(self) -> None:
            self.upstream.cancel()

        def on_subscribe(self, subscription: Any) -> None:
            self.upstream = subscription

        def on_next(self, element: Any) -> None: ...

        def on_complete(self) -> None: ...

        def on_error(self, error: Exception) -> None:
            self.subscriber.on_error(error)

    probe = Probe[Any](Flow.range(5).via(Wrong).catch(lambda error: [1]).retry(5))
    probe.request(1)
    probe.expect_error(ValueError, r"3\.9")


def test_distinct_keeps_to_its_bound() -> None:
    class Key:
        alive = 0

        def __init__(self, n: int) -> None:
            self.n = n
            Key.alive += 1

        def __del__(self) -> None:
            Key.alive -= 1

        def __hash__(self) -> int:
            return hash(self.n)

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Key) and other.n == self.n

    most = 0

    def look(element: int) -> None:
        nonlocal most
        most = max(most, Key.alive)

    assert Flow.range(5000).distinct(Key, bound=10).tap(look).count().result() == 5000
    assert most <= 10 + 3
    assert Flow.of(1, 2, 3, 1).distinct(bound=2).to_list().result() == [1, 2, 3, 1]


def test_a_busy_thread_does_not_hold_up_the_cancel_of_what_it_runs() -> None:
    """Segments that share a thread: the one that was cancelled gets no turn before the end."""
    began = threading.Event()
    stop = time.monotonic() + 10

    def endless() -> Iterator[int]:
        began.set()
        while time.monotonic() < stop:
            yield 1

    for make in (
        lambda flow: flow.filter(lambda x: False).take_until(Flow.never()).count(),
        lambda flow: flow.take_last(1).start_with(1).count(),
        lambda flow: flow.filter(lambda x: False).concat(Flow.of(1)).count(),
    ):
        began.clear()
        run = make(Flow.from_iterable(endless)).start()
        assert began.wait(10)
        run.cancel()
        eventually(run.done, "the cancel")
        assert time.monotonic() < stop
