"""Threads as a resource."""

from __future__ import annotations

from penstock._workers import WorkerCounts, Workers
from penstock.runtime._resource import Lease

__all__ = ["Threads", "threads"]

NAME = "penstock-threads"


class Threads:
    """At most `n` threads, shared by all boundaries that are given this object.

    They start when there is work for them, are daemons, and end when they have had nothing
    to do for half a second: there is nothing to close. A subscription is serial on them, as
    everywhere; several subscriptions run at once. In a forked child none of them exists, and
    what was scheduled in the parent runs only there.
    """

    __slots__ = ("__weakref__", "_workers")

    def __init__(self, n: int, name: str | None = None) -> None:
        """See `threads`."""
        if not isinstance(n, int) or isinstance(n, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"threads(n) needs a whole number of threads, not {n!r}")
        if n < 1:
            raise ValueError(f"threads(n) needs at least one thread, not {n}")
        if not isinstance(name, str | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"threads(n, name) needs a str as name, not {name!r}")
        self._workers = _LeasedWorkers(n, NAME if name is None else name)

    @property
    def name(self) -> str:
        """What its threads are called, to which `-1`, `-2` and so on are added."""
        return self._workers.name

    @property
    def n(self) -> int:
        """How many threads there are at most."""
        return self._workers.most

    def counts(self) -> WorkerCounts:
        """Return how many threads there are, how many are idle, and what waits for one."""
        return self._workers.counts()

    def enter(self) -> Lease:
        """Return the lease, which all subscriptions share: idle threads end in any case."""
        return self._workers

    def __repr__(self) -> str:
        name = "" if self.name == NAME else f", {self.name!r}"
        workers, idle, waiting = self.counts()
        return f"<threads({self.n}{name}): {workers - idle} busy, {idle} idle, {waiting} waiting>"


class _LeasedWorkers(Workers):
    """The pool, which is its own lease: a drain is scheduled with one call less."""

    budget: int | None = None

    def leave(self) -> None:
        """Do nothing."""


def threads(n: int, name: str | None = None) -> Threads:
    """Return a resource of at most `n` threads, which are called `name-1`, `name-2` and so on.

    No thread starts before there is work for it. Boundaries share the threads if they are
    given the same object. Raises `TypeError` or `ValueError` if `n` is no int of at least 1,
    or `name` no str.
    """
    return Threads(n, name)
