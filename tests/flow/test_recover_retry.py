"""retry: how often, how long after, and for which errors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from penstock import Flow, threads
from penstock.flow._backoff import Backoff
from penstock.testing import ManualPublisher, Probe, VirtualClock
from tests.flow.recover_helpers import broken


@pytest.mark.parametrize("through", [lambda flow: flow, lambda flow: flow.on(threads(1))])
def test_retry_runs_upstream_anew_so_many_times(through: Any) -> None:
    runs = itertools.count()

    def generate() -> Iterator[int]:
        run = next(runs)
        yield run
        if run < 3:
            raise OSError(f"run {run}")

    flow = through(Flow.from_iterable(generate))
    assert flow.retry(3).to_list().result(10) == [0, 1, 2, 3]
    runs = itertools.count()
    with pytest.raises(OSError, match="run 2"):
        flow.retry(2).to_list().result(10)


def test_a_run_that_failed_is_closed_before_the_next() -> None:
    events: list[str] = []

    class Source:
        def __iter__(self) -> Iterator[int]:
            events.append("open")
            try:
                yield 1
                if len(events) < 4:
                    raise OSError
            finally:
                events.append("close")

    assert Flow.from_iterable(Source).retry(5).to_list().result() == [1, 1, 1]
    assert events == ["open", "close"] * 3


def test_retry_asks_each_run_only_for_what_is_missing() -> None:
    sources = [ManualPublisher[int](), ManualPublisher[int]()]
    later = iter(sources)
    probe = Probe(Flow.defer(lambda: next(later)).retry(1))
    probe.request(3)
    assert sources[0].requested == 3
    sources[0].emit(1)
    sources[0].error(OSError())
    assert sources[1].requested == 2


def test_an_error_that_is_final_waits_for_no_demand() -> None:
    source = ManualPublisher[int]()
    probe = Probe(Flow.from_publisher(source).retry(3, when=KeyError))
    source.error(OSError("gone"))
    probe.expect_error(OSError, "gone")


def test_retry_without_demand_starts_anew_all_the_same() -> None:
    runs: list[ManualPublisher[int]] = []

    class Fresh:
        def subscribe(self, subscriber: Any) -> None:
            runs.append(ManualPublisher[int]())
            runs[-1].subscribe(subscriber)

    probe = Probe(Flow.from_publisher(Fresh()).retry(1))
    runs[0].error(OSError("first"))
    assert len(runs) == 2
    assert not runs[1].requested
    runs[1].error(OSError("second"))
    probe.expect_error(OSError, "second")


def test_retry_waits_longer_each_time() -> None:
    with VirtualClock() as clock:
        tries: list[float] = []

        def attempt() -> int:
            tries.append(clock.now())
            raise OSError("busy")

        backoff = Backoff(1, factor=3, longest=5, jitter=0)
        probe = Probe(Flow.from_callable(attempt).retry(4, backoff))
        probe.request(1)
        while clock.advance_to_next():
            pass
    assert tries == [0, 1, 4, 9, 14]
    probe.expect_error(OSError, "busy")


def test_jitter_only_shortens() -> None:
    waits = [Backoff(8, jitter=0.5).wait(1) for _ in range(200)]
    assert all(4 <= wait <= 8 for wait in waits)
    assert max(waits) - min(waits) > 1
    assert Backoff(1, jitter=0).wait(10_000) == 60


def test_a_cancel_while_it_waits_lets_go_of_the_timer() -> None:
    with VirtualClock() as clock:
        probe = Probe(broken().retry(None, backoff=5))
        assert clock.pending == 1
        probe.cancel()
        assert clock.pending == 0


def test_retry_for_some_errors_only() -> None:
    for when in (KeyError, (KeyError, TypeError), lambda error: "other" in str(error)):
        tries: list[int] = []
        flow = Flow.from_callable(lambda tries=tries: tries.append(1) or 1 // 0).retry(9, when=when)
        with pytest.raises(ZeroDivisionError):
            flow.to_list().result()
        assert len(tries) == 1


def test_a_predicate_that_raises_fails_the_stream_with_the_first_error_in_its_context() -> None:
    probe = Probe(broken().retry(9, when=lambda error: 1 // 0))  # type: ignore[arg-type, return-value]
    error = probe.expect_error(ZeroDivisionError)
    assert isinstance(error.__context__, OSError)
