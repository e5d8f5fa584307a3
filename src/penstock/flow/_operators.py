"""What each operator does with demand, as data: documents, tests and resources read it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import NamedTuple

__all__ = ["Operator", "operators"]


class Operator(NamedTuple):
    """One public method of `Flow`."""

    name: str
    family: str
    """Which kind of operator it is: a source, one that selects, …"""
    summary: str
    demand: str
    """`source`; `terminal`; `passes`: demand passes through; `scales`: several elements are
    taken for one; `window`: at most a window is taken ahead; `policy`: everything is taken in,
    and a policy bounds what waits."""
    window: str
    """What bounds what it holds, if anything does."""
    reorders: bool
    """Whether elements may come out in another order than they came in."""
    spark: bool
    """Whether it can run on the rows of a partition, in a Spark task."""


@cache
def operators() -> Mapping[str, Operator]:
    """Return all operators by name, the same object each time. Raises nothing."""
    import tomllib
    from importlib.resources import files

    data = tomllib.loads(files("penstock.flow").joinpath("operators.toml").read_text("utf-8"))
    found = {name: Operator(name=name, **data[name]) for name in sorted(data)}
    return MappingProxyType(found)
