"""One subscriber of a ring."""

from __future__ import annotations

from collections.abc import Callable
from operator import length_hint
from typing import Any

from penstock.runtime._compile import EMPTY
from penstock.runtime._iterables import SLICE, certainly_empty
from penstock.runtime._pump import Pump
from penstock.runtime._ring import Ring

__all__ = ["Cursor"]


class Cursor:
    """One subscriber's place in a ring: the head of its segment, and the inlet as well."""

    __slots__ = (
        "batch",
        "closed",
        "end",
        "error",
        "joined",
        "place",
        "pump",
        "ring",
        "skipped",
        "who",
    )

    ring: Ring
    """Where it has joined; nothing asks for it before that."""

    def __init__(self, pump: Pump) -> None:
        self.pump = pump
        self.who = 0
        self.place = -1
        """Where it is in the ring's books: its subscriber is there, or farther on."""
        self.end = 0
        """The number behind the last element that was handed to the loop."""
        self.batch: Any = None
        self.error: Exception | None = None
        self.skipped = 0
        """How many elements were dropped for it."""
        self.joined = False
        self.closed = False

    def subscribe_to(self, seat: Callable[[Cursor], object]) -> None:
        """Have `seat` find a ring to join, once the subscriber was greeted."""
        if not self.closed:
            seat(self)

    # The head.

    def next(self) -> Any:
        """Return what is in the ring for this subscriber; see `Head.next`."""
        ring = self.ring
        pump = self.pump
        with ring.lock:
            if self.error is not None:
                raise self.error
            place = self.end
            if place < self.place:
                self.skipped += self.place - place
                place = self.place
            n = ring.tail - place
            ring.wanted = True
            if n <= 0:
                self.end = place
                self.batch = None
                if self.place != place:
                    ring.move(self, place)
                if ring.done:
                    if ring.error is not None:
                        raise ring.error
                    return None
                ring.hungry[self] = None
                return EMPTY
            # In hand, an element is out of the ring's reach. Half of it at most, so that who
            # takes long over each does not hold up the others until it is through with all.
            n = min(n, SLICE, (ring.capacity + 1) >> 1)
            if not ring.waits:
                n = min(n, pump.demand() or 1)
            self.batch = batch = iter(ring.slice(place, n))
            self.end = place + n
            if not ring.waits:
                place += n
            if self.place != place:
                ring.move(self, place)
        return batch

    def ready(self) -> bool:
        """Return whether `next` has something new to say."""
        ring = self.ring
        return ring.tail > self.end or ring.done or self.error is not None

    def ended(self) -> bool:
        """Return whether the ring has ended and all of it was taken."""
        ring = self.ring
        return (
            ring.done
            and ring.error is None
            and self.error is None
            and ring.tail <= self.end
            and (self.batch is None or certainly_empty(self.batch))
        )

    def waits_for(self) -> str:
        """Return what to tell of a run that waits, because another subscriber is slower."""
        if not self.joined:
            return "nobody has called connect()"
        ring = self.ring
        with ring.lock:
            held = ring.waits and ring.tail - ring.slowest >= ring.capacity
            if not held or self.place == ring.slowest:
                return ""
            return f"the buffer of {ring.capacity} is full, and another subscriber is slower"

    def close(self) -> None:
        """Leave the ring; the last one may end it."""
        self.closed = True
        if self.joined:
            self._note()  # what it has got is not for the next one
            self.batch = None
            self.ring.leave(self)
            # What the others can go on with may take long: this one hears of its end before.
            self.pump.afterwards = self.ring.on_room

    # The inlet.

    def settle(self) -> None:
        """Note how far the subscriber has come, and have upstream asked for what has room."""
        if self.joined and not self.closed:
            self._note()
            self.ring.on_room()

    def _note(self) -> None:
        ring = self.ring
        if ring.waits:
            with ring.lock:
                batch = self.batch
                if batch is not None and self.place >= 0:
                    place = self.end - length_hint(batch)
                    if place != self.place:
                        ring.move(self, place)
