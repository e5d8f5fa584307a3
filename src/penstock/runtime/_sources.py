"""Sources that are iterables, and the two that have no elements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from threading import Lock
from typing import Any

from penstock.runtime._compile import EMPTY
from penstock.runtime._iterables import IterableHead
from penstock.runtime._node import Node
from penstock.runtime._pump import Pump

__all__ = ["Fails", "FromIterable", "Known", "Made", "Never", "Once"]

_OWN_TYPES = frozenset({list, tuple, range, str, bytes, dict, set, frozenset})
"""Iterables whose length can be asked without running anybody's code."""


class Once:
    """A bare iterator as an iterable: it can be run through once."""

    def __init__(self, iterator: Iterator[Any]) -> None:
        self._iterator = iterator
        self._lock = Lock()
        self._used = False
        self.__qualname__: str = type(iterator).__qualname__  # what `described` shows

    def __iter__(self) -> Iterator[Any]:
        with self._lock:
            used, self._used = self._used, True
        if used:
            raise RuntimeError(
                f"from_iterable({type(self._iterator).__name__}) was run before, and an iterator "
                "can be run once: give a function that makes a new one for each run"
            )
        return self._iterator


class FromIterable:
    """A source that is given its iterable, or a function that makes one for each run."""

    name = "from_iterable"
    awaits = False

    def __init__(self, *, unchecked: bool) -> None:
        self.unchecked = unchecked
        """Whether the iterable may give None."""

    def open(self, node: Node, pump: Pump) -> IterableHead:
        """Return a head that opens the iterable at the first demand."""
        given: Any = node.arguments[0]
        if type(given) in _OWN_TYPES:
            return IterableHead(sliced=pump.sliced, known=given)
        if isinstance(given, Once):
            return IterableHead(lambda: given, sliced=pump.sliced)  # the caller closes it
        make: Callable[[], Any] = given
        if isinstance(given, Iterable):
            make = lambda: given  # noqa: E731 # pyright: ignore[reportUnknownLambdaType]
        return IterableHead(make, sliced=pump.sliced, close=_close_if_it_can)


class Known:
    """A source whose elements, of a type of Python's own, come from its arguments alone."""

    awaits = False

    def __init__(self, name: str, make: Callable[..., Iterable[Any]]) -> None:
        self.name = name
        self._make = make

    def open(self, node: Node, pump: Pump) -> IterableHead:
        """Return a head that knows how many elements are left."""
        elements = self._make(*node.arguments)
        return IterableHead(sliced=pump.sliced, known=elements)


class Made:
    """A source whose iterable is made by user code, from its arguments, for each run."""

    awaits = False
    unchecked = True

    def __init__(self, name: str, make: Callable[..., Iterable[Any]]) -> None:
        self.name = name
        self._make = make

    def open(self, node: Node, pump: Pump) -> IterableHead:
        """Return a head that makes the iterable at the first demand."""
        arguments, make = node.arguments, self._make
        return IterableHead(lambda: make(*arguments), sliced=pump.sliced, close=_close_if_it_can)


class Never:
    """A source that neither has elements nor ends. It is its own head."""

    name = "never"
    awaits = False

    def open(self, node: Node, pump: Pump) -> Never:  # noqa: ARG002 - any head will do
        """Return a head for any number of runs."""
        return self

    def next(self) -> Any:
        """Say that there is nothing yet."""
        return EMPTY

    def ended(self) -> bool:
        """Say that something might come."""
        return False

    def close(self) -> None:
        """Do nothing."""


class Fails:
    """A source that fails, with its argument or what that function returns."""

    name = "error"
    awaits = False

    def open(self, node: Node, pump: Pump) -> _Failing:  # noqa: ARG002 - errors wait for none
        """Return a head that raises."""
        return _Failing(node.arguments[0])


class _Failing:
    def __init__(self, given: Exception | Callable[[], Exception]) -> None:
        self._given = given

    def next(self) -> Any:
        given = self._given
        if isinstance(given, Exception):
            # A traceback of its own for each run: they would grow into one another.
            raise given.with_traceback(None)
        made = given()
        if isinstance(made, Exception):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise made
        raise TypeError(f"error(function): the function returned {made!r}: return an Exception")

    def ended(self) -> bool:
        """Raise it: an error never waits for demand (R.7)."""
        return bool(self.next())

    def close(self) -> None:
        return


def _close_if_it_can(iterator: Any) -> None:
    close = getattr(iterator, "close", None)
    if close is not None:
        close()
