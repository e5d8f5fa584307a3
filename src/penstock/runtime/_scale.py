"""How many elements of a head it takes to meet a demand of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.api import UNBOUNDED

if TYPE_CHECKING:
    from penstock.runtime._pump import Pump

__all__ = ["scale_of"]


def scale_of(pump: Pump) -> int:
    """Return how many elements the stages of `pump` may need to make one of theirs.

    UNBOUNDED if one of them folds. Those that a stage drops are not counted.
    """
    scale = 1
    for node in pump.nodes:
        op: Any = node.op
        if op.swallows:
            return UNBOUNDED
        if op.takes:
            scale = min(UNBOUNDED, scale * node.arguments[op.parameters.index(op.takes)])
    return scale
