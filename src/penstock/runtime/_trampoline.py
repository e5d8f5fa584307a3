"""Runs a drain on the calling thread, however many segments wake each other in a row."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

__all__ = ["run_inline"]

DEEPEST = 12
"""So many drains may stand on one stack; a longer row of segments takes turns instead."""


class _Stack(threading.local):
    depth = 0
    waiting: deque[Callable[[], object]]

    def __init__(self) -> None:
        self.waiting = deque()


_stack = _Stack()


def run_inline(drain: Callable[[], object]) -> None:
    """Call `drain` now; or soon, on this thread, if too many are under way on its stack."""
    stack = _stack
    if stack.depth >= DEEPEST:
        stack.waiting.append(drain)
        return
    stack.depth += 1
    try:
        drain()
        while stack.waiting and stack.depth >= DEEPEST:
            stack.waiting.popleft()()
    finally:
        stack.depth -= 1
