"""An asyncio event loop as a resource."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from penstock._workers import drop
from penstock.runtime._background_loop import BACKGROUND_LOOP

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = ["BUDGET", "EventLoop", "LoopLease", "event_loop"]

BUDGET = 256
"""After so many elements a drain lets the loop's other tasks have their turn."""


class EventLoop:
    """An event loop as a resource. See `event_loop`."""

    __slots__ = ("__weakref__", "_loop")

    def __init__(self, loop: AbstractEventLoop | None = None) -> None:
        """See `event_loop`."""
        if loop is not None:
            from asyncio import AbstractEventLoop

            if not isinstance(loop, AbstractEventLoop):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise TypeError(
                    f"event_loop(loop) needs an asyncio event loop or None, not {loop!r}"
                )
        self._loop = loop

    @property
    def name(self) -> str:
        """What `explain()` and errors call it."""
        return "event loop"

    def enter(self) -> LoopLease:
        """Return a lease on the loop that was given, or else is right for this thread.

        Raises `RuntimeError` if the loop that was given is closed.
        """
        from asyncio import events

        if self._loop is not None:
            if self._loop.is_closed():
                raise _closed(self._loop)
            return LoopLease(self.name, self._loop)
        running = events._get_running_loop()  # noqa: SLF001 - asyncio exports it
        if running is not None and not BACKGROUND_LOOP.owns(running):
            return LoopLease(self.name, running)
        return LoopLease("background event loop", BACKGROUND_LOOP.enter(), BACKGROUND_LOOP.leave)

    def __repr__(self) -> str:
        return f"<event_loop({'' if self._loop is None else repr(self._loop)})>"


class LoopLease:
    """One subscription's hold on an event loop."""

    __slots__ = ("_leave", "_running", "budget", "loop", "name")

    def __init__(
        self,
        name: str,
        loop: AbstractEventLoop,
        leave: Callable[[AbstractEventLoop], None] | None = None,
    ) -> None:
        from asyncio import events

        self.name: str = name
        self.budget: int | None = BUDGET
        self.loop: AbstractEventLoop = loop
        """The loop itself."""
        self._leave = [] if leave is None else [leave]
        # As fast where no loop runs; `get_running_loop` raises then.
        self._running = events._get_running_loop  # noqa: SLF001 - asyncio exports it

    def schedule(self, fn: Callable[[], object], /) -> None:
        """Run `fn` in one of the loop's next passes. See `Lease.schedule`.

        Raises `RuntimeError` if the loop is closed. A loop that is not running keeps `fn`
        until it runs.
        """
        loop = self.loop
        try:
            if self._running() is loop:
                loop.call_soon(_run, fn)
            else:
                loop.call_soon_threadsafe(_run, fn)
        except RuntimeError as error:
            if loop.is_closed():
                raise _closed(loop) from error
            raise

    def leave(self) -> None:
        """Say that this subscription needs the loop no longer. Only the first call counts."""
        try:
            leave = self._leave.pop()  # atomic, so that two threads don't leave twice
        except IndexError:
            return
        leave(self.loop)

    def __del__(self) -> None:
        # A stream that was neither ended nor cancelled becomes garbage with all it holds.
        self.leave()


def _closed(loop: AbstractEventLoop) -> RuntimeError:
    return RuntimeError(
        f"the event loop {loop!r} is closed: a stream that runs on it has to end before it does"
    )


def _run(fn: Callable[[], object]) -> None:
    try:
        fn()
    except (KeyboardInterrupt, SystemExit):
        raise  # somebody pressed Ctrl-C: it ends the loop, as anywhere in asyncio
    except BaseException as error:  # noqa: BLE001 - nobody else hears of it
        drop(error, "a function on an event loop")


def event_loop(loop: AbstractEventLoop | None = None) -> EventLoop:
    """Return a resource that runs work on an asyncio event loop.

    That is `loop`; for None, the loop that runs on the thread that subscribes; and if none
    does, one of penstock's own, on a thread that is there as long as subscriptions need it
    and half a second more. Raises `TypeError` at once if `loop` is no event loop.
    """
    return EventLoop(loop)
