"""What runs flows: resources, and behind them segments, pumps and boundaries."""

from __future__ import annotations

from penstock.runtime._event_loop import EventLoop, event_loop
from penstock.runtime._resource import Lease, Resource
from penstock.runtime._threads import Threads, threads

__all__ = ["EventLoop", "Lease", "Resource", "Threads", "event_loop", "threads"]
