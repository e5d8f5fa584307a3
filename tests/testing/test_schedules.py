"""Whatever a test does with the two of them, and on whatever threads, all rules are kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from penstock import UNBOUNDED, Violation, checked
from penstock.testing import ManualPublisher, Probe
from tests.testing.helpers import LONGER, PATIENCE, Sink, started

AMOUNTS = st.one_of(st.integers(1, 5), st.sampled_from([UNBOUNDED - 1, UNBOUNDED, 10**30]))
NO_AMOUNTS = st.sampled_from([0, -1, True, 2.0, None])


def succeeds(call: Callable[[], object]) -> bool:
    """Whether it does not raise AssertionError, by which both parties refuse and fail."""
    try:
        call()
    except AssertionError:
        return False
    return True


class OneThread(RuleBasedStateMachine):
    """A stream beside a model of it: what was requested, what was sent, and how it ended."""

    def __init__(self) -> None:
        super().__init__()
        self.violations: list[Violation] = []
        self.publisher = ManualPublisher[int](timeout=0, quiet=0)
        self.probe = Probe[int](timeout=0, quiet=0)
        self.demand = 0
        self.sent: list[int] = []
        self.end = ""
        self.cancelled = False
        self.requests: list[int] = []
        self.unseen: list[object] = []

    @initialize()
    def subscribe(self) -> None:
        checked(self.publisher, self.violations.append).subscribe(self.probe)

    # What the Subscriber does.

    @rule(n=AMOUNTS)
    def request(self, n: int) -> None:
        self.probe.request(n)
        if not self.end and not self.cancelled:
            self.demand = min(self.demand + n, UNBOUNDED)
            self.requests.append(n)

    @rule(n=NO_AMOUNTS)
    def request_wrongly(self, n: Any) -> None:
        self.probe.request(n)
        if not self.end and not self.cancelled:
            self.end = "3.9"
            self.unseen.append("3.9")

    @rule()
    def cancel(self) -> None:
        self.probe.cancel()
        self.cancelled = True

    # What the Publisher does, or refuses to do.

    def nobody_listens(self) -> bool:
        return bool(self.end) or (self.cancelled and self.demand == 0)

    @rule(count=st.integers(0, 7))
    def emit(self, count: int) -> None:
        elements = range(len(self.sent), len(self.sent) + count)
        possible = 0 if self.nobody_listens() else min(count, self.demand)
        assert succeeds(lambda: self.publisher.emit(*elements)) == (possible == count)
        self.sent += elements[:possible]
        self.unseen += elements[:possible]
        self.demand -= possible

    @rule(kind=st.sampled_from(["complete", "error"]))
    def finish(self, kind: str) -> None:
        send = self.publisher.complete
        if kind == "error":
            error = OSError("failed")
            send = lambda: self.publisher.error(error)  # noqa: E731
        possible = not self.nobody_listens()
        assert succeeds(send) == possible
        if possible:
            self.end = kind
            self.unseen.append(kind)

    @rule()
    def another_subscribes(self) -> None:
        another = Probe(self.publisher, timeout=0)
        another.expect_error(RuntimeError, "one Subscriber")
        another.request(1)
        another.cancel()

    # What the test looks at.

    @rule()
    def look(self) -> None:
        expect = {
            "complete": self.probe.expect_complete,
            "error": lambda: self.probe.expect_error(OSError, "failed"),
            "3.9": lambda: self.probe.expect_error(ValueError, r"3\.9"),
        }
        if not self.unseen:
            self.probe.expect_nothing()
            assert not succeeds(self.probe.next)
            return
        assert not succeeds(self.probe.expect_nothing)
        signal = self.unseen.pop(0)
        if isinstance(signal, int):
            self.probe.expect_next(signal)
        else:
            expect[str(signal)]()

    @rule()
    def look_at_requests(self) -> None:
        if self.requests:
            assert not succeeds(self.publisher.expect_no_request)
            self.publisher.expect_request(self.requests.pop(0))
        else:
            self.publisher.expect_no_request()
            assert not succeeds(self.publisher.expect_request)

    @invariant()
    def both_say_what_the_model_says(self) -> None:
        assert self.publisher.demand == self.demand
        assert self.publisher.cancelled == self.cancelled
        assert self.probe.elements == self.sent
        assert self.probe.completed == (self.end == "complete")
        error = {"error": OSError, "3.9": ValueError}.get(self.end, type(None))
        assert isinstance(self.probe.error, error)

    @invariant()
    def the_publisher_breaks_no_rule(self) -> None:
        # The Subscriber does break 3.9, since it was told to.
        assert [str(v) for v in self.violations if v.party == "publisher"] == []


TestOneThread = OneThread.TestCase
TestOneThread.settings = settings(deadline=None, stateful_step_count=30)


# Several threads at once.

UPSTREAM = st.one_of(
    st.integers(1, 3).map(lambda n: ("request", n)),
    st.sampled_from([("request", 1), ("request", 0), ("request", -5), ("cancel",)]),
)
DOWNSTREAM = st.one_of(
    st.integers(1, 3).map(lambda n: ("emit", n)),
    st.sampled_from([("emit", 1), ("emit", 2), ("complete",), ("error",), ("subscribe",)]),
)


def run(publisher: ManualPublisher[int], sink: Sink, doing: tuple[Any, ...]) -> None:
    subscription = sink.subscription
    match doing:
        case ("request", n):
            subscription.request(n)  # outside of `succeeds`: it never raises
        case ("cancel",):
            subscription.cancel()
        case ("emit", count):
            succeeds(lambda: publisher.emit(*range(count)))
        case ("complete",):
            succeeds(publisher.complete)
        case ("error",):
            succeeds(lambda: publisher.error(OSError()))
        case ("subscribe",):
            rejected = Sink()
            publisher.subscribe(rejected)
            assert rejected.signals == ["on_subscribe", "on_error"]


@settings(deadline=None)
@given(
    inside=st.lists(UPSTREAM, max_size=4),
    threads=st.lists(st.lists(st.one_of(UPSTREAM, DOWNSTREAM), max_size=8), min_size=2, max_size=4),
)
def test_on_several_threads(
    inside: list[tuple[Any, ...]], threads: list[list[tuple[Any, ...]]]
) -> None:
    """`inside` is what the Subscriber does in its first signals, one thing in each."""
    violations: list[Violation] = []
    to_do = iter(inside)

    def next_thing(sink: Sink, *_: object) -> None:
        for doing in to_do:
            run(publisher, sink, doing)
            return

    publisher = ManualPublisher[int](timeout=LONGER)
    sink = Sink(on_subscribe=next_thing, on_next=next_thing)
    checked(publisher, violations.append).subscribe(sink)
    start = threading.Barrier(len(threads))

    def work(script: list[tuple[Any, ...]]) -> None:
        start.wait(PATIENCE)
        for doing in script:
            run(publisher, sink, doing)

    for worker in [started(lambda script=script: work(script)) for script in threads]:
        worker.result(PATIENCE)
    everything = [doing for script in (inside, *threads) for doing in script]
    requested = sum(d[1] for d in everything if d[0] == "request" and d[1] > 0)
    elements = [signal for signal in sink.signals if isinstance(signal, tuple)]
    assert len(elements) <= publisher.requested <= requested
    assert publisher.demand == publisher.requested - len(elements)
    ends = [signal for signal in sink.signals if signal in ("on_error", "on_complete")]
    assert ends == sink.signals[len(elements) + 1 :]
    assert len(ends) <= 1
    assert sink.overlaps == []
    # Rules 2.7 and 3.9 are the Subscriber's, and broken on purpose.
    assert [str(v) for v in violations if v.party == "publisher"] == []
