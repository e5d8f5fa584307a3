"""A source that is an async iterable: its segment's loop is a task of an event loop."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator
from threading import Lock
from typing import Any

from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

__all__ = ["AsyncOnce", "FromAsyncIterable"]


class AsyncOnce:
    """A bare async iterator as an async iterable: it can be run through once."""

    def __init__(self, iterator: AsyncIterator[Any]) -> None:
        self._iterator = iterator
        self._lock = Lock()
        self._used = False
        self.__qualname__: str = type(iterator).__qualname__  # what `described` shows

    def __aiter__(self) -> AsyncIterator[Any]:
        with self._lock:
            used, self._used = self._used, True
        if used:
            raise RuntimeError(
                f"from_async_iterable({type(self._iterator).__name__}) was run before, and an "
                "async iterator can be run once: give a function that makes a new one for each run"
            )
        return self._iterator


class FromAsyncIterable:
    """A source that is given its async iterable, or a function that makes one for each run."""

    name = "from_async_iterable"
    awaits = True
    unchecked = True

    def open(self, node: Node, pump: Pump) -> AsyncHead:  # noqa: ARG002 - the loop does it all
        """Return a head that opens the async iterable at the first demand."""
        return AsyncHead(node.arguments[0])


class AsyncHead:
    """Stands before `async for`, which gets the iterator itself and so pays nothing for it."""

    __slots__ = ("_given", "_iterator")

    def __init__(self, given: Any) -> None:
        self._given = given
        self._iterator: Any = None

    def __aiter__(self) -> AsyncIterator[Any]:
        given = self._given
        iterable: AsyncIterable[Any] = given if isinstance(given, AsyncIterable) else given()  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(iterable, AsyncIterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"from_async_iterable(function): the function returned {iterable!r}: "
                "return an async iterable"
            )
        iterator = aiter(iterable)
        if not isinstance(given, AsyncOnce):
            self._iterator = iterator  # ours to close
        return iterator

    def next(self) -> Any:
        """Never called: the loop asks the iterator itself."""
        raise RuntimeError("a head that is awaited has no batches")

    def ended(self) -> bool:
        """Return False: an async iterable's end is found by asking for one element more."""
        return False

    async def aclose(self) -> None:
        """Close the iterator, if it was made here."""
        iterator, self._iterator = self._iterator, None
        close = getattr(iterator, "aclose", None)
        if close is not None:
            await close()

    def close(self) -> None:
        """Forget the iterator, which `aclose` has closed if the loop was there to do it."""
        self._iterator = None
