"""Reactive Streams for Python: the standard, its conformance kit, and streams that keep it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock._dropped import log_dropped_error as on_dropped_error
from penstock.api import UNBOUNDED, Processor, Publisher, Subscriber, Subscription
from penstock.flow import Backoff, Flow, Hub, Overflow, Run
from penstock.runtime import event_loop, threads

if TYPE_CHECKING:
    from penstock._monitor import RuleBroken, Violation, checked

__all__ = [
    "UNBOUNDED",
    "Backoff",
    "Flow",
    "Hub",
    "Overflow",
    "Processor",
    "Publisher",
    "RuleBroken",
    "Run",
    "Subscriber",
    "Subscription",
    "Violation",
    "checked",
    "event_loop",
    "on_dropped_error",
    "threads",
]


def __getattr__(name: str) -> object:
    # The monitor is loaded only when it is first asked for: most programs run without it.
    if name in {"RuleBroken", "Violation", "checked"}:
        from penstock import _monitor

        return globals().setdefault(name, getattr(_monitor, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
