"""Iterating over a flow, blocking and in asyncio: `next` is the demand for one element."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from threading import get_ident
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from penstock.api import Subscription
from penstock.runtime._boundary import ON
from penstock.runtime._caller import CallerLease
from penstock.runtime._event_loop import LoopLease
from penstock.runtime._iterables import SLICE
from penstock.runtime._iterating import iterate
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._wiring import Wiring

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__all__ = ["AsyncIteration", "Iteration"]

AHEAD = 64
"""So many elements at most are requested ahead behind a boundary, whose window somebody has
agreed to. Without one, each element is requested when it is asked for."""

T_co = TypeVar("T_co", covariant=True)


class _Mailbox:
    """The Subscriber behind an iteration."""

    def __init__(self, node: Node) -> None:
        boundary = node.boundary
        crosses = boundary is not None and boundary.op is ON
        self._ahead = min(AHEAD, boundary.arguments[1]) if boundary and crosses else 1
        self._under_way = 0
        self.elements: deque[Any] = deque()
        self.error: BaseException | None = None
        self.over = False
        self.closing = False
        self.wake: Callable[[], object] = _nothing

    def on_subscribe(self, subscription: Subscription, /) -> None:  # noqa: ARG002
        return

    def on_next(self, element: Any, /) -> None:
        self.elements.append(element)
        self.wake()

    def on_error(self, error: Exception, /) -> None:
        self.fail(error)

    def fail(self, error: BaseException) -> None:
        if self.error is None:
            self.error = error
        self.on_complete()

    def left(self) -> None:
        if self.closing:
            self.wake()

    def arrived(self) -> bool:
        return bool(self.elements or self.over)

    def on_complete(self) -> None:
        self.over = True
        self.wake()

    def ask(self, pump: Pump) -> None:
        """Have requested what the next element needs."""
        if self._under_way <= self._ahead >> 1:
            more, self._under_way = self._ahead - self._under_way, self._ahead
            pump.request(more)

    async def arrival(self) -> None:
        """Return when something has arrived."""
        import asyncio

        loop = asyncio.get_running_loop()
        told: asyncio.Future[None] = loop.create_future()

        def settle() -> None:
            if not told.done():
                told.set_result(None)

        self.wake = _waking(loop, settle)
        try:
            if not self.arrived():  # else it came before there was whom to wake
                await told
        finally:
            self.wake = _nothing

    def take(self) -> Any:
        """Return the first element that has come."""
        self._under_way -= 1
        return self.elements.popleft()


class Iteration(Generic[T_co]):
    """An iterator over one run of a flow, and a context manager that closes it.

    What has no boundary upstream runs on the thread that calls `next`. A `for` that is left
    early closes it as well. Raises what the stream fails with.
    """

    def __init__(self, node: Node) -> None:
        self._elements: Generator[T_co, None, None] = (
            iterate(node, Wiring()) if node.depth else _driven(node)
        )

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> T_co:
        return next(self._elements)

    def close(self) -> None:
        """Cancel the run; a second call does nothing."""
        self._elements.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _driven(node: Node) -> Generator[Any, None, None]:
    """Drive a flow that can idle, element by element."""
    lease = CallerLease()
    mailbox = _Mailbox(node)
    wiring = Wiring(lease, on_interrupt=mailbox.fail, on_left=lease.look_up)
    mailbox.wake = lease.look_up
    pump = wiring.attach(node, mailbox, lease)
    elements = mailbox.elements

    try:
        wiring.finish(pump)
        while True:
            if not elements and not mailbox.over:
                mailbox.ask(pump)
                lease.drive(mailbox.arrived)
            if elements:
                yield mailbox.take()
            elif mailbox.error is not None:
                raise mailbox.error
            else:
                return
    finally:
        pump.cancel()
        if wiring.here:
            # What is the caller's ends elsewhere: this thread may never come back to it.
            lease.drive_elsewhere(lambda: not wiring.here)


class _TurnLease:
    """An event loop, on which an iteration runs what is scheduled while it drives."""

    def __init__(self, lease: LoopLease) -> None:
        self._lease = lease
        self.name = lease.name
        self.budget = lease.budget
        self.loop = lease.loop
        self.leave = lease.leave
        self._driver: int | None = None
        self._drains: deque[Callable[[], object]] = deque()

    def schedule(self, drain: Callable[[], object], /) -> None:
        """Keep `drain` for who drives on this thread; else leave it to the loop."""
        if self._driver == get_ident():
            self._drains.append(drain)
        else:
            self._lease.schedule(drain)

    def drive(self, arrived: Callable[[], bool]) -> None:
        """Run what is scheduled on this thread meanwhile, until it `arrived` or is all done."""
        drains = self._drains
        for _ in range(SLICE):
            if not drains or arrived():
                break
            self._driver = get_ident()
            try:
                drains.popleft()()
            finally:
                self._driver = None
        while drains:
            self._lease.schedule(drains.popleft())

    def here(self, request: Callable[[], object]) -> None:
        """Call `request`, and keep what it schedules on this thread."""
        self._driver = get_ident()
        try:
            request()
        finally:
            self._driver = None


class AsyncIteration(Generic[T_co]):
    """An async iterator over one run of a flow, and an async context manager that closes it.

    What has no boundary upstream runs on the loop of the task that iterates. Raises what the
    stream fails with.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        # The run refers to the mailbox, and to nothing here: so this is finalised, and the run
        # cancelled, as soon as a loop that was left drops it.
        self._mailbox: _Mailbox | None = None
        self._closed = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> T_co:

        if self._closed:
            raise StopAsyncIteration
        mailbox = self._mailbox or self._begin()
        if not mailbox.elements and not mailbox.over:
            await self._arrival(mailbox)
        if mailbox.elements:
            element: T_co = mailbox.take()
            return element
        # The loop may be closed next, and with it what still waits for its turn to close.
        await self.aclose()
        if mailbox.error is not None:
            raise mailbox.error
        raise StopAsyncIteration

    async def _arrival(self, mailbox: _Mailbox) -> None:
        """Return when there is an element, or the end."""
        import asyncio

        lease = self._lease
        lease.here(lambda: mailbox.ask(self._pump))
        # What runs on this loop runs right here, as in a loop written by hand.
        lease.drive(mailbox.arrived)
        try:
            if not mailbox.arrived():
                await mailbox.arrival()
            else:
                self._turn += 1
                if self._turn % SLICE == 0:
                    await asyncio.sleep(0)
        except asyncio.CancelledError:
            await self.aclose()
            raise

    def _begin(self) -> _Mailbox:
        from penstock.runtime._event_loop import event_loop

        self._lease = lease = _TurnLease(event_loop().enter())
        self._turn = 0
        self._mailbox = mailbox = _Mailbox(self._node)
        self._wiring = Wiring(lease, on_interrupt=mailbox.fail, on_left=mailbox.left)
        self._pump = self._wiring.attach(self._node, mailbox, lease)
        self._wiring.finish(self._pump)
        return mailbox

    async def aclose(self) -> None:
        """Cancel the run, and return when what runs on this loop is closed."""
        import asyncio

        self._closed = True
        mailbox = self._mailbox
        if mailbox is None:
            return
        mailbox.closing = True
        loop = asyncio.get_running_loop()
        changed = asyncio.Event()
        mailbox.wake = _waking(loop, changed.set)
        self._pump.cancel()
        while self._wiring.here:
            changed.clear()
            if self._wiring.here:
                await changed.wait()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def __del__(self) -> None:
        if self._mailbox is not None and not self._closed:
            self._mailbox.wake = _nothing
            self._pump.cancel()


def _waking(loop: AbstractEventLoop, fn: Callable[[], object]) -> Callable[[], object]:
    """Return what runs `fn` on the loop, from any thread, unless nobody waits there any more."""

    def wake() -> None:
        try:
            loop.call_soon_threadsafe(fn)
        except RuntimeError:
            if not loop.is_closed():
                raise

    return wake


def _nothing() -> None:
    """Wake nobody."""
