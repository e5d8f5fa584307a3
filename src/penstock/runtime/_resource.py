"""What runs the work of a segment, as boundaries see it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

__all__ = ["Lease", "Resource"]


class Lease(Protocol):
    """One subscription's hold on a resource."""

    @property
    def name(self) -> str:
        """What `explain()` calls it."""
        ...

    @property
    def budget(self) -> int | None:
        """After so many elements a drain must give way and schedule itself anew."""
        ...

    def schedule(self, fn: Callable[[], object], /) -> None:
        """Run `fn` on the resource, soon and exactly once.

        Callable from any thread and inside `fn`. It never blocks, and never runs `fn` before
        it returns. `fn` runs in no particular context. What it raises goes to
        `penstock.on_dropped_error`. Raises `RuntimeError`, and does not run `fn`, if the
        resource can't run anything any more.
        """
        ...

    def leave(self) -> None:
        """Say that this subscription schedules nothing more. Only the first call counts.

        What has been scheduled before runs nevertheless.
        """
        ...


class Resource(Protocol):
    """Somewhere to run: threads, an event loop."""

    @property
    def name(self) -> str:
        """What `explain()` and error messages call it."""
        ...

    def enter(self) -> Lease:
        """Take part. Called once per subscription, on the thread that subscribes.

        Raises `RuntimeError` if the resource can't run anything.
        """
        ...
