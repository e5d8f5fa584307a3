"""One run of a flow for several subscribers: `share`, `publish` and `replay`."""

from __future__ import annotations

from functools import partial
from threading import RLock
from typing import Any

from penstock.runtime._cursor import Cursor
from penstock.runtime._intake import Intake
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._ring import Policy, Ring

__all__ = ["Shared"]


class Shared:
    """What its subscribers share. One of these belongs to one node."""

    awaits = False

    def __init__(
        self,
        name: str,
        capacity: int,
        policy: Policy,
        *,
        keep: int = 0,
        keep_alive: bool = False,
        by_hand: bool = False,
    ) -> None:
        self.name = name
        self._capacity = capacity
        self._policy: Policy = policy
        self._keep = keep
        self._keep_alive = keep_alive
        self._by_hand = by_hand
        self._run: _Run | None = None
        self._lock = RLock()

    def open(self, node: Node, pump: Pump) -> Cursor:
        """Return a cursor, which finds its place when the subscriber was greeted."""
        cursor = Cursor(pump)
        pump.feed(partial(self._seat, node), cursor)
        return cursor

    def begin(self, node: Node) -> None:
        """Begin the run that those who are here wait for; nothing if it is under way."""
        self._current(node).begin()

    def _seat(self, node: Node, cursor: Cursor) -> None:
        if self._by_hand:
            self._seat_in_the_last(node, cursor)
            return
        while True:
            run = self._current(node)
            if run.ring.join(cursor):
                run.begin()
                return

    def _seat_in_the_last(self, node: Node, cursor: Cursor) -> None:
        # Who comes too late must hear so: nobody may ever begin another run.
        with self._lock:
            run = self._run or self._current(node)
        if not run.ring.join(cursor):
            error = f"{node.described()} is over: its last subscriber left; connect() it anew"
            cursor.pump.halt(RuntimeError(error))

    def _current(self, node: Node) -> _Run:
        """Return the run that goes on; a new one if it has ended, or the last one left it."""
        with self._lock:
            run = self._run
            if run is None or run.ring.shut or run.ring.over():
                ring = Ring(
                    self._capacity,
                    self._policy,
                    self._keep,
                    keep_alive=self._keep_alive,
                    described=node.described,
                )
                run = self._run = _Run(ring, node)
            return run


class _Run:
    """One run of what is upstream."""

    def __init__(self, ring: Ring, node: Node) -> None:
        self.ring = ring
        self._node = node
        self._begun = False

    def begin(self) -> None:
        """Subscribe upstream, once, on whatever threads signal."""
        from penstock.runtime._wiring import subscribe

        ring = self.ring
        with ring.lock:
            if self._begun:
                return
            self._begun = True
        intake = Intake(ring)
        upstream: Any = self._node.up
        try:
            subscribe(upstream, intake)
        except Exception as error:  # noqa: BLE001 - such as a resource that is gone
            ring.finish(error)
