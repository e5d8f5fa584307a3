"""What happens to what nobody asked for."""

from __future__ import annotations

from enum import Enum

__all__ = ["Overflow"]


class Overflow(Enum):
    """What happens to an element that comes while the buffer for those before it is full.

    Upstream is never blocked by it. What is dropped is counted.
    """

    ERROR = "error"
    """The stream fails with an `OverflowError`; what was demanded is delivered first."""
    DROP_NEWEST = "drop newest"
    """The element that comes is dropped."""
    DROP_OLDEST = "drop oldest"
    """The element that has waited longest is dropped, and the new one waits."""
    LATEST = "latest"
    """All that wait are dropped, and the new one waits."""
