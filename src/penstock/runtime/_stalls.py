"""Subscribers of one ring that wait for each other: found, and ended with an error.

A ring is full, because of one subscriber who takes nothing more. That one feeds a junction
that waits for another of its inputs, and that input waits for this very ring: all of it would
stand still for ever. A diamond of `share` and `zip` does it if one of its sides drops much.

It is a stall for certain only if nobody on that way can move. The way is walked twice; counts
never go back, so if both walks saw the same, it was so at one time. If somebody on it can
still move, the pumps on the way tell when they have gone idle, and it is walked anew.
"""

from __future__ import annotations

from typing import Final

from penstock.runtime._compile import DEMAND, INPUT
from penstock.runtime._cursor import Cursor
from penstock.runtime._inlet import Inlet
from penstock.runtime._pump import RUNNING, Pump
from penstock.runtime._ring import Ring

__all__ = ["StallGuard"]

NEED_ALL: Final = frozenset({"zip"})
"""Junctions that stand still if one input does."""

NEED_ANY: Final = frozenset({"merge", "concat", "combine_latest", "with_latest_from", "flat_map"})
"""Junctions that stand still only if all inputs do. Of others (timers, tasks) nobody knows."""

DEEPEST: Final = 100
"""So many segments in a row are looked through."""


class StallGuard:
    """Looks at one ring, when it is full while somebody is hungry."""

    def __init__(self, ring: Ring) -> None:
        self._ring = ring
        self._looking = False
        self._again = False
        self._watching: list[Pump] = []
        self._cleared: tuple[int, int] | None = None
        """Where the ring was when all who hold it up were found to be outsiders."""

    def look(self) -> None:
        """End the stream with an error if its subscribers wait for each other."""
        with self._ring.lock:
            if self._looking:
                self._again = True
                return
            self._looking = True
        while True:
            self._look()
            with self._ring.lock:
                if not self._again:
                    self._looking = False
                    return
                self._again = False

    def _look(self) -> None:
        watching, self._watching = self._watching, []
        for pump in watching:
            pump.watch = None
        ring = self._ring
        where = (ring.tail, ring.slowest)
        if where == self._cleared:
            return
        first = _Walk(ring)
        junction = first.junction()
        if junction is None:
            if not first.met:
                if first.outsiders:
                    self._cleared = where
                return
            # Set before the second walk, so that whoever moved since the first one is seen
            # by it, and whoever moves after it sees this.
            self._watching = first.met
            for pump in first.met:
                pump.watch = self.look
            first = _Walk(ring)
            junction = first.junction()
            if junction is None:
                return
        second = _Walk(ring)
        if second.junction() is not junction or second.seen != first.seen:
            self._again = True
            return
        ring.finish(
            RuntimeError(
                f"{ring.described()} is stuck: its buffer of {ring.capacity} is full of elements "
                f"that {junction.origin.described()} takes only once it gets some from another "
                "subscriber, which waits for elements behind them; give it a larger buffer"
            )
        )
        ring.on_room()  # which cancels upstream


class _Walk:
    """One walk, and the counts of all that it came by."""

    def __init__(self, ring: Ring) -> None:
        self._ring = ring
        self.seen: list[tuple[object, ...]] = []
        self.met: list[Pump] = []
        """The pumps on the way, for whom the ring is not the one to wait."""
        self.outsiders = False

    def junction(self) -> Pump | None:
        """Return the pump that waits for the ring while the ring waits for it, if one does."""
        ring = self._ring
        with ring.lock:
            if ring.done or ring.shut or ring.asked or not ring.hungry or ring.room() > 0:
                return None
            self.seen.append((ring.tail, ring.slowest))
            holders = ring.holders()
        self.outsiders = True
        for cursor in holders:
            pump = self._held_by(cursor.pump)
            if pump is not None and self._starves(pump, 0):
                return pump
        return None

    def _held_by(self, pump: Pump) -> Pump | None:
        """Return whose wait for input it is that leaves `pump` without demand."""
        while True:
            inlet = pump.subscriber
            idle = self._idle(pump)
            if not isinstance(inlet, Inlet):
                return None
            pump = inlet.pump
            self.met.append(pump)
            if idle != DEMAND or inlet.asking:
                return None
            if self._idle(pump) == INPUT:
                return pump

    def _starves(self, pump: Pump, depth: int) -> bool:
        """Return whether `pump` gets no further before the ring does."""
        self.met.append(pump)
        if self._idle(pump) != INPUT or depth > DEEPEST:
            return False
        waiting = [
            inlet
            for inlet in pump.inlets
            if not (inlet.ready() or (isinstance(inlet, Inlet) and inlet.done))
        ]
        stuck = [self._is_dry(inlet, depth + 1) for inlet in waiting]
        name = pump.origin.op.name
        if name in NEED_ALL:
            return any(stuck)
        if name in NEED_ANY or pump.head.__class__ in (Inlet, Cursor):
            return bool(stuck) and all(stuck)
        return False

    def _is_dry(self, inlet: object, depth: int) -> bool:
        """Return whether nothing comes out of `inlet` before the ring has room."""
        if isinstance(inlet, Cursor):
            ring = inlet.ring
            if ring is self._ring:
                return inlet in ring.hungry
            source = ring.upstream()  # another ring is dry if what fills it is
        elif isinstance(inlet, Inlet):
            source = None if inlet.asking else inlet.source
        else:
            return False
        return isinstance(source, Pump) and self._starves(source, depth)

    def _idle(self, pump: Pump) -> int:
        idle = pump.idle
        if idle != RUNNING:
            self.seen.append((id(pump), idle, pump.requested, pump.emitted))
        return idle
