"""A shared flow that begins when it is told to."""

from __future__ import annotations

from typing import Any, TypeVar

from penstock.flow._flow import Flow
from penstock.runtime._node import Node

__all__ = ["Published"]

T_co = TypeVar("T_co", covariant=True)


class Published(Flow[T_co]):
    """What `publish` returns: a flow whose subscribers wait until it is connected."""

    __slots__ = ()

    @classmethod
    def made_of(cls, flow: Flow[Any]) -> Published[Any]:
        """Return `flow` as one of these."""
        published = cls()
        for name in Node.__slots__:
            if name != "__weakref__":
                setattr(published, name, getattr(flow, name))
        return published

    def connect(self) -> None:
        """Begin the run that the subscribers wait for; do nothing if it is under way.

        Upstream is subscribed to at once, on this thread, and asked when somebody asks. Raises
        nothing: an error of upstream goes to the subscribers.
        """
        op: Any = self.op
        op.begin(self)
