"""Generated segments: what users see of them, and that their caches are bounded."""

from __future__ import annotations

import linecache
import sys
import traceback

import pytest

from penstock import Flow
from penstock.runtime import _compile
from penstock.runtime._stage import Stage
from penstock.testing import Probe


def boom(element: int) -> int:
    raise ValueError(element)


def test_the_generated_source_shows_in_the_traceback():
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - any is right
        Flow.range(3).map(boom).sum().result()
    text = "".join(traceback.format_exception(caught.value))
    assert "<penstock segment" in text
    assert "x = f_0(x)" in text


def test_a_debugger_can_step_into_the_generated_code():
    lines: list[str] = []

    def trace(frame, event, _argument):
        name = frame.f_code.co_filename
        if event == "line" and name.startswith("<penstock segment"):
            lines.append(linecache.getline(name, frame.f_lineno).strip())
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        Flow.range(1).map(str).to_list().result()
    finally:
        sys.settrace(before)
    assert "x = f_0(x)" in lines


def test_the_caches_of_shapes_and_of_sources_are_bounded():
    for number in range(_compile.MOST_SHAPES * 2):
        _compile.shape_of((Stage(f"stage{number}", body=("x = x",)),), "emit")
    assert len(_compile._shapes) <= _compile.MOST_SHAPES
    cached = [name for name in linecache.cache if name.startswith("<penstock segment")]
    assert len(cached) <= _compile.MOST_SHAPES


def test_a_shape_is_compiled_once():
    stages = (Stage("some", body=("x = x",)), Stage("other", body=("x = x",)))
    assert _compile.shape_of(stages, "emit") is _compile.shape_of(stages, "emit")
    assert _compile.shape_of(stages, "iterate") is not _compile.shape_of(stages, "emit")


@pytest.mark.parametrize("stages", [1, 10, 100, 1000])
def test_a_chain_of_many_stages_neither_overflows_nor_loses_its_place(stages: int):
    flow = Flow.range(3)
    for _ in range(stages):
        flow = flow.map(lambda x: x + 1)
    assert flow.to_list().result() == [stages, stages + 1, stages + 2]
    probe = Probe[int]()
    flow.map(lambda x: 1 // (x - stages - 1)).subscribe(probe)
    probe.request(9)
    probe.expect_next(-1)
    error = probe.expect_error(ZeroDivisionError)
    assert "in map(<lambda>), test_compile.py" in error.__notes__[0]


def test_many_boundaries_in_a_row_do_not_overflow():
    flow = Flow.range(100)
    for _ in range(300):
        flow = Flow.from_publisher(_Foreign(flow))
    assert flow.sum().result() == 4950


class _Foreign:
    """Somebody else's Publisher, which no segment is fused with."""

    def __init__(self, publisher) -> None:
        self.subscribe = publisher.subscribe
