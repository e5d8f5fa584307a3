"""The explorer finds what is wrong, and nothing where nothing is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from threading import Lock
from typing import Any

import pytest

from tests.runtime.interleave import Play, explore


class Counted:
    """Loses updates."""

    def __init__(self) -> None:
        self.n = 0

    def put(self, element: int) -> None:
        self.n = self.n + element


class Locked(Counted):
    def __init__(self) -> None:
        super().__init__()
        self.lock = Lock()

    def put(self, element: int) -> None:
        with self.lock:
            super().put(element)


class Buffer:
    """Whoever finds it idle drains it."""

    def __init__(self, *, again: bool) -> None:
        self.again = again
        self.items: deque[int] = deque()
        self.idle = True
        self.lock = Lock()
        self.n = 0

    def put(self, element: int) -> None:
        self.items.append(element)
        self.drain()

    def drain(self) -> None:
        with self.lock:
            if not self.idle:
                return
            self.idle = False
        while self.items:
            self.n += self.items.popleft()
        self.idle = True
        if self.again and self.items:
            self.drain()


class Opposite:
    """Takes two locks, in different order."""

    def __init__(self) -> None:
        self.locks = [Lock(), Lock()]
        self.n = 0

    def put(self, element: int) -> None:
        first, second = self.locks if element == 1 else reversed(self.locks)
        with first, second:
            self.n += element


def adds(make: Callable[[], Any]) -> Callable[[Play], Callable[[], object]]:
    def scenario(play: Play) -> Callable[[], object]:
        one = make()
        play.thread(lambda: one.put(1))
        play.thread(lambda: one.put(2))

        def check() -> None:
            assert one.n == 3, f"{one.n} is not 3"

        return check

    return scenario


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (Counted, "is not 3"),
        (lambda: Buffer(again=False), "is not 3"),
        (Opposite, "deadlock"),
    ],
    ids=["lost update", "lost wake-up", "deadlock"],
)
def test_finds(make: Callable[[], Any], problem: str):
    with pytest.raises(pytest.fail.Exception, match=problem):
        explore(adds(make))


@pytest.mark.parametrize("make", [Locked, lambda: Buffer(again=True)], ids=["locked", "again"])
def test_passes(make: Callable[[], Any]):
    assert explore(adds(make)) > 5
