"""What waits for demand: so many elements at most, and a policy for more of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from threading import RLock
from typing import Any

from penstock.flow._overflow import Overflow
from penstock.runtime._iterables import SLICE

__all__ = ["Waiting"]


class Waiting:
    """A bounded buffer that anybody may put into, and the owner of a pump takes from."""

    __slots__ = ("_lock", "dropped", "elements", "high", "overflow", "size", "taken")

    def __init__(self, size: int, overflow: Overflow) -> None:
        self.size = size
        self.overflow = overflow
        self.elements: deque[Any] = deque()
        self.dropped = 0
        self.high = 0
        self.taken = 0
        self._lock = RLock()  # re-entrant, for finalisers that put something in

    def put(self, element: Any, asked: int = 0) -> bool:
        """Take an element in if there is room, or the policy makes some. Return whether.

        So many are `asked` for and on their way already: they come first, and don't count.
        """
        elements = self.elements
        dropped: Any = None
        with self._lock:
            if len(elements) >= self.size + asked:
                match self.overflow:
                    case Overflow.ERROR:
                        return False
                    case Overflow.DROP_NEWEST:
                        self.dropped += 1
                        return False
                    case Overflow.DROP_OLDEST:
                        self.dropped += 1
                        dropped = elements[asked]
                        del elements[asked]
                    case Overflow.LATEST:
                        dropped = [elements.pop() for _ in range(len(elements) - asked)]
                        self.dropped += len(dropped)
            elements.append(element)
            self.high = max(self.high, len(elements))
        del dropped  # only here: a finaliser is user code, and wants no lock held
        return True

    def overflown(self, operator: str) -> OverflowError:
        """Return the error for an element that had no room."""
        return OverflowError(
            f"{operator} overflowed: {self.size} wait already, and nobody asks for them fast "
            "enough; give it a larger size, or another policy, such as Overflow.DROP_OLDEST"
        )

    def some(self) -> Iterator[Any]:
        """Take out what waits, each element only when it is asked for.

        So those that are not asked for yet stay in here, where the policy rules.
        """
        elements, lock = self.elements, self._lock
        for _ in range(SLICE):
            with lock:
                if not elements:
                    return
                element = elements.popleft()
                self.taken += 1
            yield element
