"""The pump of a segment whose head is an async iterable: its loop is a task."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from penstock.api import Subscriber
from penstock.runtime._compile import DEMAND, SINK
from penstock.runtime._head import Head
from penstock.runtime._loop import GLOBALS
from penstock.runtime._notes import note, owner_of
from penstock.runtime._pump import OVER, Pump
from penstock.runtime._telling import drop

__all__ = ["AsyncPump"]

GLOBALS["CancelledError"] = asyncio.CancelledError


class AsyncPump(Pump):
    """Runs the loop as a task of its event loop. All else is the pump's."""

    __slots__ = ("_task", "_waiter")

    def connect(self, head: Head, subscriber: Subscriber[Any]) -> None:
        """Make the loop and greet the subscriber; `start` has to follow."""
        self._task: asyncio.Task[None] | None = None
        self._waiter: asyncio.Future[None] | None = None
        super().connect(head, subscriber)

    @property
    def _event_loop(self) -> asyncio.AbstractEventLoop:
        lease: Any = self.lease
        loop: asyncio.AbstractEventLoop = lease.loop
        return loop

    def start(self) -> None:
        """Have the task made, on the event loop."""
        if self.idle != OVER:
            self._schedule(self._begin)

    def _schedule(self, fn: Any) -> None:
        lease: Any = self.lease
        try:
            lease.schedule(fn)
        except RuntimeError as error:  # the loop is closed: nobody is left to close the source
            self._loop.close()
            if self._cancelled():
                self._returned()
            else:
                self._ended_on(error)

    def _begin(self) -> None:
        loop: asyncio.AbstractEventLoop = self._event_loop
        task = loop.create_task(self._main(), context=self.wiring.context.copy())
        task.add_done_callback(self._vanished)

    def _vanished(self, _: object) -> None:
        """End the stream if somebody cancelled the task before its first step."""
        if self.idle != OVER:
            with suppress(asyncio.CancelledError):  # the task itself has told who asks
                self._ended_on(asyncio.CancelledError())

    async def _main(self) -> None:
        # Known only once it has begun: a task that is cancelled before is never run at all.
        self._task = asyncio.current_task()
        loop = self._loop
        head: Any = self.head
        failure: BaseException | None = None
        try:
            await loop
        except asyncio.CancelledError as error:
            # Our own cancel, or somebody's who cancels all tasks of the loop.
            failure = None if self.halted else error
        except BaseException as error:  # noqa: BLE001 - sorted out below
            failure = error
        self._task = None  # from here on, nobody interrupts
        closing: BaseException | None = None
        try:
            await head.aclose()
        except BaseException as error:  # noqa: BLE001 - it ends the stream, or is reported
            closing = error
        if failure is None and closing is not None and not self._cancelled():
            failure = closing
        elif closing is not None:
            drop(closing, "closing the source")
        if failure is None:
            self._returned()
            return
        owner = owner_of(failure, loop.cr_code, self.shape)
        if owner == SINK:
            self._faulty(failure)
            return
        if owner is not None and failure is not self.alarm:
            note(failure, self.nodes[owner] if owner >= 0 else self.origin)
        self._ended_on(failure)

    async def wait(self) -> None:
        """Return when there is something new: demand, or the end."""
        with self._lock:
            if self._missed:
                self._missed = False
                return
            self._waiter = waiter = self._event_loop.create_future()
            self.idle = DEMAND
        await waiter

    async def breathe(self) -> None:
        """Let others have a turn."""
        await asyncio.sleep(0)

    def cancel(self) -> None:
        """End the stream before its next signal, also while its source is awaited."""
        super().cancel()
        self._stop()

    def stop(self) -> None:
        """End the source, also while it is awaited."""
        super().stop()
        self._stop()

    def halt(self, verdict: Exception) -> None:
        """End the stream with this error, also while its source is awaited."""
        super().halt(verdict)
        self._stop()

    def _stop(self) -> None:
        if self.idle != OVER:
            self._schedule(self._interrupt)

    def _interrupt(self) -> None:
        task = self._task
        if task is not None and self._waiter is None:  # else it looks up by itself
            task.cancel()

    def quit(self) -> bool:
        """Return whether it was interrupted only to end the source."""
        return self._takes_stop()

    def _go(self) -> None:
        self._schedule(self._resumed)

    def _resumed(self) -> None:
        waiter, self._waiter = self._waiter, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None)
