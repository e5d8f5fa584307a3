"""A subscriber of numbers: collects them and keeps their sum. Shows how to extend one.

Three things to see: `when_next` decides whether to go on; whatever it raises (here for an
element that is no int) cancels the stream and arrives at `when_error`; and both ends set an
event, so that another thread can wait for the result without asking again and again.
"""

from __future__ import annotations

from threading import Event

from sync_subscriber import SyncSubscriber

__all__ = ["NumberSubscriber"]


class NumberSubscriber(SyncSubscriber[int]):
    """Takes ints until the stream ends; anything else ends it with a `TypeError`.

    `numbers`, `total` and `error` may be read once `finished` is set.
    """

    def __init__(self) -> None:
        super().__init__()
        self.numbers: list[int] = []
        self.total = 0
        self.error: Exception | None = None
        self.finished = Event()

    def when_next(self, element: int) -> bool:
        """Add `element`. Raises `TypeError` if it is no int; True and False are none."""
        if not isinstance(element, int) or isinstance(element, bool):
            raise TypeError(f"NumberSubscriber takes ints, not {type(element).__name__}")
        self.numbers.append(element)
        self.total += element
        return True

    def when_complete(self) -> None:
        """Let those who wait go on."""
        self.finished.set()

    def when_error(self, error: Exception) -> None:
        """Keep the error, which may be our own, and let those who wait go on."""
        self.error = error
        self.finished.set()

    def shut_down(self) -> None:
        """Cancel, and let those who wait go on: no other signal will come to do it."""
        super().shut_down()
        self.finished.set()
