"""What the runtime knows of a flow: one operator, its arguments, and what is upstream of it."""

from __future__ import annotations

from enum import Enum
from os.path import basename
from types import CodeType
from typing import TYPE_CHECKING, Any, Protocol

from penstock.runtime._stage import Stage

if TYPE_CHECKING:
    from penstock.runtime._head import Head
    from penstock.runtime._pump import Pump

__all__ = ["Node", "Origin"]

MOST_SHOWN = 4
"""So many arguments are shown where a flow is described."""


class Origin(Protocol):
    """An operator that is no fused stage: a source, a junction or a boundary."""

    @property
    def name(self) -> str:
        """What users call it."""
        ...

    @property
    def awaits(self) -> bool:
        """Whether its head is an async iterable, so that the segment runs on an event loop."""
        ...

    def open(self, node: Node, pump: Pump) -> Head:
        """Make what feeds the segment behind it. Runs no user code."""
        ...


class Node:
    """One operator of a flow, immutable. `Flow`, which users see, is its one subclass."""

    __slots__ = ("__weakref__", "arguments", "boundary", "depth", "op", "place", "up")

    op: Stage | Origin
    up: Node | None
    arguments: tuple[Any, ...]
    place: tuple[CodeType, int] | None
    """Where it was declared: the caller's code, and the line."""
    boundary: Node | None
    """The nearest boundary upstream along the first inputs: it says where this one runs."""
    depth: int
    """If it can be had by iterating, without ever idling: so many generators feed each other.
    Otherwise 0."""

    def described(self) -> str:
        """Return the operator as it was written, and where: `map(parse), pipeline.py:12`."""
        shown = ", ".join(_shown(argument) for argument in self.arguments[:MOST_SHOWN])
        if len(self.arguments) > MOST_SHOWN:
            shown += ", ..."
        text = f"{self.op.name}({shown})"
        if self.place is not None:
            code, line = self.place
            file = basename(code.co_filename)  # noqa: PTH119 - pathlib is slow to import
            text += f", {file}:{line}"
        return text

    def chain(self) -> str:
        """Return the operators from the source to here, without their arguments' details."""
        names: list[str] = []
        node: Node | None = self
        while node is not None:
            names.append(node.op.name)
            node = node.up
        return ".".join(reversed(names))


def _shown(argument: object) -> str:
    name = getattr(argument, "__qualname__", None)
    if isinstance(name, str):
        return name.rpartition("<locals>.")[2]
    if isinstance(argument, Enum):
        return str(argument)
    if isinstance(argument, int | float | str | bool | None):
        text = repr(argument)
        return text if len(text) <= 40 else text[:37] + "..."
    return f"<{type(argument).__name__}>"
