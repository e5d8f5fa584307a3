"""Streams that are parted: by key, or into pieces of one length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from penstock.api import Subscription
from penstock.runtime._compile import EMPTY
from penstock.runtime._group import Outlet
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._router import Make, Router
from penstock.runtime._stage import Stage

if TYPE_CHECKING:
    from penstock.runtime._head import Head

__all__ = ["GroupBy", "Window"]

BY_KEY = Stage(
    "group_by",
    ("key",),
    setup=("@lists = head.lists", "@opened = head.waiting_for"),
    body=(
        "@k = @key(x)",
        "try: @lists[@k].append(x)",
        "except KeyError: @opened(@k).append(x)",
    ),
    swallows=True,
)
"""Puts an element into its group, in the loop itself."""

BY_COUNT = Stage("window", setup=("@route = head.route",), body=("@route(x)",), swallows=True)


class GroupBy:
    """`group_by(key, window)`: the head gives the groups, a segment of its own fills them."""

    name = "group_by"
    awaits = False

    def __init__(self, make: Make) -> None:
        self._make = make

    def open(self, node: Node, pump: Pump) -> GroupsHead:
        """Return a head that gives the groups."""
        key, window = node.arguments
        router = KeyRouter(node, key, window, self._make)
        return GroupsHead(pump, router, router.segment(BY_KEY, key))


class Window:
    """`window(size)`: as `group_by`, with groups that are complete at `size` elements."""

    name = "window"
    awaits = False

    def __init__(self, make: Make) -> None:
        self._make = make

    def open(self, node: Node, pump: Pump) -> GroupsHead:
        """Return a head that gives the windows."""
        (size,) = node.arguments
        router = SizeRouter(node, size, self._make)
        return GroupsHead(pump, router, router.segment(BY_COUNT))


class KeyRouter(Router):
    """One group for each key."""

    def __init__(self, node: Node, key: Callable[[Any], Any], window: int, make: Make) -> None:
        super().__init__(node, window, make)
        self._key = key
        self.lists: dict[Any, list[Any]] = {}
        """What waits in each group, by key."""

    def route(self, x: Any) -> Outlet | None:
        """Put one element into its group, and return that."""
        key = self._key(x)
        waiting = self.lists.get(key)
        (self.waiting_for(key) if waiting is None else waiting).append(x)
        return self.outlets.get(key)

    def waiting_for(self, key: Any) -> list[Any] | _Nowhere:
        """Open a group; nobody gets it any more if the groups are cancelled."""
        if self.main.closed:
            return _Nowhere(self)
        waiting = self.lists[key] = self.opening(key).waiting
        return waiting

    def leave(self, outlet: Outlet) -> None:
        """Open the group anew for what its subscriber has left."""
        key, rest = outlet.key, outlet.waiting
        if self.outlets.get(key) is outlet:
            del self.outlets[key]
            del self.lists[key]
        if rest and outlet.untouched:
            # It was opened for this one. If it stayed, this might go on for ever.
            del rest[0]
            self.took(1)
        if rest:
            waiting = self.lists.get(key)
            (self.waiting_for(key) if waiting is None else waiting).extend(rest)


class _Nowhere:
    """Where the elements go that nobody wants."""

    def __init__(self, router: Router) -> None:
        self._router = router

    def append(self, _: Any) -> None:
        self._router.took(1)

    def extend(self, elements: list[Any]) -> None:
        self._router.took(len(elements))


class SizeRouter(Router):
    """One group after the other."""

    def __init__(self, node: Node, size: int, make: Make) -> None:
        super().__init__(node, size, make)
        self._current_window: Outlet | None = None
        self._n = 0
        self._windows = 0

    def route(self, x: Any) -> Outlet | None:
        """Put one element into the window that is open, and return that."""
        outlet = self._current_window
        if outlet is None:
            if self.main.closed:
                self.took(1)
                return None
            outlet = self._current_window = self.opening(self._windows)
            self._windows += 1
        if outlet.closed:
            self.took(1)
        else:
            outlet.waiting.append(x)
        self._n += 1
        if self._n == self.window:
            self._n = 0
            self._current_window = None
            self.finished(outlet)
        return outlet

    def leave(self, outlet: Outlet) -> None:
        """Drop what its subscriber has left."""
        self.outlets.pop(outlet.key, None)
        self.took(len(outlet.waiting))
        outlet.waiting.clear()


class GroupsHead:
    """Gives the groups that were opened, and hears of the end of the segment that fills them."""

    __slots__ = ("_pump", "_router", "_starved", "_subscription", "closed", "done", "error")

    def __init__(self, pump: Pump, router: Router, segment: Node) -> None:
        self._pump = pump
        self._router = router
        self._starved = False
        self._subscription: Subscription | None = None
        self.closed = False
        self.done = False
        self.error: Exception | None = None
        router.main = self
        pump.feed(segment, self)

    # The Subscriber of the segment.

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Have it run: what it waits for are the subscribers of the groups."""
        self._subscription = subscription
        subscription.request(1)

    def on_next(self, element: Any, /) -> None:
        """Never called: the elements go into the groups."""
        raise NotImplementedError

    def on_error(self, error: Exception, /) -> None:
        """End the groups, and the stream of groups."""
        self._router.fail(error)
        self.error = error
        self._pump.alarm = error
        self.done = True
        self._pump.wake()

    def on_complete(self) -> None:
        """End the groups, and the stream of groups once all were given."""
        self.done = True
        self._pump.wake()

    # What the router asks.

    def wake(self) -> None:
        """Look for groups."""
        self._pump.wake()

    def taker(self) -> Head | None:
        """Return the head of the segment that takes the groups, if it is one of ours."""
        pump = getattr(self._pump.subscriber, "pump", None)
        return pump.head if isinstance(pump, Pump) else None

    def is_ahead(self) -> bool:
        """Return whether groups were given that the segment that takes them has not seen."""
        return bool(getattr(self._pump.subscriber, "buffer", None)) or bool(self._router.opened)

    # The head, and what the pump looks after.

    def next(self) -> Any:
        """Return the groups that were opened."""
        done = self.done
        if self._router.opened:
            return self._opened()
        if not done:
            self._starved = True
            return EMPTY
        if self.error is not None:
            raise self.error
        return None

    def _opened(self) -> Iterator[Any]:
        opened = self._router.opened
        while opened:
            yield opened.popleft()

    def ended(self) -> bool:
        """Return whether all groups were given."""
        return self.done and self.error is None and not self._router.opened

    def settle(self) -> None:
        """Ask for groups, now that the pump is idle."""
        if self._starved:
            self._starved = False
            self._router.news.append(None)
            self._router.wake()

    def ready(self) -> bool:
        """Return whether `next` has something new to say."""
        return bool(self._router.opened) or self.done

    def close(self) -> None:
        """Take no more groups. Those that were taken go on."""
        self.closed = True
        self._router.wake()
