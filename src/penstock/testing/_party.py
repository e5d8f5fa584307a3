"""What both parties have in common: they wait for the other side, and fail telling all."""

from __future__ import annotations

import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import NoReturn

from penstock.api import UNBOUNDED
from penstock.testing._log import SignalLog

__all__ = ["Party", "amount", "is_valid_request"]


class Party(ABC):
    """A party of a stream that a test drives and asks.

    Its methods set `__tracebackhide__`, so that pytest shows the test's line that failed
    and not ours.
    """

    def __init__(self, *, timeout: float, quiet: float, name: str, log: SignalLog | None) -> None:
        self.name: str = name
        """What the log and failures call it."""
        self.timeout: float = timeout
        """How many seconds to wait for what is expected."""
        self.quiet: float = quiet
        """How many seconds to wait for what is not expected."""
        self.log: SignalLog = SignalLog() if log is None else log
        """All signals so far; parties may share one."""
        self._news = threading.Condition()

    @abstractmethod
    def _state(self) -> str:
        """Return one line that says where the stream stands."""

    def _wait(self, happened: Callable[[], bool], seconds: float | None = None) -> bool:
        """Wait for news with the lock held, until `happened` or the deadline."""
        deadline = time.monotonic() + (self.timeout if seconds is None else seconds)
        while not happened():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self._news.wait(left)
        return True

    def _give_up(self, message: str) -> NoReturn:
        """Fail because something did not come in time."""
        __tracebackhide__ = True
        hint = ""
        if _on_event_loop():
            hint = (
                "\nan event loop runs on this thread, and stood still while this call waited: "
                "wait in `await asyncio.to_thread(...)` instead"
            )
        self._fail(f"{message} within {self.timeout} s{hint}")

    def _fail(self, message: str, cause: Exception | None = None) -> NoReturn:
        __tracebackhide__ = True
        log = self.log.tail() or "  none"
        failure = AssertionError(f"{self.name}: {message}\n{self._state()}\nsignals so far:\n{log}")
        if cause is not None:
            failure.__cause__ = cause  # so that its traceback is shown as well
        raise failure


def amount(n: int) -> str:
    """Return a number of elements as text."""
    return "UNBOUNDED" if n >= UNBOUNDED else str(n)


def is_valid_request(n: object) -> bool:
    """Whether rules 3.9 and R.10 allow `request(n)`."""
    return isinstance(n, int) and not isinstance(n, bool) and n > 0


def _on_event_loop() -> bool:
    asyncio = sys.modules.get("asyncio")  # if nobody has imported it, no loop of its runs
    if asyncio is None:
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
