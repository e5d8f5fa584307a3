"""What a flow description means: one plain generator per operator.

The interpreter is the oracle of the differential tests. It knows nothing of segments, pumps
and boundaries: an operator here pulls from the one above when it is pulled itself. Where an
operator may work ahead of its demand, `ahead` does so to the stated bound, so that what its
functions were called for is the most that a run may call them for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.flow.description import Boom, Description, Step
from tests.flow.instrumented import PURE, SourceRun, Tools, canonical, number
from tests.flow.oracle_ahead import EVERYTHING, Ahead, Up, ahead
from tests.flow.oracle_operators import ONE_INPUT, Interpreter

__all__ = [
    "ASKS_MORE",
    "PURE",
    "Boom",
    "Description",
    "SourceRun",
    "Step",
    "Tools",
    "canonical",
    "interpret",
    "number",
]


def interpret(description: Description, tools: Tools, reach: int = 0) -> Iterator[Any]:
    """Return the elements; raises what the flow fails with. Nothing runs before the pull.

    `reach` is what is asked for at a time: an operator with an inlet hands it on upstream, where
    it can be met before one further down turns out to need less.
    """
    name = description.name
    up: Up
    if description.source in ("list", "range", "of"):
        up = partial(iter, range(description.n))
    else:
        up = partial(_source, tools.source(f"{name}source", description.n))
        if description.source != "function":
            asked = any(one.op in ASKS_MORE for one in description.steps)
            up = partial(_reaching, up, tools, EVERYTHING if asked else reach)
    for i, step in enumerate(description.steps):
        if step.op in COUPLED:
            further = any(one.op in ASKS_MORE for one in description.steps[i + 1 :])
            up = partial(_reaching, up, tools, EVERYTHING if further else reach)
        up = partial(ORACLE[step.op], step, up, tools, f"{name}{step.op}_{i}")
    return up()


def _reaching(up: Up, tools: Tools, reach: int) -> Iterator[Any]:
    return ahead(tools, up, reach)


def _source(open_: Callable[[], SourceRun]) -> Iterator[int]:
    run = open_()
    try:
        yield from run
    finally:
        run.close()


def _concat(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    yield from up()
    for other in step.others:
        yield from interpret(other, tools, EVERYTHING)


def _merge(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    yield from ahead(tools, up, EVERYTHING)
    for other in step.others:
        yield from ahead(tools, partial(interpret, other, tools, EVERYTHING), EVERYTHING)


def _start_with(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    yield from range(step.n)
    yield from up()


def _zip(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    inputs = [up, *(partial(interpret, other, tools, EVERYTHING) for other in step.others)]
    taken = [ahead(tools, one, 64) for one in inputs]
    for one in taken:
        if isinstance(one, Ahead):
            one.fill()
    yield from zip(*taken, strict=False)


def _switch_if_empty(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    empty = True
    for x in up():
        empty = False
        yield x
    if empty:
        yield from interpret(step.others[0], tools, EVERYTHING)


COUPLED = frozenset(
    (
        *("concat", "start_with", "switch_if_empty", "take_until", "catch", "on_error_return"),
        *("retry", "repeat", "finally_", "at_most", "materialize", "round_trip", "recover_each"),
        *("subscribe_on_threads", "subscribe_on_loop"),
    )
)
"""What may have an inlet that asks for as much as it is asked for."""

ASKS_MORE = frozenset(
    (
        *("prefetch", "buffer", "timeout", "checked", "via", "share", "replay", "zip", "merge"),
        *("flat_map", "concat_map", "flatten", "map_async", "on_threads", "on_loop", "delay"),
        *("take_last", "chunk", "skip", "skip_last", "pairwise", "race", "group_by", "window"),
    )
)
"""What may ask upstream for more than it is asked for."""

ORACLE: dict[str, Interpreter] = {
    **ONE_INPUT,
    "concat": _concat,
    "merge": _merge,
    "start_with": _start_with,
    "zip": _zip,
    "switch_if_empty": _switch_if_empty,
}
