"""Where flows begin."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from inspect import isasyncgenfunction, iscoroutinefunction
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from penstock.api import Publisher
from penstock.flow._base import Base, as_flow, source
from penstock.flow._check import callable_, element_
from penstock.runtime._async_iterables import AsyncOnce, FromAsyncIterable
from penstock.runtime._from_publisher import FROM_PUBLISHER
from penstock.runtime._late import Defer, Using
from penstock.runtime._node import Node
from penstock.runtime._sources import Fails, FromIterable, Known, Made, Never, Once

if TYPE_CHECKING:
    from penstock.flow._flow import Flow
    from penstock.flow._run import Run

__all__ = ["Sources"]

T_co = TypeVar("T_co", covariant=True)
S = TypeVar("S")
V = TypeVar("V")


def _is_plain_function(given: Any) -> bool:
    return callable(given) and not iscoroutinefunction(given)


def _called(fn: Callable[[], Any]) -> tuple[Any]:
    return (fn(),)


def _unfolded(seed: Any, fn: Callable[[Any], Any]) -> Iterator[Any]:
    while (step := fn(seed)) is not None:
        if not isinstance(step, tuple) or len(step) != 2:  # pyright: ignore[reportUnknownArgumentType]
            raise TypeError(
                f"unfold(fn): fn returned {step!r}: return (element, next_seed), or None at the end"
            )
        element, seed = step  # pyright: ignore[reportUnknownVariableType]
        yield element


_OF = Known("of", lambda *elements: elements)
_EMPTY = Known("empty", tuple)
_RANGE = Known("range", range)
_NEVER = Never()
_ERROR = Fails()
_FROM_ITERABLE = FromIterable(unchecked=True)
_FROM_NONE_FREE = FromIterable(unchecked=False)
_FROM_ASYNC_ITERABLE = FromAsyncIterable()
_FROM_CALLABLE = Made("from_callable", _called)
_UNFOLD = Made("unfold", _unfolded)
_DEFER = Defer(as_flow)
_USING = Using(as_flow)

_NONE_FREE = frozenset({range, str, bytes})
"""Types whose elements are never None, so that nobody has to look."""


class Sources(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that make one of something else."""

    __slots__ = ()

    @staticmethod
    def of(*elements: S) -> Flow[S]:
        """Give the elements in parentheses.

        Emits when there is demand, one element after the other.
        Requests nothing; it is a source.
        Completes with the last element, without waiting for more demand.
        Cancels nothing; the elements are the caller's.

        Raises `TypeError` for None, which is never an element.

        >>> Flow.of("a", "b").to_list().result()
        ['a', 'b']
        """
        for element in elements:
            element_("of", "element", element)
        return source(_OF, *elements, iterable=True)

    @staticmethod
    def empty() -> Flow[Any]:
        """Give nothing.

        Emits nothing.
        Requests nothing; it is a source.
        Completes at once, without waiting for demand.
        Cancels nothing.

        >>> Flow.empty().to_list().result()
        []
        """
        return source(_EMPTY, iterable=True)

    @staticmethod
    def never() -> Flow[Any]:
        """Give nothing, and never end.

        Emits nothing.
        Requests nothing; it is a source.
        Completes never.
        Cancels nothing.

        >>> probe = Probe(Flow.never())
        >>> probe.request(1)
        >>> probe.completed
        False
        """
        return source(_NEVER, iterable=False)

    @staticmethod
    def error(error: Exception | Callable[[], Exception]) -> Flow[Any]:
        """Fail with `error`, or with what that function returns for each run.

        Emits nothing.
        Requests nothing; it is a source.
        Completes never; it fails at once, without waiting for demand.
        Cancels nothing.

        Raises `TypeError` if `error` is neither an exception nor a function.

        >>> Probe(Flow.error(OSError("no such sensor"))).error
        OSError('no such sensor')
        """
        if not isinstance(error, Exception) and not callable(error):
            raise TypeError(
                f"error(error={error!r}): give an Exception, or a function that returns one"
            )
        return source(_ERROR, error, iterable=False)

    @overload
    @staticmethod
    def range(stop: int, /) -> Flow[int]: ...

    @overload
    @staticmethod
    def range(start: int, stop: int, step: int = 1, /) -> Flow[int]: ...

    @staticmethod
    def range(*bounds: int) -> Flow[int]:
        """Give whole numbers, as `range` does: `stop`, or `start, stop` and perhaps `step`.

        Emits when there is demand, one number after the other.
        Requests nothing; it is a source.
        Completes with the last number, without waiting for more demand.
        Cancels nothing.

        Raises what `range` raises: `TypeError` for what is no int, `ValueError` for a step of 0.

        >>> Flow.range(0, 10, 4).to_list().result()
        [0, 4, 8]
        """
        try:
            range(*bounds)
        except (TypeError, ValueError) as error:
            shown = ", ".join(repr(bound) for bound in bounds)
            raise type(error)(f"range({shown}): {error}") from None
        return source(_RANGE, *bounds, iterable=True)

    @staticmethod
    def from_iterable(iterable: Iterable[S] | Callable[[], Iterable[S]]) -> Flow[S]:
        """Give the elements of an iterable, or of what a function returns for each run.

        A bare iterator, such as a generator, can be run through once; the next run fails and
        says so. Give the function that makes it instead.

        Emits when there is demand, what the iterable gives; it is never asked for more.
        Requests nothing; it is a source.
        Completes when the iterable ends; with the last element, if its length is certain.
        Cancels by closing the iterator, if it was made here and not by the caller.

        Raises `TypeError` if it is no iterable and no function. The stream fails with what the
        iterable raises, and with `TypeError` if it gives None.

        >>> squares = Flow.from_iterable(lambda: (n * n for n in range(4)))
        >>> squares.to_list().result(), squares.sum().result()
        ([0, 1, 4, 9], 14)
        """
        given: Any = iterable
        if callable(getattr(given, "subscribe", None)):
            raise TypeError(f"from_iterable({given!r}): this is a Publisher: use from_publisher")
        if isinstance(given, AsyncIterable) or isasyncgenfunction(given):
            raise TypeError(f"from_iterable({given!r}): use from_async_iterable")
        if isinstance(given, Iterator):
            given = Once(given)  # pyright: ignore[reportUnknownArgumentType]
        elif not isinstance(given, Iterable) and not _is_plain_function(given):  # pyright: ignore[reportUnknownArgumentType]
            raise TypeError(
                f"from_iterable({given!r}): give an iterable, or a function that returns one"
            )
        op = _FROM_NONE_FREE if type(given) in _NONE_FREE else _FROM_ITERABLE  # pyright: ignore[reportUnknownArgumentType]
        return source(op, given, iterable=True)

    @staticmethod
    def from_async_iterable(iterable: AsyncIterable[S] | Callable[[], AsyncIterable[S]]) -> Flow[S]:
        """Give the elements of an async iterable, or of what a function returns for each run.

        It runs on the event loop that the flow runs on; where there is none, on the running
        loop of whoever subscribes; else on a background loop of penstock's. A bare async
        iterator, such as an async generator, can be run through once.

        Emits when there is demand and the iterable has given an element; it is never asked
            for more.
        Requests nothing; it is a source.
        Completes when the iterable ends, which is found by asking for one element more.
        Cancels by cancelling what it awaits, then with `aclose()`, if the iterator was made
            here and not by the caller.

        Raises `TypeError` if it is no async iterable and no function. The stream fails with
        what the iterable raises, and with `TypeError` if it gives None.

        >>> async def ticks():
        ...     yield "tick"
        ...     yield "tock"
        >>> Flow.from_async_iterable(ticks).to_list().result()
        ['tick', 'tock']
        """
        given: Any = iterable
        if isinstance(given, AsyncIterator):
            given = AsyncOnce(given)  # pyright: ignore[reportUnknownArgumentType]
        elif not isinstance(given, AsyncIterable) and not _is_plain_function(given):
            hint = ": use from_iterable" if isinstance(given, Iterable) else ""
            raise TypeError(
                f"from_async_iterable({given!r}){hint}: give an async iterable, or a function "
                "that returns one"
            )
        return source(_FROM_ASYNC_ITERABLE, given, iterable=False)

    @staticmethod
    def from_publisher(publisher: Publisher[S] | Run[S]) -> Flow[S]:
        """Give the elements of any Publisher; a flow is returned as it is.

        Emits when the Publisher does.
        Requests as much as there is demand for, at most 1024 elements at a time.
        Completes when the Publisher completes.
        Cancels when downstream cancels.

        Raises `TypeError` if it has no method `subscribe`.

        >>> publisher = ManualPublisher()
        >>> probe = Probe(Flow.from_publisher(publisher))
        >>> probe.request(2)
        >>> publisher.requested
        2
        """
        given: Any = publisher
        as_publisher = getattr(given, "as_publisher", None)
        if callable(as_publisher):
            given = as_publisher()
        if isinstance(given, Node):
            return given  # type: ignore[return-value]
        if isinstance(given, type) or not callable(getattr(given, "subscribe", None)):
            raise TypeError(
                f"from_publisher({given!r}): give a Publisher: an object that has a method "
                "subscribe(subscriber)"
            )
        return source(FROM_PUBLISHER, given, iterable=False)

    @staticmethod
    def from_callable(fn: Callable[[], S]) -> Flow[S]:
        """Give one element, which is `fn()`, called for each run.

        Emits when there is demand: `fn` is called then and not before.
        Requests nothing; it is a source.
        Completes with that element, without waiting for more demand.
        Cancels nothing; a call that is under way is not interrupted.

        Raises `TypeError` if `fn` can't be called. The stream fails with what `fn` raises, and
        with `TypeError` if it returns None.

        >>> Flow.from_callable(lambda: 6 * 7).to_list().result()
        [42]
        """
        return source(_FROM_CALLABLE, callable_("from_callable", "fn", fn), iterable=True)

    @staticmethod
    def defer(
        fn: Callable[[], Publisher[S]] | Callable[[], Iterable[S]] | Callable[[], AsyncIterable[S]],
    ) -> Flow[S]:
        """Give the elements of the Publisher or iterable that `fn` returns for each run.

        Emits when what `fn` returned does; `fn` is called at the first demand.
        Requests from what `fn` returned as much as there is demand for.
        Completes when what `fn` returned does.
        Cancels when downstream cancels.

        Raises `TypeError` if `fn` can't be called. The stream fails with what `fn` raises.

        >>> runs = iter("ab")
        >>> flow = Flow.defer(lambda: Flow.of(next(runs)))
        >>> flow.to_list().result(), flow.to_list().result()
        (['a'], ['b'])
        """
        return source(_DEFER, callable_("defer", "fn", fn), iterable=False)

    @staticmethod
    def unfold(seed: V, fn: Callable[[V], tuple[S, V] | None]) -> Flow[S]:
        """Give elements made one from another: `fn(seed)` is the element and the next seed.

        Emits when there is demand: `fn` is called once for each element.
        Requests nothing; it is a source.
        Completes when `fn` returns None.
        Cancels nothing; a call that is under way is not interrupted.

        Raises `TypeError` if `fn` can't be called. The stream fails with what `fn` raises, and
        with `TypeError` if it returns no pair or a pair that begins with None.

        >>> Flow.unfold(10, lambda n: (n, n // 2) if n else None).to_list().result()
        [10, 5, 2, 1]
        """
        return source(_UNFOLD, seed, callable_("unfold", "fn", fn), iterable=True)

    @staticmethod
    def using(
        acquire: Callable[[], V],
        use: Callable[[V], Publisher[S]]
        | Callable[[V], Iterable[S]]
        | Callable[[V], AsyncIterable[S]],
        release: Callable[[V], object],
    ) -> Flow[S]:
        """Give the elements of `use(resource)`, with a resource that each run acquires.

        `release(resource)` is called exactly once if `acquire` returned: before the stream
        completes or fails, or after it was cancelled, where the flow runs.

        Emits when what `use` returned does; the resource is acquired at the first demand.
        Requests from what `use` returned as much as there is demand for.
        Completes when what `use` returned does, after the release.
        Cancels when downstream cancels, then releases.

        Raises `TypeError` if one of the three can't be called. The stream fails with what
        any of them raises.

        >>> lines = Flow.using(
        ...     lambda: ["a file"], lambda file: (f"a line of {x}" for x in file), list.clear
        ... )
        >>> lines.to_list().result()
        ['a line of a file']
        """
        callable_("using", "acquire", acquire)
        callable_("using", "use", use)
        callable_("using", "release", release)
        return source(_USING, acquire, use, release, iterable=False)
