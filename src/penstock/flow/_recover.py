"""Operators that deal with errors and ends."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock.api import Publisher
from penstock.flow._backoff import Backoff
from penstock.flow._base import Base, as_flow
from penstock.flow._check import callable_, count, seconds
from penstock.runtime._catch import Catch, Finally, OnErrorReturn
from penstock.runtime._retry import Repeat, Retry
from penstock.runtime._stage import Stage

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["Recover"]

T_co = TypeVar("T_co", covariant=True)
S = TypeVar("S")

When = type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], object]
"""Which errors: those of a type, or for which a function returns what is true."""

_RETRY = Retry()
_REPEAT = Repeat()
_CATCH = Catch(lambda made: as_flow(made, "catch"))
_ON_ERROR_RETURN = OnErrorReturn()
_FINALLY = Finally()
_RECOVER_EACH = Stage("recover_each", ("f",), rescue=("x = @f(error)", "if x is None: skip"))


class Recover(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that deal with errors and ends."""

    __slots__ = ()

    def retry(
        self,
        attempts: int | None,
        backoff: Backoff | float | None = None,
        *,
        when: When | None = None,
    ) -> Flow[T_co]:
        """Run upstream anew when it fails, `attempts` times at most, or for ever if None.

        The first run is not counted: with `retry(2)` there are three at most.

        Each fresh run begins where upstream begins, so elements may come again; the run that
        failed is closed before. `backoff` says how long to wait before it: a `Backoff`, or
        seconds, which are doubled each time (see `Backoff`). `when` says for which errors:
        types, or a function of the error; for others, and after the last attempt, the stream
        fails. The answer to a wrong request (rule 3.9) is no such error.

        Emits when an element comes in.
        Requests when there is demand, as much; each run is asked for what is still missing.
        Completes when a run completes.
        Cancels when downstream cancels, also while it waits.

        Raises `TypeError` or `ValueError` if `attempts` is no int of at least 1, `backoff` no
        `Backoff` and no number of seconds above 0, or `when` neither types nor a function.

        >>> outcomes = iter([OSError("busy"), OSError("busy"), None])
        >>> def connect():
        ...     if error := next(outcomes):
        ...         raise error
        ...     return "connected"
        >>> with VirtualClock() as clock:
        ...     probe = Probe(Flow.from_callable(connect).retry(5, backoff=1.0, when=OSError))
        ...     probe.request(1)
        ...     clock.advance(3)
        >>> probe.elements
        ['connected']
        """
        if attempts is not None:
            count("retry", "attempts", attempts)
        if backoff is not None and not isinstance(backoff, Backoff):
            backoff = Backoff(seconds("retry", "backoff", backoff))
        _check_when(when)
        inputs: tuple[Any, ...] = () if backoff is None else (None,)
        return self._junction(_RETRY, attempts, backoff, when, inputs=inputs)

    def catch(
        self,
        fn: Callable[[Exception], Publisher[S]]
        | Callable[[Exception], Iterable[S]]
        | Callable[[Exception], AsyncIterable[S]],
    ) -> Flow[T_co | S]:
        """Go on with what `fn(error)` returns when upstream fails: a Publisher or an iterable.

        It is called once; what it returned may fail. The answer to a wrong request (rule 3.9)
        is not caught.

        Emits when upstream does, then when what `fn` returned does.
        Requests when there is demand, as much, at most 1024 elements at a time.
        Completes when upstream completes, or what `fn` returned does.
        Cancels when downstream cancels.

        Raises `TypeError` if `fn` can't be called. The stream fails with what `fn` raises,
        whose `__context__` is the first error, and with `TypeError` if it returns neither.

        >>> Flow.of("1", "x").map(int).catch(lambda error: [-1, -2]).to_list().result()
        [1, -1, -2]
        """
        return self._junction(_CATCH, callable_("catch", "fn", fn), inputs=(None,))

    def on_error_return(self, value: S | Callable[[Exception], S]) -> Flow[T_co | S]:
        """Give one element more and complete when upstream fails: `value`, or `value(error)`.

        A `value` that can be called is called. The answer to a wrong request (rule 3.9) stays
        an error.

        Emits when upstream does; `value` when there is demand for it.
        Requests when there is demand, as much.
        Completes when upstream completes, or with `value`.
        Cancels when downstream cancels.

        Raises `TypeError` if `value` is None. The stream fails with what `value` raises, and
        with `TypeError` if it returns None.

        >>> Flow.of("1", "x", "3").map(int).on_error_return(-1).to_list().result()
        [1, -1]
        """
        if value is None:
            raise TypeError(
                "on_error_return(value=None): None is never an element (rule 2.13); give another "
                "value, or catch(lambda error: []) for no element"
            )
        return self._junction(_ON_ERROR_RETURN, value)

    def recover_each(self, fn: Callable[[Exception], S | None]) -> Flow[T_co | S]:
        """Put `fn(error)` in the place of an element for which an operator above raised.

        If `fn` returns None, the element is dropped. The stream goes on in any case. It is for
        errors of functions that are called with one element (`map`, `filter` …), up to the next
        operator above that makes several of one, is a boundary or joins flows; errors of sources
        are for `catch`.

        Emits when an element comes in, or for one that failed.
        Requests when there is demand, as much; one more for each that is dropped.
        Completes when upstream completes.
        Cancels when downstream cancels or `fn` raises.

        Raises `TypeError` if `fn` can't be called. The stream fails with what `fn` raises,
        whose `__context__` is the first error.

        >>> Flow.of("1", "x", "3").map(int).recover_each(lambda error: 0).to_list().result()
        [1, 0, 3]
        """
        return self._stage(_RECOVER_EACH, callable_("recover_each", "fn", fn))

    def repeat(self, times: int | None = None) -> Flow[T_co]:
        """Run upstream `times` times, one run after the other; without an end if None.

        Emits when an element comes in.
        Requests when there is demand, as much; each run is asked for what is still missing.
        Completes when the last run does.
        Cancels when downstream cancels.

        Raises `TypeError` or `ValueError` if `times` is no int of at least 1.

        >>> Flow.of("tick", "tock").repeat(2).to_list().result()
        ['tick', 'tock', 'tick', 'tock']
        """
        if times is not None:
            count("repeat", "times", times)
        return self._junction(_REPEAT, times)

    def finally_(self, fn: Callable[[], object]) -> Flow[T_co]:
        """Call `fn()` once for each run, at its end: when it completes, fails or is cancelled.

        It is called where the flow runs, after what is upstream was closed, and before anybody
        downstream hears of the end.

        Emits when an element comes in.
        Requests when there is demand, as much.
        Completes when upstream completes, after the call.
        Cancels when downstream cancels, then makes the call.

        Raises `TypeError` if `fn` can't be called. If `fn` raises, a stream that would have
        completed fails with that; of one that failed or was cancelled it is a dropped error.

        >>> ends = []
        >>> Flow.of(1, 2).finally_(lambda: ends.append("end")).to_list().result(), ends
        ([1, 2], ['end'])
        """
        return self._junction(_FINALLY, callable_("finally_", "fn", fn), inputs=(None,))


def _check_when(when: Any) -> None:
    types: Any = (when,) if isinstance(when, type) else when
    if isinstance(types, tuple):
        if all(isinstance(one, type) and issubclass(one, Exception) for one in types):  # pyright: ignore[reportUnknownVariableType]
            return
    elif when is None or callable(when):
        return
    raise TypeError(f"retry(when={when!r}): give exception types, or a function of the error")
