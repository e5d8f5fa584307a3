"""The functions and sources of a described flow, which count what is done to them."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from penstock.runtime._signals import Complete, Error, Next
from tests.flow.description import Boom


class Tools:
    """The instrumented functions and sources of one run."""

    def __init__(self, failing: tuple[str, int] | None = None) -> None:
        self.failing = failing
        """Which function raises, and at which of its calls."""
        self.calls: Counter[str] = Counter()
        self.sources: list[SourceRun] = []
        self.lazy = False
        """For the oracle: nothing works ahead, since the flow can be iterated."""
        self.broken: list[str] = []
        """What was seen that must not be."""
        self.names: list[str] = []

    def called(self, name: str) -> None:
        """Count one call; raise if that is the one to fail."""
        self.calls[name] += 1
        if self.failing == (name, self.calls[name]):
            raise Boom(f"{name} failed")

    def fn(self, name: str, pure: Callable[..., Any]) -> Callable[..., Any]:
        """Return `pure`, called `name`, counted, and guarded against two threads at once."""
        inside = threading.Lock()
        self.names.append(name)

        def instrumented(*arguments: Any) -> Any:
            if not inside.acquire(blocking=False):
                self.broken.append(f"{name} was called while it ran")
                return pure(*arguments)
            try:
                self.called(name)
                return pure(*arguments)
            finally:
                inside.release()

        instrumented.__qualname__ = instrumented.__name__ = name
        return instrumented

    def source(self, name: str, n: int) -> Callable[[], SourceRun]:
        """Return a function that opens a source of `n` elements."""
        self.names.append(name)

        def opened() -> SourceRun:
            run = SourceRun(self, name, n)
            self.sources.append(run)
            return run

        opened.__qualname__ = opened.__name__ = name
        return opened

    def left_open(self) -> list[str]:
        """Return what was not closed exactly once."""
        return [
            f"{source.name} was closed {source.closed} times"
            for source in self.sources
            if source.closed != 1
        ]


class SourceRun:
    """An iterator that knows who pulls and who closes it."""

    def __init__(self, tools: Tools, name: str, n: int) -> None:
        self.tools = tools
        self.name = name
        self.n = n
        self.given = 0
        self.closed = 0
        self._inside = threading.Lock()

    def __iter__(self) -> SourceRun:
        return self

    def __next__(self) -> int:
        if not self._inside.acquire(blocking=False):
            self.tools.broken.append(f"{self.name} was pulled while it ran")
            raise StopIteration
        try:
            if self.closed:
                self.tools.broken.append(f"{self.name} was pulled after its close")
            if self.given >= self.n:
                raise StopIteration
            self.tools.called(self.name)
            self.given += 1
            return self.given - 1
        finally:
            self._inside.release()

    def close(self) -> None:
        """Count it."""
        if not self._inside.acquire(blocking=False):
            self.tools.broken.append(f"{self.name} was closed while it ran")
            return
        self.closed += 1
        self._inside.release()


def number(element: object) -> int:
    """Return an int that stands for any element, so that operators compose freely."""
    if isinstance(element, int):
        return element
    if isinstance(element, tuple | list):
        return sum((i + 1) * number(one) for i, one in enumerate(element)) % 1009
    if isinstance(element, Next):
        return number(element.element)
    return 7


def canonical(element: object) -> object:
    """Return what two equal elements of two runs have in common."""
    if isinstance(element, tuple | list):
        return type(element).__name__, *map(canonical, element)
    if isinstance(element, Next):
        return "Next", canonical(element.element)
    if isinstance(element, Error):
        return "Error", repr(element.error)
    if isinstance(element, Complete):
        return "Complete"
    return element


# What the functions of the operators do; both sides use them.


def mapped(x: object) -> int:
    return (number(x) * 3 + 1) % 97


def added(total: object, x: object) -> int:
    return (number(total) + number(x)) % 97


def several(x: object) -> list[int]:
    n = number(x)
    return [n, n + 1, n + 2][: n % 4]


PURE: dict[str, Callable[..., Any]] = {
    "map": mapped,
    "filter": lambda x: number(x) % 3,
    "filter_map": lambda x: None if number(x) % 4 == 0 else number(x) + 1,
    "take_while": lambda x: number(x) % 13 != 6,
    "skip_while": lambda x: number(x) % 5 != 3,
    "distinct": lambda x: number(x) % 7,
    "distinct_until_changed": lambda x: number(x) // 3,
    "scan": added,
    "scan_from": added,
    "tap": lambda x: None,
    "flatten": several,
    "concat_map": several,
    "flat_map": several,
    "catch": lambda error: [101, 102],
    "on_error_return": lambda error: 103,
    "recover_each": mapped,
    "map_async": mapped,
    "via": mapped,
}
