"""What happened, in order: every signal with its thread and its time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["LoggedSignal", "SignalLog", "brief"]

_FIRST = 500
_LAST = 1500
_MAX_REPR = 80


class LoggedSignal(NamedTuple):
    """One line of a `SignalLog`: seconds since the log began, thread, party and signal."""

    at: float
    thread: str
    party: str
    signal: str


class SignalLog:
    """A bounded record of signals that many threads may write to and anyone may print.

    The first and the last lines are kept, so that an endless stream costs no memory and
    what came last can always be seen. Iterating gives what is kept, in order; no method
    raises anything.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._first: list[LoggedSignal] = []
        self._last: deque[LoggedSignal] = deque(maxlen=_LAST)
        self._lock = threading.RLock()  # re-entrant: a finaliser may signal in mid-add
        self.dropped: int = 0
        """How many signals were not kept, between the first and the last ones."""

    def add(self, party: str, signal: str) -> None:
        """Note that `party` saw `signal`, now and on this thread."""
        thread = threading.current_thread().name
        with self._lock:  # the time is taken inside, so that later lines have later times
            line = LoggedSignal(time.monotonic() - self._began, thread, party, signal)
            if len(self._first) < _FIRST:
                self._first.append(line)
            else:
                self.dropped += len(self._last) == _LAST
                self._last.append(line)

    def __iter__(self) -> Iterator[LoggedSignal]:
        with self._lock:
            return iter([*self._first, *self._last])

    def __len__(self) -> int:
        with self._lock:
            return len(self._first) + len(self._last)

    def tail(self, lines: int = 30) -> str:
        """Return the first few and the last lines as text, at most `lines` of them."""
        with self._lock:
            kept, dropped = list(self), self.dropped
        if not dropped and len(kept) <= lines:
            return "\n".join(map(_render, kept))
        # One line says what is left out, and what was not kept lies within that.
        head = min(lines // 3, _FIRST)
        foot = min(max(lines - head - 1, 0), _LAST)
        left_out = f"  … {len(kept) + dropped - head - foot} more …"
        shown = [*map(_render, kept[:head]), left_out, *map(_render, kept[len(kept) - foot :])]
        return "\n".join(shown)

    def __str__(self) -> str:
        return self.tail(_FIRST + _LAST + 1)


def brief(value: object) -> str:
    """Return `repr(value)` on one line, cut short, and never raise."""
    try:
        text = repr(value)
    except Exception as error:  # noqa: BLE001 - a broken repr must not hide what is reported
        text = f"<{type(value).__name__} whose repr raised {type(error).__name__}>"
    if "\n" in text:
        text = " ".join(text.split())
    return text if len(text) <= _MAX_REPR else text[: _MAX_REPR - 1] + "…"


def _render(line: LoggedSignal) -> str:
    return f"  {line.at * 1000:9.3f} ms  [{line.thread}]  {line.party}: {line.signal}"
