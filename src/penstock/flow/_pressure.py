"""Operators that say what happens to what nobody asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock.flow._base import Base
from penstock.flow._check import callable_, count, seconds
from penstock.flow._overflow import Overflow
from penstock.runtime._at_most import AT_MOST
from penstock.runtime._buffers import (
    BUFFER,
    CONFLATE,
    DROP_NEWEST,
    DROP_OLDEST,
    LATEST,
    PREFETCH,
)

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["Pressure", "overflow_"]

T_co = TypeVar("T_co", covariant=True)


class Pressure(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that say what happens to what nobody asked for."""

    __slots__ = ()

    def buffer(self, size: int, overflow: Overflow = Overflow.ERROR) -> Flow[T_co]:
        """Take in all there is; up to `size` elements wait to be asked for.

        What happens to one that has no room, says `overflow`. Upstream never waits.

        Emits when there is demand and an element waits.
        Requests all there is, at the first demand.
        Completes when upstream has completed and all that waited was given.
        Cancels when downstream cancels, or on an overflow with `Overflow.ERROR`.

        Raises `TypeError` or `ValueError` if `size` is no int of at least 1 or `overflow` no
        `Overflow`. With `Overflow.ERROR` the stream fails with an `OverflowError`.

        >>> probe = Probe(Flow.range(10).buffer(3, Overflow.DROP_OLDEST))
        >>> probe.request(1); probe.request(9)
        >>> probe.elements
        [0, 7, 8, 9]
        """
        size = count("buffer", "size", size)
        return self._junction(BUFFER, size, overflow_("buffer", overflow), inputs=(None,))

    def drop_newest(self, size: int = 1) -> Flow[T_co]:
        """Take in all there is; what comes while `size` elements wait is dropped.

        Emits when there is demand and an element waits.
        Requests all there is, at the first demand.
        Completes when upstream has completed and all that waited was given.
        Cancels when downstream cancels.

        Raises `TypeError` or `ValueError` if `size` is no int of at least 1.

        >>> probe = Probe(Flow.range(10).drop_newest())
        >>> probe.request(1); probe.request(9)
        >>> probe.elements
        [0, 1]
        """
        return self._junction(DROP_NEWEST, count("drop_newest", "size", size), inputs=(None,))

    def drop_oldest(self, size: int = 1) -> Flow[T_co]:
        """Take in all there is; the last `size` elements wait, those before are dropped.

        Emits when there is demand and an element waits.
        Requests all there is, at the first demand.
        Completes when upstream has completed and all that waited was given.
        Cancels when downstream cancels.

        Raises `TypeError` or `ValueError` if `size` is no int of at least 1.

        >>> probe = Probe(Flow.range(10).drop_oldest(2))
        >>> probe.request(1); probe.request(9)
        >>> probe.elements
        [0, 8, 9]
        """
        return self._junction(DROP_OLDEST, count("drop_oldest", "size", size), inputs=(None,))

    def latest(self) -> Flow[T_co]:
        """Take in all there is; the latest element waits, those before it are dropped.

        Emits when there is demand and an element waits.
        Requests all there is, at the first demand.
        Completes when upstream has completed and what waited was given.
        Cancels when downstream cancels.

        >>> probe = Probe(Flow.range(10).latest())
        >>> probe.request(1); probe.request(9)
        >>> probe.elements
        [0, 9]
        """
        return self._junction(LATEST, inputs=(None,))

    def conflate(self, fn: Callable[[T_co, T_co], T_co]) -> Flow[T_co]:
        """Take in all there is; `fn(waiting, new)` makes one element of what waits.

        Emits when there is demand and an element waits.
        Requests all there is, at the first demand.
        Completes when upstream has completed and what waited was given.
        Cancels when downstream cancels or `fn` raises.

        Raises `TypeError` if `fn` can't be called. The stream fails if `fn` returns None.

        >>> probe = Probe(Flow.range(10).conflate(lambda waiting, new: waiting + new))
        >>> probe.request(1); probe.request(9)
        >>> probe.elements
        [0, 45]
        """
        return self._junction(CONFLATE, callable_("conflate", "fn", fn), inputs=(None,))

    def prefetch(self, n: int) -> Flow[T_co]:
        """Ask for `n` elements ahead, so that they are there when they are asked for.

        Emits when there is demand and an element is there.
        Requests `n` at the first demand, and again whenever half of them was given.
        Completes when upstream has completed and all that was there was given.
        Cancels when downstream cancels.

        Raises `TypeError` or `ValueError` if `n` is no int of at least 1.

        >>> pulled = []
        >>> probe = Probe(Flow.range(100).tap(pulled.append).prefetch(4))
        >>> probe.request(1)
        >>> probe.elements, pulled
        ([0], [0, 1, 2, 3])
        """
        return self._junction(PREFETCH, count("prefetch", "n", n), inputs=(None,))

    def at_most(self, n: int, per: float) -> Flow[T_co]:
        """Let `n` elements pass in any `per` seconds, by asking no faster. None is dropped.

        Emits when an element comes in that may pass.
        Requests when there is demand, as much, but no more than may pass at once.
        Completes when upstream completes.
        Cancels when downstream cancels.

        Raises `TypeError` or `ValueError` if `n` is no int of at least 1 or `per` no number of
        seconds above 0.

        >>> with VirtualClock() as clock:
        ...     probe = Probe(Flow.range(10).at_most(2, per=1))
        ...     probe.request(10)
        ...     at_once = probe.elements
        ...     clock.advance(1)
        >>> at_once, probe.elements
        ([0, 1], [0, 1, 2, 3])
        """
        n = count("at_most", "n", n)
        return self._junction(AT_MOST, n, seconds("at_most", "per", per), inputs=(None,))


def overflow_(operator: str, value: Any) -> Overflow:
    """Return `value`; raise `TypeError` unless it is an `Overflow`."""
    if not isinstance(value, Overflow):
        names = ", ".join(str(one) for one in Overflow)
        raise TypeError(f"{operator}(overflow={value!r}): give one of {names}")
    return value
