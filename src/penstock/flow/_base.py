"""What all operators are made with: a flow plus one operator is a new flow."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from penstock.runtime._node import Node, Origin
from penstock.runtime._stage import Stage

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["DEEPEST", "Base", "as_flow", "frame_of", "fresh", "source"]

frame_of = sys._getframe  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
"""The frame so many calls up; nothing public is as quick."""

T_co = TypeVar("T_co", covariant=True)

DEEPEST = 40
"""So many generators may feed each other; a deeper flow is subscribed to instead."""


class Base(Node, Generic[T_co]):
    """A node that knows how to be extended. `Flow` is made of it and of the operators."""

    __slots__ = ()

    flow: ClassVar[type[Flow[Any]]]
    """The class of all flows; set where it is made."""

    def _stage(self, op: Stage, *arguments: Any, up: int = 2) -> Flow[Any]:
        """Return this flow with one fused stage more, declared by the caller's caller."""
        frame = frame_of(up)
        flow: Flow[Any] = Base.flow()
        flow.op = op
        flow.up = self
        flow.arguments = arguments
        flow.place = (frame.f_code, frame.f_lineno)
        flow.boundary = self.boundary
        flow.depth = self.depth or 0
        if flow.depth == 0 or not hasattr(self.op, "open"):
            return flow
        flow.depth += 1  # the first stage behind an origin makes it a generator
        return flow

    def _junction(
        self, op: Origin, *arguments: Any, inputs: tuple[Any, ...] = (), up: int = 2
    ) -> Flow[Any]:
        """Return a flow whose segment begins with `op`, which has this flow as first input.

        It can be iterated if this flow and all `inputs` can; give `inputs=(None,)` for one
        that can't in any case.
        """
        flow = fresh(op, arguments, frame_of(up))
        flow.up = self
        flow.boundary = self.boundary
        depths = [self.depth, *(getattr(one, "depth", 0) for one in inputs)]
        flow.depth = 0 if 0 in depths or max(depths) >= DEEPEST else max(depths) + 1
        return flow


def fresh(op: Origin | Stage, arguments: tuple[Any, ...], frame: Any) -> Flow[Any]:
    """Return a flow of `op` that has nothing upstream and can't be iterated."""
    flow: Flow[Any] = Base.flow()
    flow.op = op
    flow.up = None
    flow.arguments = arguments
    flow.place = (frame.f_code, frame.f_lineno)
    flow.boundary = None
    flow.depth = 0
    return flow


def source(op: Origin, *arguments: Any, iterable: bool, up: int = 2) -> Flow[Any]:
    """Return a flow of a source, declared by the caller's caller."""
    flow = fresh(op, arguments, frame_of(up))
    flow.depth = 1 if iterable else 0
    return flow


def as_flow(publisher: Any, operator: str) -> Flow[Any]:
    """Return a Publisher, an iterable or an async iterable as a flow.

    Raises `TypeError` naming the operator if it is none of them.
    """
    given: Any = publisher
    if isinstance(publisher, Base.flow):
        return given  # type: ignore[no-any-return]
    make: Any = None
    if callable(getattr(publisher, "subscribe", None)):
        make = Base.flow.from_publisher
    elif isinstance(publisher, Iterable):
        make = Base.flow.from_iterable
    elif isinstance(publisher, AsyncIterable):
        make = Base.flow.from_async_iterable
    if make is None:
        raise TypeError(f"{operator}({publisher!r}): give a Publisher or an iterable")
    made: Flow[Any] = make(publisher)
    return made
