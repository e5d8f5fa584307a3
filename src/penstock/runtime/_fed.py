"""Origins whose head is an inlet of some kind, which the flow upstream feeds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from penstock.runtime._inlet import Inlet
from penstock.runtime._node import Node

if TYPE_CHECKING:
    from penstock.runtime._pump import Pump

__all__ = ["Fed"]


class Fed:
    """An operator that is all in its inlet, which `make` makes for each run."""

    awaits = False

    def __init__(self, name: str, make: Callable[[Node, Pump], Inlet]) -> None:
        self.name = name
        self._make = make

    def open(self, node: Node, pump: Pump) -> Inlet:
        """Return the inlet, fed by what is upstream of `node`."""
        inlet = self._make(node, pump)
        pump.feed(node.up, inlet)
        return inlet
