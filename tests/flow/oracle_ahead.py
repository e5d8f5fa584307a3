"""For the oracle: what pulls more from above than it is asked for."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from tests.flow.instrumented import Tools

EVERYTHING = 10**9
"""As far ahead as an operator may work that takes all in."""


Up = Callable[[], Iterator[Any]]


class Ahead:
    """Pulls up to `n` elements more than are asked for; what goes wrong waits for its turn."""

    def __init__(self, up: Up, n: int) -> None:
        self.up = up
        self.n = n
        self.source: Iterator[Any] | None = None
        self.waiting = deque[Any]()
        self.failure: Exception | None = None
        self.over = False

    def __iter__(self) -> Iterator[Any]:
        return self

    def fill(self) -> None:
        """Work ahead."""
        if self.source is None:
            self.source = self.up()
        while not self.over and len(self.waiting) <= self.n:
            try:
                self.waiting.append(next(self.source))
            except StopIteration:
                self.over = True
            except Exception as error:  # noqa: BLE001 - raised when it is its turn
                self.failure, self.over = error, True

    def __next__(self) -> Any:
        self.fill()
        if self.waiting:
            return self.waiting.popleft()
        if self.failure is not None:
            raise self.failure
        raise StopIteration


def ahead(tools: Tools, up: Up, n: int) -> Iterator[Any]:
    """Return what works ahead, unless nothing does so in this flow."""
    return up() if tools.lazy else Ahead(up, n)
