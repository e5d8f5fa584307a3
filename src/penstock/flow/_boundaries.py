"""Operators that move a flow to another resource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from penstock.flow._base import Base
from penstock.flow._check import count
from penstock.runtime._boundary import ON, SUBSCRIBE_ON, WINDOW
from penstock.runtime._resource import Resource

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["Boundaries"]

T_co = TypeVar("T_co", covariant=True)


class Boundaries(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that move it to another resource."""

    __slots__ = ()

    def on(self, resource: Resource, window: int = WINDOW) -> Flow[T_co]:
        """Run what follows on `resource`, at most `window` elements behind.

        Emits when an element comes in, on `resource`.
        Requests when there is demand for the first time, `window` elements, and then keeps
            the window filled: half of it at a time.
        Completes when upstream completed and everything in the window was emitted.
        Cancels when downstream cancels.

        The elements of one subscription stay serial and in order. Raises `TypeError` if
        `resource` is none, `ValueError` for a window below 1.

        >>> from penstock import threads
        >>> Flow.range(3).on(threads(1)).map(str).to_list().result()
        ['0', '1', '2']
        """
        flow = self._junction(
            ON, _resource("on", resource), count("on", "window", window), inputs=(None,)
        )
        flow.boundary = flow
        return flow

    def subscribe_on(self, resource: Resource) -> Flow[T_co]:
        """Run what precedes on `resource`, up to the source or to the boundary before.

        Emits when an element comes in, on `resource`, unless a boundary precedes.
        Requests when there is demand, as much, on `resource`.
        Completes when upstream completes.
        Cancels when downstream cancels.

        Of several, the one closest to the source counts. Raises `TypeError` if `resource` is
        none.

        >>> from penstock import threads
        >>> Flow.range(3).subscribe_on(threads(1)).to_list().result()
        [0, 1, 2]
        """
        flow = self._stage(SUBSCRIBE_ON, _resource("subscribe_on", resource))
        flow.depth = 0
        if flow.boundary is None:
            flow.boundary = flow
        return flow


def _resource(operator: str, resource: Resource) -> Resource:
    if not callable(getattr(resource, "enter", None)):
        raise TypeError(
            f"{operator}({resource!r}): give a resource, such as threads(1) or event_loop()"
        )
    return resource
