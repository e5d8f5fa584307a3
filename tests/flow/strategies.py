"""Random flows: how a description is drawn, and how it is built of the real operators."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

from penstock import Flow, event_loop, threads
from tests.flow.oracle import PURE, Boom, Description, SourceRun, Step, Tools, interpret, number

__all__ = [
    "ELSEWHERE",
    "HANDLERS",
    "HERE",
    "Foreign",
    "build",
    "chooser",
    "describe",
    "descriptions",
    "failing",
    "has",
    "reorders",
    "schedules",
]

T = TypeVar("T")
Choose = Callable[[Sequence[Any]], Any]

LONGEST = 8
"""So many operators a random flow has at most."""

ORDERLY = (
    *("map", "filter", "filter_map", "take", "take_last", "take_while", "skip", "skip_last"),
    *("skip_while", "distinct", "distinct_until_changed", "element_at", "default_if_empty"),
    *("scan", "scan_from", "enumerate", "pairwise", "chunk", "tap", "materialize"),
    *("round_trip", "flatten", "concat_map", "concat", "start_with", "zip", "switch_if_empty"),
    *("take_until", "catch", "on_error_return", "recover_each", "retry", "repeat", "finally_"),
    *("prefetch", "buffer", "at_most", "timeout", "checked", "via", "share"),
    *("replay", "timestamp", "race"),
)
REORDERING = ("merge", "flat_map", "group_by", "window")
ORDERLESS = ("map", "filter", "filter_map", "tap", "flatten", "round_trip", "prefetch", "buffer")
"""What may follow an operator that reorders, and gives the same elements in any order."""
ELSEWHERE = (
    *("on_threads", "on_loop", "subscribe_on_threads", "subscribe_on_loop", "map_async", "delay"),
)
"""What needs a resource, or a clock."""
HERE = (*ORDERLY, *REORDERING)
"""What runs on the thread that asks."""
HANDLERS = ("catch", "on_error_return", "retry", "repeat", "materialize", "round_trip")
"""What sees errors, and so sees how early they come."""
SOURCES = ("list", "range", "of", "function", "function", "publisher", "defer", "using")
WITH_OTHERS = ("concat", "merge", "zip", "switch_if_empty")
POOL = threads(3, name="random-flows")


# Drawing.


def describe(
    choose: Choose,
    operators: Sequence[str] = HERE,
    sources: Sequence[str] = SOURCES,
    longest: int = LONGEST,
    elements: int = 20,
    name: str = "",
) -> Description:
    """Draw a description; `choose` picks one of several."""
    steps: list[Step] = []
    for i in range(choose(range(longest + 1))):
        if any(step.op in REORDERING for step in steps):
            operators = tuple(op for op in operators if op in (*ORDERLESS, *ELSEWHERE))
        if any(step.op in ("share", "replay") for step in steps):
            # A fresh subscription may come before the last one of the shared run has left.
            operators = tuple(op for op in operators if op not in ("repeat", "retry"))
        op = choose(operators)
        others: tuple[Description, ...] = ()
        if op in WITH_OTHERS:
            inner = tuple(o for o in operators if o not in (*WITH_OTHERS, *REORDERING))
            prefix = f"{name}{op}_{i}_"
            others = (describe(choose, inner, sources, 2, 6, prefix),)
        n = choose((1, 2, 3) if op in ("repeat", "retry") else (1, 2, 3, 5))
        kind = choose(("", "inclusive")) if op == "take_while" else ""
        if op in ("concat_map", "flat_map"):
            kind = choose(("list", "flow", "publisher"))
        steps.append(Step(op, n, others, kind))
    return Description(choose(sources), choose(range(elements)), tuple(steps), name)


def reorders(description: Description) -> bool:
    """Return whether the elements may come in any order."""
    return any(step.op in REORDERING for step in description.steps)


def has(description: Description, operators: Sequence[str]) -> bool:
    """Return whether one of these operators is in it, or in an input of it."""
    return any(
        step.op in operators or any(has(other, operators) for other in step.others)
        for step in description.steps
    )


def failing(description: Description, choose: Choose) -> tuple[str, int] | None:
    """Draw a function and a call of it that really comes, to fail at."""
    if reorders(description):
        return None  # what comes before the error would be anything
    tools = Tools()
    tools.lazy = True
    for _ in interpret(description, tools):
        pass
    # A zip that knows that one of its inputs is over need not find out that another would fail.
    zips = [i for i, step in enumerate(description.steps) if step.op == "zip"]
    behind = (
        tuple(f"{step.op}_{i}" for i, step in enumerate(description.steps) if i > max(zips))
        if zips
        else ("",)
    )
    # Which of several calls at a time is the nth one, nobody knows.
    names = sorted(n for n in tools.calls if n.startswith(behind) and "map_async" not in n)
    if not names:
        return None
    name = choose(names)
    return name, choose(range(1, tools.calls[name] + 1))


@st.composite
def descriptions(
    draw: st.DrawFn, operators: Sequence[str] = HERE, sources: Sequence[str] = SOURCES
) -> tuple[Description, tuple[str, int] | None]:
    """Draw a description, and what fails in it, if anything."""

    def choose(options: Sequence[T]) -> T:
        return draw(st.sampled_from(options))

    description = describe(choose, operators, sources)
    fails = draw(st.booleans())
    return description, failing(description, choose) if fails else None


def schedules() -> st.SearchStrategy[list[int]]:
    """Draw what a subscriber does: request so many, 0 as well; -1 is a cancel."""
    amounts = st.sampled_from([1, 1, 2, 3, 7, 64, 2**63 - 1])
    return st.tuples(
        st.lists(amounts, max_size=6), st.sampled_from([[], [], [-1], [0], [2**62, 1]])
    ).map(lambda both: [*both[0], *both[1]])


def chooser(seed: int) -> Choose:
    """Return a `choose` that is the same for the same seed."""
    return random.Random(seed).choice


# Building.


class Foreign:
    """Somebody else's Publisher: correct, simple, and all on the thread that requests."""

    def __init__(self, open_: Callable[[], SourceRun]) -> None:
        self.open = open_

    def subscribe(self, subscriber: Any) -> None:
        subscriber.on_subscribe(_ForeignSubscription(self.open, subscriber))


class _ForeignSubscription:
    def __init__(self, open_: Callable[[], SourceRun], subscriber: Any) -> None:
        self.open = open_
        self.subscriber = subscriber
        self.run: SourceRun | None = None
        self.demand = 0
        self.busy = False
        self.over = False

    def request(self, n: int) -> None:
        self.demand += n
        if self.busy or self.over:
            return
        self.busy = True
        if self.run is None:
            self.run = self.open()
        while self.demand and not self.over:
            self.demand -= 1
            try:
                element = next(self.run)
            except StopIteration:
                self._end()
                self.subscriber.on_complete()
            except Boom as error:
                self._end()
                self.subscriber.on_error(error)
            else:
                self.subscriber.on_next(element)
        self.busy = False
        if self.over:
            self._close()

    def cancel(self) -> None:
        self._end()
        if not self.busy:
            self._close()

    def _end(self) -> None:
        self.over = True

    def _close(self) -> None:
        run, self.run = self.run, None
        if run is not None:
            run.close()


def build(description: Description, tools: Tools) -> Flow[Any]:
    """Return the flow that is described, made with the functions of `tools`."""
    name = description.name
    flow = _sourced(description.source, description.n, tools, f"{name}source")
    for i, step in enumerate(description.steps):
        flow = _added(flow, step, tools, f"{name}{step.op}_{i}")
    return flow


def _sourced(kind: str, n: int, tools: Tools, name: str) -> Flow[Any]:
    if kind == "list":
        return Flow.from_iterable(list(range(n)))
    if kind == "range":
        return Flow.range(n)
    if kind == "of":
        return Flow.of(*range(n))
    open_ = tools.source(name, n)
    if kind == "publisher":
        return Flow.from_publisher(Foreign(open_))
    if kind == "defer":
        return Flow.defer(lambda: Flow.from_iterable(open_))
    if kind == "using":
        return Flow.using(open_, Flow.from_iterable, SourceRun.close)
    if kind == "async":

        async def elements() -> AsyncIterator[int]:
            run = open_()
            try:
                for x in run:
                    yield x
            finally:
                run.close()

        return Flow.from_async_iterable(elements)
    return Flow.from_iterable(open_)


def _inner(kind: str, f: Callable[[Any], list[int]]) -> Callable[[Any], Any]:
    def inner(x: Any) -> Any:
        made = f(x)
        if kind == "flow":
            return Flow.from_iterable(made)
        if kind == "publisher":
            return Flow.from_publisher(Flow.from_iterable(made))
        return made

    inner.__qualname__ = f.__qualname__
    return inner


def _added(flow: Flow[Any], step: Step, tools: Tools, name: str) -> Flow[Any]:
    op, n = step.op, step.n
    f: Any = tools.fn(name, PURE[op]) if op in PURE else None
    others = [build(other, tools) for other in step.others]
    if op in BY_NUMBER:
        return getattr(flow, op)(n)
    if op in WITH_OTHERS:
        return getattr(flow, op)(*others)
    if op == "distinct":
        return flow.distinct(f, bound=n)
    if op == "take_while":
        return flow.take_while(f, inclusive=step.kind == "inclusive")
    if op in OTHERWISE:
        return OTHERWISE[op](flow, n, f, step.kind)
    return getattr(flow, op)(f)


BY_NUMBER = (
    *("take", "take_last", "skip", "skip_last", "default_if_empty", "enumerate", "chunk"),
    *("prefetch", "retry", "repeat"),
)


def _map_async(flow: Flow[Any], n: int, f: Callable[[Any], Any]) -> Flow[Any]:
    return flow.map_async(f, n, on=POOL) if n == 1 else flow.map_async(_awaited(f), n)


def _awaited(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
    async def awaited(x: Any) -> Any:
        return f(x)

    awaited.__qualname__ = f.__qualname__
    return awaited


OTHERWISE: dict[str, Callable[[Flow[Any], int, Any, str], Flow[Any]]] = {
    "element_at": lambda flow, n, f, kind: flow.element_at(n, 99),
    "scan_from": lambda flow, n, f, kind: flow.scan(f, n),
    "pairwise": lambda flow, n, f, kind: flow.pairwise(),
    "materialize": lambda flow, n, f, kind: flow.materialize(),
    "round_trip": lambda flow, n, f, kind: flow.materialize().dematerialize(),
    "flatten": lambda flow, n, f, kind: flow.map(f).flatten(),
    "concat_map": lambda flow, n, f, kind: flow.concat_map(_inner(kind, f)),
    "flat_map": lambda flow, n, f, kind: flow.flat_map(_inner(kind, f), n),
    "start_with": lambda flow, n, f, kind: flow.start_with(*range(n)),
    "take_until": lambda flow, n, f, kind: flow.take_until(Flow.never()),
    "recover_each": lambda flow, n, f, kind: (
        flow.concat(Flow.empty()).map(f).recover_each(lambda error: 104)
    ),
    "finally_": lambda flow, n, f, kind: flow.finally_(lambda: None),
    "buffer": lambda flow, n, f, kind: flow.buffer(10_000),
    "at_most": lambda flow, n, f, kind: flow.at_most(10**6, 1),
    "timeout": lambda flow, n, f, kind: flow.timeout(60),
    "checked": lambda flow, n, f, kind: flow.checked("raise"),
    "via": lambda flow, n, f, kind: flow.via(lambda: Flow.processor(lambda up: up.map(f))),
    "share": lambda flow, n, f, kind: flow.share(),
    "replay": lambda flow, n, f, kind: flow.replay(n, buffer=n),
    "delay": lambda flow, n, f, kind: flow.delay(0, window=n),
    "timestamp": lambda flow, n, f, kind: flow.timestamp().map(lambda pair: pair[1]),
    "race": lambda flow, n, f, kind: flow.race(Flow.never()),
    "group_by": lambda flow, n, f, kind: flow.group_by(lambda x: number(x) % n).flat_map(
        lambda group: group
    ),
    "window": lambda flow, n, f, kind: flow.window(n).flat_map(lambda few: few),
    "map_async": lambda flow, n, f, kind: _map_async(flow, n, f),
    "on_threads": lambda flow, n, f, kind: flow.on(POOL, n),
    "on_loop": lambda flow, n, f, kind: flow.on(event_loop(), n),
    "subscribe_on_threads": lambda flow, n, f, kind: flow.subscribe_on(POOL),
    "subscribe_on_loop": lambda flow, n, f, kind: flow.subscribe_on(event_loop()),
}
