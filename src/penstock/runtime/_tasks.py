"""Calls of a coroutine function, as tasks of an event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from inspect import iscoroutinefunction
from typing import Any

from penstock.runtime._event_loop import LoopLease
from penstock.runtime._map_async import Call, Calls
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

__all__ = ["TaskCalls"]


class TaskCalls(Calls):
    """A task makes one call after another, as long as there is something to call for.

    If the pump runs on the same event loop, the tasks pull for themselves; else the pump does,
    and sends over what it pulled. Tasks, keys and the end of calls are the loop's only.
    """

    def __init__(self, node: Node, pump: Pump, lease: LoopLease) -> None:
        super().__init__(node, pump)
        self._lease = lease
        self._here = getattr(pump.lease, "loop", None) is lease.loop
        self._call = self.fn if iscoroutinefunction(self.fn) else self._checked
        self._tasks: dict[asyncio.Task[None], None] = {}  # in order
        self._sent: deque[Call] = deque()
        self._queues: dict[Any, deque[Call]] = {}
        self._next: Callable[[], Call | None] = self._pulled if self._here else self._received
        self._staying = False

    async def _checked(self, element: Any) -> Any:
        made = self.fn(element)
        if not hasattr(made, "__await__"):
            raise TypeError(
                f"{self.node.described()} returned a {type(made).__name__}, which can't be "
                "awaited: give a coroutine function, or say where a plain one is to run, such "
                "as on=threads(8)"
            )
        return await made

    # Where the pump runs.

    def begin(self) -> None:
        """Pull what may be begun, and begin it."""
        if self._here:
            while (call := self.pull()) is not None:
                self._start(call)
            return
        sent = self._sent
        before = self._begun
        while (call := self.pull()) is not None:
            sent.append(call)
        if self._begun > before:
            self._lease.schedule(self._start_sent)

    def busy(self) -> bool:
        """Return whether there are tasks."""
        return bool(self._tasks)

    def stop(self) -> None:
        """Cancel all tasks; the last one tells that it has gone."""
        if self._here:
            if self.closed and self._tasks:
                self._stay()
            self._cancel()
        elif self._tasks or self._begun != self.finished:
            if self.closed:
                self._stay()
            try:
                self._lease.schedule(self._cancel)
            except RuntimeError:  # the loop is closed, and its tasks are no more
                self._leave()

    def _stay(self) -> None:
        self.pump.wiring.stay()
        self._staying = True  # only now may the loop's side take it back

    # Where the tasks run.

    def _start_sent(self) -> None:
        while (call := self._received()) is not None:
            self._start(call)

    def _received(self) -> Call | None:
        if self.failure is not None or self.closed:
            self._sent.clear()
            return None
        return self._sent.popleft() if self._sent else None

    def _pulled(self) -> Call | None:
        call = self.pull()
        up: Any = self._up
        if call is None and not self._iterable and up.asking:
            up.settle()  # nobody else does, outside of a drain
            if up.ready():
                call = self.pull()
        return call

    def _start(self, call: Call) -> None:
        if self.per_key is not None and not self._first(call):
            return
        loop = self._lease.loop
        context = self.pump.wiring.context.copy()
        task: asyncio.Task[None] = loop.create_task(self._work(call), context=context)
        self._tasks[task] = None
        task.add_done_callback(self._gone)

    def _first(self, call: Call) -> bool:
        """Return whether no call of this key is under way; else it waits for those."""
        queue = self._queues.get(call[2])
        if queue is None:
            self._queues[call[2]] = deque()
            return True
        queue.append(call)
        return False

    def _after(self, call: Call) -> Call | None:
        """Return the next call, of the same key if one waits."""
        queue = self._queues[call[2]]
        if queue and self.failure is None and not self.closed:
            return queue.popleft()
        del self._queues[call[2]]
        while (other := self._next()) is not None:
            if self._first(other):
                return other
        return None

    async def _work(self, first: Call) -> None:
        fn, pump, keyed, here = self._call, self.pump, self.per_key is not None, self._here
        following, append = self._next, self.results.append
        call: Call | None = first
        while call is not None:
            element, slot, _ = call
            try:
                made = await fn(element)
                if made is None:
                    self.give(call, made)
            except BaseException as error:  # noqa: BLE001 - sorted out in there
                self._failed(error)
                return
            if slot is None:
                append(made)
            else:
                slot.append(made)
            self.finished += 1
            # On this very thread, a pump that is not idle has its drain still before it.
            if pump.idle or not here:
                pump.wake()
            call = self._after(call) if keyed else following()

    def _failed(self, error: BaseException) -> None:
        if isinstance(error, asyncio.CancelledError) and (self.failure or self.closed):
            return  # it was us
        self.fail(error)

    def _cancel(self) -> None:
        self._sent.clear()
        for task in list(self._tasks):
            task.cancel()
        if not self._tasks:
            self._all_gone()

    def _gone(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        if task.cancelled():
            if self.failure is None and not self.closed:
                self.fail(asyncio.CancelledError("somebody cancelled a task of map_async"))
        elif (error := task.exception()) is not None:
            self.fail(error)
        if not self._tasks:
            self._all_gone()

    def _all_gone(self) -> None:
        self.idle()
        self._leave()

    def _leave(self) -> None:
        if self._staying:
            self._staying = False
            self.pump.wiring.gone()
