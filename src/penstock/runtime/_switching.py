"""A head that goes on with another one when the first has failed, or is through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import penstock
from penstock.runtime._boundary import WINDOW
from penstock.runtime._compile import EMPTY
from penstock.runtime._head import GONE, Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._iterables import SLICE
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._notes import note
from penstock.runtime._pump import Pump

__all__ = ["Switching", "anew", "is_refusal"]


def anew(publisher: Any, pump: Pump, *, alarms: bool = False) -> Head:
    """Return a head of `publisher` while the segment runs already."""
    if isinstance(publisher, Node) and publisher.depth:
        return child(publisher, pump, WINDOW)
    inlet = Inlet(pump, WINDOW, coupled=True, alarms=alarms)
    pump.inlets = (*pump.inlets, inlet)
    pump.wiring.grow(publisher, inlet, pump.caller)
    return inlet


def is_refusal(error: Exception) -> bool:
    """Return whether this is the answer to a wrong request, which nothing may hide (3.9)."""
    return isinstance(error, ValueError) and "rule 3.9" in str(error)


class Switching:
    """Gives what its heads give, one after the other.

    `failed(error)` returns the next head, or raises what the stream fails with. `through()`
    returns the next head when one has ended well, or None at the end.
    """

    __slots__ = ("_failed", "_failure", "_head", "_pump", "_through")

    def __init__(
        self,
        pump: Pump,
        head: Head,
        *,
        failed: Callable[[Exception], Head] | None = None,
        through: Callable[[], Head | None] | None = None,
    ) -> None:
        self._pump = pump
        self._head = head
        self._failed = failed
        self._through = through
        self._failure: Exception | None = None
        """What the batch that was handed out last came to."""

    def next(self) -> Any:
        """Return what the present head gives; see `Head.next`."""
        if self._failure is not None:
            error, self._failure = self._failure, None
            self._after_error(error)
        while True:
            head = self._head
            try:
                failure = self._failed_quietly()
                batch = head.next() if failure is None else None
            except Exception as error:
                if self._failed is None:
                    raise
                self._after_error(error)
            else:
                if failure is not None:
                    self._after_error(failure)
                elif batch is not None:
                    if batch is EMPTY or self._failed is None or isinstance(head, Inlet):
                        return batch
                    return self._guarded(batch)
                elif self._through is None or not self._after_end():
                    return None
            if isinstance(self._pump, Pump):
                # There may be no end to it, and the loop has to see when it is cancelled.
                self._pump.wake()
                return EMPTY

    def _guarded(self, batch: Any) -> Iterator[Any]:
        try:
            # A `yield from` would close an iterator of the caller's.
            for x in batch:  # noqa: UP028
                yield x
        except Exception as error:  # noqa: BLE001 - the next call of `next` deals with it
            self._failure = error

    def ended(self) -> bool:
        """Return whether the last head has ended, after switching where that is due.

        An error does not wait for demand (R.7), so it is dealt with in here if there is none.
        """
        if self._failure is not None:
            return False
        error = self._failed_quietly()
        if error is not None:
            try:
                self._after_error(error)
            except Exception as final:  # noqa: BLE001 - the loop raises it
                if final is not error:
                    note(final, self._pump.origin)
                self._pump.alarm = final
            self._pump.wake()
            return False
        for _ in range(SLICE):  # there may be no end to it
            if not self._head.ended():
                return False
            if self._through is None or not self._after_end():
                return True
        return False

    def _failed_quietly(self) -> Exception | None:
        """Return the error that waits in the present head, without raising it.

        Who keeps an error keeps the frames that it was raised through, and all they know.
        """
        head = self._head
        if self._failed is None or not isinstance(head, Inlet) or head.buffer:
            return None
        return head.error

    def close(self) -> None:
        """Close the present head."""
        head, self._head = self._head, GONE
        head.close()

    def _after_error(self, error: Exception) -> None:
        assert self._failed is not None  # noqa: S101 - its callers looked
        try:
            self._leave()
        except Exception as closing:  # noqa: BLE001 - the first error is what matters
            penstock.on_dropped_error(closing, "closing the source after an error")
        if is_refusal(error):
            raise error
        try:
            self._head = self._failed(error)
        except Exception as final:
            if final is not error and final.__context__ is None:
                final.__context__ = error
            raise

    def _after_end(self) -> bool:
        """Go on with the next head; return False if there is none."""
        assert self._through is not None  # noqa: S101 - its callers looked
        self._leave()
        head = self._through()
        if head is None:
            return False
        self._head = head
        return True

    def _leave(self) -> None:
        head, self._head = self._head, GONE
        pump = self._pump
        if isinstance(head, Inlet):
            pump.inlets = tuple([inlet for inlet in pump.inlets if inlet is not head])
        head.close()
