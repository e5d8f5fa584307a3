"""The event loop for those that subscribe where none runs."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

from penstock._workers import IDLE, daemon, drop

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = ["BACKGROUND_LOOP", "BackgroundLoop"]


class BackgroundLoop:
    """One loop on one daemon thread, which are there while somebody needs them.

    They end half a second after the last one left. Tasks that are still there then are
    cancelled, as `asyncio.run` does it.
    """

    def __init__(self) -> None:
        self._abandoned: list[object] = []
        self._begin()

    def _begin(self) -> None:
        # Re-entrant: a finalizer may leave wherever garbage is collected.
        self._lock = threading.RLock()
        self._loop: AbstractEventLoop | None = None
        self._users = 0

    def forget(self) -> None:
        """Forget the loop: for a forked child, where it has no thread.

        It isn't closed or collected either: the child shares its selector with the parent.
        """
        self._abandoned.append(self._loop)
        self._begin()

    def owns(self, loop: AbstractEventLoop) -> bool:
        """Return whether that is the loop, which ends unless whoever runs on it has entered."""
        return self._loop is loop

    def enter(self) -> AbstractEventLoop:
        """Return the loop, which runs until this and all other users have left.

        Raises what making a loop or starting a thread may raise.
        """
        import asyncio

        with self._lock:
            loop = self._loop
            if loop is not None:
                self._users += 1
                return loop
            loop = self._loop = asyncio.new_event_loop()
            self._users = 1
        try:
            daemon("penstock-event-loop", self._run, loop).start()
        except Exception:
            with self._lock:
                self._loop = None
                self._users = 0
            loop.close()
            raise
        return loop

    def leave(self, loop: AbstractEventLoop) -> None:
        """Take back one `enter` that returned `loop`."""
        with self._lock:
            if self._loop is not loop:
                return  # this is a forked child
            self._users -= 1
            if self._users == 0:
                loop.call_soon_threadsafe(loop.call_later, IDLE, self._end, loop)

    def _end(self, loop: AbstractEventLoop) -> None:
        with self._lock:
            if self._users == 0 and self._loop is loop:
                self._loop = None  # who enters from now on gets a new one
                loop.stop()

    def _run(self, loop: AbstractEventLoop) -> None:
        while self._needs(loop):
            try:
                loop.run_forever()
            except (KeyboardInterrupt, SystemExit) as error:
                # Not Ctrl-C, which goes to the main thread: some task's own.
                drop(error, "the background event loop")
        try:
            _cancel_tasks(loop)
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())
        except (KeyboardInterrupt, SystemExit) as error:
            drop(error, "the background event loop")
        finally:
            loop.close()

    def _needs(self, loop: AbstractEventLoop) -> bool:
        with self._lock:
            return self._loop is loop


def _cancel_tasks(loop: AbstractEventLoop) -> None:
    import asyncio

    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    if tasks:
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
    for task in tasks:
        if not task.cancelled() and (error := task.exception()) is not None:
            drop(error, f"{task.get_name()}, cancelled with the background event loop")


BACKGROUND_LOOP = BackgroundLoop()
"""The one that is shared."""

if sys.platform != "win32":
    os.register_at_fork(after_in_child=BACKGROUND_LOOP.forget)
