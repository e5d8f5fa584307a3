"""Reactive Streams for Python: the standard, its conformance kit, and streams that keep it."""

from __future__ import annotations

from penstock._dropped import log_dropped_error as on_dropped_error
from penstock.api import UNBOUNDED, Processor, Publisher, Subscriber, Subscription

__all__ = [
    "UNBOUNDED",
    "Processor",
    "Publisher",
    "Subscriber",
    "Subscription",
    "on_dropped_error",
]
