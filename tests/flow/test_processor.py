"""Flow.processor: operators as a Processor."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import pytest

from penstock import Flow, Processor, threads
from penstock.tck import verify_processor
from penstock.testing import ManualPublisher, Probe


def test_a_chain_keeps_all_rules() -> None:
    def create(n: int) -> Processor[Any, Any]:
        return Flow.processor(lambda flow: flow.map(lambda x: x), window=n)

    report = verify_processor(create, max_subscribers=1)
    assert not report.broken, report


def test_a_chain_over_a_thread_keeps_all_rules() -> None:
    pool = threads(2)

    def create(n: int) -> Processor[Any, Any]:
        return Flow.processor(lambda flow: flow.on(pool, n // 2), window=n // 2)

    report = verify_processor(create, max_subscribers=1)
    assert not report.broken, report


def test_a_shared_chain_keeps_all_rules() -> None:
    report = verify_processor(
        lambda n: Flow.processor(lambda flow: flow.share(n - 1), window=1), multicast=True
    )
    assert not report.broken, report


def chain(window: int = 4) -> Processor[int, str]:
    return Flow.processor(lambda flow: flow.map(str), window=window)


@pytest.mark.parametrize("downstream_first", [True, False])
def test_either_side_may_connect_first(downstream_first: bool) -> None:
    source, processor, probe = ManualPublisher[int](), chain(), Probe[str]()
    for step in (0, 1) if downstream_first else (1, 0):
        if step:
            source.subscribe(processor)
        else:
            processor.subscribe(probe)
            probe.request(3)
    assert source.requested == 4
    source.emit(1, 2)
    source.complete()
    assert probe.elements == ["1", "2"]
    assert probe.completed


def test_what_ended_before_anybody_came_is_told() -> None:
    for end in ("complete", "error"):
        source, processor = ManualPublisher[int](), chain()
        source.subscribe(processor)
        if end == "complete":
            source.complete()
            Probe(processor).expect_complete()
        else:
            source.error(OSError("gone"))
            Probe(processor).expect_error(OSError)


def test_who_cancels_before_upstream_is_there_cancels_it_later() -> None:
    source, processor = ManualPublisher[int](), chain()
    Probe(processor).cancel()
    source.subscribe(processor)
    assert source.cancelled


def test_a_second_upstream_is_cancelled() -> None:
    first, second, processor = ManualPublisher[int](), ManualPublisher[int](), chain()
    first.subscribe(processor)
    second.subscribe(processor)
    assert second.cancelled
    assert not first.cancelled


def test_a_second_subscriber_is_rejected_unless_the_chain_shares() -> None:
    processor = chain()
    first = Probe(processor)
    Probe(processor).expect_error(RuntimeError, r"share\(\)")
    Flow.of(1).subscribe(processor)
    first.request(1)
    first.expect_next("1")

    shared: Processor[int, int] = Flow.processor(lambda flow: flow.share())
    probes = [Probe(shared), Probe(shared)]
    for probe in probes:
        probe.request(9)
    Flow.of(1, 2).subscribe(shared)
    assert [probe.elements for probe in probes] == [[1, 2], [1, 2]]


def test_what_nobody_asked_for_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    import penstock

    dropped: list[str] = []
    monkeypatch.setattr(penstock, "on_dropped_error", lambda e, where: dropped.append(str(e)))
    chain().on_next(1)
    assert dropped == ["rule 1.1: an element came before anybody asked for one"]


def test_both_sides_connect_at_once() -> None:
    for _ in range(200):
        source, processor, probe = ManualPublisher[int](), chain(), Probe[str]()
        both = threading.Barrier(2)

        def up(source: Any = source, processor: Any = processor, both: Any = both) -> None:
            both.wait()
            source.subscribe(processor)

        worker = threading.Thread(target=up)
        worker.start()
        both.wait()
        processor.subscribe(probe)
        probe.request(1)
        worker.join()
        source.expect_request()
        source.emit(7)
        probe.expect_next("7")
        probe.cancel()
        source.expect_cancel()


def test_whoever_left_is_let_go() -> None:
    source, processor = ManualPublisher[int](), chain()
    source.subscribe(processor)
    probe = Probe(processor)
    probe.request(1)
    source.emit(1)
    probe.cancel()
    gone = weakref.ref(probe)
    del probe
    gc.collect()
    assert gone() is None


def test_it_builds_at_once_and_refuses_what_is_no_flow() -> None:
    with pytest.raises(TypeError, match="which is no Flow"):
        Flow.processor(lambda flow: 5)  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match=r"processor\(build=5\)"):
        Flow.processor(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"processor\(window=0\)"):
        Flow.processor(lambda flow: flow, window=0)
    with pytest.raises(ZeroDivisionError):
        Flow.processor(lambda flow: flow.map(1 // 0))
