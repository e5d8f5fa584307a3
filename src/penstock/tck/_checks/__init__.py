"""All checks: importing this package registers them.

A module that is put here is found; the order of the names is the order in which the checks
of one side run, so what others need is in a module that sorts first.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from penstock.tck._check import CHECKS, checks_of

__all__ = ["CHECKS", "checks_of"]

_SIDES = ("publisher", "subscriber", "whitebox", "processor")


def _place(module: str) -> tuple[int, str]:
    return _SIDES.index(module.partition("_")[0]), module


for _module in sorted((m.name for m in iter_modules(__path__)), key=_place):
    import_module(f"{__name__}.{_module}")
