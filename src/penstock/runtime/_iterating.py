"""A segment as a plain generator: for flows that can be iterated without ever idling."""

from __future__ import annotations

from collections.abc import Generator
from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.runtime._compile import shape_of
from penstock.runtime._head import Head
from penstock.runtime._iterables import IterableHead
from penstock.runtime._loop import made
from penstock.runtime._node import Node
from penstock.runtime._notes import none_made, note, owner_of
from penstock.runtime._pump import Pump
from penstock.runtime._stage import Stage

if TYPE_CHECKING:
    from penstock.runtime._wiring import Wiring

__all__ = ["Iterating", "child", "iterate"]


class Unstoppable:
    """Stands for the pump of an iteration: nobody but who iterates can leave it."""

    halted = False


class Iterating:
    """Stands in for the pump: there are no signals, the consumer's `next` is the demand."""

    lease = None
    sliced = False

    def __init__(
        self, wiring: Wiring, origin: Node, nodes: tuple[Node, ...], root: Pump | Unstoppable
    ) -> None:
        self.wiring = wiring
        self.root = root
        """Whose junction has it as a child: when that one is halted, nobody waits any more."""
        self.origin = origin
        self.nodes = nodes
        self.shape = shape_of(
            tuple([node.op for node in nodes]),  # type: ignore[misc]
            "iterate",
            unchecked=getattr(origin.op, "unchecked", False),
        )

    def loop(self) -> Generator[Any, None, None]:
        """Return the generator, not started."""
        head = self.origin.op.open(self.origin, self)  # type: ignore[union-attr,arg-type]
        self._loop = made(self.shape, self, head, None, self.nodes)
        return self._loop  # type: ignore[no-any-return]

    def demand(self) -> int:
        """Return 1: an iterator is asked for one element at a time."""
        return 1

    def none_made(self, stage: int) -> TypeError:
        """Return the error for a stage that made None."""
        return Pump.none_made(self, stage)  # type: ignore[arg-type]

    def annotate(self, error: BaseException) -> None:
        """Note on `error` which stage raised it. A StopIteration becomes an error here."""
        owner = owner_of(error, self._loop.gi_code, self.shape)
        told = error
        if isinstance(error, StopIteration):
            # As the generator would do it itself, but with nobody to note anything then.
            told = RuntimeError("generator raised StopIteration")
        if owner is not None:
            note(told, self.nodes[owner] if owner >= 0 else self.origin)
        if told is not error:
            raise told from error


def iterate(
    node: Node, wiring: Wiring, root: Pump | Unstoppable | None = None
) -> Generator[Any, None, None]:
    """Return a generator of the elements of `node`, whose `depth` must not be 0."""
    stages: list[Node] = []
    while node.up is not None and not hasattr(node.op, "open"):
        stages.append(node)
        node = node.up
    stages.reverse()
    return Iterating(wiring, node, tuple(stages), root or Unstoppable()).loop()


def child(
    publisher: Any, pump: Any, window: int, *, coupled: bool = False, alarms: bool = True
) -> Head:
    """Return a head for one input of a junction, which the junction's pump owns.

    What can be iterated is; anything else is subscribed to with an inlet of this window.
    """
    from penstock.runtime._inlet import Inlet

    if isinstance(publisher, Node) and publisher.depth:
        op = publisher.op
        if not isinstance(op, Stage):
            head = op.open(publisher, pump)
            if not getattr(op, "unchecked", False):
                return head
            if isinstance(head, IterableHead):
                head.refuse = partial(none_made, publisher, "")
                return head
        node, wiring = publisher, pump.wiring
        root = pump.root if isinstance(pump, Iterating) else pump
        return IterableHead(lambda: iterate(node, wiring, root), sliced=pump.sliced, close=_close)
    inlet = Inlet(pump, window, coupled=coupled, alarms=alarms)
    pump.feed(publisher, inlet)
    return inlet


def _close(generator: Any) -> None:
    generator.close()
