"""Operators that share one run among several subscribers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock.flow._base import Base
from penstock.flow._check import count, flag
from penstock.runtime._ring import POLICIES, Policy
from penstock.runtime._shared import Shared

if TYPE_CHECKING:
    from penstock.flow._flow import Flow
    from penstock.flow._published import Published

__all__ = ["BUFFER", "Shares", "policy_"]

T_co = TypeVar("T_co", covariant=True)

BUFFER = 256
"""How far the fastest subscriber may be ahead of the slowest if nothing was said of it."""


def policy_(operator: str, value: Any) -> Policy:
    """Return `value`; raise `ValueError` unless it is a policy for slow subscribers."""
    if value not in POLICIES:
        raise ValueError(f"{operator}(policy={value!r}): give one of {', '.join(POLICIES)}")
    return value  # type: ignore[no-any-return]


class Shares(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that share one run among several subscribers."""

    __slots__ = ()

    def share(
        self, buffer: int = BUFFER, *, keep_alive: bool = False, policy: Policy = "wait"
    ) -> Flow[T_co]:
        """Run once for all who subscribe: they get the same elements in the same order.

        The first subscriber starts the run; who comes later begins with the oldest element
        that is still in the buffer. When the last one leaves, the run is cancelled, unless
        `keep_alive` holds it, waiting, for the next. Who subscribes when a run is over and all
        of it was delivered starts a fresh one. The `policy` says what becomes of a subscriber
        for whom the buffer is too small: with `"wait"` the others wait for it, with `"drop"`
        it is dropped with an error that says so, with `"skip"` it misses some elements.

        Emits to each subscriber under its own demand.
        Requests from the first demand on what the buffer has room for, counted from the
            slowest subscriber with `"wait"`, else from the fastest.
        Completes, for each, when upstream has completed and it got all of the buffer.
        Cancels when the last subscriber cancels.

        Raises `TypeError` or `ValueError` if `buffer` is no int of at least 1, `keep_alive` no
        bool or `policy` not one of the three. The same object subscribing twice at a time is
        rejected with `RuntimeError`. Subscribers that wait for each other, because one zips
        what another drops, fail with a `RuntimeError` that says to enlarge the buffer.

        >>> source = ManualPublisher()
        >>> ticks = Flow.from_publisher(source).share()
        >>> one, two = Probe(ticks), Probe(ticks)
        >>> one.request(2)
        >>> two.request(1)
        >>> source.emit("tick", "tock")
        >>> one.elements, two.elements
        (['tick', 'tock'], ['tick'])
        >>> one.cancel()
        >>> two.cancel()
        >>> source.cancelled
        True
        """
        capacity = count("share", "buffer", buffer)
        flag("share", "keep_alive", keep_alive)
        op = Shared("share", capacity, policy_("share", policy), keep_alive=keep_alive)
        return self._junction(op, buffer, inputs=(None,))

    def publish(self, buffer: int = BUFFER, *, policy: Policy = "wait") -> Published[T_co]:
        """Share one run that begins when `.connect()` is called on what this returns.

        So all who subscribe before that get every element. When the last subscriber leaves,
        the run is cancelled. Who comes when it is over gets what is left and the end, or is
        told by an error that the last one left, until `connect()` starts a fresh one. See
        `share` for all else.

        Emits to each subscriber under its own demand.
        Requests what `share` does, once it is connected.
        Completes, for each, when upstream has completed and it got all of the buffer.
        Cancels when the last subscriber cancels.

        Raises what `share` raises.

        >>> flow = Flow.of("a", "b").publish()
        >>> one, two = Probe(flow), Probe(flow)
        >>> one.request(9)
        >>> two.request(1)
        >>> one.elements
        []
        >>> flow.connect()
        >>> one.elements, two.elements
        (['a', 'b'], ['a'])
        """
        from penstock.flow._published import Published

        capacity = count("publish", "buffer", buffer)
        op = Shared("publish", capacity, policy_("publish", policy), by_hand=True)
        return Published.made_of(self._junction(op, buffer, inputs=(None,)))

    def replay(
        self,
        n: int,
        *,
        buffer: int = BUFFER,
        keep_alive: bool = False,
        policy: Policy = "wait",
    ) -> Flow[T_co]:
        """Share one run; who comes later gets the last `n` elements first.

        And before those, what is still there for a slower subscriber. It holds at most
        `n + buffer` elements, and the last `n` of a completed run as long as it has
        subscribers, or for ever if `keep_alive`. See `share` for all else.

        Emits to each subscriber under its own demand.
        Requests what `share` does.
        Completes, for each, when upstream has completed and it got all that is held.
        Cancels when the last subscriber cancels.

        Raises what `share` raises, and `TypeError` or `ValueError` if `n` is no int of at
        least 1.

        >>> flow = Flow.range(5).replay(2, keep_alive=True)
        >>> flow.to_list().result(), flow.to_list().result()
        ([0, 1, 2, 3, 4], [3, 4])
        """
        keep = count("replay", "n", n)
        capacity = count("replay", "buffer", buffer) + keep
        flag("replay", "keep_alive", keep_alive)
        chosen = policy_("replay", policy)
        op = Shared("replay", capacity, chosen, keep=keep, keep_alive=keep_alive)
        return self._junction(op, n, inputs=(None,))
