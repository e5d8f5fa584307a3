"""Somebody else's Processor, or the monitor, between two segments."""

from __future__ import annotations

from functools import partial
from typing import Any

from penstock.api import Processor
from penstock.runtime._boundary import WINDOW
from penstock.runtime._foreign import adapted
from penstock.runtime._inlet import Inlet
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

__all__ = ["CHECKED", "VIA"]


class _Link:
    """A Publisher whose one subscription is made by `connect`, with the segment's wiring."""

    def __init__(self, connect: Any) -> None:
        self.subscribe = connect


class _Upstream:
    """What is upstream of a node, as a Publisher that is part of the same subscription."""

    def __init__(self, node: Node, pump: Pump) -> None:
        self._node = node
        self._pump = pump

    def subscribe(self, subscriber: Any) -> None:
        """Run it for `subscriber`."""
        pump = self._pump
        pump.wiring.grow(self._node.up, subscriber, pump.caller)

    def __repr__(self) -> str:
        up = self._node.up
        return "a flow" if up is None else f"the flow {up.described()}"


class Via:
    """`via(make_processor)`: made for each run, when the subscriber was greeted."""

    name = "via"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Inlet:
        """Return an inlet that subscribes to the Processor."""
        return _inlet(node, pump, partial(self.connect, node, pump))

    def connect(self, node: Node, pump: Pump, subscriber: Any) -> None:
        """Make the Processor, and connect it on both sides."""
        processor = _made(node)
        processor.subscribe(subscriber)
        _Upstream(node, pump).subscribe(processor)


class Checked:
    """`checked(on_violation)`: what is upstream, watched.

    Directly behind somebody else's implementation that itself is watched.
    """

    name = "checked"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Inlet:
        """Return an inlet that subscribes to what is watched."""
        return _inlet(node, pump, partial(self._connect, node, pump))

    def _connect(self, node: Node, pump: Pump, subscriber: Any) -> None:
        (on_violation,) = node.arguments
        up = node.up
        if up is not None and up.op is VIA:
            processor = _watched(_made(up), on_violation)
            processor.subscribe(subscriber)
            _Upstream(up, pump).subscribe(processor)
            return
        publisher: Any = _Upstream(node, pump)
        if up is not None and up.op.name == "from_publisher":
            publisher = adapted(up.arguments[0])
        _watched(publisher, on_violation).subscribe(subscriber)


def _inlet(node: Node, pump: Pump, connect: Any) -> Inlet:
    inlet = Inlet(pump, WINDOW, coupled=True)
    pump.feed(_Link(connect), inlet)
    pump.upstream = (node.up,)  # it is no source: to stop a run, what is above it is stopped
    return inlet


def _watched(target: Any, on_violation: Any) -> Any:
    from penstock._monitor import checked

    return checked(target, on_violation)  # pyright: ignore[reportUnknownVariableType]


def _made(node: Node) -> Any:
    processor: Any = node.arguments[0]()
    if not isinstance(processor, Processor):
        raise TypeError(
            f"{node.described()} returned {processor!r}, which is no Processor: it needs "
            "subscribe, on_subscribe, on_next, on_error and on_complete (rule 4.1)"
        )
    return processor  # pyright: ignore[reportUnknownVariableType]


VIA = Via()
CHECKED = Checked()
