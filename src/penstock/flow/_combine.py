"""Operators that bring several flows together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from penstock.api import Publisher
from penstock.flow._base import DEEPEST, Base, as_flow
from penstock.flow._check import callable_, element_, flag
from penstock.runtime._concat import CONCAT, START_WITH, Concat
from penstock.runtime._latest import COMBINE_LATEST
from penstock.runtime._merge import MERGE, Merge
from penstock.runtime._node import Node, Origin
from penstock.runtime._race import RACE
from penstock.runtime._with_latest import WITH_LATEST_FROM, WITH_LATEST_FROM_BY
from penstock.runtime._zip import ZIP, ZIP_STRICT

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["Combine"]

T_co = TypeVar("T_co", covariant=True)
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
R = TypeVar("R")


def _together(op: Origin, first: Any, others: tuple[Any, ...], *settings: Any) -> Flow[Any]:
    """Return a flow of all inputs, declared by the caller's caller."""
    flow = as_flow(first, op.name)
    flows = [as_flow(other, op.name) for other in others]
    make = flow._junction  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    return make(op, *flows, *settings, inputs=tuple(flows), up=3)


def _in_one(op: Merge | Concat, first: Any, others: tuple[Any, ...]) -> Flow[Any]:
    """Return a flow of all inputs, of which those of the same kind are taken apart.

    However many are put together one by one, they are no deeper than the deepest of them.
    """
    flow = as_flow(first, op.name)
    flows = [as_flow(other, op.name) for other in others]
    make = flow._junction  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    made = make(op, *flows, inputs=(None,), up=3)
    depths = [_depth_in(made, one) for one in (flow, *flows)]
    if 0 not in depths and max(depths) <= DEEPEST:
        made.depth = max(depths)
    return made


def _depth_in(made: Node, one: Node) -> int:
    apart = isinstance(one.op, type(made.op)) and one.boundary is made.boundary
    return one.depth if apart or not one.depth else one.depth + 1


class Combine(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that bring several flows together."""

    __slots__ = ()

    def concat(self: Publisher[T_co], *others: Publisher[T_co]) -> Flow[T_co]:
        """Give this flow's elements, then those of the next one, and so on.

        Emits when the flow whose turn it is does.
        Requests as many of that flow as there is demand for, at most 256 at a time. A flow is
            subscribed to when the one before has completed.
        Completes when the last flow completes.
        Cancels the flow whose turn it is when downstream cancels.

        Raises `TypeError` if one of the flows is no Publisher and no iterable.

        >>> Flow.of(1).concat(Flow.of(2), Flow.of(3)).to_list().result()
        [1, 2, 3]
        """
        return _in_one(CONCAT, self, others)

    def start_with(self, *elements: T_co | Publisher[T_co]) -> Flow[T_co]:
        """Give these elements first, or those of the one Publisher that is given.

        Emits when the Publisher, then this flow does; elements when there is demand.
        Requests as much as there is demand for, of this flow at most 256 at a time. It is
            subscribed to when what comes first has completed.
        Completes when this flow completes.
        Cancels the flow whose turn it is when downstream cancels.

        Raises `TypeError` if an element is None.

        >>> Flow.of(3).start_with(1, 2).to_list().result()
        [1, 2, 3]
        """
        before: Any
        if len(elements) == 1 and callable(getattr(elements[0], "subscribe", None)):
            before = as_flow(elements[0], "start_with")
        else:
            for element in elements:
                element_("start_with", "element", element)
            before = Base.flow.of(*elements)
        return _in_one(START_WITH, self, (before,))

    def merge(self: Publisher[T_co], *others: Publisher[T_co]) -> Flow[T_co]:
        """Give the elements of all flows, each when it comes.

        Flows that are iterables here take turns, 64 elements at a time; among others that
        have to be waited for, they give way when something has come in.

        Emits when one of the flows does; the order within each of them is kept.
        Requests 64 elements of each flow, and more when half of them are used; an iterable's
            when there is demand.
        Completes when all flows have completed.
        Cancels all flows when downstream cancels, or one of them fails.

        Raises `TypeError` if one of the flows is no Publisher and no iterable.

        >>> sorted(Flow.of(1, 3).merge(Flow.of(2)).to_list().result())
        [1, 2, 3]
        """
        return _in_one(MERGE, self, others)

    @overload
    def zip(self: Publisher[A], *, strict: bool = ...) -> Flow[tuple[A]]: ...
    @overload
    def zip(
        self: Publisher[A], second: Publisher[B], /, *, strict: bool = ...
    ) -> Flow[tuple[A, B]]: ...
    @overload
    def zip(
        self: Publisher[A], second: Publisher[B], third: Publisher[C], /, *, strict: bool = ...
    ) -> Flow[tuple[A, B, C]]: ...
    @overload
    def zip(
        self: Publisher[A],
        second: Publisher[B],
        third: Publisher[C],
        fourth: Publisher[D],
        /,
        *,
        strict: bool = ...,
    ) -> Flow[tuple[A, B, C, D]]: ...
    @overload
    def zip(
        self: Publisher[A],
        second: Publisher[B],
        third: Publisher[C],
        fourth: Publisher[D],
        fifth: Publisher[R],
        /,
        *,
        strict: bool = ...,
    ) -> Flow[tuple[A, B, C, D, R]]: ...
    @overload
    def zip(
        self: Publisher[Any], *others: Publisher[Any], strict: bool = ...
    ) -> Flow[tuple[Any, ...]]: ...
    def zip(
        self: Publisher[Any], *others: Publisher[Any], strict: bool = False
    ) -> Flow[tuple[Any, ...]]:
        """Give tuples: the first elements of all flows, then the second ones, and so on.

        As with Python's `zip`, elements are taken from the flows in their order, and what was
        taken is lost if a later flow then turns out to have ended; `strict` makes that an error.

        Emits when all flows have given one more element.
        Requests 64 elements of each flow, and more when half of them are used; an iterable's
            when there is demand.
        Completes when one flow has completed and all of its elements were given; if `strict`,
            when all have.
        Cancels all flows when downstream cancels, one of them fails, or it completes.

        Raises `TypeError` if one of the flows is no Publisher and no iterable. If `strict`, the
        stream fails with `ValueError` if one flow has more elements than another.

        >>> Flow.of(1, 2).zip(Flow.of("a", "b")).to_list().result()
        [(1, 'a'), (2, 'b')]
        """
        return _together(ZIP_STRICT if flag("zip", "strict", strict) else ZIP, self, others)

    @overload
    def combine_latest(self: Publisher[A]) -> Flow[tuple[A]]: ...
    @overload
    def combine_latest(self: Publisher[A], second: Publisher[B], /) -> Flow[tuple[A, B]]: ...
    @overload
    def combine_latest(
        self: Publisher[A], second: Publisher[B], third: Publisher[C], /
    ) -> Flow[tuple[A, B, C]]: ...
    @overload
    def combine_latest(
        self: Publisher[A], second: Publisher[B], third: Publisher[C], fourth: Publisher[D], /
    ) -> Flow[tuple[A, B, C, D]]: ...
    @overload
    def combine_latest(
        self: Publisher[A],
        second: Publisher[B],
        third: Publisher[C],
        fourth: Publisher[D],
        fifth: Publisher[R],
        /,
    ) -> Flow[tuple[A, B, C, D, R]]: ...
    @overload
    def combine_latest(self: Publisher[Any], *others: Publisher[Any]) -> Flow[tuple[Any, ...]]: ...
    def combine_latest(self: Publisher[Any], *others: Publisher[Any]) -> Flow[tuple[Any, ...]]:
        """Give a tuple of the latest elements of all flows for each element of any of them.

        There is none before each flow has given an element; earlier ones are passed over.
        Flows that are iterables here take turns, one element at a time.

        Emits when one of the flows does, and all have given something.
        Requests 64 elements of each flow, and more when half of them are used; an iterable's
            when there is demand.
        Completes when all flows have completed, or one without an element.
        Cancels all flows when downstream cancels, or one of them fails.

        Raises `TypeError` if one of the flows is no Publisher and no iterable.

        >>> Flow.of(1, 2).combine_latest(Flow.of("a", "b")).to_list().result()
        [(1, 'a'), (2, 'a'), (2, 'b')]
        """
        return _together(COMBINE_LATEST, self, others)

    @overload
    def with_latest_from(
        self: Publisher[A], other: Publisher[B], fn: None = ...
    ) -> Flow[tuple[A, B]]: ...
    @overload
    def with_latest_from(
        self: Publisher[A], other: Publisher[B], fn: Callable[[A, B], R]
    ) -> Flow[R]: ...
    def with_latest_from(
        self: Publisher[Any],
        other: Publisher[Any],
        fn: Callable[[Any, Any], Any] | None = None,
    ) -> Flow[Any]:
        """Give each element with the latest one of `other`, as a pair or as `fn` makes it.

        Elements wait until `other` has given its first one. If `other` is an iterable here, one
        element of it is taken for each element, as long as there are some.

        Emits when an element comes in and `other` has given something.
        Requests 64 elements, and more when half of them are used; of `other` all it has, of
            which the latest is kept.
        Completes when upstream has completed, or `other` without an element.
        Cancels both when downstream cancels, or one of them or `fn` fails.

        Raises `TypeError` if `other` is no Publisher and no iterable, or `fn` can't be called.

        >>> Flow.of(1, 2).with_latest_from(Flow.of("a")).to_list().result()
        [(1, 'a'), (2, 'a')]
        """
        if fn is None:
            return _together(WITH_LATEST_FROM, self, (other,))
        made = callable_("with_latest_from", "fn", fn)
        return _together(WITH_LATEST_FROM_BY, self, (other,), made)

    def race(self: Publisher[T_co], *others: Publisher[T_co]) -> Flow[T_co]:
        """Give what the first flow to signal gives, be it an element or its end.

        A flow that is an iterable here is there as soon as it is asked, so of several the first
        one wins.

        Emits when the winner does.
        Requests as much as there is demand for, at most 256 at a time: of all flows, then of
            the winner. What the others give is dropped.
        Completes when the winner completes.
        Cancels the others when one has signalled, and the winner when downstream cancels.

        Raises `TypeError` if one of the flows is no Publisher and no iterable.

        >>> Flow.never().race(Flow.of(1, 2)).to_list().result()
        [1, 2]
        """
        return _together(RACE, self, others)
