"""A run: what a terminal returns, and what drives the flow.

Invariants, under the run's lock, which is not held while the flow is put together or driven:

* One caller begins it: whoever changed `_begun`. A `cancel` or `stop` that comes while it begins
  is noted, and carried out when the pump stands.
* One thread at a time drives what is the caller's: whoever changed `_driving`. When it leaves
  before the end while others count on it, somebody else drives on.
* It is done when its last segment on the caller's resource is over, and only once.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Generator
from time import monotonic
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock.api import UNBOUNDED, Subscriber, Subscription
from penstock.flow._stats import Stats, explained, snapshot
from penstock.runtime._caller import CallerLease
from penstock.runtime._inlet import Inlet
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._resource import Lease
from penstock.runtime._threads import threads
from penstock.runtime._wiring import Wiring

if TYPE_CHECKING:
    import asyncio

__all__ = ["Run"]

R_co = TypeVar("R_co", covariant=True)

_MISSING: Any = object()


class Run(Generic[R_co]):
    """One execution of a flow by a terminal. Nothing happens before it is driven.

    `result()` drives it on this thread, `await run` on this event loop, `start()` in the
    background; each of them may follow another, and all see the same result.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._lock = threading.RLock()
        self._wiring: Wiring | None = None
        self._pump: Pump | None = None
        self._queue: CallerLease | None = None
        self._begun = False
        self._driving = False
        self._waiting = 0
        """How many wait in `result` while somebody else drives."""
        self._cancelled = False
        self._stopped = False
        self._used = False
        self._outcome = _Outcome()
        self._began = 0.0
        self._looked_at = 0.0
        self._delivered: dict[int, int] = {}
        self._done = threading.Event()
        self._waiters: list[Callable[[], object]] = []

    # Driving it.

    def result(self, timeout: float | None = None) -> R_co:
        """Drive the run on this thread until it is over, and return its result.

        Raises what the stream failed with; `TimeoutError` after `timeout` seconds, while the
        run stays as it is; `CancelledError` (of `concurrent.futures`) if it was cancelled;
        `RuntimeError` on a thread whose event loop the run itself is waiting for.
        """
        deadline = None if timeout is None else monotonic() + timeout
        with self._lock:
            begin = self._claim()
            if begin:
                self._queue = CallerLease()
        try:
            if begin:
                self._begin(self._queue)
                self._check_loop()
            self._drive(deadline)
        except BaseException as error:
            if not isinstance(error, TimeoutError | RuntimeError):
                self.cancel()  # Ctrl-C: nobody drives it any more
            raise
        return self._given(_cancelled)

    def _claim(self) -> bool:
        """Return whether it is the caller who is to begin."""
        with self._lock:
            if self._begun or self._done.is_set():
                return False
            self._begun = True
            return True

    def _check_loop(self) -> None:
        events = sys.modules.get("asyncio.events")  # if nobody imported it, no loop runs
        running = None if events is None else events._get_running_loop()  # noqa: SLF001
        if running is not None and self._wiring is not None and running in self._wiring.loops():
            self.cancel()
            raise RuntimeError(
                "result() would block the event loop that the flow itself runs on: await the run"
            )

    def _drive(self, deadline: float | None) -> None:
        """Run what is scheduled on this thread, or wait for who does, until all is over."""
        with self._lock:
            lease = self._queue
            mine = lease is not None and not self._driving
            if mine:
                self._driving = True
            else:
                self._waiting += 1
        if not mine or lease is None:
            left = None if deadline is None else deadline - monotonic()
            try:
                if not self._done.wait(left):
                    raise TimeoutError("the run is not over yet; it goes on")
            finally:
                with self._lock:
                    self._waiting -= 1
            return
        try:
            lease.drive(self._done.is_set, deadline)
        finally:
            with self._lock:
                self._driving = False
                counted_on = self._cancelled or self._waiting or self._waiters
            if counted_on:  # by somebody who came while this thread was driving
                self._hand_over()

    def start(self) -> Run[R_co]:
        """Drive the run in the background, and return it. A second call does nothing."""
        if self._claim():
            self._begin(threads(1, name="penstock-run").enter())
        return self

    def __await__(self) -> Generator[Any, None, R_co]:
        """Drive the run on the running event loop, and return its result.

        Cancelling the task that awaits cancels the run, and waits until its sources are
        closed. Raises what the stream failed with, `asyncio.CancelledError` if the run was
        cancelled.
        """
        return self._awaited().__await__()

    async def _awaited(self) -> R_co:
        import asyncio

        from penstock.runtime._event_loop import event_loop

        loop = asyncio.get_running_loop()
        over: asyncio.Future[None] = loop.create_future()

        def settle() -> None:
            if not over.done():
                over.set_result(None)

        def tell() -> None:
            try:
                loop.call_soon_threadsafe(settle)
            except RuntimeError:  # the loop was closed: nobody awaits any more
                return

        with self._lock:
            if not self._done.is_set():
                self._waiters.append(tell)
            else:
                settle()
        if self._claim():
            self._begin(event_loop(loop).enter())
        self._hand_over()
        try:
            await asyncio.shield(over)
        except asyncio.CancelledError:
            self.cancel()
            await _in_any_case(over)
            raise
        return self._given(lambda: asyncio.CancelledError("the run was cancelled"))

    def _hand_over(self) -> None:
        """Have somebody drive what `result(timeout)` left behind."""
        with self._lock:
            lease = self._queue
            if lease is None or self._driving or self._done.is_set():
                return
            self._driving = True
        lease.drive_elsewhere(self._done.is_set)

    def _begin(self, lease: Lease | None) -> None:
        self._used = True
        self._began = monotonic()
        self._wiring = wiring = Wiring(
            lease, watched=True, on_interrupt=self._outcome.interrupted, on_left=self._look
        )
        try:
            pump = wiring.attach(self._node, self._outcome, lease, "result")
        except BaseException:
            self._finish()  # or others would wait for what never comes
            raise
        with self._lock:
            self._pump = pump
            cancelled = self._cancelled
        if cancelled:
            pump.cancel()
        wiring.finish(pump)
        if self._stopped:
            wiring.stop_sources()
        self._look()

    # What becomes of it.

    def cancel(self) -> None:
        """Cancel the run, soon: its sources are closed where they run. Raises nothing."""
        with self._lock:
            self._cancelled = self._used = True
            pump = self._pump
            if pump is None:
                if not self._begun:
                    self._finish()
                return  # else who begins it sees that it is cancelled
        pump.cancel()
        self._hand_over()

    def stop(self) -> None:
        """End the sources, and let what is under way arrive; then the run completes."""
        with self._lock:
            self._stopped = True
            wiring = self._wiring
        if wiring is not None:
            wiring.stop_sources()

    def done(self) -> bool:
        """Return whether the run is over, however it ended."""
        return self._done.is_set()

    def stats(self) -> Stats:
        """Return a snapshot of every edge. Cheap; nothing is counted that isn't anyway."""
        with self._lock:
            now = monotonic()
            edges = self._edges()
            began = self._began or now
            since, before = now - (self._looked_at or began), self._delivered
            self._looked_at, self._delivered = now, {id(pump): pump.emitted for pump, _ in edges}
        return snapshot(edges, now - began, before, since)

    def explain(self) -> str:
        """Return a line for each edge; of a stalled run, which edge has no demand, and why."""
        if self._wiring is None:
            return "the run was not started"
        return explained(self._edges(), self.stats())

    def _edges(self) -> list[tuple[Pump, Inlet | None]]:
        wiring = self._wiring
        return [] if wiring is None else wiring.edges()

    def subscribe(self, subscriber: Subscriber[R_co], /) -> None:
        """Run the flow anew for `subscriber`, to whom the result is the one element.

        Raises `TypeError` for None.
        """
        self.as_publisher().subscribe(subscriber)

    def as_publisher(self) -> Any:
        """Return the flow of one element that the result is."""
        self._used = True
        return self._node

    def _look(self) -> None:
        """See whether the result is there, and nothing of the caller's is left to do."""
        with self._lock:
            wiring, pump = self._wiring, self._pump
            if pump is not None and pump.over and wiring is not None and not wiring.here:
                self._finish()

    def _finish(self) -> None:
        with self._lock:
            if self._done.is_set():
                return
            self._done.set()
            waiters, self._waiters = self._waiters, []
            queue = self._queue
        if queue is not None:
            queue.look_up()
        for tell in waiters:
            tell()

    def _given(self, cancelled: Callable[[], BaseException]) -> R_co:
        if self._outcome.error is not None:
            raise self._outcome.error
        if self._outcome.value is _MISSING:
            raise cancelled()
        value: R_co = self._outcome.value
        return value

    def __repr__(self) -> str:
        state = "over" if self.done() else "not started" if self._wiring is None else "under way"
        return f"<Run {self._node.chain()}: {state}>"

    def __del__(self) -> None:
        if not getattr(self, "_used", True):
            warnings.warn(
                f"a run of {self._node.described()} was never started: call result() or "
                "start(), or await it",
                RuntimeWarning,
                stacklevel=2,
                source=self,
            )


class _Outcome:
    """The Subscriber of a run's one result, and what became of it."""

    def __init__(self) -> None:
        self.value: Any = _MISSING
        self.error: BaseException | None = None

    def on_subscribe(self, subscription: Subscription, /) -> None:
        subscription.request(UNBOUNDED)

    def on_next(self, element: Any, /) -> None:
        self.value = element

    def on_error(self, error: Exception, /) -> None:
        if self.error is None:
            self.error = error

    def interrupted(self, error: BaseException) -> None:
        self.error = error

    def on_complete(self) -> None:
        return


def _cancelled() -> BaseException:
    from concurrent.futures import CancelledError  # slow to import, and seldom needed

    return CancelledError("the run was cancelled")


async def _in_any_case(over: asyncio.Future[None]) -> None:
    """Wait for `over`, also if the waiting task is cancelled once more."""
    import asyncio

    while not over.done():
        try:
            await asyncio.shield(over)
        except asyncio.CancelledError:
            continue
