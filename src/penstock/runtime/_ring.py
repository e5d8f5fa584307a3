"""What a multicast Publisher holds: elements in order, and how far each subscriber has come.

Invariants, all under the ring's lock, which is never held across anybody else's code:

* An element has a number, and `base <= number < tail` for those that are here. A cursor is at
  the number of the element that its subscriber gets next; `at` has the cursors by number.
* `slowest` is at most the least number in `at`. With the policy `wait`, it grows only past
  numbers at which there is no cursor, so a step of it is paid for by an element.
* `tail - slowest + under way from upstream <= capacity`: what is asked for, or pushed, has room.
* A cursor that found nothing is in `hungry` until something is added; it says so before its
  pump goes idle, and a pump that is woken while it runs looks again.
* After `done`, nothing is added.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from penstock.runtime._cursor import Cursor

__all__ = ["POLICIES", "Policy", "Ring"]

Policy = Literal["wait", "drop", "skip"]
"""What becomes of a subscriber for whom the buffer is too small.

`wait`: the others wait for it. `drop`: it is dropped, with an error that says so. `skip`: the
elements that it had no time for are dropped for it.
"""

POLICIES: Final[tuple[Policy, ...]] = ("wait", "drop", "skip")


class Ring:
    """At most `capacity` elements for the slowest subscriber, and the last `keep` for others."""

    def __init__(
        self,
        capacity: int,
        policy: Policy = "wait",
        keep: int = 0,
        *,
        keep_alive: bool = False,
        described: Callable[[], str] = str,
    ) -> None:
        self.capacity = capacity
        self.waits = policy == "wait"
        self.skips = policy == "skip"
        self.keep = keep
        self.keep_alive = keep_alive
        self.described = described
        self.lock = RLock()
        self.base = 0
        self.tail = 0
        self.slowest = 0
        self.asked = 0
        """How many are under way from upstream."""
        self.done = False
        self.shut = False
        """Whether the last subscriber left, and nobody may join any more."""
        self.error: Exception | None = None
        self.trace: Any = None
        self.wanted = False
        """Whether anybody has ever asked for an element (R.6)."""
        self.at: dict[int, set[Cursor]] = {}
        self.hungry: dict[Cursor, None] = {}
        self.subscribers: dict[int, Cursor] = {}
        self.on_room: Callable[[], object] = _nothing
        """Called, without the lock, when there may be room, or the ring was shut."""
        self.upstream: Callable[[], object] = _nothing
        """Return the Subscription that fills the ring, if there is one."""
        self._items: list[Any] = []
        self._start = 0

    # The side that adds.

    def room(self) -> int:
        """Return how many elements may be asked for or added. Call it with the lock held."""
        if self.waits:
            return self.capacity - (self.tail - self.slowest) - self.asked
        # Whoever is slower than the fastest will be dropped, or some elements for it.
        fastest = max(self.at) if self.at else self.slowest
        return self.capacity - (self.tail - fastest) - self.asked

    def wants(self) -> int:
        """Return how many to ask upstream for now. Call it with the lock held."""
        if not self.wanted or not self.at or self.done:
            return 0
        room = self.room()
        if room * 2 >= self.capacity or (self.hungry and not self.asked and room > 0):
            return room
        return 0

    def add(self, element: Any, *, asked: bool = False) -> bool:
        """Add one element and return True, unless there is no room, or the ring has ended."""
        late: list[Cursor] = []
        with self.lock:
            if self.done:
                return False
            if asked and self.asked:
                self.asked -= 1
            elif self.waits and self.room() <= 0:
                return False
            self._items.append(element)
            self.tail += 1
            if not self.waits and self.tail - self.slowest > self.capacity:
                late = self._overrun()
            if not self.hungry and not late:
                return True
            hungry, self.hungry = self.hungry, {}
        for cursor in late:
            cursor.pump.wake()
        for cursor in hungry:
            cursor.pump.wake()
        return True

    def _overrun(self) -> list[Cursor]:
        """Make room at the expense of the slowest; return those who have to be told."""
        least = self.tail - self.capacity
        late: list[Cursor] = []
        while self.slowest < least:
            cursors = self.at.pop(self.slowest, None)
            self.slowest += 1
            for cursor in cursors or ():
                if self.skips:
                    self._put(cursor, self.slowest)
                    continue
                cursor.place = -1
                cursor.error = RuntimeError(
                    f"{self.described()} dropped this subscriber: it was more than "
                    f"{self.capacity} elements behind; ask for more at a time, or share with a "
                    "larger buffer or policy='skip'"
                )
                cursor.pump.alarm = cursor.error
                late.append(cursor)
        self._free()
        return late

    def finish(self, error: Exception | None = None) -> None:
        """End the stream for all. An error overtakes what nobody has demanded (R.7)."""
        with self.lock:
            if self.done:
                return
            self.done = True
            self.error = error
            if error is not None:
                self.trace = error.__traceback__
            cursors = [cursor for some in self.at.values() for cursor in some]
            self.hungry = {}
            for cursor in cursors:
                if error is not None:
                    cursor.pump.alarm = error
        for cursor in cursors:
            cursor.pump.wake()

    def over(self) -> bool:
        """Return whether a newcomer would get nothing but the end."""
        with self.lock:
            return self.done and (self.error is not None or self.base == self.tail)

    # The side of the cursors.

    def join(self, cursor: Cursor) -> bool:
        """Place a cursor at the oldest element (R.2). False: the ring was shut.

        A Subscriber that has a cursor already is rejected (R.5).
        """
        pump = cursor.pump
        with self.lock:
            if self.shut:
                return False
            cursor.who = id(pump.subscriber)
            if self.subscribers.setdefault(cursor.who, cursor) is cursor:
                cursor.ring = self
                cursor.joined = True
                cursor.end = self.slowest = self.base
                self._put(cursor, self.base)
                if self.error is not None:
                    pump.alarm = self.error
                return True
        what = self.described()
        pump.halt(RuntimeError(f"rule R.5: this Subscriber is subscribed to {what} already"))
        return True

    def leave(self, cursor: Cursor) -> None:
        """Forget a cursor. The last one shuts the ring, unless it is kept alive."""
        with self.lock:
            del self.subscribers[cursor.who]
            self.hungry.pop(cursor, None)
            if cursor.place >= 0:
                self._take(cursor)
            self._advance()
            if self.error is not None and self.error.__traceback__ is not self.trace:
                # The frames of each segment that it went through would keep all that they know.
                self.error.__traceback__ = self.trace
            if not self.subscribers and not self.keep_alive:
                self.shut = True
                self._items = []

    def move(self, cursor: Cursor, to: int) -> None:
        """Note that a cursor is farther on than it was. Call it with the lock held."""
        if cursor.place != to and cursor.place >= 0:
            self._take(cursor)
            self._put(cursor, to)
            self._advance()

    def slice(self, begin: int, n: int) -> list[Any]:
        """Return `n` elements from a number on. Call it with the lock held."""
        i = self._start + begin - self.base
        return self._items[i : i + n]

    def holders(self) -> list[Cursor]:
        """Return the slowest cursors. Call it with the lock held."""
        return list(self.at.get(self.slowest, ()))

    def _put(self, cursor: Cursor, place: int) -> None:
        cursor.place = place
        some = self.at.get(place)
        if some is None:
            self.at[place] = {cursor}
        else:
            some.add(cursor)

    def _take(self, cursor: Cursor) -> None:
        some = self.at[cursor.place]
        some.discard(cursor)
        if not some:
            del self.at[cursor.place]
        cursor.place = -1

    def _advance(self) -> None:
        """See whether the slowest cursor is farther on. Without any, all is kept for the next."""
        if not self.at:
            return
        at, slowest, tail = self.at, self.slowest, self.tail
        while slowest < tail and slowest not in at:
            slowest += 1
        if slowest != self.slowest:
            self.slowest = slowest
            self._free()

    def _free(self) -> None:
        base = min(self.slowest, max(self.base, self.tail - self.keep))
        n = base - self.base
        if n <= 0:
            return
        items, start = self._items, self._start
        items[start : start + n] = [None] * n
        start += n
        if start * 2 > len(items):  # so that each element is moved once, on average
            del items[:start]
            start = 0
        self._start = start
        self.base = base


def _nothing() -> None:
    return
