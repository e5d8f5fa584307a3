"""What happens to what nobody asked for."""

from __future__ import annotations

from collections import deque
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import UNBOUNDED, Flow, event_loop, threads
from penstock.flow._overflow import Overflow
from penstock.tck import verify_publisher
from penstock.testing import ManualPublisher, Probe, VirtualClock
from tests.waiting import eventually

RESOURCES = {
    "caller": lambda: None,
    "threads": lambda: threads(1, name="pressed"),
    "event loop": event_loop,
}
on_each_resource = pytest.mark.parametrize("resource", RESOURCES)


def moved(flow: Flow[Any], resource: str) -> Flow[Any]:
    where = RESOURCES[resource]()
    return flow if where is None else flow.on(where)


def pushed(flow_of: Any) -> tuple[Any, Any]:
    """Return a probe of `flow_of(source)`, with the first demand made, and the emitter."""
    emitters: list[Any] = []
    probe = Probe(flow_of(Flow.create(emitters.append, size=UNBOUNDED)))
    probe.request(1)
    return probe, emitters[0]


class Model:
    """What a buffer with a policy is to do, in the simplest words."""

    def __init__(self, size: int, overflow: Overflow) -> None:
        self.size = size
        self.overflow = overflow
        self.waiting: deque[int] = deque()
        self.demand = 1
        self.given: list[int] = []
        self.dropped = 0
        self.failed = False

    def push(self, element: int) -> None:
        if self.failed:
            return
        if self.demand:
            self.demand -= 1
            self.given.append(element)
        elif len(self.waiting) < self.size:
            self.waiting.append(element)
        elif self.overflow is Overflow.ERROR:
            self.failed = True
        elif self.overflow is Overflow.DROP_NEWEST:
            self.dropped += 1
        elif self.overflow is Overflow.DROP_OLDEST:
            self.waiting.popleft()
            self.waiting.append(element)
            self.dropped += 1
        else:
            self.dropped += len(self.waiting)
            self.waiting = deque([element])

    def request(self, n: int) -> None:
        if self.failed:
            return
        self.demand += n
        while self.demand and self.waiting:
            self.demand -= 1
            self.given.append(self.waiting.popleft())


@given(
    st.integers(1, 4),
    st.sampled_from(Overflow),
    st.lists(st.one_of(st.none(), st.integers(1, 5)), max_size=40),
)
def test_each_policy_does_as_its_model(size: int, overflow: Overflow, steps: list[int | None]):
    """A step is None for a push, or a number that is requested."""
    model = Model(size, overflow)
    probe, emitter = pushed(lambda source: source.buffer(size, overflow))
    inlet = probe.subscription.head
    for n, step in enumerate(steps):
        if step is None:
            model.push(n)
            emitter.push(n)
        else:
            model.request(step)
            probe.request(step)
        assert probe.elements == model.given
        assert (probe.error is not None) == model.failed
        if overflow is not Overflow.ERROR:  # which drops what waits, once it has failed
            assert inlet.dropped == model.dropped
    probe.cancel()
    assert emitter.cancelled


class TestBuffer:
    def test_an_overflow_fails_naming_size_and_remedy(self):
        probe, emitter = pushed(lambda source: source.map(str).buffer(2))
        for n in range(4):
            emitter.push(n)
        probe.expect_next("0")
        error = probe.expect_error(OverflowError, "buffer overflowed: 2 wait .*larger size")
        assert any("in buffer(2, Overflow.ERROR), test_pressure.py" in x for x in error.__notes__)
        assert emitter.cancelled
        assert emitter.push(9) is False

    def test_what_was_demanded_is_given_before_the_error(self):
        class Slow(Probe[Any]):
            """Floods the buffer while it is in its first element."""

            def on_next(self, element: Any, /) -> None:
                super().on_next(element)
                if element == 0:
                    for n in range(1, 9):
                        emitter.push(n)

        emitters: list[Any] = []
        probe = Slow(Flow.create(emitters.append).buffer(3))
        probe.request(3)
        (emitter,) = emitters
        emitter.push(0)
        probe.expect_next(0, 1, 2)
        probe.expect_error(OverflowError)

    def test_all_is_requested_at_the_first_demand(self):
        publisher = ManualPublisher[int]()
        probe = Probe(Flow.from_publisher(publisher).latest())
        publisher.expect_no_request(0.01)
        probe.request(1)
        publisher.expect_request()
        publisher.emit(*range(100))
        publisher.complete()
        probe.request(1)
        probe.expect_next(0, 99)
        probe.expect_complete()

    def test_a_cancel_is_seen_by_a_source_that_is_being_drained(self):
        pulled: list[int] = []
        flow = Flow.range(10**6).tap(pulled.append).buffer(10, Overflow.LATEST).take(3)
        probe = Probe(flow)
        probe.request(5)
        probe.expect_next(0, 1, 2)
        probe.expect_complete()
        assert len(pulled) == 3

    def test_an_overflow_is_seen_by_a_source_that_is_being_drained(self):
        pulled: list[int] = []
        probe = Probe(Flow.range(10**6).tap(pulled.append).buffer(10))
        probe.request(1)
        probe.expect_next(0)
        probe.expect_error(OverflowError)
        assert len(pulled) == 12

    def test_an_error_waits_for_no_demand(self):
        probe, emitter = pushed(lambda source: source.buffer(2))
        emitter.push(0)
        emitter.push(1)
        emitter.error(ValueError("x"))
        probe.expect_next(0)
        probe.expect_error(ValueError)

    @on_each_resource
    def test_it_runs_everywhere(self, resource: str):
        probe = Probe(moved(Flow.range(100), resource).buffer(100).map(str))
        probe.request(100)
        probe.expect_next(*map(str, range(100)))
        probe.expect_complete()

    @pytest.mark.parametrize("size", [0, -1])
    def test_a_wrong_size(self, size: int):
        with pytest.raises(ValueError, match=r"buffer\(size=.*give an int of at least 1"):
            Flow.range(3).buffer(size)
        with pytest.raises(TypeError, match=r"buffer\(overflow='x'\)"):
            Flow.range(3).buffer(3, "x")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("flow_of", "given"),
    [
        (lambda source: source.drop_newest(), [0, 1]),
        (lambda source: source.drop_newest(3), [0, 1, 2, 3]),
        (lambda source: source.drop_oldest(), [0, 9]),
        (lambda source: source.drop_oldest(3), [0, 7, 8, 9]),
        (lambda source: source.latest(), [0, 9]),
        (lambda source: source.conflate(lambda a, b: a + b), [0, 45]),
    ],
    ids=["drop_newest", "drop_newest 3", "drop_oldest", "drop_oldest 3", "latest", "conflate"],
)
@on_each_resource
def test_what_stays_of_ten(flow_of: Any, given: list[int], resource: str):
    seen: list[int] = []
    probe = Probe(flow_of(moved(Flow.range(10), resource).tap(seen.append)))
    probe.request(1)
    eventually(lambda: len(seen) == 10)
    probe.expect_next(given[0])
    probe.request(10)
    probe.expect_next(*given[1:])
    probe.expect_complete()


@on_each_resource
def test_unbounded_demand_loses_nothing_that_comes_at_once(resource: str):
    flow = moved(Flow.range(200), resource).map(str).drop_newest()
    assert flow.to_list().result() == [str(n) for n in range(200)]


class TestConflate:
    def test_what_is_asked_for_is_not_combined(self):
        probe, emitter = pushed(lambda source: source.conflate(lambda a, b: a + b))
        probe.request(1)
        emitter.push(1)
        emitter.push(2)
        probe.expect_next(1, 2)
        emitter.push(3)
        emitter.push(4)
        emitter.complete()
        probe.expect_nothing(0)
        probe.request(1)
        probe.expect_next(7)
        probe.expect_complete()

    @pytest.mark.parametrize(
        ("fn", "kind", "text"),
        [
            (lambda a, b: 1 / 0, ZeroDivisionError, "division"),
            (lambda a, b: None, TypeError, r"conflate\(.*made None"),
            (lambda a, b: next(iter(())), RuntimeError, "StopIteration"),
        ],
    )
    def test_a_function_that_fails(self, fn: Any, kind: Any, text: str):
        probe, emitter = pushed(lambda source: source.conflate(fn))
        emitter.push(1)
        emitter.push(2)
        emitter.push(3)
        probe.expect_next(1)
        error = probe.expect_error(kind, text)
        notes = [*getattr(error, "__notes__", ()), *getattr(error.__cause__, "__notes__", ())]
        assert any("in conflate(" in note for note in notes)
        assert emitter.cancelled

    def test_the_function_must_be_one(self):
        with pytest.raises(TypeError, match=r"conflate\(fn=3\): give a function"):
            Flow.range(3).conflate(3)  # type: ignore[arg-type]


class TestPrefetch:
    def test_it_asks_so_many_ahead(self):
        pulled: list[int] = []
        probe = Probe(Flow.range(100).tap(pulled.append).prefetch(8))
        assert pulled == []
        probe.request(1)
        assert len(pulled) == 8
        for _ in range(50):
            probe.request(1)
            assert 1 <= len(pulled) - len(probe.elements) <= 8
        probe.cancel()

    @on_each_resource
    def test_it_runs_everywhere(self, resource: str):
        probe = Probe(moved(Flow.range(100), resource).prefetch(8))
        probe.request(100)
        probe.expect_next(*range(100))
        probe.expect_complete()


class TestAtMost:
    def test_no_span_of_time_has_more(self):
        with VirtualClock() as clock:
            probe = Probe(Flow.range(20).at_most(3, per=2).timestamp())
            probe.request(2)
            clock.advance(1.5)
            probe.request(UNBOUNDED)
            clock.advance(60)
            times = [time for time, _ in probe.elements]
            assert [x for _, x in probe.elements] == list(range(20))
            assert all(b - a >= 2 for a, b in zip(times, times[3:], strict=False))
            assert times[:7] == [0, 0, 1.5, 2, 2, 3.5, 4]
            assert probe.completed
            assert clock.pending == 0

    def test_it_delays_the_demand_and_not_the_elements(self):
        pulled: list[int] = []
        with VirtualClock() as clock:
            probe = Probe(Flow.range(20).tap(pulled.append).at_most(3, per=1))
            probe.request(2)
            assert len(pulled) == 2
            probe.request(18)
            assert len(pulled) == 3
            clock.advance(1)
            assert len(pulled) == 6
            probe.cancel()
            assert clock.pending == 0

    def test_a_slow_consumer_counts_when_it_takes(self):
        """What waits for demand passes when it is taken, so no burst follows."""
        with VirtualClock() as clock:
            probe = Probe(Flow.range(20).at_most(2, per=1).prefetch(1).timestamp())
            for _ in range(8):
                probe.request(1)
                clock.advance(0.3)
            times = [time for time, _ in probe.elements]
            assert all(b - a >= 0.6 for a, b in zip(times, times[2:], strict=False))
            probe.cancel()

    @on_each_resource
    def test_it_runs_everywhere(self, resource: str):
        with VirtualClock() as clock:
            probe = Probe(moved(Flow.range(4), resource).at_most(2, per=1))
            probe.request(4)
            probe.expect_next(0, 1)
            clock.expect_pending(1)
            clock.advance(1)
            probe.expect_next(2, 3)
            probe.expect_complete()

    def test_wrong_arguments(self):
        with pytest.raises(ValueError, match=r"at_most\(n=0\)"):
            Flow.range(3).at_most(0, per=1)
        with pytest.raises(ValueError, match=r"at_most\(per=0\)"):
            Flow.range(3).at_most(1, per=0)


def ticks(elements: int) -> Flow[int]:
    """As many, from a source that can't be slowed but lets others breathe."""
    return Flow.interval(0.0005).take(elements)


CONFORM = {
    "buffer": lambda n: ticks(n).buffer(10_000),
    "drop_newest": lambda n: ticks(n).drop_newest(10_000),
    "drop_oldest": lambda n: ticks(n).drop_oldest(10_000),
    "prefetch": lambda n: Flow.range(n).prefetch(8),
    "at_most": lambda n: Flow.range(n).at_most(10_000, per=1),
}


@pytest.mark.parametrize("operator", CONFORM)
def test_it_keeps_the_rules(operator: str):
    report = verify_publisher(CONFORM[operator])
    assert not report.broken, str(report)


@pytest.mark.parametrize("operator", ["latest", "conflate"])
def test_what_may_drop_keeps_the_rules(operator: str):
    def create(n: int) -> Flow[int]:
        source = Flow.range(n)
        return source.latest() if operator == "latest" else source.conflate(max)

    report = verify_publisher(create, max_elements=1)
    assert not report.broken, str(report)
