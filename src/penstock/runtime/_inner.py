"""What a function may make of an element, where a stream of each is wanted."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable
from inspect import iscoroutine
from typing import Any, Final

from penstock.runtime._iterables import IterableHead
from penstock.runtime._node import Node

__all__ = ["PLAIN", "AsFlow", "inner_of", "iterable_head"]

AsFlow = Callable[[Any, str], Any]
"""Returns a Publisher, an iterable or an async iterable as a flow; errors name the operator."""

PLAIN: Final = frozenset({list, tuple, range, str, bytes, dict, set, frozenset})
"""Iterables that have a length and need not be closed."""


def inner_of(result: Any, operator: str, as_flow: AsFlow) -> Any:
    """Return `result` as a flow, or as it is if it is an iterable.

    Raises `TypeError` naming the operator if it is neither.
    """
    if isinstance(result, Node):
        return result
    if callable(getattr(result, "subscribe", None)) or isinstance(result, AsyncIterable):
        return as_flow(result, operator)
    if isinstance(result, Iterable):
        return result  # pyright: ignore[reportUnknownVariableType]
    hint = "return"
    if iscoroutine(result):
        result.close()
        hint = "that is for map_async; return"
    raise TypeError(
        f"{operator} got {result!r}: {hint} a Publisher, an iterable or an async iterable"
    )


def iterable_head(iterable: Any, *, sliced: bool) -> IterableHead:
    """Return a head for an iterable that was made for us, and is ours to close."""
    if type(iterable) in PLAIN:
        return IterableHead(sliced=sliced, known=iterable)
    return IterableHead(lambda: iterable, sliced=sliced, close=_close)


def _close(iterator: Any) -> None:
    close = getattr(iterator, "close", None)
    if close is not None:
        close()
