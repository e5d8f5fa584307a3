"""Flow: a stream as an immutable description, which can be run any number of times."""

from __future__ import annotations

from typing import TypeVar

from penstock.api import Subscriber
from penstock.flow._async import Asyncs
from penstock.flow._base import Base
from penstock.flow._boundaries import Boundaries
from penstock.flow._combine import Combine
from penstock.flow._flat_map import FlatMaps
from penstock.flow._groups import Groups
from penstock.flow._iteration import AsyncIteration, Iteration
from penstock.flow._pressure import Pressure
from penstock.flow._push import Pushes
from penstock.flow._recover import Recover
from penstock.flow._select import Select
from penstock.flow._share import Shares
from penstock.flow._sources import Sources
from penstock.flow._terminals import Terminals
from penstock.flow._time import Time
from penstock.flow._transform import Transform
from penstock.flow._via import Via
from penstock.runtime._wiring import subscribe

__all__ = ["Flow"]

T_co = TypeVar("T_co", covariant=True)


class Flow(
    Sources[T_co],
    Pushes[T_co],
    Select[T_co],
    Transform[T_co],
    Asyncs[T_co],
    FlatMaps[T_co],
    Groups[T_co],
    Combine[T_co],
    Time[T_co],
    Recover[T_co],
    Pressure[T_co],
    Shares[T_co],
    Via[T_co],
    Boundaries[T_co],
    Terminals[T_co],
):
    """A stream, described: a source and what is done with its elements.

    It is a Publisher, and every `subscribe` runs it anew. It can be iterated over with `for`
    and with `async for`, each time anew as well.
    """

    __slots__ = ()

    def subscribe(self, subscriber: Subscriber[T_co], /) -> None:
        """Run the flow for `subscriber`. Raises `TypeError` for None."""
        if subscriber is None:
            raise TypeError("rule 1.9: the subscriber must not be None")
        subscribe(self, subscriber)

    def __iter__(self) -> Iteration[T_co]:
        """Iterate over a run, on this thread; see `Iteration`."""
        return Iteration(self)

    def __aiter__(self) -> AsyncIteration[T_co]:
        """Iterate over a run, in a task; see `AsyncIteration`."""
        return AsyncIteration(self)

    def __repr__(self) -> str:
        return f"<Flow {self.chain()}>"


Base.flow = Flow
