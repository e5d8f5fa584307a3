"""Lets a function see how a stream ends upstream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from penstock.runtime._boundary import WINDOW
from penstock.runtime._compile import EMPTY
from penstock.runtime._head import Head
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

__all__ = ["TAP_END", "TapEnd"]


class TapEnd:
    """Tells of an error that comes from upstream, and of a cancel that goes there."""

    name = "tap"
    awaits = False

    def open(self, node: Node, pump: Pump) -> TapHead:
        """Return a head that passes all on as it comes."""
        # No alarms: they would end the segment before anybody was told.
        return TapHead(
            pump, child(node.up, pump, WINDOW, coupled=True, alarms=False), *node.arguments
        )


class TapHead:
    """Looks at how its input ends."""

    __slots__ = ("_head", "_on_cancel", "_on_error", "_open", "_pump")

    def __init__(
        self,
        pump: Pump,
        head: Head,
        on_error: Callable[[Exception], object] | None,
        on_cancel: Callable[[], object] | None,
    ) -> None:
        self._pump = pump
        self._head = head
        self._on_error = on_error
        self._on_cancel = on_cancel
        self._open = True

    def next(self) -> Any:
        """Return what the input gives."""
        try:
            batch = self._head.next()
        except Exception as error:
            self._failed(error)
            raise
        if batch is None:
            self._open = False
            return None
        if batch is EMPTY or self._on_error is None:
            return batch
        return self._watched(batch)

    def _watched(self, batch: Any) -> Iterator[Any]:
        try:
            # `yield from` would close the iterator, which may be the caller's.
            for element in batch:  # noqa: UP028
                yield element
        except Exception as error:
            self._failed(error)
            raise

    def _failed(self, error: Exception) -> None:
        self._open = False
        self._pump.alarm = error  # it isn't raised here, so no note says that it was
        if self._on_error is not None:
            self._on_error(error)

    def ended(self) -> bool:
        """Return whether the input has ended; raise its error, which waits for no demand."""
        error = getattr(self._head, "error", None)
        if error is not None:
            self._failed(error)
            raise error
        if not self._head.ended():
            return False
        self._open = False
        return True

    def close(self) -> None:
        """Close the input, and say so if it had more to give."""
        self._head.close()
        if self._open:
            self._open = False
            if self._on_cancel is not None:
                self._on_cancel()


TAP_END = TapEnd()
