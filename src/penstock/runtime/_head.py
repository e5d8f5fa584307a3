"""What feeds a segment's loop."""

from __future__ import annotations

from typing import Any, Final, Protocol

__all__ = ["GONE", "Head"]


class Head(Protocol):
    """Where a segment's loop gets its elements. Called by the owner of the pump only."""

    def next(self) -> Any:
        """Return what to iterate over, EMPTY if there is nothing yet, None at the end.

        EMPTY promises that nothing is left which an inlet in `pump.inlets` calls `ready`: the
        pump would come back at once, for ever.
        """

    def ended(self) -> bool:
        """Return whether it is certain that nothing comes any more. Runs no user code."""
        ...

    def close(self) -> None:
        """Let go of the sources; called once."""


class _Gone:
    """The head of a stream that is over."""

    def next(self) -> None:
        return None

    def ended(self) -> bool:
        return True

    def close(self) -> None:
        return None


GONE: Final[Head] = _Gone()
