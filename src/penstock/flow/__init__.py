"""Streams that keep the standard: `Flow`, and what runs it."""

from __future__ import annotations

from penstock.flow._backoff import Backoff
from penstock.flow._flow import Flow
from penstock.flow._group import Group
from penstock.flow._hub import Hub
from penstock.flow._iteration import AsyncIteration, Iteration
from penstock.flow._operators import Operator, operators
from penstock.flow._overflow import Overflow
from penstock.flow._published import Published
from penstock.flow._push import Emitter
from penstock.flow._run import Run
from penstock.flow._stats import Edge, Stats
from penstock.runtime._signals import Complete, Error, Next, Signal

__all__ = [
    "AsyncIteration",
    "Backoff",
    "Complete",
    "Edge",
    "Emitter",
    "Error",
    "Flow",
    "Group",
    "Hub",
    "Iteration",
    "Next",
    "Operator",
    "Overflow",
    "Published",
    "Run",
    "Signal",
    "Stats",
    "operators",
]
