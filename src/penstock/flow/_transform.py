"""Operators that make other elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from penstock.flow._base import Base
from penstock.flow._check import callable_, count
from penstock.runtime._materialize import MATERIALIZE
from penstock.runtime._signals import Signal
from penstock.runtime._stage import Stage
from penstock.runtime._stage_names import MISSING
from penstock.runtime._tap import TAP_END

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["Transform"]

T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")
S = TypeVar("S")

MAP = Stage("map", ("f",), body=("x = @f(x)", "made"))
SCAN = Stage(
    "scan", ("f", "initial"), ("@total = @initial",), ("x = @total = @f(@total, x)", "made")
)
SCAN_ALL = Stage(
    "scan",
    ("f",),
    ("@total = MISSING",),
    ("if @total is not MISSING: x = @f(@total, x)", "made", "@total = x"),
)
ENUMERATE = Stage("enumerate", ("start",), ("@n = @start",), ("x = (@n, x)", "@n += 1"))
PAIRWISE = Stage(
    "pairwise",
    (),
    ("@last = None",),
    ("if @last is None:", "    @last = x", "    skip", "@last, x = x, (@last, x)"),
)
CHUNK = Stage(
    "chunk",
    ("size",),
    ("@left = @size", "@chunk = []", "@append = @chunk.append"),
    (
        "@append(x)",
        "@left -= 1",
        "if @left: skip",
        "x = @chunk",
        "@left = @size",
        "@chunk = []",
        "@append = @chunk.append",
    ),
    flush=("(@chunk,) if @chunk else ()",),
    takes="size",
)
DEMATERIALIZE = Stage(
    "dematerialize",
    body=(
        "if x.__class__ is Next:",
        "    x = x.element",
        "    made",
        "elif x.__class__ is Complete: finish",
        "else:",
        "    if x.__class__ is Error: raise x.error",
        "    raise TypeError(f'dematerialize(): {x!r} is no signal: give Next, Error or Complete')",
    ),
)
TAP = Stage("tap", ("f",), body=("@f(x)",))
TAP_COMPLETE = Stage("tap", ("on_complete",), body=("pass",), flush=("@on_complete()", "()"))


class Transform(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that make other elements."""

    __slots__ = ()

    def map(self, fn: Callable[[T_co], R]) -> Flow[R]:
        """Give `fn(element)` for each element.

        Emits when an element comes in.
        Requests when there is demand, as much.
        Completes when upstream completes.
        Cancels when downstream cancels or `fn` raises.

        Raises `TypeError` if `fn` can't be called. The stream fails with `TypeError` if `fn`
        returns None, which `filter_map` drops.

        >>> Flow.of(1, 2).map(str).to_list().result()
        ['1', '2']
        """
        return self._stage(MAP, callable_("map", "fn", fn))

    @overload
    def scan(self, fn: Callable[[T_co, T_co], T_co]) -> Flow[T_co]: ...

    @overload
    def scan(self, fn: Callable[[R, T_co], R], initial: R) -> Flow[R]: ...

    def scan(self, fn: Callable[[Any, T_co], Any], initial: Any = MISSING) -> Flow[Any]:
        """Give the total so far for each element: `fn(total, element)`.

        It begins with `initial`, which is not given itself; without one, the first element is
        the first total.

        Emits when an element comes in.
        Requests when there is demand, as much.
        Completes when upstream completes.
        Cancels when downstream cancels or `fn` raises.

        Raises `TypeError` if `fn` can't be called. The stream fails with `TypeError` if `fn`
        returns None.

        >>> Flow.of(3, 1, 2).scan(max).to_list().result()
        [3, 3, 3]
        >>> Flow.of(3, 1, 2).scan(lambda total, n: total + n, 10).to_list().result()
        [13, 14, 16]
        """
        callable_("scan", "fn", fn)
        if initial is MISSING:
            return self._stage(SCAN_ALL, fn)
        return self._stage(SCAN, fn, initial)

    def enumerate(self, start: int = 0) -> Flow[tuple[int, T_co]]:
        """Give each element with its number: `(number, element)`.

        Emits when an element comes in.
        Requests when there is demand, as much.
        Completes when upstream completes.
        Cancels when downstream cancels.

        Raises `TypeError` if `start` is no int.

        >>> Flow.of("a", "b").enumerate(1).to_list().result()
        [(1, 'a'), (2, 'b')]
        """
        if not isinstance(start, int) or isinstance(start, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"enumerate(start={start!r}): give an int")
        return self._stage(ENUMERATE, start)

    def pairwise(self) -> Flow[tuple[T_co, T_co]]:
        """Give each element but the first together with the one before: `(before, element)`.

        Emits when an element comes in, from the second on.
        Requests when there is demand, and one element more.
        Completes when upstream completes.
        Cancels when downstream cancels.

        >>> Flow.of(1, 4, 9).pairwise().to_list().result()
        [(1, 4), (4, 9)]
        """
        return self._stage(PAIRWISE)

    def chunk(self, size: int, within: float | None = None) -> Flow[list[T_co]]:
        """Give lists of `size` elements; the last may be shorter.

        With `within`, a list is given at the latest so many seconds after its first element.

        Emits when `size` elements have come in, or `within` is over, or upstream completes.
        Requests when there is demand, `size` times as much.
        Completes when upstream completes, after the last list.
        Cancels when downstream cancels; the list that was begun is dropped.

        Raises `TypeError` or `ValueError` if `size` is no int of at least 1, or `within` no
        number of seconds above 0.

        >>> Flow.range(5).chunk(2).to_list().result()
        [[0, 1], [2, 3], [4]]
        """
        count("chunk", "size", size)
        if within is not None:
            return self._chunk_within(size, within)  # type: ignore[attr-defined,no-any-return]
        return self._stage(CHUNK, size)

    def materialize(self) -> Flow[Signal[T_co]]:
        """Give the signals as elements: `Next(element)`, then `Complete()` or `Error(error)`.

        The stream itself never fails.

        Emits when an element comes in, and when upstream ends.
        Requests when there is demand, as much.
        Completes with the element for upstream's end.
        Cancels when downstream cancels.

        >>> Flow.of(1).materialize().to_list().result()
        [Next(element=1), Complete()]
        """
        return self._junction(MATERIALIZE)

    def dematerialize(self: Transform[Signal[R]]) -> Flow[R]:
        """Turn elements that are signals, as `materialize` gives them, into those signals.

        Emits when a `Next` comes in.
        Requests when there is demand, as much.
        Completes when a `Complete` comes in, or upstream completes.
        Cancels when a `Complete` or an `Error` comes in, or downstream cancels.

        The stream fails with the exception of an `Error`, and with `TypeError` if an element is
        no signal.

        >>> Flow.of(1, 2).materialize().take(2).dematerialize().to_list().result()
        [1, 2]
        """
        return self._stage(DEMATERIALIZE)

    def tap(
        self,
        on_next: Callable[[T_co], object] | None = None,
        *,
        on_error: Callable[[Exception], object] | None = None,
        on_complete: Callable[[], object] | None = None,
        on_cancel: Callable[[], object] | None = None,
    ) -> Flow[T_co]:
        """Let functions see the signals that pass; what they return doesn't matter.

        `on_next(element)` is called before each element, `on_error(error)` before an error from
        upstream, `on_complete()` before the end, `on_cancel()` after a cancel from downstream.

        Emits when an element comes in.
        Requests when there is demand, as much.
        Completes when upstream completes.
        Cancels when downstream cancels or one of the functions raises.

        Raises `TypeError` if none is given, or one that can't be called.

        >>> seen = []
        >>> Flow.of(1, 2).tap(seen.append, on_complete=lambda: seen.append("end")).sum().result()
        3
        >>> seen
        [1, 2, 'end']
        """
        given = {
            "on_next": on_next,
            "on_error": on_error,
            "on_complete": on_complete,
            "on_cancel": on_cancel,
        }
        if all(fn is None for fn in given.values()):
            raise TypeError(f"tap(): give one of {', '.join(given)}")
        for name, fn in given.items():
            if fn is not None:
                callable_("tap", name, fn)
        flow: Transform[Any] = self
        if on_error is not None or on_cancel is not None:
            flow = flow._junction(TAP_END, on_error, on_cancel)
        if on_next is not None:
            flow = flow._stage(TAP, on_next)  # noqa: SLF001
        if on_complete is not None:
            flow = flow._stage(TAP_COMPLETE, on_complete)  # noqa: SLF001
        return flow  # type: ignore[return-value]
