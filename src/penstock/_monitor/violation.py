"""What the monitor reports: which rule, who broke it, and where."""

from __future__ import annotations

import sys
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, TracebackType
from typing import Literal

__all__ = ["Party", "Position", "RuleBroken", "Violation", "elsewhere", "excused", "here", "origin"]

Party = Literal["publisher", "subscriber"]

_HOME = str(Path(__file__).parent)
_DEPTH = 16


@dataclass(frozen=True, slots=True)
class Position:
    """Where a thread was when it sent a signal; it keeps no frame alive."""

    signal: str
    """The method that was called there, such as "on_next"."""
    thread: str
    """The name of the thread."""
    calls: tuple[tuple[str, int, str], ...]
    """File, line and function of the innermost calls, the innermost one last."""

    def __str__(self) -> str:
        """Return it as a traceback is printed."""
        lines = traceback.format_list(
            [traceback.FrameSummary(*call, lookup_line=False) for call in self.calls]
        )
        return f"{self.signal}, in thread {self.thread}:\n{''.join(lines)}".rstrip()


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that was broken, as `penstock.checked` saw it."""

    rule: str
    """Its id, such as "1.1"; `penstock.spec.rule` has its text."""
    message: str
    """What happened."""
    party: Party
    """Which of the two broke it."""
    publisher: str
    """The type and the address of the one. The monitor never calls a watched `__repr__`."""
    subscriber: str
    """The type and the address of the other."""
    here: Position
    """Where the rule was broken."""
    there: Position | None = None
    """The other position that belongs to it: where the other thread was, or the earlier call."""

    def __str__(self) -> str:
        """Return the whole report, with the rule's title and text."""
        # Looked up only now: to read the rules takes longer than to watch many streams.
        from penstock.spec import rule

        broken = rule(self.rule)
        lines = [
            f"rule {self.rule} broken by the {self.party}: {self.message}",
            f"  {broken.title}: {broken.rule}",
            f"  publisher: {self.publisher}",
            f"  subscriber: {self.subscriber}",
            *(f"  {line}" for line in str(self.here).splitlines()),
        ]
        if self.there is not None:
            lines.extend(f"  {line}" for line in str(self.there).splitlines())
        return "\n".join(lines)


class RuleBroken(AssertionError):  # noqa: N818 - says what happened, as a sentence would
    """What a call raises that broke a rule, where `checked` was told to raise."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(violation)
        self.violation = violation


def here(signal: str) -> Position:
    """Return where this thread is, without the monitor's own calls. Raises nothing."""
    return _position(signal, threading.get_ident(), sys._getframe(1))  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]


def elsewhere(signal: str, thread: int) -> Position | None:
    """Return where `thread` is, if it is still inside a watched call. Raises nothing."""
    gil = getattr(sys, "_is_gil_enabled", None)
    if gil is not None and not gil():
        return None  # without the GIL, the frames of a running thread are not safe to read
    top = sys._current_frames().get(thread)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    frame = top
    while frame is not None and not _ours(frame):
        frame = frame.f_back
    return None if frame is None else _position(signal, thread, top)


def origin(signal: str, error: BaseException) -> Position:
    """Return where `error` was raised. Raises nothing."""
    calls: list[tuple[str, int, str]] = []
    step = error.__traceback__
    while step is not None:
        if not _ours(step.tb_frame):
            code = step.tb_frame.f_code
            calls.append((code.co_filename, step.tb_lineno, code.co_name))
        step = step.tb_next
    return Position(signal, _name(threading.get_ident()), tuple(calls[-_DEPTH:]))


def excused(error: BaseException) -> bool:
    """Say whether `error`, caught in a watched call, is not to be held against the callee.

    An interrupt isn't, nor is what came up through an inner watched call: that was judged
    there, and whoever just lets it pass is not the one that raised.
    """
    if isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
        return True
    outermost = error.__traceback__
    step: TracebackType | None = None if outermost is None else outermost.tb_next
    while step is not None and not _ours(step.tb_frame):
        step = step.tb_next
    return step is not None


def _position(signal: str, thread: int, frame: FrameType | None) -> Position:
    calls: list[tuple[str, int, str]] = []
    while frame is not None and len(calls) < _DEPTH:
        if not _ours(frame):
            code = frame.f_code
            calls.append((code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back
    return Position(signal, _name(thread), tuple(reversed(calls)))


def _ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_HOME)


def _name(ident: int) -> str:
    # Not current_thread(): it would make and keep an object for a thread that has none.
    for thread in threading.enumerate():
        if thread.ident == ident:
            return thread.name
    return str(ident)
