"""Flows whose source is made, or opened, when they run."""

from __future__ import annotations

import itertools
import threading
from typing import Any

import pytest

from penstock import Flow, threads
from penstock.testing import ManualPublisher, Probe
from tests.flow.forms import everywhere
from tests.flow.sources_helpers import ticks
from tests.waiting import eventually


class TestFromCallable:
    def test_it_is_called_at_the_demand_and_once_for_each_run(self) -> None:
        calls: list[int] = []
        flow = Flow.from_callable(lambda: calls.append(1) or len(calls))
        probe = Probe(flow)
        assert not calls
        probe.request(5)
        probe.expect_next(1)
        probe.expect_complete()
        assert flow.to_list().result() == [2]

    def test_what_it_raises_fails_the_stream(self) -> None:
        def fetch() -> int:
            raise OSError("no line")

        with pytest.raises(OSError, match="no line") as caught:
            everywhere(Flow.from_callable(fetch))
        assert "from_callable(" in caught.value.__notes__[0]

    def test_stop_iteration_is_an_error(self) -> None:
        with pytest.raises(RuntimeError, match="StopIteration"):
            everywhere(Flow.from_callable(lambda: next(iter(()))))


class TestUnfold:
    def test_it_calls_once_for_each_element(self) -> None:
        calls: list[int] = []
        probe = Probe(Flow.unfold(0, lambda i: calls.append(i) or (i, i + 1)))
        probe.request(2)
        probe.expect_next(0, 1)
        assert calls == [0, 1]
        probe.cancel()

    def test_what_is_no_pair_is_an_error(self) -> None:
        with pytest.raises(TypeError, match=r"returned 7: return \(element, next_seed\)"):
            everywhere(Flow.unfold(0, lambda i: 7))  # type: ignore[arg-type,return-value]


class TestDefer:
    def test_it_is_called_at_the_first_demand_of_each_run(self) -> None:
        calls: list[int] = []
        flow = Flow.defer(lambda: calls.append(1) or Flow.range(len(calls)))
        probe = Probe(flow)
        assert not calls
        probe.request(3)
        probe.expect_next(0)
        probe.expect_complete()
        assert flow.to_list().result() == [0, 1]

    def test_demand_passes_to_a_publisher(self) -> None:
        publisher = ManualPublisher[int]()
        probe = Probe(Flow.defer(lambda: publisher))
        probe.request(1)
        publisher.expect_request(1)
        publisher.emit(7)
        probe.expect_next(7)
        probe.request(2)
        assert publisher.requested == 3
        probe.cancel()
        publisher.expect_cancel()

    def test_an_async_iterable_will_do(self) -> None:
        assert Flow.defer(lambda: ticks(3)).to_list().result() == [0, 1, 2]

    def test_what_it_raises_or_returns_may_be_wrong(self) -> None:
        with pytest.raises(TypeError, match=r"defer\(3\)"):
            everywhere(Flow.defer(lambda: 3))  # type: ignore[arg-type,return-value]
        with pytest.raises(ZeroDivisionError):
            everywhere(Flow.defer(lambda: 1 // 0))  # type: ignore[arg-type,return-value]


class TestUsing:
    def opened(self, use: Any, **events: Any) -> tuple[Flow[Any], list[str]]:
        log: list[str] = []

        def acquire() -> str:
            log.append("acquire")
            return "it"

        def release(resource: str) -> None:
            log.append(f"release {resource}")
            if events.get("release"):
                raise events["release"]

        return Flow.using(acquire, use, release), log

    def test_it_is_released_before_the_end_is_told(self) -> None:
        flow, log = self.opened(lambda it: [it])

        class Listens(Probe[str]):
            def on_complete(self) -> None:
                log.append("complete")
                super().on_complete()

        probe = Listens()
        flow.subscribe(probe)
        assert log == []
        probe.request(1)
        assert probe.elements == ["it"]
        assert log == ["acquire", "release it", "complete"]

    def test_it_is_released_once_after_a_cancel(self) -> None:
        publisher = ManualPublisher[int]()
        flow, log = self.opened(lambda it: publisher)
        probe = Probe(flow)
        probe.request(1)
        assert log == ["acquire"]
        probe.cancel()
        publisher.expect_cancel()
        assert log == ["acquire", "release it"]

    def test_it_is_not_even_acquired_without_demand(self) -> None:
        flow, log = self.opened(lambda it: [it])
        Probe(flow).cancel()
        assert log == []

    @pytest.mark.parametrize(
        "use", [lambda it: 1 // 0, lambda it: Flow.error(ZeroDivisionError()), lambda it: 3]
    )
    def test_it_is_released_once_after_an_error(self, use: Any) -> None:
        flow, log = self.opened(use)
        with pytest.raises((ZeroDivisionError, TypeError)):
            flow.to_list().result()
        assert log == ["acquire", "release it"]

    def test_a_resource_that_was_not_acquired_is_not_released(self) -> None:
        released: list[Any] = []
        with pytest.raises(ZeroDivisionError):
            everywhere(Flow.using(lambda: 1 // 0, lambda it: [it], released.append))
        assert released == []

    def test_none_may_be_the_resource(self) -> None:
        released: list[Any] = []
        flow = Flow.using(lambda: None, lambda it: [1], released.append)
        assert flow.to_list().result() == [1]
        assert released == [None]

    def test_a_release_that_fails_fails_the_stream(self) -> None:
        flow, _ = self.opened(lambda it: [it], release=OSError("stuck"))
        with pytest.raises(OSError, match="stuck"):
            flow.to_list().result()

    def test_it_is_released_where_the_flow_runs(self) -> None:
        names: list[str] = []
        flow = Flow.using(
            lambda: names.append(threading.current_thread().name),
            lambda _: itertools.count(),
            lambda _: names.append(threading.current_thread().name),
        )
        assert flow.subscribe_on(threads(1, name="using")).take(3).count().result() == 3
        eventually(lambda: len(names) == 2)
        assert names == ["using-1", "using-1"]
