"""Names that the lines of fused operators use, beside those that every loop knows."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from penstock.runtime._loop import GLOBALS
from penstock.runtime._signals import Complete, Error, Next

__all__ = ["MISSING"]


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final[Any] = _Missing()
"""Says that no value is there, where None may be one."""

GLOBALS.update(MISSING=MISSING, deque=deque, Next=Next, Error=Error, Complete=Complete)
