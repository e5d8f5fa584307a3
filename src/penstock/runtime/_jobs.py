"""Calls of a plain function, on a resource such as threads."""

from __future__ import annotations

from collections import deque
from functools import partial
from typing import Any

from penstock.runtime._map_async import Call, Calls
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._resource import Lease

__all__ = ["JobCalls"]


class JobCalls(Calls):
    """A job for each call. A call that is under way can't be cancelled; its end is awaited."""

    def __init__(self, node: Node, pump: Pump, lease: Lease) -> None:
        super().__init__(node, pump)
        self._lease = lease
        self._jobs = 0
        self._queues: dict[Any, deque[Call]] = {}
        self._staying = False

    def begin(self) -> None:
        """Pull what may be begun, and schedule it."""
        while (call := self.pull()) is not None:
            with self.lock:
                if self.per_key is not None:
                    queue = self._queues.get(call[2])
                    if queue is not None:
                        queue.append(call)
                        continue
                    self._queues[call[2]] = deque()
                self._jobs += 1
            try:
                self._lease.schedule(partial(self._job, call))
            except BaseException:
                with self.lock:
                    self._jobs -= 1
                raise

    def busy(self) -> bool:
        """Return whether there are jobs."""
        return self._jobs > 0

    def stop(self) -> None:
        """Have no more calls made, and the run wait for those that are under way."""
        with self.lock:
            if self.closed and self._jobs and not self._staying:
                self._staying = True
                self.pump.wiring.stay()

    def _job(self, first: Call) -> None:
        call: Call | None = first
        while call is not None:
            if self.failure is None and not (self.closed or self.pump.halted):
                try:
                    self._make(call)
                except BaseException as error:  # noqa: BLE001 - it is the stream's
                    self.fail(error)
            call = self._after(call)
            if call is not None:
                self.pump.wake()
        with self.lock:
            self._jobs -= 1
            last = not self._jobs
            staying = last and self._staying
            if staying:
                self._staying = False
        if last:
            self.idle()
        else:
            self.pump.wake()
        if staying:
            self.pump.wiring.gone()

    def _make(self, call: Call) -> None:
        # A context of its own for each call: one can't be entered twice.
        made = self.pump.wiring.context.copy().run(self.fn, call[0])
        if hasattr(made, "__await__"):
            close = getattr(made, "close", None)
            if close is not None:
                close()  # or it would warn that nobody has awaited it
            raise TypeError(
                f"{self.node.described()} returned a {type(made).__name__}, which is to be "
                "awaited: leave out `on`, and it runs on the flow's event loop"
            )
        self.give(call, made)
        with self.lock:
            self.finished += 1

    def _after(self, call: Call) -> Call | None:
        """Return the call of the same key that has waited longest."""
        if self.per_key is None:
            return None
        with self.lock:
            queue = self._queues[call[2]]
            if queue and self.failure is None and not self.closed:
                return queue.popleft()
            del self._queues[call[2]]
            return None
