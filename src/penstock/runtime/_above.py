"""Which segments feed a segment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.runtime._pump import Pump

__all__ = ["pumps_above"]


def pumps_above(pump: Pump) -> list[Pump]:
    """Return the pumps of all segments upstream that are not cancelled, sources first."""
    found: list[Pump] = []
    waiting: list[Pump] = [pump]
    for one in waiting:
        for inlet in one.inlets:
            source: Any = getattr(inlet, "source", None)
            # Only a pump of ours has inlets; to import its class here would be a circle.
            if hasattr(source, "inlets") and not source.halted:
                found.append(source)
                waiting.append(source)
    return found[::-1]
