"""Telling what an implementation raised, and where."""

from __future__ import annotations

import traceback
from pathlib import PurePath

from penstock.testing._log import brief

__all__ = ["raised"]


def raised(error: BaseException) -> str:
    """Return the error in brief and the line that it comes from. Raises nothing."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return brief(error)
    last = frames[-1]
    return f"{brief(error)}, in line {last.lineno} of {PurePath(last.filename).name} ({last.name})"
