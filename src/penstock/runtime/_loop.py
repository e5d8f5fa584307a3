"""Makes the loop of one subscription out of a compiled shape."""

from __future__ import annotations

import builtins
from itertools import islice
from types import FunctionType
from typing import Any, Final

from penstock.runtime._compile import AGAIN, DEMAND, EMPTY, INPUT, Finished, Shape
from penstock.runtime._iterables import SLICE, certainly_empty, certainly_some, left
from penstock.runtime._node import Node

__all__ = ["GLOBALS", "made"]

NAMES: Final = {"DEMAND": DEMAND, "INPUT": INPUT, "AGAIN": AGAIN, "EMPTY": EMPTY}
# What the generated loops know by name. The async ones know one name more, added where
# asyncio is imported, which takes longer than all else here.
GLOBALS: Final[dict[str, Any]] = {
    "__builtins__": builtins.__dict__,  # what C code imports, it imports with these
    **NAMES,
    "Finished": Finished,
    "sure": certainly_empty,
    "whole": certainly_some,
    "left": left,
    "islice": islice,
    "SLICE": SLICE,
}


def made(shape: Shape, pump: Any, head: Any, subscriber: Any, nodes: tuple[Node, ...]) -> Any:
    """Return the loop of this shape over `head`, with the arguments of `nodes`."""
    # A code object of its own: shared ones share their inline caches, which would then be
    # specialised for somebody else's functions.
    function = FunctionType(shape.code.replace(), GLOBALS)
    breathe = pump.lease is not None and pump.lease.budget is not None
    if shape.form == "feed":
        # An inlet of ours takes elements without a call of ours for each.
        buffer = subscriber.buffer
        sink = buffer.append, buffer.extend, subscriber.pump, subscriber.arrived
    else:
        sink = None if subscriber is None else subscriber.on_next, None, None, None
    return function(pump, head, breathe, *sink, *[x for node in nodes for x in node.arguments])
