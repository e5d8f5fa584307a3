"""Operators that the kit is given as Processors, and combined with others."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from penstock import UNBOUNDED, Flow
from tests.flow.matrix_publishers import (
    POOL,
    Case,
    Create,
    counted,
    elsewhere,
    numbers,
    pushed,
    same,
)

Link = Callable[[Flow[Any]], Flow[Any]]


LINKS: dict[str, Link] = {
    "map": lambda flow: flow.map(lambda x: x),
    "filter": lambda flow: flow.filter(lambda x: True),
    "filter_map": lambda flow: flow.filter_map(lambda x: x),
    "skip": lambda flow: flow.skip(0),
    "take_while": lambda flow: flow.take_while(lambda x: True),
    "take_until": lambda flow: flow.take_until(Flow.never()),
    "skip_while": lambda flow: flow.skip_while(lambda x: False),
    "distinct_until_changed": lambda flow: flow.distinct_until_changed(id),
    "switch_if_empty": lambda flow: flow.switch_if_empty(Flow.empty()),
    "scan": lambda flow: flow.scan(lambda total, x: x, 0),
    "enumerate": lambda flow: flow.enumerate().map(lambda pair: pair[1]),
    "chunk": lambda flow: flow.chunk(1).map(lambda chunk: chunk[0]),
    "tap": lambda flow: flow.tap(lambda x: None),
    "flatten": lambda flow: flow.chunk(1).flatten(),
    "flat_map": lambda flow: flow.flat_map(lambda x: [x]),
    "concat_map": lambda flow: flow.concat_map(lambda x: (x,)),
    "concat": lambda flow: flow.concat(Flow.empty()),
    "merge": lambda flow: flow.merge(Flow.empty()),
    "zip": lambda flow: flow.zip(numbers(UNBOUNDED)).map(lambda pair: pair[0]),
    "timeout": lambda flow: flow.timeout(60),
    "timestamp": lambda flow: flow.timestamp().map(lambda pair: pair[1]),
    "retry": lambda flow: flow.retry(2),
    "catch": lambda flow: flow.catch(lambda error: Flow.error(error)),
    "recover_each": lambda flow: flow.map(lambda x: x).recover_each(lambda error: None),
    "finally_": lambda flow: flow.finally_(lambda: None),
    "prefetch": lambda flow: flow.prefetch(2),
    "at_most": lambda flow: flow.at_most(10**6, 1),
    "share": lambda flow: flow.share(4),
    "via": lambda flow: flow.via(lambda: Flow.processor(lambda inner: inner.map(lambda x: x))),
    "checked": lambda flow: flow.checked(),
    "map_async": lambda flow: flow.map_async(same, 4),
    "delay": lambda flow: flow.delay(0.0001),
    "on": lambda flow: flow.on(POOL, 4),
    "subscribe_on": lambda flow: flow.subscribe_on(POOL),
}
"""What gives one element for each, so that it can stand anywhere.

`materialize().dematerialize()` can't: the end is an element then, and waits for demand (R.4)."""
SOURCES: dict[str, Create] = {
    "range": Flow.range,
    "from_iterable": numbers,
    "from_publisher": pushed,
    "from_async_iterable": lambda n: Flow.from_async_iterable(lambda: counted(n)),
    "subscribe_on": elsewhere,
}

PROCESSED = (
    *("map", "filter", "skip", "take_while", "take_until", "scan", "enumerate", "chunk", "tap"),
    *("flatten", "concat", "catch", "finally_", "at_most", "checked"),
)


def _processor(link: Link) -> Callable[[int], Any]:
    return lambda n: Flow.processor(link, window=n)


SINGLE = {"max_subscribers": 1}
PROCESSORS = [
    *(Case(name, _processor(LINKS[name]), "", SINGLE) for name in PROCESSED),
    Case(
        "on",
        lambda n: Flow.processor(lambda flow: flow.on(POOL, n // 2), window=n // 2),
        "threads",
        SINGLE,
    ),
    Case(
        "prefetch",
        lambda n: Flow.processor(lambda flow: flow.prefetch(n // 2), window=n // 2),
        "",
        SINGLE,
    ),
    Case(
        "share",
        lambda n: Flow.processor(lambda flow: flow.share(n - 1), window=1),
        "",
        {"multicast": True},
    ),
]


@dataclass(frozen=True)
class Combination:
    """A source and up to eight operators behind it."""

    source: str
    links: tuple[str, ...]

    def create(self, n: int) -> Flow[Any]:
        flow = SOURCES[self.source](n)
        for name in self.links:
            flow = LINKS[name](flow)
        return flow

    def failed(self) -> Flow[Any]:
        flow: Flow[Any] = Flow.error(OSError("on purpose"))
        for name in self.links:
            flow = LINKS[name](flow)
        return flow

    def __str__(self) -> str:
        return ".".join((self.source, *self.links))


def combinations(n: int, seed: int = 20) -> list[Combination]:
    """Draw so many; together they have every operator in them, as often as any other."""
    draw = random.Random(seed)
    deck: list[str] = []
    found: list[Combination] = []
    for i in range(n):
        links: list[str] = []
        for _ in range(2 + i % 7):
            if not deck:
                deck = draw.sample(list(LINKS), len(LINKS))
            links.append(deck.pop())
        found.append(Combination(draw.choice(list(SOURCES)), tuple(links)))
    return found


COMBINED = combinations(28)
