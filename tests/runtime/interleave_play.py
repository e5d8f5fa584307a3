"""One play: threads of which one runs at a time, and a schedule that says which."""

from __future__ import annotations

import os
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from tests.runtime.interleave_points import Access, points_of

__all__ = ["Choice", "Lease", "Play", "Player", "Schedule"]

Schedule = tuple[tuple[int, int], ...]
"""At which step which thread goes on, where it is not the one that would anyway."""

MOST_STEPS = 20_000
"""A play of more steps is one that never ends."""

MOST_TOUCHED = 200_000
"""As well, of things touched, shared or not."""

PATIENCE = 20.0
"""Seconds without the end of a play, after which a thread waits for something of its own."""

UNTRACED = ("_check.py", "_compile.py", "_notes.py", "_stage.py", "_write.py", "_writer.py")
FOLDERS = (f"penstock{os.sep}flow", f"penstock{os.sep}runtime")
TOYS = "test_interleavings_explorer.py"


class Aborted(BaseException):
    """Unwinds the threads of a play that has failed."""


class Player:
    """One thread of a play."""

    def __init__(self, number: int, body: Callable[[], object], *, helper: bool) -> None:
        self.number = number
        self.body = body
        self.helper = helper
        """Whether it may be waiting when the play ends."""
        self.baton = threading.Semaphore(0)
        self.finished = False
        self.until: Callable[[], object] | None = None
        self.timed = False

    def can_go(self) -> bool:
        return not self.finished and (self.until is None or bool(self.until()))


@dataclass
class Choice:
    """A step at which others might have gone on."""

    step: int
    forced: bool
    others: list[int]


class Play:
    """One play of a scenario by one schedule."""

    on_stage: Play | None = None

    def __init__(self, schedule: Schedule, shared: set[str], *, log: bool = False) -> None:
        self.players: list[Player] = []
        self.dropped: list[tuple[BaseException, str]] = []
        """What was handed to `penstock.on_dropped_error`."""
        self.problem: str | None = None
        self.log: list[str] | None = [] if log else None
        self.choices: list[Choice] = []
        self.seen: set[tuple[int, Access]] = set()
        self._shared = shared
        self._schedule = deque(schedule)
        self._since = schedule[-1][0] if schedule else -1
        self._steps = 0
        self._touched = 0
        self._now: Player | None = None
        self._over = False
        self._end = threading.Semaphore(0)

    # What scenarios call.

    def thread(self, *bodies: Callable[[], object]) -> None:
        """Add a thread that calls these one after the other."""
        self._add(lambda: [body() for body in bodies], helper=False)

    def lease(self, name: str = "stage", budget: int | None = None) -> Lease:
        """Add a thread that runs what is scheduled on the lease that this returns."""
        lease = Lease(self, name, budget)
        self._add(lease.work, helper=True)
        return lease

    def here(self, what: str = "here") -> None:
        """Let others have a turn, if this is one of the threads."""
        if self._now is not None:
            self.point(what)

    def wait(self, until: Callable[[], object], *, timed: bool = False, ends: bool = False) -> bool:
        """Wait; return False if it is `timed` and time was up, or `ends` with the play."""
        me = self._now
        if me is None:
            assert until(), "the thread that sets the scene must not wait"
            return True
        while not until():
            if self.problem:
                raise Aborted
            if self._over:
                if ends:
                    return False
                raise Aborted
            me.until, me.timed = until, timed
            self._go_on_with(self._next(), me)
            me.until, me.timed = None, False
            if timed and not until():
                return False
        return True

    # The stage.

    def _add(self, body: Callable[[], object], *, helper: bool) -> None:
        self.players.append(Player(len(self.players), body, helper=helper))

    def run(self, check: Callable[[], object]) -> None:
        """Play, then check. What went wrong is the `problem`."""
        Play.on_stage = self
        threads = [threading.Thread(target=self._perform, args=(p,)) for p in self.players]
        for thread in threads:
            thread.daemon = True
            thread.start()
        self._now = first = self._next()
        assert first is not None
        first.baton.release()
        if not self._end.acquire(timeout=PATIENCE):
            frames = sys._current_frames()
            raise AssertionError(
                "a thread waits for something that the scheduler doesn't know:\n"
                + "\n".join(
                    "".join(traceback.format_stack(frames[t.ident])[-8:])
                    for t in threads
                    if t.ident in frames
                )
            )
        for thread in threads:
            thread.join()
        self._now = None
        if self.problem is None:
            try:
                check()
            except AssertionError as error:
                self.problem = f"afterwards: {error}"
            except Exception as error:  # noqa: BLE001 - told with the schedule
                self.problem = f"afterwards: {error!r}"

    def _perform(self, me: Player) -> None:
        me.baton.acquire()
        sys.settrace(_traced)
        try:
            if self.problem is None:
                me.body()
        except Aborted:
            pass
        except BaseException as error:  # noqa: BLE001 - told with the schedule
            where = "".join(traceback.format_exception(error))
            self._fail(f"thread {me.number} raised {error!r}:\n{where}")
        finally:
            sys.settrace(None)
        me.finished = True
        other = self._next()
        if other is None:
            self._end.release()
        else:
            self._now = other
            other.baton.release()

    def fail(self, problem: str) -> None:
        """End the play, because this was observed."""
        self._fail(problem)
        raise Aborted

    def _fail(self, problem: str) -> None:
        if self.problem is None:
            self.problem = problem
            self._over = True

    def point(self, what: object) -> None:
        """Let another thread go on, if the schedule says so."""
        self._steps = step = self._steps + 1
        if self._over or step > MOST_STEPS:
            if step % MOST_STEPS == 1:
                self.fail("it goes on for ever")
            return
        me = self._now
        assert me is not None
        if step > self._since:
            others = [p.number for p in self.players if p is not me and (p.can_go() or p.timed)]
            if others:
                self.choices.append(Choice(step, False, others))
        elif step == self._schedule[0][0]:
            other = self._scheduled(me)
            if self.log is not None:
                self.log.append(f"thread {me.number} stops before {_described(what)}")
            self._go_on_with(other, me)

    def _go_on_with(self, other: Player | None, me: Player) -> None:
        if other is None or other is me:
            return
        if self.log is not None:
            self.log.append(f"thread {other.number} goes on")
        self._now = other
        other.baton.release()
        me.baton.acquire()
        if self.problem:
            raise Aborted

    def _next(self) -> Player | None:
        """Return who goes on, when the one that ran can't. None: nobody is left."""
        left = [p for p in self.players if not p.finished]
        if not left:
            return None
        if self._over:
            return left[0]
        self._steps = step = self._steps + 1
        ready = [p for p in left if p.can_go()]
        waiting = [p for p in left if p.timed and p not in ready]
        if not ready and not waiting:
            stuck = [p.number for p in left if not p.helper]
            if stuck:
                self._fail(f"deadlock: thread {stuck} of {len(self.players)} waits for ever")
            self._over = True
            return left[0]
        chosen = (ready or waiting)[0]
        if step > self._since:
            others = [p.number for p in ready + waiting if p is not chosen]
            if others:
                self.choices.append(Choice(step, True, others))
        elif step == self._schedule[0][0]:
            chosen = self._scheduled(chosen)
        return chosen

    def _scheduled(self, otherwise: Player) -> Player:
        """Return whom the schedule names. Where sets are run through, it may differ at times."""
        player = self.players[self._schedule.popleft()[1]]
        waits = player.timed and not player.finished
        return player if player.can_go() or waits else otherwise

    def touch(self, access: Access, what: object) -> None:
        """Note what is touched, and let others have a turn if it is shared."""
        me = self._now
        if me is None:
            return
        self.seen.add((me.number, access))
        self._touched += 1
        if self._touched % MOST_TOUCHED == 0:
            self.fail("it goes on for ever")
        if access[0] in self._shared:
            self.point(what)


def _described(what: object) -> str:
    if not isinstance(what, FrameType):
        return str(what)
    name, _ = _points(what)[what.f_lasti]
    return f"{name} in {what.f_code.co_name}, {Path(what.f_code.co_filename).name}:{what.f_lineno}"


class Lease:
    """A lease, and a resource, of one thread; it runs what is scheduled, in order."""

    def __init__(self, play: Play, name: str, budget: int | None) -> None:
        self.play = play
        self.name = name
        self.budget = budget
        self.queue: deque[Callable[[], object]] = deque()
        self.entered = 0
        self.left = 0

    def enter(self) -> Lease:
        self.entered += 1
        return self

    def schedule(self, fn: Callable[[], object], /) -> None:
        self.play.here(f"schedule on {self.name}")
        if self.left and self.left == self.entered:
            self.play.fail(f"scheduled on {self.name} after it was left")
        self.queue.append(fn)

    def leave(self) -> None:
        self.left += 1

    def work(self) -> None:
        while self.play.wait(lambda: self.queue, ends=True):
            self.queue.popleft()()


# The switch points: every thread of a play is traced, instruction by instruction.

_known: dict[object, tuple[dict[int, Access], Any]] = {}


def _points(frame: FrameType) -> dict[int, Access]:
    code = frame.f_code
    return _known[code.co_filename, code.co_linetable, code.co_name][0]


def _traced(frame: FrameType, _event: str, _argument: object) -> Any:
    code = frame.f_code
    key = code.co_filename, code.co_linetable, code.co_name
    known = _known.get(key)
    if known is None:
        points = points_of(code) if _is_ours(code.co_filename) else {}
        known = _known[key] = points, _local(points)
    if not known[0]:
        return None
    frame.f_trace_lines = False
    frame.f_trace_opcodes = True
    return known[1]


def _is_ours(filename: str) -> bool:
    folder, name = os.path.split(filename)
    if filename.startswith("<penstock segment"):
        return True
    return (folder.endswith(FOLDERS) and name not in UNTRACED) or name == TOYS


def _local(points: dict[int, Access]) -> Any:
    get = points.get

    def local(frame: FrameType, event: str, _argument: object) -> Any:
        if event == "opcode":
            access = get(frame.f_lasti)
            if access is not None:
                play = Play.on_stage
                if play is not None:
                    play.touch(access, frame)
        return local

    return local
