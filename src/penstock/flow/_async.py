"""Operators that call coroutine functions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from penstock.flow._base import Base
from penstock.flow._check import awaitable_too, callable_, count, flag
from penstock.runtime._event_loop import EventLoop
from penstock.runtime._map_async import MAP_ASYNC
from penstock.runtime._resource import Resource

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["Asyncs"]

T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")


class Asyncs(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that call coroutine functions."""

    __slots__ = ()

    @overload
    def map_async(
        self,
        fn: Callable[[T_co], Awaitable[R]],
        concurrency: int = 16,
        *,
        ordered: bool = True,
        per_key: Callable[[T_co], Hashable] | None = None,
        on: EventLoop | None = None,
    ) -> Flow[R]: ...

    @overload
    def map_async(
        self,
        fn: Callable[[T_co], R],
        concurrency: int = 16,
        *,
        ordered: bool = True,
        per_key: Callable[[T_co], Hashable] | None = None,
        on: Resource,
    ) -> Flow[R]: ...

    def map_async(
        self,
        fn: Callable[[T_co], Any],
        concurrency: int = 16,
        *,
        ordered: bool = True,
        per_key: Callable[[T_co], Hashable] | None = None,
        on: Resource | None = None,
    ) -> Flow[Any]:
        """Give what `fn(element)` makes of each element, with up to `concurrency` calls at once.

        A coroutine function, or another one that returns an awaitable, is called in tasks on
        an event loop: the one that `on` names, or else the one that the flow runs on here, or
        else that of `event_loop()`. A plain function needs `on=threads(n)`, and is called
        there. Context variables are those of the subscriber.

        If `ordered`, results keep the order of their elements; else they come as they are
        made. With `per_key`, calls whose elements have the same `per_key(element)` follow each
        other, and their results are in order; others overtake them.

        Emits when a result is there, and is the next one if `ordered`.
        Requests when there is demand, as much, but for at most `concurrency` calls at once, and
            as many results that wait for their turn.
        Completes when upstream has completed and all results were given.
        Cancels when downstream cancels or a call raises; the other tasks are cancelled then,
            and awaited before the stream fails. Plain functions are awaited only.

        Raises `TypeError` or `ValueError` if `fn` or `per_key` can't be called, `concurrency` is
        no int of at least 1, `ordered` no bool, or `on` no resource on which `fn` can run. The
        stream fails with the first error of a call, and if a call makes None.

        >>> async def double(x):
        ...     return 2 * x
        >>> Flow.of(1, 2, 3).map_async(double).to_list().result()
        [2, 4, 6]
        >>> Flow.of("a", "b").map_async(str.upper, on=threads(2)).to_list().result()
        ['A', 'B']
        """
        name = "map_async"
        awaitable_too(name, "fn", fn)
        count(name, "concurrency", concurrency)
        flag(name, "ordered", ordered)
        if per_key is not None:
            callable_(name, "per_key", per_key)
        if on is not None and not callable(getattr(on, "enter", None)):
            raise TypeError(
                f"map_async(on={on!r}): give a resource, such as threads(8) or event_loop()"
            )
        if iscoroutinefunction(fn) and on is not None and not isinstance(on, EventLoop):
            raise TypeError(
                f"map_async(on={on!r}): a coroutine function runs on an event loop; leave out "
                "`on`, or give event_loop()"
            )
        return self._junction(MAP_ASYNC, fn, concurrency, ordered, per_key, on, inputs=(None,))
