"""The signals of a stream as elements: what `materialize` gives and `dematerialize` takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

__all__ = ["Complete", "Error", "Next", "Signal"]

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Next(Generic[T_co]):
    """An element came."""

    element: T_co


@dataclass(frozen=True, slots=True)
class Error:
    """The stream failed."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Complete:
    """The stream ended well."""


Signal = Next[T] | Error | Complete
"""One of the three; an element, or how the stream ended."""
