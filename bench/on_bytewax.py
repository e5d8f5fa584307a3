"""What bytewax is given to do: batches of 1024 in, a sink's method called for what comes out.

Two kinds of input: bytewax's own `TestingSource`, the only one it has for an iterable, which
looks at each element in Python; and the fastest that one can write for it, a source that
slices whole lists. Targets are for the first, the second is shown beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from bench.measure import Rival, Target, timed
from bench.work import Sum

BATCH = 1024

Build = Callable[[Any, Callable[[int], Any]], Any]
"""Builds a dataflow from bytewax's operators and `source(n)`, an input of `range(n)`."""


def rivals(build: Callable[[int], Build], target: Target) -> tuple[Rival, Rival]:
    """Return bytewax with both kinds of input; `build(n)` builds what `n` elements take."""
    return (
        Rival(timed("bytewax", lambda n: _run(build(n), _testing_source)), target),
        Rival(timed("bytewax, source of lists", lambda n: _run(build(n), _lists))),
    )


def _run(build: Build, source: Callable[[int], Any]) -> int:
    import bytewax.operators as op
    from bytewax.dataflow import Dataflow
    from bytewax.outputs import DynamicSink, StatelessSinkPartition
    from bytewax.testing import run_main

    class Part(StatelessSinkPartition[int]):
        def write_batch(self, items: list[int]) -> None:
            on_next = sink.on_next
            for item in items:
                on_next(item)

    class Sink(DynamicSink[int]):
        def build(self, *_: object) -> Part:
            return Part()

    sink = Sum()
    inputs = 0
    dataflow = Dataflow("measured")

    def numbered(n: int) -> Any:
        nonlocal inputs
        inputs += 1
        return op.input(f"input{inputs}", dataflow, source(n))

    op.output("output", build(op, numbered), Sink())
    run_main(dataflow)
    return sink.total


def _testing_source(n: int) -> Any:
    from bytewax.testing import TestingSource

    return TestingSource(range(n), batch_size=BATCH)


def _lists(n: int) -> Any:
    from bytewax.inputs import DynamicSource, StatelessSourcePartition

    class Part(StatelessSourcePartition[int]):
        def __init__(self) -> None:
            self.elements: Iterator[int] = iter(range(n))

        def next_batch(self) -> list[int]:
            if not (batch := list(islice(self.elements, BATCH))):
                raise StopIteration
            return batch

    class Range(DynamicSource[int]):
        def build(self, *_: object) -> Part:
            return Part()

    return Range()
