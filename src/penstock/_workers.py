"""Daemon threads that come when there is work and go when there is none."""

from __future__ import annotations

import contextvars
import os
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakSet

from penstock._dropped import log_dropped_error

__all__ = ["IDLE", "WorkerCounts", "Workers", "daemon", "drop"]

IDLE = 0.5
"""How many seconds a thread of ours waits for more to do before it ends."""


def daemon(name: str, target: Callable[..., object], *args: object) -> threading.Thread:
    """Return a new daemon thread, not started, whose context is empty on every Python.

    Where threads inherit their starter's context, what that holds would live as long as
    the thread, and whoever came first would choose the ambient clock of all who follow.
    """
    own: dict[str, Any] = {}
    if sys.version_info >= (3, 14):
        own["context"] = contextvars.Context()
    return threading.Thread(target=target, args=args, name=name, daemon=True, **own)


def drop(error: BaseException, where: str) -> None:
    """Hand `error` to `penstock.on_dropped_error`, and bear whatever that raises."""
    import penstock  # late: the package's front door may import us

    try:
        penstock.on_dropped_error(error, where)
    except BaseException as failure:  # noqa: BLE001 - a thread that others need goes on
        log_dropped_error(error, where)
        log_dropped_error(failure, "penstock.on_dropped_error")


class WorkerCounts(NamedTuple):
    """How a pool stands."""

    workers: int
    """Threads that there are."""
    idle: int
    """Those of them that wait for something to do."""
    waiting: int
    """Functions that wait for a thread."""


class _Worker:
    """One thread of a pool, from the decision to start it on."""

    __slots__ = ("given_up", "launched", "number", "wake")

    def __init__(self, number: int) -> None:
        self.number = number
        self.launched = False
        self.given_up = False
        # Locked; who releases it wakes the worker.
        self.wake = threading.Lock()
        self.wake.acquire()


class Workers:
    """A pool of at most `most` daemon threads, started as they are needed.

    `schedule` never blocks, and runs its function exactly once, soon, on one of the
    threads, in that thread's own context. While fewer than `most` threads are busy, no
    function waits for another. What a function raises goes to `penstock.on_dropped_error`.
    A thread that has had nothing to do for half a second ends, the longest idle one first;
    neither then nor while it waits does it refer to anything that it ran. In a forked child
    the pool starts anew, with nothing scheduled.
    """

    # The lock is re-entrant, because garbage collection may run a finalizer that schedules
    # at any point, also where this thread holds the lock. So every step below leaves a
    # state that such a call may find, and whoever is about to wait or to end looks at the
    # work once more after it has said so.

    def __init__(self, most: int, name: str) -> None:
        self.most: int = most
        self.name: str = name
        self.forget()
        _pools.add(self)

    def forget(self) -> None:
        """Forget all work and all threads: for a forked child, where there are none."""
        self._lock = threading.RLock()
        self._work: deque[Callable[[], object]] = deque()
        self._idle: list[_Worker] = []  # the last one waits least: it is woken first
        self._made = 0  # numbers given to workers so far …
        self._free: list[int] = []  # … and those of them that are free again

    def schedule(self, fn: Callable[[], object], /) -> None:
        """Run `fn` soon, exactly once, on a thread of the pool. Callable from anywhere.

        Raises `RuntimeError` if `fn` needs a thread, the pool has none and none can be
        started; `fn` is not run then.
        """
        with self._lock:
            self._work.append(fn)
            if self._idle:
                self._idle.pop().wake.release()
                return
            if self._free:
                number = self._free.pop()
            elif self._made < self.most:
                number = self._made = self._made + 1
            else:
                return  # all are busy, and look for more when they have done
        self._start(_Worker(number), fn)

    def counts(self) -> WorkerCounts:
        """Return how many workers there are, how many are idle, and how many jobs wait."""
        with self._lock:
            return WorkerCounts(self._made - len(self._free), len(self._idle), len(self._work))

    def _start(self, worker: _Worker, fn: Callable[[], object]) -> None:
        try:
            daemon(f"{self.name}-{worker.number}", self._run, worker).start()
        except BaseException as error:
            with self._lock:
                if worker.launched:
                    raise  # Ctrl-C came while we waited for it to start, which it has
                worker.given_up = True
                self._free.append(worker.number)
                if isinstance(error, Exception) and len(self._free) < self._made:
                    return  # the others will get round to it
                for place, one in enumerate(list(self._work)):
                    if one is fn:
                        del self._work[place]
                        break
            raise

    def _run(self, worker: _Worker) -> None:
        with self._lock:
            if worker.given_up:
                return
            worker.launched = True
        while (fn := self._next(worker)) is not None:
            try:
                fn()
            except BaseException as error:  # noqa: BLE001 - nobody else hears of it
                drop(error, f"a function on {self.name}")
            del fn  # or it would live until the next one comes

    def _next(self, worker: _Worker) -> Callable[[], object] | None:
        """Return what is to be run next; wait for it. None if the worker is to end."""
        waited = timed_out = False
        while True:
            with self._lock:
                if waited and worker in self._idle:
                    self._idle.remove(worker)
                if self._work:
                    return self._work.popleft()
                if timed_out:
                    return self._end(worker)
                # Left over if we timed out just as somebody woke us.
                worker.wake.acquire(blocking=False)
                waited = True
                self._idle.append(worker)
                if self._work:
                    continue
            timed_out = not worker.wake.acquire(timeout=IDLE)

    def _end(self, worker: _Worker) -> Callable[[], object] | None:
        self._free.append(worker.number)
        if not self._work or worker.number not in self._free:
            return None  # the latter: another one has been started in its place
        self._free.remove(worker.number)
        return self._work.popleft()


_pools: WeakSet[Workers] = WeakSet()


def _after_fork_in_child() -> None:
    for pool in list(_pools):
        pool.forget()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_after_fork_in_child)
