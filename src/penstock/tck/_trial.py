"""One run of one check: its deadline, what it has seen, and how to clean up after it."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
import traceback
import types
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import NoReturn

from penstock.tck._check import Check
from penstock.tck._environment import Environment
from penstock.tck._knobs import Knobs
from penstock.tck._verdict import Broken, Skipped, Stopped, Violation
from penstock.testing import SignalLog

__all__ = ["Call", "Trial"]


@dataclass
class Call:
    """A call into the implementation that has not returned."""

    what: str
    rule_if_it_hangs: str
    """An empty text for a function of its author's, which can break no rule."""
    thread: int
    began: float = field(default_factory=time.monotonic)


class Trial:
    """What every check is handed: times, knobs, the signal log, and ways to end.

    All waiting goes through one condition, `news`, which every signal notifies; a wait
    ends at once when a violation is noted. Rules that broke in passing are noted with
    `note`, from any thread and without raising, so that nothing of the kit's ever reaches
    the implementation as an exception.
    """

    def __init__(self, check: Check, environment: Environment, knobs: Knobs) -> None:
        self.check = check
        self.env = environment
        self.knobs = knobs
        self.log: SignalLog = SignalLog()
        self.news: threading.Condition = threading.Condition()
        self.violations: list[Violation] = []
        self.closed_at: float | None = None
        self.last_signal: float = time.monotonic()
        self.signals: int = 0
        self.instead: dict[str, str] = {}
        """Which rule to note instead of another, where a check makes it more precise."""
        self._coroutine_from: str = ""
        self._calls: list[Call] = []
        self._cleanups: list[Callable[[], None]] = []

    # How a check's body ends early.

    def fail(self, observed: str, rule: str | None = None) -> NoReturn:
        """End the check: `rule`, by default the check's own, is broken."""
        rule = rule or self.check.rule
        # Noted as well, and so ahead of what the cleaning up may yet provoke.
        self.note(rule, observed)
        raise Broken(rule, observed)

    def skip(self, reason: str) -> NoReturn:
        """End the check: it can't be decided for this implementation."""
        raise Skipped(reason)

    def note(self, rule: str, observed: str) -> None:
        """Note that `rule` was seen broken; any thread may call this at any time."""
        with self.news:
            rule = self.instead.get(rule, rule)
            if self._coroutine_from:
                name = self._coroutine_from.partition("(")[0]
                observed += f"; {name} is an `async def`: to call it does nothing, make it plain"
            if self.closed_at is None:
                self.log.add("kit", f"rule {rule} broken: {observed}")
                # What follows the first breach may be much, and explains nothing.
                log = "" if self.violations else self.log.tail()
                self.violations.append(Violation(rule, observed, log))
                self.news.notify_all()

    def tick(self) -> None:
        """Note that a signal came, with `news` held."""
        self.signals += 1
        self.last_signal = time.monotonic()
        self.news.notify_all()

    # Waiting.

    def wait_until(
        self, happened: Callable[[], bool], seconds: float | None = None, *, renew: bool = False
    ) -> bool:
        """Wait until `happened()` and say whether it did, within `seconds` (`timeout`).

        `happened` is called with `news` held. With `renew` the time counts anew from each
        signal, for streams that are slow. Raises `Stopped` once a violation is noted, or the
        check was given up.
        """
        limit = self.env.timeout if seconds is None else seconds
        with self.news:
            began = time.monotonic()
            while not happened():
                if self.violations or self.closed_at is not None:
                    raise Stopped
                since = max(began, self.last_signal) if renew else began
                left = since + limit - time.monotonic()
                if left <= 0:
                    return False
                self.news.wait(left)
            return True

    def happens_twice(self, attempt: Callable[[], bool]) -> bool:
        """Whether `attempt()` is true twice running: one slow moment of the machine is none."""
        return attempt() and attempt()

    def stay_quiet(self, seconds: float | None = None) -> int:
        """Wait for `quiet` seconds (or `seconds`) and return how many signals came meanwhile."""
        before = self.signals
        self.wait_until(lambda: False, self.env.quiet if seconds is None else seconds)
        return self.signals - before

    # Calls into the implementation.

    @contextlib.contextmanager
    def calling(self, what: str, rule_if_it_hangs: str) -> Generator[Call, None, None]:
        """Mark a call into the implementation, so that one that hangs can be named."""
        call = Call(what, rule_if_it_hangs, threading.get_ident())
        with self.news:
            self._calls.append(call)
        try:
            yield call
        finally:
            with self.news:
                self._calls.remove(call)

    def gave(self, what: str, result: object) -> None:
        """Look at what a call gave: a coroutine explains much that is seen broken later."""
        if isinstance(result, types.CoroutineType):
            with self.news:
                if not self._coroutine_from:
                    self.log.add("kit", f"{what} gave a coroutine, which nobody awaits")
                    self._coroutine_from = what

    def asking_author(self, what: str) -> contextlib.AbstractContextManager[Call]:
        """Mark a call of a function that the author gave, such as the factory."""
        return self.calling(what, "")

    def open_question(self) -> Call | None:
        """Return the innermost call of a function of the author's that has not returned."""
        with self.news:
            asked = [call for call in self._calls if not call.rule_if_it_hangs]
            return max(asked, key=lambda call: call.began, default=None)

    def hanging_call(self) -> Call | None:
        """Return the call that has neither returned nor led to a signal for too long.

        A factory may take its time: it is no part of what is verified.
        """
        limit = time.monotonic() - self.env.timeout - self.env.grace
        with self.news:
            if self.last_signal > limit:
                return None
            judged = [call for call in self._calls if call.rule_if_it_hangs]
            stuck = [call for call in judged if call.began < limit]
            # The innermost call of a stack is the one that does not return.
            call = max(stuck, key=lambda call: call.began, default=None)
            if call is not None:
                call.rule_if_it_hangs = self.instead.get(
                    call.rule_if_it_hangs, call.rule_if_it_hangs
                )
            return call

    def on_thread(self, what: str, work: Callable[[], None]) -> threading.Event:
        """Run `work` on a thread of its own and return what is set when it is done."""
        done = threading.Event()

        def run() -> None:
            try:
                work()
            finally:
                done.set()
                with self.news:
                    self.news.notify_all()

        thread = threading.Thread(target=run, name=f"penstock-tck {what}", daemon=True)
        thread.start()
        self.cleanup(lambda: thread.join(self.env.timeout))
        return done

    def contained(self, work: Callable[[], object]) -> None:
        """Run part of a check on a thread of its own, which ends quietly when the check does."""
        with contextlib.suppress(Stopped, Skipped):
            work()

    # The end.

    def cleanup(self, action: Callable[[], None]) -> None:
        """Have `action` called when the check is over, the last one first."""
        with self.news:
            self._cleanups.append(action)

    def close(self) -> None:
        """Run the cleanups and note nothing that happens after."""
        while True:
            with self.news:
                if not self._cleanups:
                    self.closed_at = time.monotonic()
                    return
                action = self._cleanups.pop()
            action()

    def abandon(self) -> None:
        """Close without waiting: something of the implementation hangs."""
        with self.news:
            self.closed_at = time.monotonic()
            actions, self._cleanups = self._cleanups, []
            self.news.notify_all()

        def release() -> None:
            for action in reversed(actions):
                action()

        threading.Thread(target=release, name="penstock-tck cleanup", daemon=True).start()


def where_is(thread: int) -> str:
    """Return the innermost lines that a thread is at, as text: the author's, if it has any."""
    frame = sys._current_frames().get(thread)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    if frame is None:
        return "  (the thread has ended)"
    stack = list(traceback.walk_stack(frame))
    theirs = [place for place in stack if not _is_the_kits(place[0])]
    lines = traceback.StackSummary.extract(reversed((theirs or stack)[:4]))
    return "".join(lines.format()).rstrip()


def _is_the_kits(frame: types.FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return module == "threading" or module.startswith(("penstock.tck.", "penstock.testing."))
