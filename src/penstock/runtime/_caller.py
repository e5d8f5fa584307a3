"""The caller's thread as a resource: it runs what was scheduled while it waits."""

from __future__ import annotations

from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import monotonic

from penstock.runtime._threads import threads

__all__ = ["CallerLease"]


class CallerLease:
    """A queue of drains, which whoever drives the flow takes from."""

    name = "caller"
    budget = None

    def __init__(self) -> None:
        self._queue: SimpleQueue[Callable[[], object] | None] = SimpleQueue()
        self.schedule: Callable[[Callable[[], object]], None] = self._queue.put

    def look_up(self) -> None:
        """Let the one who drives see whether it is over."""
        self._queue.put(None)

    def drive(self, over: Callable[[], bool], deadline: float | None = None) -> None:
        """Run what is scheduled until it is `over`. Raises `TimeoutError` at the deadline."""
        get = self._queue.get
        while not over():
            if deadline is None:
                drain = get()
            else:
                try:
                    drain = get(timeout=max(0.0, deadline - monotonic()))
                except Empty:
                    raise TimeoutError(
                        "the run is not over yet; call result() again to drive it on"
                    ) from None
            if drain is not None:
                drain()

    def drive_elsewhere(self, over: Callable[[], bool]) -> None:
        """Let a thread of ours drive on, since the caller has left."""
        threads(1, name="penstock-run").enter().schedule(lambda: self.drive(over))

    def leave(self) -> None:
        """Do nothing: the thread is the caller's."""
