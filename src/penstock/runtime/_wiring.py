"""What all segments of one subscription share, and how they are put together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from functools import partial
from threading import RLock
from typing import Any

from penstock._clock import Clock, current_clock
from penstock.api import Subscriber
from penstock.runtime._boundary import SUBSCRIBE_ON
from penstock.runtime._compile import Form, shape_of
from penstock.runtime._inlet import Inlet
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._resource import Lease, Resource
from penstock.runtime._stage import Stage
from penstock.runtime._trampoline import run_inline

__all__ = ["Wiring", "is_source", "subscribe"]

_NO_PUMPS: dict[Pump, None] = {}


class Wiring:
    """One subscription to a whole flow: its segments, and where they run."""

    __slots__ = (
        "_alive",
        "_clock",
        "_edges",
        "_leases",
        "_lock",
        "_passing",
        "_standing",
        "caller",
        "context",
        "here",
        "on_interrupt",
        "on_left",
    )

    def __init__(
        self,
        caller: Lease | None = None,
        *,
        watched: bool = False,
        on_interrupt: Callable[[BaseException], object] | None = None,
        on_left: Callable[[], object] | None = None,
    ) -> None:
        self.caller: Lease | None = caller
        """Where a segment runs that no boundary is upstream of; None: on whatever thread."""
        self.context: Context = copy_context()
        self.on_interrupt: Callable[[BaseException], object] | None = on_interrupt
        self.on_left: Callable[[], object] | None = on_left
        self.here: int = 0
        """How many segments a run waits for: the last one, and those on the caller's resource."""
        self._edges: dict[Pump, Inlet | None] | None = {} if watched else None
        self._passing: dict[Pump, None] = {} if watched else _NO_PUMPS
        self._standing = False
        self._clock: Clock | None = None
        self._lock = RLock()
        self._leases: dict[object, Lease] | None = None
        self._alive = 0

    @property
    def clock(self) -> Clock:
        """The ambient clock of the subscribing context."""
        if self._clock is None:
            self._clock = self.context.run(current_clock)
        return self._clock

    def lease(self, key: object, resource: Resource) -> Lease:
        """Enter `resource`, once for each `key`; it is left when the last segment is over."""
        with self._lock:
            leases = self._leases
            if leases is None:
                leases = self._leases = {}
            lease = leases.get(key)
            if lease is None:
                lease = leases[key] = resource.enter()
            return lease

    def interrupted(self, error: BaseException) -> bool:
        """Tell the run, if there is one, what ended it that is no Exception."""
        if self.on_interrupt is None:
            return False
        self.on_interrupt(error)
        return True

    def left(self, pump: Pump) -> None:
        """Note that a segment is over; the last one leaves the resources."""
        if self._edges is not None and pump in self._passing:
            with self._lock:
                self._passing.pop(pump, None)
                self._edges.pop(pump, None)
        self._left(self._is_here(pump))
        if pump.afterwards is not None:
            pump.afterwards()

    def _is_here(self, pump: Pump) -> bool:
        """Return whether the run waits for it: nobody runs it once the caller has left."""
        if pump.lease is self.caller or pump.shape.form == "result":
            return True
        loop = getattr(pump.lease, "loop", None)  # entered once more, by a boundary
        return loop is not None and loop is getattr(self.caller, "loop", None)

    def stay(self) -> None:
        """Have the run wait for what a segment that is over has still to end, until `gone`."""
        with self._lock:
            self._alive += 1
            self.here += 1

    def gone(self) -> None:
        """Take back one `stay`."""
        self._left(True)

    def _left(self, here: bool) -> None:
        leases = None
        with self._lock:
            self._alive -= 1
            if here:
                self.here -= 1
            if not self._alive:
                leases, self._leases = self._leases, None
        for lease in (leases or {}).values():
            lease.leave()
        if self.on_left is not None:
            self.on_left()

    def loops(self) -> set[object]:
        """Return the event loops that segments run on."""
        with self._lock:
            leases = list((self._leases or {}).values())
        return {getattr(lease, "loop", None) for lease in leases}

    def stop_sources(self) -> None:
        """End every segment that has no other upstream; what is under way still arrives."""
        for pump, _ in self.edges():
            if is_source(pump):
                pump.stop()

    def edges(self) -> list[tuple[Pump, Inlet | None]]:
        """Return each segment, and the inlet that it feeds, if they are kept for onlookers.

        Those that came while the flow ran are forgotten when they are over.
        """
        with self._lock:
            return list((self._edges or {}).items())

    def attach(
        self,
        node: Node,
        subscriber: Subscriber[Any],
        caller: Lease | None,
        form: Form = "emit",
    ) -> Pump:
        """Build the segment that ends at `node`, and greet `subscriber`."""
        stages: list[Node] = []
        refused: Exception | None = None
        while node.op.__class__ is Stage:
            if node.op is SUBSCRIBE_ON:
                try:
                    caller = self.lease(node, node.arguments[0])
                except Exception as error:  # noqa: BLE001 - it is told once there is whom to tell
                    refused = error
            else:
                stages.append(node)
            node = node.up  # type: ignore[assignment]
        stages.reverse()
        op: Any = node.op
        boundary = node.boundary
        lease = caller
        if boundary is not None:
            try:
                lease = self.lease(boundary, boundary.arguments[0])
            except Exception as error:  # noqa: BLE001 - it is told once there is whom to tell
                refused = error
        make: Any = Pump
        if op.awaits:
            from penstock.runtime._async_pump import AsyncPump
            from penstock.runtime._event_loop import event_loop

            make = AsyncPump
            if not hasattr(lease, "loop"):
                lease = self.lease(event_loop, event_loop())
        if form == "emit" and subscriber.__class__ is Inlet:
            form = "feed"
        shape = shape_of(
            tuple([stage.op for stage in stages]),  # type: ignore[misc]
            form,
            awaits=op.awaits,
            unchecked=getattr(op, "unchecked", False),
        )
        pump: Pump = make(self, node, tuple(stages), shape, lease, caller)
        with self._lock:
            self._alive += 1
            if self._is_here(pump):
                self.here += 1
            if self._edges is not None:
                self._edges[pump] = subscriber if isinstance(subscriber, Inlet) else None
                if self._standing:
                    self._passing[pump] = None
        pump.connect(op.open(node, pump), subscriber)
        if refused is not None:
            pump.halt(refused)
        return pump

    def finish(self, first: Pump) -> None:
        """Have the inlets of `first` subscribe, and theirs, then let everything begin."""
        pumps = [first]
        waiting = deque([first])
        deferred = False
        while waiting:
            pump = waiting.popleft()
            feeds, pump.feeds = pump.feeds, ()
            for publisher, inlet in feeds:
                if isinstance(publisher, Node):
                    above = self.attach(publisher, inlet, pump.caller)
                    pumps.append(above)
                    waiting.append(above)
                else:
                    # Behind it there may be a flow again, and so on, for ever so many.
                    run_inline(partial(inlet.subscribe_to, publisher))
                    deferred = True
        self._standing = True
        for pump in pumps:
            if deferred:
                # Behind what waits for room on the stack: its inlets have to subscribe first.
                run_inline(pump.start)
            else:
                pump.start()

    def grow(self, publisher: Any, inlet: Inlet, caller: Lease | None) -> None:
        """Have `inlet` subscribe to `publisher`, while the flow runs already."""
        if isinstance(publisher, Node):
            self.finish(self.attach(publisher, inlet, caller))
        else:
            inlet.subscribe_to(publisher)


def subscribe(node: Node, subscriber: Subscriber[Any]) -> None:
    """Run `node` anew for `subscriber`, on whatever threads signal."""
    wiring = Wiring()
    wiring.finish(wiring.attach(node, subscriber, None))


def is_source(pump: Pump) -> bool:
    """Return whether no segment of ours is upstream of this one."""
    return not any(isinstance(publisher, Node) for publisher in pump.upstream)
