"""Operators that take in what cannot be slowed down."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from penstock.flow._base import Base, source
from penstock.flow._check import callable_, count
from penstock.flow._overflow import Overflow
from penstock.flow._pressure import overflow_
from penstock.runtime._emitter import CREATE, Emitter

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["Emitter", "Pushes"]

T_co = TypeVar("T_co", covariant=True)
S = TypeVar("S")


class Pushes(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that take in what cannot be slowed down."""

    __slots__ = ()

    @staticmethod
    def create(
        fn: Callable[[Emitter[S]], object],
        overflow: Overflow = Overflow.ERROR,
        size: int = 1024,
    ) -> Flow[S]:
        """Give what `fn(emitter)` has pushed: for callbacks, and threads that can't be slowed.

        `fn` is called for each run, at the first demand, where the stream runs. It is to
        return soon: to register a callback, to start a thread. `emitter.push(element)` may be
        called on any thread then, and says whether the element was taken; at most `size`
        elements wait to be asked for, and `overflow` says what happens to the next one.
        `emitter.complete()` and `emitter.error(exception)` end the stream, and
        `emitter.on_cancel(callback)` hears of its end.

        Emits when an element was pushed and there is demand.
        Requests nothing: it is a source.
        Completes when the emitter has completed and all that waited was given.
        Cancels, when downstream cancels, by calling what was given to `on_cancel`.

        Raises `TypeError` or `ValueError` if `fn` can't be called, `overflow` is no `Overflow`
        or `size` no int of at least 1. The stream fails with what `fn` raises, and with an
        `OverflowError` if the policy is `Overflow.ERROR`.

        >>> def greet(emitter):
        ...     emitter.push("hello")
        ...     emitter.push("world")
        ...     emitter.complete()
        >>> Flow.create(greet).to_list().result()
        ['hello', 'world']
        """
        fn = callable_("create", "fn", fn)
        size = count("create", "size", size)
        return source(CREATE, fn, overflow_("create", overflow), size, iterable=False)
