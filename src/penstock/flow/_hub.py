"""Hub: elements are pushed in, and every subscriber gets them."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock.api import Subscriber, Subscription
from penstock.flow._base import frame_of, fresh
from penstock.flow._check import count, flag
from penstock.flow._share import BUFFER, policy_
from penstock.runtime._cursor import Cursor
from penstock.runtime._intake import Intake
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._ring import Policy, Ring

if TYPE_CHECKING:
    import asyncio

    from penstock.flow._flow import Flow

__all__ = ["Hub"]

T = TypeVar("T")


class Hub(Generic[T]):
    """A Processor that you push into: all its subscribers get the same elements.

    Any thread may push; `push` and `send` may be mixed with an upstream that the Hub is
    subscribed to. Elements wait in a buffer for the slowest subscriber, or for the first one;
    who comes later begins with the oldest that is still there. After the end, a newcomer gets
    what is left and then the end.

    It keeps alive: it goes on when its last subscriber leaves. With `keep_alive=False` it is
    over then: upstream is cancelled, and who comes later is told so by an error.
    """

    def __init__(
        self, buffer: int = BUFFER, *, policy: Policy = "wait", keep_alive: bool = True
    ) -> None:
        """Make a Hub whose buffer holds so many elements.

        `policy` says what becomes of a subscriber for whom that is too little: with `"wait"`
        nothing more is taken until it has caught up, with `"drop"` it is dropped with an error
        that says so, with `"skip"` it misses some elements.

        Raises `TypeError` or `ValueError` if `buffer` is no int of at least 1, `keep_alive` no
        bool or `policy` not one of the three.
        """
        capacity = count("Hub", "buffer", buffer)
        flag("Hub", "keep_alive", keep_alive)
        origin = _Origin(capacity, policy_("Hub", policy), keep_alive)
        frame: Any = frame_of(1)
        while frame.f_globals.get("__name__") == "typing":  # which makes a Hub[int]()
            frame = frame.f_back
        flow: Flow[Any] = fresh(origin, (buffer,), frame)
        self.flow: Flow[T] = flow
        """The Hub as a flow, to go on from: `hub.flow.map(...)`."""
        ring = origin.ring
        ring.described = flow.described
        self._ring = ring
        self._intake = Intake(ring)
        ring.on_room = self._settle
        self._waiting: OrderedDict[asyncio.Future[None], asyncio.AbstractEventLoop] = OrderedDict()

    # Pushing.

    def push(self, element: T) -> bool:
        """Give `element` to the subscribers; return whether it was taken.

        It isn't if the buffer is full and the policy is to wait, or if the Hub is over. It
        never blocks; subscribers that are on no resource of their own run before it returns.
        Raises `TypeError` for None.
        """
        if element is None:
            raise TypeError("push(None): None is never an element (rule 2.13)")
        return self._ring.add(element)

    async def send(self, element: T) -> None:
        """Give `element` to the subscribers, once there is room for it.

        If it is cancelled, the element was not taken. Raises `TypeError` for None, and
        `RuntimeError` if the Hub is over.
        """
        import asyncio

        ring = self._ring
        loop = asyncio.get_running_loop()
        while not self.push(element):
            with ring.lock:
                if ring.done or ring.shut:
                    raise RuntimeError(f"{ring.described()} is over: nobody gets the element")
                if ring.room() > 0:
                    continue
                turn: asyncio.Future[None] = loop.create_future()
                self._waiting[turn] = loop
            try:
                await turn
            except asyncio.CancelledError:
                with ring.lock:
                    told = self._waiting.pop(turn, None) is None
                if told:
                    self._admit()  # the room that was this one's is another's
                raise

    def complete(self) -> None:
        """End the stream well, once each subscriber has got what is in the buffer."""
        self._ring.finish()
        self._settle()

    def error(self, error: Exception) -> None:
        """End the stream with `error`. Raises `TypeError` if it is no `Exception`."""
        if not isinstance(error, Exception):
            raise TypeError(f"error({error!r}): give an Exception")
        self._ring.finish(error)
        self._settle()

    # The Publisher and the Subscriber.

    def subscribe(self, subscriber: Subscriber[T], /) -> None:
        """Subscribe to what is pushed. Raises `TypeError` for None.

        An object that is subscribed already is rejected with `on_error(RuntimeError)`.
        """
        self.flow.subscribe(subscriber)

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Take in what this Subscription gives, from the first demand on. See `Subscriber`."""
        self._intake.on_subscribe(subscription)

    def on_next(self, element: T, /) -> None:
        """Take in an element that was asked for. See `Subscriber`."""
        self._intake.on_next(element)

    def on_error(self, error: Exception, /) -> None:
        """End the stream with `error`. See `Subscriber`."""
        self._intake.on_error(error)
        self._settle()

    def on_complete(self) -> None:
        """End the stream well. See `Subscriber`."""
        self._intake.on_complete()
        self._settle()

    def __repr__(self) -> str:
        ring = self._ring
        state = "over" if ring.done or ring.shut else f"{len(ring.subscribers)} subscribers"
        return f"<{ring.described()}: {state}>"

    # Room.

    def _settle(self) -> None:
        ring = self._ring
        if ring.shut and not ring.done:
            ring.finish(RuntimeError(f"{ring.described()} is over: its last subscriber left"))
        self._intake.settle()
        if self._waiting:
            self._admit()

    def _admit(self) -> None:
        """Let as many of those try again who wait to send as there is room for."""
        ring = self._ring
        with ring.lock:
            over = ring.done or ring.shut
            n = len(self._waiting) if over else min(ring.room(), len(self._waiting))
            told = [self._waiting.popitem(last=False) for _ in range(n)]
        for turn, loop in told:
            try:
                loop.call_soon_threadsafe(_wake, turn)
            except RuntimeError:  # the loop was closed, and with it the one who waits is gone
                continue


def _wake(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_result(None)


class _Origin:
    """What the Hub's flow begins with."""

    name = "Hub"
    awaits = False

    def __init__(self, capacity: int, policy: Policy, keep_alive: bool) -> None:
        self.ring = Ring(capacity, policy, keep_alive=keep_alive)

    def open(self, node: Node, pump: Pump) -> Cursor:  # noqa: ARG002 - all origins get both
        """Return a cursor, which joins when the subscriber was greeted."""
        cursor = Cursor(pump)
        pump.feed(self._seat, cursor)
        return cursor

    def _seat(self, cursor: Cursor) -> None:
        ring = self.ring
        if not ring.join(cursor):
            error = RuntimeError(f"{ring.described()} is over: its last subscriber left")
            cursor.pump.halt(error)
