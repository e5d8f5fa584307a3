"""repeat and finally_: what comes after the end."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

import penstock
from penstock import Flow
from penstock.testing import Probe
from tests.flow.recover_helpers import failing_after, pulled, pushed

# repeat


@pytest.mark.parametrize("source", [pulled, pushed])
def test_repeat_runs_so_many_times(source: Any) -> None:
    assert source(2).repeat(3).to_list().result(10) == [0, 1] * 3
    probe = Probe(source(2).repeat())
    probe.request(7)
    assert probe.elements == [0, 1, 0, 1, 0, 1, 0]
    probe.cancel()


@pytest.mark.parametrize("source", [Flow.defer, Flow.from_iterable])
def test_repeat_of_nothing_for_ever_can_be_cancelled(source: Any) -> None:
    probe = Probe[int]()
    seen = itertools.count()

    def once_more() -> list[int]:
        if next(seen) == 1000:
            probe.cancel()
        assert next(seen) < 2010
        return []

    source(once_more).repeat().subscribe(probe)
    probe.request(1)
    assert next(seen) <= 1004


def test_repeat_ends_with_an_error() -> None:
    with pytest.raises(OSError, match="broken"):
        failing_after(1).repeat(3).to_list().result()


# finally_


@pytest.mark.parametrize("source", [pulled, pushed])
def test_it_is_called_once_however_the_stream_ends(source: Any) -> None:
    ends: list[str] = []
    flow = source(3).finally_(lambda: ends.append("end"))
    assert flow.to_list().result(10) == [0, 1, 2]
    assert ends == ["end"]
    with pytest.raises(ZeroDivisionError):
        flow.map(lambda x: 1 // x).to_list().result(10)
    assert ends == ["end"] * 2
    for asks in (0, 1):
        probe = Probe(flow)
        if asks:
            probe.request(1)
        probe.cancel()
        probe.cancel()
    assert ends == ["end"] * 4
    with pytest.raises(OSError, match="broken"):
        failing_after(1).finally_(lambda: ends.append("end")).to_list().result()
    assert ends == ["end"] * 5


def test_it_comes_after_the_closing_of_the_source_and_before_the_end_is_told() -> None:
    events: list[str] = []

    def generate() -> Iterator[int]:
        try:
            yield 1
        finally:
            events.append("closed")

    class Ends(Probe[int]):
        def on_complete(self) -> None:
            events.append("told")
            super().on_complete()

    probe = Ends(Flow.from_iterable(generate).finally_(lambda: events.append("finally")))
    probe.request(2)
    probe.next()
    probe.expect_complete()
    assert events == ["closed", "finally", "told"]


def test_if_it_raises_a_completed_stream_fails_and_another_drops_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dropped: list[BaseException] = []
    monkeypatch.setattr(penstock, "on_dropped_error", lambda error, where: dropped.append(error))
    with pytest.raises(ZeroDivisionError):
        Flow.of(1).finally_(lambda: 1 // 0).to_list().result()
    assert not dropped
    with pytest.raises(OSError, match="broken"):
        failing_after().finally_(lambda: 1 // 0).to_list().result()
    Probe(Flow.of(1).finally_(lambda: 1 // 0)).cancel()
    assert [type(error) for error in dropped] == [ZeroDivisionError] * 2
