"""The pump: what the standard asks of emission, kept in one place.

A pump is the Subscription of one segment. It resumes the segment's generated loop, which
signals downstream while there is demand and says why it stops: for demand, for input, or to
let others have a turn.

Invariants:

* One thread at a time resumes the loop: whoever changed `idle` to RUNNING under the lock. What
  happens meanwhile sets `missed`, and the loop is resumed once more.
* Before it goes idle for input, it looks at its inlets after having said so, and whoever adds
  to an inlet looks at `idle` after having added: one of the two sees the other.
* `requested` is written under the lock, `emitted` by the loop's owner alone. An `alarm` is looked
  at before `requested`: what was asked for before an error came is delivered before it.
* What halts the stream (`halted`, `_stopping`, `_verdict`) is changed under the lock. A stop ends
  the source only: it is taken once, and one that comes too late changes nothing.
* After `over`, nothing is signalled, and neither the subscriber nor the source is referenced.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any, Final

from penstock.api import UNBOUNDED, Subscriber
from penstock.runtime._above import pumps_above
from penstock.runtime._compile import AGAIN, DEMAND, INPUT, SINK, Finished, Shape
from penstock.runtime._head import GONE, Head
from penstock.runtime._iterables import IterableHead
from penstock.runtime._loop import made
from penstock.runtime._node import Node
from penstock.runtime._notes import none_made, note, owner_of
from penstock.runtime._resource import Lease
from penstock.runtime._telling import drop, refusal, tell
from penstock.runtime._trampoline import run_inline

if TYPE_CHECKING:
    from penstock.runtime._wiring import Wiring

__all__ = ["OVER", "RUNNING", "Pump"]

RUNNING: Final = 0
OVER: Final = 4
"""Values of `idle`, beside DEMAND and INPUT."""

STEP: Final = 1024
"""The loop reports what it emitted at least that often, for those who look at figures."""


class Pump:
    """The Subscription of one segment, and what runs its loop."""

    __slots__ = (
        "__weakref__",
        "_in_context",
        "_lock",
        "_loop",
        "_missed",
        "_stopping",
        "_verdict",
        "afterwards",
        "alarm",
        "caller",
        "emitted",
        "feeds",
        "halted",
        "head",
        "idle",
        "inlets",
        "lease",
        "nodes",
        "origin",
        "requested",
        "shape",
        "sliced",
        "subscriber",
        "upstream",
        "watch",
        "wiring",
    )

    def __init__(
        self,
        wiring: Wiring,
        origin: Node,
        nodes: tuple[Node, ...],
        shape: Shape,
        lease: Lease | None,
        caller: Lease | None,
    ) -> None:
        self.wiring: Wiring = wiring
        self.origin: Node = origin
        self.nodes: tuple[Node, ...] = nodes
        self.shape: Shape = shape
        self.lease: Lease | None = lease
        self.caller: Lease | None = caller
        """Where segments upstream run that no boundary is upstream of."""
        self.sliced: bool = shape.sliced or (lease is not None and lease.budget is not None)
        """Whether the head has to give at most SLICE elements at a time."""
        self.feeds: tuple[tuple[Any, Any], ...] = ()
        self.requested: int = 0
        self.emitted: int = 0
        self.idle: int = RUNNING
        self.halted: bool = False
        self.alarm: BaseException | None = None
        """An error that came in and must not wait for demand (R.7)."""
        self.inlets: tuple[Any, ...] = ()
        self.upstream: tuple[Any, ...] = ()
        self.afterwards: Callable[[], object] | None = None
        """Called once the last signal was sent."""
        self.watch: Callable[[], object] | None = None
        """Called when it has gone idle; see `_stalls`."""
        self._lock = RLock()  # re-entrant, for finalisers and signal handlers that cancel
        self._missed = False
        self._stopping = False
        self._verdict: Exception | None = None

    def connect(self, head: Head, subscriber: Subscriber[Any]) -> None:
        """Make the loop and greet the subscriber; `start` has to follow."""
        self.head: Head = head
        self.subscriber: Subscriber[Any] | None = subscriber
        self._loop: Any = made(self.shape, self, head, subscriber, self.nodes)
        # A context can't be entered twice, so each pump has a copy of its own, which only the
        # owner of the loop enters, and leaves before it lets go of the loop.
        self._in_context = self.wiring.context.copy().run
        try:
            subscriber.on_subscribe(self)
        except BaseException as error:  # noqa: BLE001 - sorted out in there
            self._faulty(error)

    def feed(self, publisher: Any, inlet: Any) -> None:
        """Have `inlet` subscribe to `publisher`, once this segment stands."""
        self.inlets = (*self.inlets, inlet)
        self.upstream = (*self.upstream, publisher)
        self.feeds = (*self.feeds, (publisher, inlet))

    def start(self) -> None:
        """Begin, with what was requested in `on_subscribe`; or else with the first request."""
        if self.idle == OVER:
            return
        if not self.requested and type(head := self.head) is IterableHead and not head.ended():
            # Nothing can come before somebody asks.
            with self._lock:
                if not self._missed:
                    self.idle = DEMAND
                    return
        self._go()

    def request(self, n: int, /) -> None:
        """Add to the demand, and deliver what can be delivered."""
        if (n.__class__ is not int and (n is True or not isinstance(n, int))) or n < 1:
            self.halt(refusal(n))
            return
        with self._lock:
            self.requested = min(self.requested + n, UNBOUNDED)
            if self.idle == RUNNING:
                self._missed = True
                return
            if self.idle == OVER:
                return
            self.idle = RUNNING
        self._go()

    def cancel(self) -> None:
        """End the stream; only an element that is being made just now still arrives."""
        with self._lock:
            if self.halted and not self._stopping:
                return
            self._stopping = False
            self.halted = True
        self._wake_to_leave()

    def halt(self, verdict: Exception) -> None:
        """End the stream with this error before its next element."""
        with self._lock:
            if (self.halted and not self._stopping) or self.idle == OVER:
                return
            self._verdict = verdict
            self.halted = True
        self._wake_to_leave()

    def stop(self) -> None:
        """End the source: what is under way is still delivered, then the stream completes."""
        with self._lock:
            if self.halted or self.idle == OVER:
                return
            self._stopping = self.halted = True
        self._wake_to_leave()

    def _wake_to_leave(self) -> None:
        """Wake this segment, and cancel those above, which may hold the thread it waits for."""
        above = pumps_above(self)
        self.wake()
        for pump in above:
            pump.cancel()

    @property
    def over(self) -> bool:
        """Whether the last signal was sent, or nobody wants it."""
        return self.idle == OVER

    def leave(self) -> bool:
        """Return True if the stream is cancelled; raise Finished if only its source ends."""
        if self._takes_stop():
            raise Finished
        return True

    def _takes_stop(self) -> bool:
        """Return whether only the source was to end, and the stream may go on to its end."""
        with self._lock:  # or a cancel that comes right now would be taken back
            if not self._stopping or self._verdict is not None:
                return False
            self._stopping = self.halted = False
            return True

    def settle(self, result: Any) -> None:
        """Hand over the result of a run, which may be None."""
        subscriber = self.subscriber
        if subscriber is not None:
            self.emitted = 1
            subscriber.on_next(result)

    def more(self, emitted: int) -> int:
        """Count what was emitted, and return how many may be emitted now."""
        self.emitted = total = self.emitted + emitted
        requested = self.requested
        if requested == UNBOUNDED:
            return STEP
        left = requested - total
        if left:
            return min(left, STEP)
        if self.halted:
            return 1  # the loop looks at `halted` next
        if self.alarm is not None:
            # What was asked for meanwhile, and so maybe before the error came, goes before it.
            left = self.requested - total
            if not left:
                raise self.alarm
        return min(left, STEP)

    def demand(self) -> int:
        """Return what was requested and not yet delivered."""
        return UNBOUNDED if self.requested == UNBOUNDED else self.requested - self.emitted

    def none_made(self, stage: int) -> TypeError:
        """Return the error for a stage, or a source, that made None."""
        if stage >= 0:
            return none_made(self.nodes[stage], "; filter_map drops it")
        return none_made(self.origin, "")

    def wake(self) -> None:
        """Have the loop look again, because something came in."""
        if self._claim():
            self._go()

    def wake_here(self) -> None:
        """As `wake`, for who runs on this pump's resource already: the loop looks now."""
        if self._claim():
            run_inline(self._run)

    def _claim(self) -> bool:
        """Return whether the caller has to run the loop now; else it is noted, or too late."""
        with self._lock:
            if self.idle == RUNNING:
                self._missed = True
            elif self.idle != OVER:
                self.idle = RUNNING
                return True
            return False

    def _go(self) -> None:
        if self.lease is None:
            run_inline(self._run)
            return
        try:
            self.lease.schedule(self._run)
        except RuntimeError as error:  # the resource is gone; nothing else can run the loop
            if self.halted and not self._stopping:
                self._returned()
            else:
                self._ended_on(error)

    def _run(self) -> None:
        loop, in_context = self._loop, self._in_context
        while True:
            try:
                reason = in_context(next, loop)
            except StopIteration:
                in_context(self._returned)
                return
            except BaseException as error:  # noqa: BLE001 - sorted out in there
                in_context(self._failed, error)
                return
            if reason is AGAIN:
                self._go()
                return
            with self._lock:
                if self._missed:
                    self._missed = False
                    continue
                self.idle = reason
            for inlet in self.inlets:
                inlet.settle()
            if (watch := self.watch) is not None:  # read once: who looks takes it away
                watch()
            if reason != INPUT or not any(inlet.ready() for inlet in self.inlets):
                return
            with self._lock:
                if self.idle in (RUNNING, OVER):
                    return
                # What was there before, and left where it is, is for somebody else to wake for.
                if not any(getattr(inlet, "news", inlet.ready)() for inlet in self.inlets):
                    return
                self.idle = RUNNING
            if self.lease is not None:
                self._go()  # others on the resource have their turn before
                return

    def _cancelled(self) -> bool:
        """Whether nobody wants to hear of the end. A stop that came too late is no cancel."""
        return self.halted and not self._stopping and self._verdict is None

    def _returned(self) -> None:
        """Finish after the loop came to its end, or stopped because it was told to."""
        subscriber, error = self._let_go()
        verdict = self._verdict
        try:
            if verdict is not None or self._cancelled():
                if error is not None:
                    drop(error, "closing the source after a cancel")
                if verdict is not None and subscriber is not None:
                    tell(subscriber, verdict, self.wiring)
            elif subscriber is not None:
                tell(subscriber, error, self.wiring)
        finally:
            self.wiring.left(self)

    def _failed(self, error: BaseException) -> None:
        owner = owner_of(error, self._loop.gi_code, self.shape)
        if owner == SINK:
            self._faulty(error)
            return
        if owner is not None and error is not self.alarm:
            note(error, self.nodes[owner] if owner >= 0 else self.origin)
        self._ended_on(error)

    def _ended_on(self, error: BaseException) -> None:
        if lost := sum(inlet.lost() for inlet in self.inlets if hasattr(inlet, "lost")):
            error.add_note(f"{lost} elements that nobody had asked for were dropped (rule R.7)")
        subscriber, closing = self._let_go()
        if closing is not None:
            drop(closing, "closing the source after an error")
        told, run_knows = error, True
        if not isinstance(error, Exception):
            told = RuntimeError(f"{type(error).__name__} was raised inside the stream")
            told.__cause__ = error
            run_knows = self.wiring.interrupted(error)  # before anybody sees what it is told as
        try:
            if subscriber is not None and isinstance(told, Exception) and not self._cancelled():
                tell(subscriber, told, self.wiring)
            elif told is error:
                drop(error, "a stream that was cancelled")
        finally:
            self.wiring.left(self)
        if not run_knows:
            raise error

    def _faulty(self, error: BaseException) -> None:
        """Treat the stream as cancelled, since its subscriber raised (rule 2.13)."""
        self.halted = True
        _, closing = self._let_go()
        if closing is not None:
            drop(closing, "closing the source")
        self.wiring.left(self)
        if isinstance(error, Exception):
            drop(error, "a Subscriber, which must not raise (rule 2.13)")
        elif not self.wiring.interrupted(error):
            raise error

    def _let_go(self) -> tuple[Subscriber[Any] | None, Exception | None]:
        """Forget everybody, and return the subscriber and what closing the source raised."""
        with self._lock:
            subscriber, self.subscriber = self.subscriber, None
            self.idle = OVER
            head = self.head
            self.alarm = None
        loop: Any = self._loop
        self._loop = None
        closing: Exception | None = None
        try:
            if loop is not None:
                loop.close()
            head.close()
        except Exception as error:  # noqa: BLE001 - the caller says what becomes of it
            closing = error
        self.head = GONE
        self.inlets = ()
        return subscriber, closing
