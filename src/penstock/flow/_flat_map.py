"""Operators that make a flow of each element."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from penstock.api import Publisher
from penstock.flow._base import Base, as_flow
from penstock.flow._check import callable_, count
from penstock.runtime._flat_map import FlatMap
from penstock.runtime._switch_map import SwitchMap

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["FlatMaps"]

T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")

CONCURRENCY = 16
WINDOW = 32


Fn = Callable[[Any], Any]


def _itself(element: Any) -> Any:
    return element


def _as_given(fn: Fn, concurrency: int, window: int) -> tuple[Fn, int, int]:
    return fn, concurrency, window


def _one_by_one(fn: Fn) -> tuple[Fn, int, int]:
    return fn, 1, WINDOW


def _flat(concurrency: int) -> tuple[Fn, int, int]:
    return _itself, concurrency, WINDOW


_FLAT_MAP = FlatMap("flat_map", _as_given, as_flow)
_CONCAT_MAP = FlatMap("concat_map", _one_by_one, as_flow)
_FLATTEN = FlatMap("flatten", _flat, as_flow)
_SWITCH_MAP = SwitchMap(as_flow)


class FlatMaps(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that make a flow of each element."""

    __slots__ = ()

    def flat_map(
        self,
        fn: Callable[[T_co], Publisher[R] | Iterable[R] | AsyncIterable[R]],
        concurrency: int = CONCURRENCY,
        window: int = WINDOW,
    ) -> Flow[R]:
        """Give the elements of all streams that `fn(element)` makes, each when it comes.

        `fn` returns a Publisher, an iterable or an async iterable. An iterable is run through
        here, one at a time, in turns with the Publishers, and takes none of their room.

        Emits when one of the inner streams does, of which there are at most `concurrency` at
            a time; the order within each of them is kept.
        Requests at most `concurrency` elements ahead; of each inner stream, `window` elements.
        Completes when upstream and all inner streams have completed.
        Cancels upstream and all inner streams when downstream cancels, or one of them fails.
            Iterators are closed.

        Raises `TypeError` if `fn` can't be called, `TypeError` or `ValueError` if `concurrency`
        or `window` is no int of at least 1. The stream fails with what `fn` raises, and with
        `TypeError` if it returns anything else.

        >>> Flow.of(2, 3).flat_map(range).to_list().result()
        [0, 1, 0, 1, 2]
        """
        return self._junction(
            _FLAT_MAP,
            callable_("flat_map", "fn", fn),
            count("flat_map", "concurrency", concurrency),
            count("flat_map", "window", window),
            inputs=(None,),
        )

    def concat_map(
        self, fn: Callable[[T_co], Publisher[R] | Iterable[R] | AsyncIterable[R]]
    ) -> Flow[R]:
        """Give the elements of the streams that `fn(element)` makes, one stream after the other.

        `fn` returns a Publisher, an iterable or an async iterable. It is called for an element
        when the stream before has completed.

        Emits when the inner stream does.
        Requests one element ahead; of the inner stream, 32 elements.
        Completes when upstream and the last inner stream have completed.
        Cancels upstream and the inner stream when downstream cancels, or one of them fails.
            Iterators are closed.

        Raises `TypeError` if `fn` can't be called. The stream fails with what `fn` raises, and
        with `TypeError` if it returns anything else.

        >>> Flow.of("ab", "c").concat_map(Flow.from_iterable).to_list().result()
        ['a', 'b', 'c']
        """
        return self._junction(_CONCAT_MAP, callable_("concat_map", "fn", fn), inputs=(None,))

    def switch_map(
        self, fn: Callable[[T_co], Publisher[R] | Iterable[R] | AsyncIterable[R]]
    ) -> Flow[R]:
        """Give the elements of the stream that `fn` makes of the latest element.

        `fn` returns a Publisher, an iterable or an async iterable. If several elements have
        come in by the time there is demand, it is called for the last of them only. If the
        elements come from an iterable, which has them all at any time, each inner stream first
        gives what it has at once.

        Emits when the inner stream does.
        Requests at most 16 elements ahead; of the inner stream, as many as there is demand
            for, at most 256 at a time.
        Completes when upstream and the last inner stream have completed.
        Cancels the inner stream when an element comes in; both when downstream cancels, or one
            of them fails. Iterators are closed.

        Raises `TypeError` if `fn` can't be called. The stream fails with what `fn` raises, and
        with `TypeError` if it returns anything else.

        >>> queries, answers = ManualPublisher(), ManualPublisher()
        >>> probe = Probe(Flow.from_publisher(queries).switch_map(lambda query: answers))
        >>> probe.request(1)
        >>> queries.emit("a")
        >>> answers.emit("about a")
        >>> probe.elements
        ['about a']
        """
        return self._junction(_SWITCH_MAP, callable_("switch_map", "fn", fn), inputs=(None,))

    @overload
    def flatten(self: Base[Publisher[R]], concurrency: int = ...) -> Flow[R]: ...
    @overload
    def flatten(self: Base[Iterable[R]], concurrency: int = ...) -> Flow[R]: ...
    @overload
    def flatten(self: Base[AsyncIterable[R]], concurrency: int = ...) -> Flow[R]: ...
    def flatten(self: Base[Any], concurrency: int = 1) -> Flow[Any]:
        """Give the elements of the elements, which are streams; at first one after the other.

        The elements are Publishers, iterables or async iterables.

        Emits when one of the inner streams does, of which there are at most `concurrency` at
            a time.
        Requests at most `concurrency` elements ahead; of each inner stream, 32 elements.
        Completes when upstream and all inner streams have completed.
        Cancels upstream and all inner streams when downstream cancels, or one of them fails.
            Iterators are closed.

        Raises `TypeError` or `ValueError` if `concurrency` is no int of at least 1. The stream
        fails with `TypeError` if an element is anything else.

        >>> Flow.of([1, 2], [3]).flatten().to_list().result()
        [1, 2, 3]
        """
        return self._junction(
            _FLATTEN, count("flatten", "concurrency", concurrency), inputs=(None,)
        )
