"""Every source and operator as a Publisher that the kit is given."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from penstock import UNBOUNDED, Flow, Hub, checked, event_loop, threads

POOL = threads(4, name="conformance")
Create = Callable[[int], Any]


@dataclass(frozen=True)
class Case:
    """What the kit verifies, and what it has to know of it."""

    operator: str
    create: Callable[[int], Any]
    form: str = ""
    knobs: dict[str, Any] = field(default_factory=dict[str, Any])

    def __str__(self) -> str:
        return f"{self.operator} {self.form}".strip()


def numbers(n: int) -> Flow[int]:
    """An iterable source of so many elements."""
    return Flow.from_iterable(itertools.count) if n == UNBOUNDED else Flow.range(n)


def more(n: int, factor: int = 1, plus: int = 0) -> Flow[int]:
    """So many, several times, and some more."""
    return numbers(min(max(0, n * factor + plus), UNBOUNDED))


def pushed(n: int) -> Flow[int]:
    """A source that has to be subscribed to."""
    return Flow.from_publisher(checked(numbers(n)))


def elsewhere(n: int) -> Flow[int]:
    """A source on a thread."""
    return numbers(n).subscribe_on(POOL)


def ticks(n: int) -> Flow[int]:
    return Flow.interval(
        0.0005,
    ).take(n)


def one(n: int) -> Flow[int]:
    """At most one element: for what drops what nobody asked for."""
    return numbers(min(n, 1))


async def counted(n: int) -> AsyncIterator[int]:
    for i in itertools.count() if n == UNBOUNDED else range(n):
        yield i


async def same(x: int) -> int:
    return x


def created(n: int) -> Flow[int]:
    def fn(emitter: Any) -> None:
        for x in range(min(n, 5000)):
            emitter.push(x)
        if n < UNBOUNDED:
            emitter.complete()

    return Flow.create(fn, size=5000)


def published(n: int) -> Flow[int]:
    flow = numbers(n).publish(16)
    flow.connect()
    return flow


def halved(n: int, how: Callable[[Flow[int], Flow[int]], Flow[int]]) -> Flow[int]:
    if n == UNBOUNDED:
        return how(pushed(3), numbers(n))
    return how(pushed(n // 2), numbers(n - n // 2))


def grouped(n: int) -> Flow[int]:
    return numbers(n).group_by(lambda x: x % 3).flat_map(lambda group: group)


def repeated(n: int) -> Flow[int]:
    return Flow.of(1).repeat(None if n == UNBOUNDED else n) if n else Flow.empty()


ONE_AT_MOST = {"max_elements": 1}
FEW_AT_MOST = {"max_elements": 1000}

ALONE: dict[str, Create | dict[str, Create]] = {
    "range": Flow.range,
    "from_iterable": {"": numbers, "a list": lambda n: Flow.from_iterable(range(n))},
    "from_async_iterable": lambda n: Flow.from_async_iterable(lambda: counted(n)),
    "from_publisher": pushed,
    "defer": {
        "": lambda n: Flow.defer(lambda: numbers(n)),
        "a publisher": lambda n: Flow.defer(lambda: pushed(n)),
    },
    "using": lambda n: Flow.using(object, lambda _: numbers(n), str),
    "unfold": lambda n: Flow.unfold(0, lambda i: (i, i + 1) if i < n else None),
    "interval": ticks,
    "create": created,
    "filter": lambda n: more(n, 2).filter(lambda x: x % 2),
    "filter_map": lambda n: more(n, 2).filter_map(lambda x: x if x % 2 else None),
    "take": {"": numbers(UNBOUNDED).take, "pushed": lambda n: pushed(UNBOUNDED).take(n)},
    "take_while": lambda n: numbers(UNBOUNDED).take_while(lambda x: x < n),
    "take_until": lambda n: numbers(n).take_until(Flow.never()),
    "skip": lambda n: more(n, plus=3).skip(3),
    "skip_last": lambda n: more(n, plus=3).skip_last(3),
    "skip_while": lambda n: more(n, plus=3).skip_while(lambda x: x < 3),
    "distinct": lambda n: numbers(n).distinct(bound=100),
    "distinct_until_changed": lambda n: more(n, 2, -1).distinct_until_changed(lambda x: x // 2),
    "default_if_empty": lambda n: (
        numbers(0 if n == 1 else n).default_if_empty(7) if n else numbers(0)
    ),
    "switch_if_empty": {
        "not empty": lambda n: numbers(n).switch_if_empty(Flow.empty()),
        "empty": lambda n: pushed(0).switch_if_empty(pushed(n)),
    },
    "sample": lambda n: Flow.interval(0.003).take(n).sample(0.0015),
    "map": {"": lambda n: numbers(n).map(str), "pushed": lambda n: pushed(n).map(str)},
    "map_async": {
        "": lambda n: numbers(n).map_async(same, 4),
        "in any order": lambda n: numbers(n).map_async(same, 4, ordered=False),
        "on threads": lambda n: numbers(n).map_async(lambda x: x, 4, on=POOL),
        "on a loop": lambda n: elsewhere(n).on(event_loop()).map_async(same, 4),
    },
    "flat_map": {
        "lists": lambda n: numbers(n).flat_map(lambda x: [x]),
        "flows": lambda n: numbers(n).flat_map(lambda x: Flow.of(x).subscribe_on(POOL), 3),
    },
    "concat_map": {
        "lists": lambda n: numbers(n).concat_map(lambda x: (x,)),
        "flows": lambda n: numbers(n).concat_map(lambda x: Flow.of(x).subscribe_on(POOL)),
    },
    "switch_map": lambda n: numbers(n).switch_map(lambda x: [x]),
    "flatten": lambda n: numbers(n).chunk(1).flatten(),
    "scan": lambda n: numbers(n).scan(lambda total, x: x, 0),
    "enumerate": lambda n: numbers(n).enumerate(),
    "pairwise": lambda n: more(n, plus=1).pairwise(),
    "chunk": {
        "": lambda n: more(n, 2).chunk(2),
        "within": lambda n: more(n, 2).chunk(2, within=60),
    },
    "window": lambda n: numbers(n).window(2).flat_map(lambda few: few),
    "group_by": grouped,
    "materialize": lambda n: (
        numbers(n if n == UNBOUNDED else n - 1).materialize() if n else numbers(0)
    ),
    "dematerialize": lambda n: numbers(n).materialize().dematerialize(),
    "tap": {
        "": lambda n: numbers(n).tap(str),
        "the end": lambda n: numbers(n).tap(on_error=str, on_cancel=lambda: None),
    },
    "concat": lambda n: halved(n, lambda a, b: a.concat(b)),
    "start_with": lambda n: numbers(max(n - 2, 0) if n < UNBOUNDED else n).start_with(
        *range(min(n, 2))
    ),
    "merge": {
        "": lambda n: halved(n, lambda a, b: a.merge(b)),
        "from elsewhere": lambda n: halved(n, lambda a, b: a.merge(b.subscribe_on(POOL))),
    },
    "zip": {
        "": lambda n: numbers(n).zip(numbers(UNBOUNDED)),
        "pushed": lambda n: pushed(n).zip(elsewhere(n)),
    },
    "combine_latest": lambda n: numbers(n).combine_latest(numbers(min(n, 1))),
    "with_latest_from": lambda n: pushed(n).with_latest_from(elsewhere(1)),
    "race": lambda n: pushed(n).race(Flow.never()),
    "delay": lambda n: numbers(n).delay(0.0005, window=16),
    "throttle": lambda n: ticks(n).throttle(1e-9),
    "debounce": lambda n: Flow.interval(0.003).take(n).debounce(0.0005),
    "timeout": lambda n: numbers(n).timeout(60),
    "timestamp": lambda n: numbers(n).timestamp(),
    "retry": {
        "": lambda n: numbers(n).retry(2),
        "pushed": lambda n: pushed(n).retry(2),
    },
    "catch": lambda n: Flow.error(OSError).catch(lambda error: pushed(n)),
    "on_error_return": lambda n: numbers(n).on_error_return(0),
    "recover_each": lambda n: numbers(n).map(lambda x: 1 // (x % 2)).recover_each(lambda e: 7),
    "repeat": repeated,
    "finally_": lambda n: numbers(n).finally_(lambda: None),
    "buffer": lambda n: ticks(n).buffer(10_000),
    "drop_newest": lambda n: ticks(n).drop_newest(10_000),
    "drop_oldest": lambda n: ticks(n).drop_oldest(10_000),
    "prefetch": lambda n: numbers(n).prefetch(8),
    "at_most": lambda n: numbers(n).at_most(10_000, per=1),
    "share": {
        "dropping": lambda n: numbers(n).share(16, policy="drop"),
        "skipping": lambda n: numbers(n).share(16, policy="skip"),
    },
    "via": lambda n: numbers(n).via(lambda: Hub(8, keep_alive=False)),
    "pipe": lambda n: numbers(n).pipe(lambda flow: flow.map(str)),
    "checked": lambda n: numbers(n).checked(),
    "on": {
        "threads": lambda n: numbers(n).on(POOL, 16),
        "a window of 1": lambda n: numbers(n).on(POOL, 1),
        "an event loop": lambda n: numbers(n).on(event_loop()),
        "both": lambda n: numbers(n).on(event_loop(), 4).map(str).on(POOL, 4),
    },
    "subscribe_on": {
        "threads": elsewhere,
        "an event loop": lambda n: numbers(n).subscribe_on(event_loop()),
    },
}
SHORT: dict[str, tuple[Create, dict[str, Any]]] = {
    "of": (lambda n: Flow.of(*range(n)), FEW_AT_MOST),
    "empty": (lambda n: Flow.empty(), {"max_elements": 0}),
    "from_callable": (
        lambda n: Flow.from_callable(lambda: 1) if n else Flow.empty(),
        ONE_AT_MOST,
    ),
    "timer": (lambda n: Flow.timer(0.001).take(n), ONE_AT_MOST),
    "take_last": (lambda n: more(n, plus=5).take_last(n), FEW_AT_MOST),
    "element_at": (lambda n: more(n, 3).element_at(2) if n else Flow.empty(), ONE_AT_MOST),
    "latest": (lambda n: one(n).latest(), ONE_AT_MOST),
    "conflate": (lambda n: one(n).conflate(max), ONE_AT_MOST),
    **{
        terminal: (
            lambda n, make=make: make(Flow.range(5)).as_publisher() if n else Flow.empty(),
            ONE_AT_MOST,
        )
        for terminal, make in {
            "fold": lambda flow: flow.fold(0, max),
            "reduce": lambda flow: flow.reduce(max),
            "sum": lambda flow: flow.sum(),
            "count": lambda flow: flow.count(),
            "to_list": lambda flow: flow.to_list(),
            "first": lambda flow: flow.first(),
            "last": lambda flow: flow.last(),
        }.items()
    },
}
NOT_ALONE = {
    "never": "has no elements and no end: what takes it in is verified",
    "error": "is what the kit is given as the failed Publisher of all others",
    "for_each": "has no element: nobody subscribes to it",
    "drain": "has no element: nobody subscribes to it",
    "processor": "the suite for Processors is about what it returns",
    "publish": "multicast",
    "replay": "multicast",
}
"""Why some are not in the suite of Publishers by themselves."""


def _cases() -> list[Case]:
    found: list[Case] = []
    for operator, given in ALONE.items():
        forms = given if isinstance(given, dict) else {"": given}
        found += [Case(operator, create, form) for form, create in forms.items()]
    found += [Case(operator, create, "", knobs) for operator, (create, knobs) in SHORT.items()]
    return found


PUBLISHERS = _cases()
MULTICAST = [
    Case("share", lambda n: numbers(n).share(16)),
    Case("replay", lambda n: numbers(n).replay(3, buffer=16)),
    Case("publish", published),
    Case("share", lambda n: numbers(n).on(POOL, 4).share(16).on(POOL, 4), "between boundaries"),
]
# The last one is a boundary for each of its subscribers, so it is judged as their own stream.
PUBLISHERS.append(Case("share", MULTICAST.pop().create, "between boundaries"))
