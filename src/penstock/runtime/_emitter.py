"""A source that a function pushes into."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import penstock
from penstock.flow._overflow import Overflow
from penstock.runtime._compile import DEMAND, EMPTY
from penstock.runtime._node import Node
from penstock.runtime._notes import note
from penstock.runtime._waiting import Waiting

if TYPE_CHECKING:
    from penstock.runtime._pump import Pump

__all__ = ["CREATE", "Emitter"]

T = TypeVar("T")


class Emitter(Generic[T]):
    """Where the function given to `Flow.create` pushes its elements. Thread-safe.

    Nothing here waits, and nothing raises but what the arguments deserve.
    """

    __slots__ = ("_feed",)

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    def push(self, element: T, /) -> bool:
        """Give an element to the stream. Return whether it was taken.

        It isn't if the stream is over, or the buffer is full and the policy is to drop the
        newest, or to fail, which the stream does then. Pushes from several threads at once
        are taken in some order. Raises `TypeError` for None.
        """
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        return self._feed.push(element)

    def complete(self) -> None:
        """Complete the stream once all that waits was given. Does nothing if it is over."""
        self._feed.end(None)

    def error(self, error: Exception, /) -> None:
        """Fail the stream. What was demanded is given first.

        Raises `TypeError` if `error` is no `Exception`. If the stream is over, the error goes
        to `penstock.on_dropped_error`.
        """
        if not isinstance(error, Exception):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"Emitter.error({error!r}): give an Exception")
        self._feed.end(error)

    @property
    def cancelled(self) -> bool:
        """Whether the stream is over, so that no push is taken any more."""
        return self._feed.closed

    def on_cancel(self, callback: Callable[[], object], /) -> None:
        """Call `callback` once, when the stream is over, however it ended; now if it is.

        It is called where the stream runs, and is to let go of what pushes. What it raises
        ends the stream if it completes just then, else it goes to `on_dropped_error`.
        Raises `TypeError` if `callback` can't be called.
        """
        if not callable(callback):
            raise TypeError(f"Emitter.on_cancel({callback!r}): give a function")
        self._feed.at_the_end(callback)


class Feed:
    """The head: calls the function at the first demand, and keeps what it pushes."""

    def __init__(self, node: Node, pump: Pump) -> None:
        self._begin: Callable[[Emitter[Any]], object] | None
        self._begin, overflow, size = node.arguments
        self._node = node
        self._pump = pump
        self._waiting = Waiting(size, overflow)
        self._lock = RLock()
        self._error: Exception | None = None
        self._done = False
        self._callbacks: list[Callable[[], object]] = []
        self.closed: bool = False

    @property
    def dropped(self) -> int:
        """How many elements had no room."""
        return self._waiting.dropped

    # The emitter's side.

    def push(self, element: Any) -> bool:
        """Keep an element, if the policy has it so."""
        waiting = self._waiting
        with self._lock:  # so that nothing is taken in after the end
            if self._done or self.closed:
                return False
            taken = waiting.put(element)
        if taken:
            if self._pump.idle != DEMAND:  # there, `next` comes by itself with the demand
                self._pump.wake()
        elif waiting.overflow is Overflow.ERROR:
            error = waiting.overflown(self._node.op.name)
            note(error, self._node)
            self.end(error)
        return taken

    def end(self, error: Exception | None) -> None:
        """Take in no more; end when what waits was given, or at once if nobody asks."""
        with self._lock:
            over = self._done or self.closed
            if not over:
                self._error = error
                self._pump.alarm = error
                self._done = True
        if not over:
            self._pump.wake()
        elif error is not None:
            penstock.on_dropped_error(error, f"{self._node.described()}, which was over")

    def at_the_end(self, callback: Callable[[], object]) -> None:
        """Call `callback` when this closes."""
        with self._lock:
            if not self.closed:
                self._callbacks.append(callback)
                return
        callback()

    # The pump's side.

    def next(self) -> Any:
        """Return what waits, EMPTY if nothing does, None at the end."""
        begin, self._begin = self._begin, None
        if begin is not None:
            begin(Emitter(self))
        done = self._done  # before what waits: it came before the end
        if self._waiting.elements:
            return self._waiting.some()
        if not done:
            return EMPTY
        if self._error is not None:
            raise self._error
        return None

    def ended(self) -> bool:
        """Return whether all was given that ever will be."""
        return self._done and self._error is None and not self._waiting.elements

    def close(self) -> None:
        """Take in no more, and tell who wants to know."""
        with self._lock:
            self.closed = True
            callbacks, self._callbacks = self._callbacks, []
            self._begin = None
        self._waiting.elements.clear()
        failure: Exception | None = None
        for callback in callbacks:
            try:
                callback()
            except Exception as error:  # noqa: BLE001 - the others are called as well
                if failure is not None:
                    penstock.on_dropped_error(error, "a callback of Emitter.on_cancel")
                failure = failure or error
        if failure is not None:
            raise failure


class Create:
    """`create(fn, overflow, size)`."""

    name = "create"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Feed:
        """Return the head, which has called nobody yet."""
        return Feed(node, pump)


CREATE = Create()
