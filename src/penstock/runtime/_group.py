"""One group of a stream that was parted: where its elements wait, and its subscriber's side."""

from __future__ import annotations

from collections.abc import Iterator
from operator import length_hint
from threading import Lock
from typing import TYPE_CHECKING, Any

from penstock.runtime._compile import EMPTY
from penstock.runtime._iterables import SLICE
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

if TYPE_CHECKING:
    from penstock.runtime._router import Router

__all__ = ["GroupOrigin", "Outlet"]


class Outlet:
    """A group. It is the head of its subscriber's segment, and what that pump looks after.

    The router's owner adds elements and ends it; all else is the owner's of the group's pump.
    """

    __slots__ = (
        "_batch",
        "_in_hand",
        "_starved",
        "abandoned",
        "closed",
        "done",
        "error",
        "hungry",
        "key",
        "pump",
        "router",
        "untouched",
        "waiting",
    )

    def __init__(self, router: Router, key: Any) -> None:
        self.router = router
        self.key = key
        self.waiting: list[Any] = []
        self.pump: Pump | None = None
        """Its subscriber's; None before anybody has subscribed."""
        self.hungry = False
        """Whether its subscriber has demand and nothing to do; the router's owner knows."""
        self.untouched = True
        """Whether no element has left it yet."""
        self.abandoned = False
        """Whether nobody can subscribe any more, since nobody has the flow."""
        self.closed = False
        self.done = False
        self.error: Exception | None = None
        self._batch: Iterator[Any] = iter(EMPTY)
        self._in_hand = 0
        self._starved = False

    def next(self) -> Any:
        """Return what waits, EMPTY if nothing does, None if nothing will."""
        done = self.done  # before what waits: that came before the end
        waiting = self.waiting
        self._count()
        n = min(len(waiting), SLICE)
        if not n:
            if not done:
                self._starved = True
                return EMPTY
            if self.error is not None:
                raise self.error
            return None
        batch = waiting[:n]
        del waiting[:n]
        self._in_hand = n
        self._batch = iter(batch)
        return self._batch

    def _count(self) -> None:
        """Tell the router what has left."""
        left = length_hint(self._batch)
        used = self._in_hand - left
        if used:
            self._in_hand = left
            self.untouched = False
            self.router.took(used)

    def ended(self) -> bool:
        """Return whether the group is over and all of it was taken."""
        self._count()  # the subscriber has no demand, so it may be long till the next time
        return self.done and self.error is None and not self.waiting and not self._in_hand

    def settle(self) -> None:
        """Ask the router for more, now that the group's pump is idle."""
        router = self.router
        if self._starved:
            self._starved = False
            router.news.append(self)
            router.wake()
        elif router.full:
            router.wake()

    def ready(self) -> bool:
        """Return whether `next` has something new to say."""
        return bool(self.waiting) or self.done

    def holds(self) -> bool:
        """Return whether elements wait that somebody is there to take."""
        return self.pump is not None and bool(self.waiting or self._in_hand)

    def finish(self, error: Exception | None) -> None:
        """End the group; called by the router's owner."""
        if self.done:
            return
        self.error = error
        self.done = True
        pump = self.pump
        if pump is not None:
            if error is not None:
                pump.alarm = error
            pump.wake()

    def close(self) -> None:
        """Leave what was not taken to the router."""
        self._count()
        self.waiting[:0] = list(self._batch)  # the router puts nothing before what waits
        self.closed = True
        self.router.news.append(self)
        self.router.wake()


class GroupOrigin:
    """The operator that a group's flow begins with: it can be subscribed to once."""

    awaits = False

    def __init__(self, name: str, outlet: Outlet) -> None:
        self.name = name
        self.outlet = outlet
        self._lock = Lock()

    def open(self, node: Node, pump: Pump) -> Any:
        """Return the group as a head, to the first who asks."""
        outlet = self.outlet
        with self._lock:
            first = outlet.pump is None
            if first:
                outlet.pump = pump
        if not first:
            return _Taken(node.described())
        pump.inlets = (outlet,)
        if outlet.error is not None:
            pump.alarm = outlet.error
        return outlet

    def __del__(self) -> None:
        outlet = self.outlet
        if outlet.pump is None:
            outlet.abandoned = True
            outlet.router.left_alone()


class _Taken:
    """What a second subscriber gets."""

    def __init__(self, described: str) -> None:
        self._described = described

    def next(self) -> Any:
        raise RuntimeError(
            f"a group of {self._described} has a subscriber already, and can have one only: "
            "share() it"
        )

    def ended(self) -> bool:
        """Raise: an error never waits for demand (R.7)."""
        return bool(self.next())

    def close(self) -> None:
        return
