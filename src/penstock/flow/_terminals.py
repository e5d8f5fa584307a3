"""Terminals: what a flow is run for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import wraps
from inspect import iscoroutinefunction
from typing import Any, Generic, Literal, TypeVar, cast, overload

from penstock.flow._base import Base
from penstock.flow._check import awaitable_too, callable_
from penstock.flow._run import Run
from penstock.runtime._stage import Stage
from penstock.runtime._stage_names import MISSING

__all__ = ["Terminals"]

T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")
S = TypeVar("S")

FOR_EACH = Stage("for_each", ("f",), body=("@f(x)",), swallows=True)
FOR_EACH_AWAITED = Stage("for_each", body=("pass",), swallows=True)
DRAIN = Stage("drain", body=("pass",), swallows=True)
FOLD = Stage(
    "fold",
    ("initial", "f"),
    ("@total = @initial",),
    ("@total = @f(@total, x)",),
    flush=("(@total,)",),
    swallows=True,
)
_REDUCED = ("@total = x if @total is MISSING else @f(@total, x)",)
_EMPTY = "raise LookupError('{}() of a flow without elements: give a default for that')"
_TOTAL_OR_ERROR = (f"if @total is MISSING: {_EMPTY.format('reduce')}", "(@total,)")
REDUCE = Stage(
    "reduce", ("f",), ("@total = MISSING",), _REDUCED, flush=_TOTAL_OR_ERROR, swallows=True
)
REDUCE_OR = Stage(
    "reduce",
    ("f", "default"),
    ("@total = MISSING",),
    _REDUCED,
    flush=("(@default if @total is MISSING else @total,)",),
    swallows=True,
)
SUM = Stage(
    "sum",
    ("start",),
    ("@total = @start",),
    ("@total = @total + x",),
    flush=("(@total,)",),
    swallows=True,
)
COUNT = Stage("count", (), ("@n = 0",), ("@n += 1",), flush=("(@n,)",), swallows=True)
TO_LIST = Stage(
    "to_list",
    setup=("@all = []", "@append = @all.append"),
    body=("@append(x)",),
    flush=("(@all,)",),
    swallows=True,
)


def _one(name: str, *body: str) -> tuple[Stage, Stage]:
    """Return two stages that keep one element, if there is any: without and with a default."""
    strict = (f"if @one is MISSING: {_EMPTY.format(name)}", "(@one,)")
    lenient = ("(@default if @one is MISSING else @one,)",)
    setup = ("@one = MISSING",)
    return (
        Stage(name, (), setup, body, flush=strict, swallows=True),
        Stage(name, ("default",), setup, body, flush=lenient, swallows=True),
    )


FIRST, FIRST_OR = _one("first", "@one = x", "finish")
LAST, LAST_OR = _one("last", "@one = x")


class Terminals(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that run it."""

    __slots__ = ()

    def for_each(
        self, fn: Callable[[T_co], object] | Callable[[T_co], Awaitable[object]]
    ) -> Run[None]:
        """Call `fn(element)` for each element; await it, if `fn` is a coroutine function.

        The elements are dealt with one after the other, in order.

        Emits nothing; the result is None.
        Requests all there is; of a coroutine function's, one element at a time.
        Completes when upstream completes.
        Cancels when the run is cancelled or `fn` raises.

        Raises `TypeError` if `fn` can't be called.

        >>> Flow.of("a", "b").for_each(print).result()
        a
        b
        """
        awaitable_too("for_each", "fn", fn)
        each: Any = fn
        if not iscoroutinefunction(each) and not iscoroutinefunction(type(each).__call__):
            return Run(self._stage(FOR_EACH, fn))

        @wraps(each)
        async def awaited(element: Any) -> bool:
            await each(element)
            return True

        place = self._stage(FOR_EACH_AWAITED).place
        flow = cast("Base[Any]", self.map_async(awaited, 1))  # type: ignore[attr-defined]
        flow.place = place  # the caller's line, not ours
        end = flow._stage(FOR_EACH_AWAITED)  # noqa: SLF001 - a flow, as this one is
        end.place = place
        return Run(end)

    def fold(self, initial: R, fn: Callable[[R, T_co], R]) -> Run[R]:
        """Take the elements together: `fn(total, element)`, beginning with `initial`.

        `initial` is the same object for each run: don't change it, make a new total.

        Emits the total when upstream completes.
        Requests all there is.
        Completes with the total.
        Cancels when the run is cancelled or `fn` raises.

        Raises `TypeError` if `fn` can't be called.

        >>> Flow.of(2, 3, 4).fold(1, lambda total, n: total * n).result()
        24
        """
        return Run(self._stage(FOLD, initial, callable_("fold", "fn", fn)))

    @overload
    def reduce(self, fn: Callable[[T_co, T_co], T_co]) -> Run[T_co]: ...

    @overload
    def reduce(self, fn: Callable[[T_co, T_co], T_co], default: S) -> Run[T_co | S]: ...

    def reduce(self, fn: Callable[[T_co, T_co], T_co], default: Any = MISSING) -> Run[Any]:
        """Take the elements together: `fn(total, element)`, beginning with the first.

        Emits the total when upstream completes; `default` if there was no element.
        Requests all there is.
        Completes with the total.
        Cancels when the run is cancelled or `fn` raises.

        Raises `TypeError` if `fn` can't be called. The run fails with `LookupError` if there was
        no element and there is no `default`.

        >>> Flow.of(2, 9, 4).reduce(max).result()
        9
        """
        callable_("reduce", "fn", fn)
        if default is MISSING:
            return Run(self._stage(REDUCE, fn))
        return Run(self._stage(REDUCE_OR, fn, default))

    @overload
    def sum(self: Terminals[int]) -> Run[int]: ...

    @overload
    def sum(self) -> Run[T_co | Literal[0]]: ...

    @overload
    def sum(self, start: S) -> Run[T_co | S]: ...

    def sum(self, start: Any = 0) -> Run[Any]:
        """Add up the elements, beginning with `start`.

        Emits the sum when upstream completes.
        Requests all there is.
        Completes with the sum.
        Cancels when the run is cancelled.

        >>> Flow.range(5).sum().result()
        10
        >>> Flow.of((1, 2), (3,)).sum(()).result()
        (1, 2, 3)
        """
        return Run(self._stage(SUM, start))

    def count(self) -> Run[int]:
        """Count the elements.

        Emits their number when upstream completes.
        Requests all there is.
        Completes with the number.
        Cancels when the run is cancelled.

        >>> Flow.of("a", "b").count().result()
        2
        """
        return Run(self._stage(COUNT))

    def to_list(self) -> Run[list[T_co]]:
        """Collect all elements in a list, which has no bound but the flow's own.

        Emits the list when upstream completes.
        Requests all there is.
        Completes with the list.
        Cancels when the run is cancelled.

        >>> Flow.range(3).to_list().result()
        [0, 1, 2]
        """
        return Run(self._stage(TO_LIST))

    @overload
    def first(self) -> Run[T_co]: ...

    @overload
    def first(self, default: S) -> Run[T_co | S]: ...

    def first(self, default: Any = MISSING) -> Run[Any]:
        """Take the first element, and no other.

        Emits the element when it comes in; `default` if upstream completes without one.
        Requests all there is; an iterable is asked for one element.
        Completes with the element.
        Cancels when it has the element, or the run is cancelled.

        The run fails with `LookupError` if there was no element and there is no `default`.

        >>> Flow.of("a", "b").first().result()
        'a'
        """
        if default is MISSING:
            return Run(self._stage(FIRST))
        return Run(self._stage(FIRST_OR, default))

    @overload
    def last(self) -> Run[T_co]: ...

    @overload
    def last(self, default: S) -> Run[T_co | S]: ...

    def last(self, default: Any = MISSING) -> Run[Any]:
        """Take the last element.

        Emits the element when upstream completes; `default` if there was none.
        Requests all there is.
        Completes with the element.
        Cancels when the run is cancelled.

        The run fails with `LookupError` if there was no element and there is no `default`.

        >>> Flow.of("a", "b").last().result()
        'b'
        """
        if default is MISSING:
            return Run(self._stage(LAST))
        return Run(self._stage(LAST_OR, default))

    def drain(self) -> Run[None]:
        """Run the flow for what it does on the way, and drop its elements.

        Emits nothing; the result is None.
        Requests all there is.
        Completes when upstream completes.
        Cancels when the run is cancelled.

        >>> Flow.of("a", "b").tap(print).drain().result()
        a
        b
        """
        return Run(self._stage(DRAIN))
