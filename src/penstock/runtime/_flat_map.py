"""A stream of each element, several of them at a time or one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Final

from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._inner import PLAIN, AsFlow, inner_of, iterable_head
from penstock.runtime._inputs import Turns, close_all, forget, joined
from penstock.runtime._iterables import SLICE, certainly_empty
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._stage_names import MISSING

__all__ = ["FlatMap", "FlatMapHead"]

TURN: Final = 64
"""So many elements of an iterable are taken before others that have something get their turn."""


class FlatMap:
    """At most `concurrency` inner streams at a time; of each, `window` elements wait."""

    awaits = False
    unchecked = True

    def __init__(
        self,
        name: str,
        settings: Callable[..., tuple[Callable[[Any], Any], int, int]],
        as_flow: AsFlow,
    ) -> None:
        self.name = name
        self._settings = settings
        """Makes function, concurrency and window of a node's arguments."""
        self._as_flow = as_flow

    def open(self, node: Node, pump: Pump) -> FlatMapHead:
        """Return a head that makes the inner streams."""
        fn, concurrency, window = self._settings(*node.arguments)
        outer = child(node.up, pump, concurrency)

        def make(result: Any) -> Any:
            return inner_of(result, self.name, self._as_flow)

        return FlatMapHead(pump, outer, fn, make, concurrency, window)


class FlatMapHead:
    """Hands out iterables as they are; what must be subscribed to has an inlet each."""

    __slots__ = (
        "_batch",
        "_concurrency",
        "_fn",
        "_hand",
        "_last",
        "_make",
        "_outer",
        "_publishers",
        "_pump",
        "_round",
        "_sliced",
        "_used",
        "_window",
        "dry",
        "on_dry",
    )

    def __init__(
        self,
        pump: Pump,
        outer: Head,
        fn: Callable[[Any], Any],
        make: Callable[[Any], Any],
        concurrency: int,
        window: int,
    ) -> None:
        self._pump = pump
        self._sliced = pump.sliced
        self._outer: Head | None = outer
        self._fn = fn
        self._make = make
        self._concurrency = concurrency
        self._window = window
        self._batch: Iterator[Any] = iter(EMPTY)
        """The elements that have come in from the outer stream."""
        self._last: Iterator[Any] | None = None
        self._hand: Head | None = None
        """The one inner stream that is being iterated; no other is opened meanwhile."""
        self._round: deque[Inlet] = deque()
        self._used: Inlet | None = None
        """The one that was last to give something."""
        self.dry = False
        """Whether it has made an inner stream of each element that it has seen."""
        self.on_dry: Callable[[], object] | None = None
        """To be called once, when that is so."""
        self._publishers: dict[Inlet, Any] = {}

    def next(self) -> Any:
        """Return the next inner iterable whole, if there is nobody to share with."""
        if self._last is not None:  # then nothing else is open
            x = next(self._batch, MISSING)
            if x is not MISSING:
                inner = self._fn(x)
                if type(inner) in PLAIN and (not self._sliced or len(inner) <= SLICE):
                    self._last = inner = iter(inner)
                    return inner
                self._last = None
                self._begin(inner)
        self._last = None
        return self._next()

    def _next(self) -> Any:
        while True:
            opened = self._hand is None and self._open()
            if self._last is not None:
                return self._last
            streams = len(self._round)
            batch = self._come_in()
            if batch is None and self._hand is not None:
                batch = self._of_hand(self._hand)
                opened = True
            if batch is not None:
                return batch
            if not opened and len(self._round) == streams:
                self._hear_the_end()
                if self._outer is None and not streams:
                    return None
                self._tell_if_dry()
                return EMPTY

    def _hear_the_end(self) -> None:
        """Let go of the outer stream if it has ended, also while there is no room: it is news."""
        outer = self._outer
        if isinstance(outer, Inlet) and outer.ready() and not outer.buffer:
            outer.next()  # raises its error
            self._outer = None
            forget(self._pump, outer)
            outer.close()

    def _tell_if_dry(self) -> None:
        self.dry = len(self._round) < self._concurrency
        on_dry, self.on_dry = self.on_dry, None
        if self.dry and on_dry is not None:
            on_dry()

    def _open(self) -> bool:
        """Make one inner stream more, if there is room for it and an element to make it of."""
        free = self._concurrency - len(self._round)
        if not free:
            return False
        x = next(self._batch, MISSING)
        while x is MISSING:
            outer = self._outer
            if outer is None:
                return False
            if isinstance(outer, Inlet):
                outer.window = free  # what cannot be used yet is not asked for
            batch = outer.next()
            if batch is EMPTY:
                return False
            if batch is None:
                self._outer = None
                forget(self._pump, outer)
                outer.close()
                return False
            self.dry = False
            self._batch = iter(batch)
            x = next(self._batch, MISSING)
        self._begin(self._fn(x))
        return True

    def _begin(self, result: Any) -> None:
        inner = self._make(result)
        if not isinstance(inner, Node):
            alone = type(inner) in PLAIN and not self._round
            if alone and (not self._sliced or len(inner) <= SLICE):
                self._last = iter(inner)
            else:
                self._hand = iterable_head(inner, sliced=self._sliced)
            return
        head = joined(inner, self._pump, self._window)
        if not isinstance(head, Inlet):
            self._hand = head
            return
        self._round.append(head)
        self._publishers[head] = inner
        if not head.ready():
            head.next()  # asks

    def _come_in(self) -> Any:
        """Return what has come in for the next inner stream that has something, or None."""
        turns = self._round
        used, self._used = self._used, None
        if used is not None and not used.ready():
            batch = self._of(used)  # asks for more
            if batch is not None:
                return batch
        for _ in range(len(turns)):
            inlet = turns[0]
            turns.rotate(-1)
            if inlet.ready():
                batch = self._of(inlet)
                if batch is not None:
                    return batch
        return None

    def _of(self, inlet: Inlet) -> Any:
        batch = inlet.next()
        if batch is None:
            self._round.remove(inlet)
            del self._publishers[inlet]
            forget(self._pump, inlet)
        elif batch is not EMPTY:
            self._used = inlet
            return batch
        return None

    def _of_hand(self, hand: Head) -> Any:
        """Return some of what is iterated, or None at its end; all of it if nobody waits."""
        if self._round and not isinstance(hand, Turns):
            hand = self._hand = Turns(self._pump, hand, TURN)
        batch = hand.next()
        if batch is None:
            self._hand = None
            forget(self._pump, hand)
            hand.close()
        return batch

    def held(self) -> list[Any] | None:
        """Return the inner Publishers if there is no room for more of them, else None."""
        publishers = list(self._publishers.values())
        return publishers if len(publishers) >= self._concurrency else None

    def ended(self) -> bool:
        """Return whether the outer stream and all inner ones have ended."""
        ends = [inlet.ended() for inlet in self._round]
        return (
            all(ends)
            and (self._hand is None or self._hand.ended())
            and (self._last is None or certainly_empty(self._last))
            and (self._outer is None or self._outer.ended())
        )

    def close(self) -> None:
        """Close the outer stream and all inner ones."""
        heads = [head for head in (self._outer, self._hand, *self._round) if head is not None]
        self._outer = self._hand = self._last = None
        self._batch = iter(EMPTY)
        self._round.clear()
        self._publishers.clear()
        close_all(heads)
