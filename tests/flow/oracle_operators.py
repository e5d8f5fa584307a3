"""The operators of the oracle that have one input: a plain generator for each."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from penstock.runtime._signals import Complete, Error, Next
from tests.flow.description import Boom, Step
from tests.flow.instrumented import PURE, Tools
from tests.flow.oracle_ahead import EVERYTHING, Up, ahead

Interpreter = Callable[[Step, Up, Tools, str], Iterator[Any]]


def _map(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    for x in up():
        yield f(x)


def _filter(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    for x in up():
        if f(x):
            yield x


def _filter_map(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    for x in up():
        y = f(x)
        if y is not None:
            yield y


def _take(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    left = step.n
    for x in up() if left else ():
        left -= 1
        yield x
        if not left:
            return


def _take_last(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    yield from deque(up(), maxlen=step.n)


def _take_while(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    for x in up():
        if not f(x):
            if step.kind == "inclusive":
                yield x
            return
        yield x


def _skip(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    for i, x in enumerate(up()):
        if i >= step.n:
            yield x


def _skip_last(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    held = deque[Any]()
    for x in up():
        held.append(x)
        if len(held) > step.n:
            yield held.popleft()


def _skip_while(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    source = up()
    for x in source:
        if not f(x):
            yield x
            break
    yield from source


def _distinct(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    seen: list[Any] = []
    for x in up():
        key = f(x)
        if key not in seen:
            seen.append(key)
            del seen[: -step.n]
            yield x


def _distinct_until_changed(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    last: Any = None
    for x in up():
        key = f(x)
        if key != last:
            yield x
        last = key


def _element_at(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    for i, x in enumerate(up()):
        if i == step.n:
            yield x
            return
    yield 99


def _default_if_empty(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    empty = True
    for x in up():
        empty = False
        yield x
    if empty:
        yield step.n


def _scan(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    total = None
    for x in up():
        total = x if total is None else f(total, x)
        yield total


def _scan_from(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    total: Any = step.n
    for x in up():
        total = f(total, x)
        yield total


def _enumerate(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    yield from enumerate(up(), step.n)


def _pairwise(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    last = None
    for x in up():
        if last is not None:
            yield last, x
        last = x


def _chunk(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    chunk: list[Any] = []
    for x in up():
        chunk.append(x)
        if len(chunk) == step.n:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _tap(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    for x in up():
        f(x)
        yield x


def _materialize(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    try:
        for x in up():
            yield Next(x)
    except Boom as error:
        yield Error(error)
    else:
        yield Complete()


def _concat_map(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    for x in ahead(tools, up, step.n if step.op == "flat_map" else 1):
        yield from f(x)


def _flatten(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    for made in ahead(tools, lambda: (f(x) for x in up()), 1):
        yield from made


def _passes(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    yield from up()


def _ahead(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    yield from ahead(tools, up, step.n)


def _all_in(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    yield from ahead(tools, up, EVERYTHING)


def _catch(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    try:
        yield from up()
    except Boom as error:
        failure = error
    else:
        return
    yield from f(failure) if step.op == "catch" else (f(failure),)


def _recover_each(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    for x in up():
        try:
            y = f(x)
        except Boom:
            y = 104
        yield y


def _retry(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    for _ in range(step.n):
        try:
            yield from up()
        except Boom:
            continue
        return
    yield from up()


def _repeat(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    for _ in range(step.n):
        yield from up()


def _via(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    yield from ahead(tools, lambda: (f(x) for x in ahead(tools, up, EVERYTHING)), EVERYTHING)


def _map_async(step: Step, up: Up, tools: Tools, name: str) -> Iterator[Any]:
    f = tools.fn(name, PURE[step.op])
    most = 2 * step.n  # so many calls are under way, and as many results wait
    yield from ahead(tools, lambda: (f(x) for x in ahead(tools, up, most)), most)


ONE_INPUT: dict[str, Interpreter] = {
    "map": _map,
    "filter": _filter,
    "filter_map": _filter_map,
    "take": _take,
    "take_last": _take_last,
    "take_while": _take_while,
    "skip": _skip,
    "skip_last": _skip_last,
    "skip_while": _skip_while,
    "distinct": _distinct,
    "distinct_until_changed": _distinct_until_changed,
    "element_at": _element_at,
    "default_if_empty": _default_if_empty,
    "scan": _scan,
    "scan_from": _scan_from,
    "enumerate": _enumerate,
    "pairwise": _pairwise,
    "chunk": _chunk,
    "tap": _tap,
    "materialize": _materialize,
    "round_trip": _passes,
    "flatten": _flatten,
    "concat_map": _concat_map,
    "flat_map": _concat_map,
    "take_until": _passes,
    "catch": _catch,
    "on_error_return": _catch,
    "recover_each": _recover_each,
    "retry": _retry,
    "repeat": _repeat,
    "finally_": _passes,
    "prefetch": _ahead,
    "buffer": _all_in,
    "at_most": _passes,
    "timeout": _all_in,
    "checked": _all_in,
    "via": _via,
    "share": _all_in,
    "replay": _all_in,
    "delay": _all_in,
    "timestamp": _passes,
    "race": _all_in,
    "group_by": _all_in,
    "window": _all_in,
    "map_async": _map_async,
    "on_threads": _ahead,
    "on_loop": _ahead,
    "subscribe_on_threads": _passes,
    "subscribe_on_loop": _passes,
}
