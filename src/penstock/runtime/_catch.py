"""Going on after an error, or cleaning up after any end: `catch` and `finally_`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from penstock.runtime._boundary import WINDOW
from penstock.runtime._head import Head
from penstock.runtime._iterables import IterableHead
from penstock.runtime._iterating import child
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump
from penstock.runtime._switching import Switching, anew

__all__ = ["Catch", "Finally", "OnErrorReturn"]


class Catch:
    """`catch(fn)`: after an error, what `fn` makes of it."""

    name = "catch"
    awaits = False

    def __init__(self, as_flow: Callable[[Any], Any]) -> None:
        self._as_flow = as_flow

    def open(self, node: Node, pump: Pump) -> Switching:
        """Return a head that switches once, if upstream fails."""
        (fn,) = node.arguments
        as_flow = self._as_flow
        return _once(node, pump, lambda error: anew(as_flow(fn(error)), pump, alarms=True))


class OnErrorReturn:
    """`on_error_return(value)`: after an error, one element, then the end."""

    name = "on_error_return"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Switching:
        """Return a head that switches once, if upstream fails."""
        (value,) = node.arguments

        def instead(error: Exception) -> Head:
            element = value(error) if callable(value) else value
            if element is None:
                raise TypeError(
                    f"{node.described()} made None, and None is never an element (rule 2.13)"
                )
            only = (element,)
            return IterableHead(sliced=pump.sliced, known=only)

        return _once(node, pump, instead)


def _once(node: Node, pump: Pump, instead: Callable[[Exception], Head]) -> Switching:
    switched = False

    def failed(error: Exception) -> Head:
        nonlocal switched
        if switched:
            raise error
        switched = True
        return instead(error)

    first = child(node.up, pump, WINDOW, coupled=True, alarms=False)
    return Switching(pump, first, failed=failed)


class Finally:
    """`finally_(fn)`: `fn` is called when the segment lets go of its head."""

    name = "finally_"
    awaits = False

    def open(self, node: Node, pump: Pump) -> FinallyHead:
        """Return the head of what is upstream, with the call after its closing."""
        return FinallyHead(child(node.up, pump, WINDOW, coupled=True), node.arguments[0])


class FinallyHead:
    """Another head, and what is called once that is closed."""

    __slots__ = ("_fn", "_head")

    def __init__(self, head: Head, fn: Callable[[], object]) -> None:
        self._head = head
        self._fn = fn

    def next(self) -> Any:
        """Return what the other head does."""
        return self._head.next()

    def ended(self) -> bool:
        """Return whether the other head has ended."""
        return self._head.ended()

    def close(self) -> None:
        """Close the other head, then make the call, whatever that came to."""
        try:
            self._head.close()
        finally:
            self._fn()
