"""The boundary: what follows runs on another resource."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.runtime._inlet import Inlet
from penstock.runtime._node import Node
from penstock.runtime._stage import Stage

if TYPE_CHECKING:
    from penstock.runtime._pump import Pump

__all__ = ["ON", "SUBSCRIBE_ON", "WINDOW", "On"]

WINDOW = 1024
"""The window of a boundary of which nothing else was said."""


class On:
    """`on(resource, window)`: the inlet is the boundary, the pump's lease where it leads."""

    name = "on"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Inlet:
        """Return an inlet of the boundary's window."""
        inlet = Inlet(pump, node.arguments[1])
        pump.feed(node.up, inlet)
        return inlet


ON = On()

SUBSCRIBE_ON = Stage("subscribe_on", ("resource",))
"""No stage of the loop: it says where the segments upstream of it run, and is left out."""
