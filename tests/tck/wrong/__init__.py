"""Wrong implementations of the standard, one defect each, and correct ones beside them."""

from __future__ import annotations

import importlib
import pkgutil

from tests.tck.wrong.registry import CASES, Case

__all__ = ["Case", "cases", "release"]


def cases() -> list[Case]:
    """All of them, in the order of their modules' names."""
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        if module in ("page", "rounds"):  # these ask for the cases
            continue
        importlib.import_module(f"{__name__}.{module}")
    return CASES


def release() -> None:
    """Let those go on that hang, so that their threads can end."""
    from tests.tck.wrong import _base, _sub_base

    _base.release()
    _sub_base.release()
