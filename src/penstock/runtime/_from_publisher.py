"""A source that is somebody else's Publisher."""

from __future__ import annotations

from penstock.runtime._boundary import WINDOW
from penstock.runtime._foreign import adapted
from penstock.runtime._inlet import Inlet
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

__all__ = ["FROM_PUBLISHER", "FromPublisher"]


class FromPublisher:
    """The Publisher is asked for what there is demand for, a window of it at a time."""

    name = "from_publisher"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Inlet:
        """Return an inlet that subscribes once the segment stands."""
        inlet = Inlet(pump, WINDOW, coupled=True)
        pump.feed(adapted(node.arguments[0]), inlet)
        return inlet


FROM_PUBLISHER = FromPublisher()
