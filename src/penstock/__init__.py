"""Reactive Streams for Python: the standard, its conformance kit, and streams that keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock._dropped import log_dropped_error as on_dropped_error
from penstock.api import UNBOUNDED, Processor, Publisher, Subscriber, Subscription

if TYPE_CHECKING:
    from penstock._monitor import RuleBroken, Violation, checked

__all__ = [
    "UNBOUNDED",
    "Processor",
    "Publisher",
    "RuleBroken",
    "Subscriber",
    "Subscription",
    "Violation",
    "checked",
    "on_dropped_error",
]


def __getattr__(name: str) -> object:
    # The monitor is loaded only when it is first asked for: most programs run without it.
    if name in {"RuleBroken", "Violation", "checked"}:
        from penstock import _monitor

        return globals().setdefault(name, getattr(_monitor, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
