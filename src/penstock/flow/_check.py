"""Arguments are checked when a flow is built; an error names operator, argument and value."""

from __future__ import annotations

from math import isfinite
from typing import Any

__all__ = ["awaitable_too", "callable_", "count", "element_", "flag", "seconds"]

CO_COROUTINE = 0x80
"""The flag of a code object whose calls give a coroutine (`inspect.CO_COROUTINE`)."""


def callable_(operator: str, name: str, value: Any) -> Any:
    """Return `value`; raise `TypeError` unless it is a plain function or another callable."""
    if not callable(value):
        raise TypeError(f"{operator}({name}={value!r}): give a function")
    code = getattr(value, "__code__", None)
    if code is not None and code.co_flags & CO_COROUTINE:
        raise TypeError(
            f"{operator}({name}={value!r}): nothing would await a coroutine function; "
            "map_async does, and for_each"
        )
    return value


def awaitable_too(operator: str, name: str, value: Any) -> Any:
    """Return `value`; raise `TypeError` unless it can be called, a coroutine function too."""
    if not callable(value):
        raise TypeError(f"{operator}({name}={value!r}): give a function")
    return value


def count(operator: str, name: str, value: Any, least: int = 1) -> int:
    """Return `value`; raise unless it is an int (a bool is none) of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{operator}({name}={value!r}): give an int of at least {least}")
    if value < least:
        raise ValueError(f"{operator}({name}={value!r}): give an int of at least {least}")
    return value


def element_(operator: str, name: str, value: Any) -> Any:
    """Return `value`; raise `TypeError` if it is None, which is never an element."""
    if value is None:
        raise TypeError(f"{operator}({name}=None): None is never an element (rule 2.13)")
    return value


def seconds(operator: str, name: str, value: Any, *, zero: bool = False) -> float:
    """Return `value`; raise unless it is a finite number of seconds above 0 (or 0)."""
    wanted = "0 seconds or more" if zero else "a number of seconds above 0"
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise TypeError(f"{operator}({name}={value!r}): give {wanted}")
    if not isfinite(value) or value < 0 or (value == 0 and not zero):
        raise ValueError(f"{operator}({name}={value!r}): give {wanted}")
    return float(value)


def flag(operator: str, name: str, value: Any) -> bool:
    """Return `value`; raise `TypeError` unless it is True or False."""
    if not isinstance(value, bool):
        raise TypeError(f"{operator}({name}={value!r}): give True or False")
    return value
