"""Sources that are made while the stream runs: `defer`, `using`, and what they stand on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.runtime._boundary import WINDOW
from penstock.runtime._head import Head
from penstock.runtime._inlet import Inlet
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._stage_names import MISSING

__all__ = ["Defer", "Using", "late"]


def late(publisher: Any, pump: Pump) -> Head:
    """Return a head for an input that was not known when the segment was made."""
    if isinstance(publisher, Node) and publisher.depth:
        return child(publisher, pump, WINDOW, coupled=True)
    inlet = Inlet(pump, WINDOW, coupled=True)
    pump.inlets = (*pump.inlets, inlet)
    pump.wiring.grow(publisher, inlet, pump.caller)
    return inlet


class Defer:
    """A source that a function makes for each run."""

    name = "defer"
    awaits = False

    def __init__(self, as_flow: Callable[[Any, str], Any]) -> None:
        self._as_flow = as_flow

    def open(self, node: Node, pump: Pump) -> LateHead:
        """Return a head that calls the function at the first demand."""
        (make,) = node.arguments
        return LateHead(pump, lambda: self._as_flow(make(), self.name))


class Using:
    """A source made of a resource that is there as long as the run."""

    name = "using"
    awaits = False

    def __init__(self, as_flow: Callable[[Any, str], Any]) -> None:
        self._as_flow = as_flow

    def open(self, node: Node, pump: Pump) -> LateHead:
        """Return a head that acquires the resource at the first demand."""
        acquire, use, release = node.arguments
        resource = MISSING

        def make() -> Any:
            nonlocal resource
            resource = acquire()
            return self._as_flow(use(resource), self.name)

        def done() -> None:
            nonlocal resource
            held, resource = resource, MISSING
            if held is not MISSING:
                release(held)

        return LateHead(pump, make, done)


class LateHead:
    """Stands for another head, which it makes at the first demand."""

    __slots__ = ("_done", "_inner", "_make", "_pump")

    def __init__(
        self, pump: Pump, make: Callable[[], Any], done: Callable[[], object] | None = None
    ) -> None:
        self._pump = pump
        self._make = make
        self._done = done
        self._inner: Head | None = None

    def next(self) -> Any:
        """Return what the other head does."""
        inner = self._inner
        if inner is None:
            inner = self._inner = late(self._make(), self._pump)
        return inner.next()

    def ended(self) -> bool:
        """Return whether the other head is there, and has ended."""
        return self._inner is not None and self._inner.ended()

    def close(self) -> None:
        """Close the other head, then let go of what it was made with."""
        inner, self._inner = self._inner, None
        done, self._done = self._done, None
        try:
            if inner is not None:
                inner.close()
        finally:
            if done is not None:
                done()
