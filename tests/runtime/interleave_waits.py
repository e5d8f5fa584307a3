"""What threads wait with, as penstock's modules get it during a play.

So a thread that waits is known to wait, and which one goes on then is the schedule's choice.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

import pytest

import penstock
from tests.runtime.interleave_play import Play, Player

__all__ = ["cooperative"]


class _Waited:
    """A lock, event or queue; it is named by the line that made it."""

    def __init__(self) -> None:
        frame = sys._getframe(1)
        while frame.f_code.co_filename == __file__ and frame.f_back:
            frame = frame.f_back
        self._access = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}", True

    def _touch(self) -> Play:
        play = Play.on_stage
        assert play is not None
        play.touch(self._access, self._access[0])
        return play


class Lock(_Waited):
    """A re-entrant lock."""

    def __init__(self) -> None:
        super().__init__()
        self._owner: Player | None = None
        self._depth = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        play = self._touch() if self._depth == 0 or self._owner is not _me() else None
        me = _me()
        if self._depth and self._owner is not me:
            assert play is not None
            if not blocking:
                return False
            if not play.problem and not play.wait(lambda: not self._depth, timed=timeout >= 0):
                return False
        self._owner = me
        self._depth += 1
        return True

    def release(self) -> None:
        self._depth -= 1

    __enter__ = acquire

    def __exit__(self, *_: object) -> None:
        self.release()


class Event(_Waited):
    """An event."""

    def __init__(self) -> None:
        super().__init__()
        self._set = False

    def is_set(self) -> bool:
        self._touch()
        return self._set

    def set(self) -> None:
        self._touch()
        self._set = True

    def wait(self, timeout: float | None = None) -> bool:
        return self._touch().wait(lambda: self._set, timed=timeout is not None)


class Queue(_Waited):
    """A queue without a bound."""

    def __init__(self) -> None:
        super().__init__()
        self._items: deque[Any] = deque()

    def put(self, item: object) -> None:
        self._touch()
        self._items.append(item)

    def get(self, timeout: float | None = None) -> Any:
        if not self._touch().wait(lambda: self._items, timed=timeout is not None):
            raise Empty
        return self._items.popleft()


def _me() -> Player | None:
    play = Play.on_stage
    return None if play is None else play._now


class _Threading:
    """The module `threading`, with our locks and events."""

    RLock = Lock = Lock
    Event = Event

    def __getattr__(self, name: str) -> Any:
        return getattr(threading, name)


@contextmanager
def cooperative() -> Iterator[None]:
    """Have penstock's modules make our locks, and keep the garbage collector still."""
    ours = {
        threading.RLock: Lock,
        threading.Lock: Lock,
        threading.Event: Event,
        SimpleQueue: Queue,
        threading: _Threading(),
    }
    with pytest.MonkeyPatch.context() as patch:
        for module in list(sys.modules.values()):
            name = getattr(module, "__name__", "")
            if not name.startswith(("penstock.runtime", "penstock.flow", "tests.runtime.test_in")):
                continue
            for key, value in list(vars(module).items()):
                if callable(value) or value is threading:
                    try:
                        mine = ours.get(value)  # type: ignore[call-overload]
                    except TypeError:  # not hashable
                        continue
                    if mine is not None:
                        patch.setattr(module, key, mine)
        patch.setattr(penstock, "on_dropped_error", _dropped)
        enabled = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            Play.on_stage = None
            if enabled:
                gc.enable()


def _dropped(error: BaseException, where: str) -> None:
    play = Play.on_stage
    assert play is not None
    play.dropped.append((error, where))
