"""What parts a stream: a segment of its own, which puts each element into its group.

It goes on as long as there is somebody to take elements: the one who takes the groups, or
the subscriber of one of them. It takes an element from upstream if one of these has demand
and nothing to do, and if fewer than `window` elements wait in all groups together. So it
stands still if those that wait belong to groups that nobody subscribes to; that is an error,
at once if it is certain, or after a while in which nothing moved.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from operator import length_hint
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from penstock.runtime._compile import EMPTY
from penstock.runtime._flat_map import FlatMapHead
from penstock.runtime._group import GroupOrigin, Outlet
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._inputs import forget, is_iterable
from penstock.runtime._iterables import SLICE, certainly_empty, certainly_some
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._patience import Patience
from penstock.runtime._pump import Pump
from penstock.runtime._stage import Stage
from penstock.runtime._stage_names import MISSING

if TYPE_CHECKING:
    from penstock.runtime._groups import GroupsHead

__all__ = ["Router"]

LEAST: Final = 64
"""So many elements are put into groups before their subscribers are told, twice as many the
next time, and so on, if the elements are there already."""

SHOWN: Final = 5
"""So many groups are named in an error."""

Make = Callable[[Any, GroupOrigin, Node], Any]
"""Makes the flow of a group: its key, its operator, and the node that it is a group of."""


class Router:
    """The operator and the head of the segment that parts, made for one run of it."""

    awaits = False

    def __init__(self, node: Node, window: int, make: Make) -> None:
        self.name = node.op.name
        self.news: deque[Outlet | None] = deque()
        """Groups that are hungry, or closed; None for the one who takes the groups."""
        self.opened: deque[Any] = deque()
        """Groups that nobody has got yet."""
        self.full = False
        self.main: GroupsHead
        self.outlets: dict[Any, Outlet] = {}
        self._node = node
        self.window = window
        self._make = make
        self.pump: Pump | None = None
        self._child: Head | None = None
        self._current: Iterator[Any] = iter(EMPTY)
        self._hungry: dict[Outlet, None] = {}  # in their order
        self._main_hungry = False
        self._finished: list[Outlet] = []
        self._expected = 0
        self._routed = 0
        self._since = 0
        """How many were put into groups since their subscribers were told."""
        self._chunk = LEAST
        self._taken = 0
        self._lock = Lock()
        self._stall = Patience(self)

    def segment(self, stage: Stage, *arguments: Any) -> Node:
        """Return what is to be subscribed to, so that it runs."""
        return self._like(stage, self._like(self, self._node.up, self._node.arguments), arguments)

    def _like(self, op: Any, up: Node | None, arguments: tuple[Any, ...]) -> Node:
        node = Node()
        node.op = op
        node.up = up
        node.arguments = arguments
        node.place = self._node.place
        node.boundary = self._node.boundary
        node.depth = 0
        return node

    def open(self, node: Node, pump: Pump) -> Router:
        """Return itself: it is made for one run."""
        self.pump = pump
        up = node.up
        if is_iterable(up):
            self._child = child(up, _Unsliced(pump), self.window)
        else:
            self._child = inlet = Inlet(pump, self.window)
            pump.feed(up, inlet)
        return self

    def route(self, x: Any) -> Outlet | None:
        """Put one element into its group, and return that, if there is one."""
        raise NotImplementedError

    def leave(self, outlet: Outlet) -> None:
        """Part with a group whose subscriber has cancelled, or got all of it."""
        raise NotImplementedError

    def opening(self, key: Any) -> Outlet:
        """Return a new group, for whoever takes the groups to get."""
        outlet = self.outlets[key] = Outlet(self, key)
        self.opened.append(self._make(key, GroupOrigin(self.name, outlet), self._node))
        if self._child is None:
            self.finished(outlet)  # upstream has ended already
        return outlet

    def finished(self, outlet: Outlet) -> None:
        """Have a group end, once who waits is told."""
        self._finished.append(outlet)

    # What the subscribers of the groups tell, from wherever they run.

    def took(self, n: int) -> None:
        """Count what has left the groups."""
        with self._lock:
            self._taken += n

    def wake(self) -> None:
        """Look for news."""
        if self.pump is not None:
            self.pump.wake()

    def left_alone(self) -> None:
        """Learn that nobody has a group's flow any more."""
        if self.main.closed or self.full or self._child is None:
            self.wake()

    # The head of the segment.

    def next(self) -> Any:
        """Return elements to be put into groups; then tell who waits for them."""
        self._routed += self._expected
        self._since += self._expected
        self._expected = 0
        if self._since < self._chunk and certainly_some(self._current):
            room = min(self._room(), self._chunk - self._since)
            if room > 0:
                return self._some(room)
        while True:
            self._listen()
            self._tell()
            if self.news:
                continue
            if self._over():
                return None
            room = self._room_for_some()
            if not room:
                self._check_failed()
                return EMPTY
            if certainly_some(self._current):
                self._chunk = min(2 * self._chunk, self.window)
                return self._some(min(room, self._chunk))
            if certainly_empty(self._current):
                batch = self._more(room)
                if batch is EMPTY:
                    return EMPTY
                if batch is None:
                    self._child_ended()
                else:
                    self._current = iter(batch)
            elif not self._one_by_one(self._current):
                return iter(())  # for the loop to see that it is cancelled

    def _room_for_some(self) -> int:
        """Return how many elements may be taken: none if nobody asks for them."""
        if self._child is None or not (self._main_hungry or self._hungry):
            return 0
        room = self._room()
        self.full = room <= 0
        if self.full:
            # Looked at once more, since who takes elements first does it, then looks at `full`.
            room = self._room()
            self.full = room <= 0
            if self.full:
                self._stall.check(certain=self._is_stuck())
        return max(0, room)

    def _check_failed(self) -> None:
        """Raise what upstream failed with: an error never waits for demand (R.7)."""
        child = self._child
        if isinstance(child, Inlet) and child.error is not None:
            raise child.error

    def _more(self, room: int) -> Any:
        child = self._child
        if isinstance(child, Inlet):
            child.window = room  # what is under way waits as well
        return None if child is None else child.next()

    def _some(self, n: int) -> Iterator[Any]:
        """Return elements that are there already, as many as the segment may take in one go."""
        self._expected = n = min(n, SLICE, length_hint(self._current))
        return islice(self._current, n)

    def _one_by_one(self, iterator: Iterator[Any]) -> bool:
        """Put elements of an iterable that may be slow into groups, and tell of each at once.

        Returns False if the stream is cancelled.
        """
        pump = self.pump
        while self._hungry or self._main_hungry:
            if pump is None or pump.halted:
                return False
            if self._room() <= 0:
                break
            x = next(iterator, MISSING)
            if x is MISSING:
                self._current = iter(EMPTY)
                break
            self._routed += 1
            outlet = self.route(x)
            if outlet in self._hungry:
                self._feed(outlet)
            if self.opened or self._finished:
                self._tell()
            while self.news:
                self._listen()
                self._tell()
        return True

    def _room(self) -> int:
        return self.window - self._routed + self._taken

    def _tell(self) -> None:
        """Wake those who waited for what there is now."""
        self._since = 0
        finished, self._finished = self._finished, []
        for outlet in finished:
            self._hungry.pop(outlet, None)
            outlet.finish(None)
        if self.opened and self._main_hungry:
            self._main_hungry = False
            self.main.wake()
        for outlet in [outlet for outlet in self._hungry if outlet.waiting]:
            self._feed(outlet)

    def _feed(self, outlet: Outlet) -> None:
        self._hungry.pop(outlet, None)
        if outlet.pump is not None:
            outlet.pump.wake()

    def _listen(self) -> None:
        """Hear who is hungry, and who has left."""
        news = self.news
        while news:
            outlet = news.popleft()
            if outlet is None:
                self._main_hungry = True
            elif outlet.closed:
                self._hungry.pop(outlet, None)
                self.leave(outlet)
            elif not outlet.done:
                self._hungry[outlet] = None
        if self.main.closed:
            self._main_hungry = False
            self.opened.clear()

    def _over(self) -> bool:
        """Return whether no element comes any more, or nobody is there to take one."""
        child = self._child
        if child is not None and child.ended() and certainly_empty(self._current):
            self._child_ended()
        ended, closed = self._child is None, self.main.closed
        if ended == closed:
            return ended
        there = [outlet for outlet in self.outlets.values() if not outlet.abandoned]
        if any(outlet.pump is not None for outlet in there):
            # Its subscriber wants more; or, after the end, may leave what opens another group.
            return False
        if there and (closed or self._will_subscribe()) and not self._stall.passed():
            return False
        for outlet in there:
            outlet.finish(RuntimeError(f"{self._node.described()} is over, and nobody subscribed"))
        return True

    def _will_subscribe(self) -> bool:
        """Return whether whoever takes the groups has still to look at some."""
        taker = self.main.taker()
        if not isinstance(taker, FlatMapHead):
            return False
        taker.on_dry = self.wake
        return not taker.dry or self.main.is_ahead()

    def _child_ended(self) -> None:
        child, self._child = self._child, None
        self._current = iter(EMPTY)
        for outlet in list(self.outlets.values()):
            outlet.finish(None)
        if child is not None:
            if self.pump is not None:
                forget(self.pump, child)
            child.close()

    def _is_stuck(self) -> bool | None:
        """Return whether it is certain that nobody makes room any more.

        None if somebody can, as far as is known.
        """
        full = [outlet for outlet in self.outlets.values() if outlet.waiting]
        if not full or any(outlet.holds() for outlet in self.outlets.values()):
            return None
        if all(outlet.abandoned for outlet in full):
            return True
        taker = self.main.taker()
        held = taker.held() if isinstance(taker, FlatMapHead) else None
        return held is not None and all(self._starves(node) for node in held)

    def _starves(self, node: Node) -> bool:
        """Return whether the flow of `node` gets no further without an element of a group."""
        while node.op.__class__ is Stage and node.up is not None:
            node = node.up
        return isinstance(node.op, GroupOrigin) and node.op.outlet in self._hungry

    def stuck(self) -> RuntimeError:
        """Return the error for a window that nobody empties."""
        names = [repr(outlet.key) for outlet in self.outlets.values() if outlet.waiting]
        shown = ", ".join(names[:SHOWN])
        if len(names) > SHOWN:
            shown += f" and {len(names) - SHOWN} more"
        return RuntimeError(
            f"{self.name} is stuck: {self.window} elements wait, which is its window, and all of "
            f"them belong to groups that nobody has subscribed to: {shown}; take more groups at "
            "a time (flat_map has a concurrency for it), or give it a larger window"
        )

    def state(self) -> tuple[int, ...]:
        """Return what changes when anything moves."""
        subscribed = sum(outlet.pump is not None for outlet in self.outlets.values())
        return self._routed, self._taken, subscribed, len(self.outlets)

    def ended(self) -> bool:
        """Return False: there is always demand here, so nobody asks."""
        return False

    def close(self) -> None:
        """Let go of upstream."""
        self._stall.cancel()
        child, self._child = self._child, None
        self._current = iter(EMPTY)
        if child is not None:
            child.close()

    def fail(self, error: Exception) -> None:
        """End all groups with what the segment failed with."""
        for outlet in list(self.outlets.values()):
            outlet.finish(error)


class _Unsliced:
    """Stands in for the pump where an iterable is opened: the router itself takes it in parts."""

    lease = None
    sliced = False

    def __init__(self, pump: Pump) -> None:
        self._pump = pump
        self.wiring = pump.wiring

    @property
    def halted(self) -> bool:
        return self._pump.halted

    def demand(self) -> int:
        return 1
