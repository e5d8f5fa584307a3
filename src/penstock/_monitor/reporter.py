"""Who hears of a violation, and the description of the two parties."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Literal

from penstock._monitor.violation import RuleBroken, Violation

__all__ = ["OnViolation", "Reporter", "describe"]

OnViolation = Literal["log", "raise"] | Callable[[Violation], object]
"""Whom to tell: the logger "penstock", the caller that broke the rule, or a function."""

_logger = logging.getLogger("penstock")


class Reporter:
    """Hands violations to whom the user named."""

    __slots__ = ("_tell", "raises")

    def __init__(self, on_violation: OnViolation) -> None:
        """Raise `ValueError` if `on_violation` is none of the three kinds."""
        self.raises = on_violation == "raise"
        if callable(on_violation):
            self._tell: Callable[[Violation], object] = on_violation
        elif on_violation in ("log", "raise"):
            self._tell = _log
        else:
            raise ValueError(
                f"on_violation is 'log', 'raise' or a function of a Violation, not {on_violation!r}"
            )

    def __call__(self, violation: Violation, *, first: bool = True) -> RuleBroken | None:
        """Tell of `violation` if it is the `first` of its kind; return what is to be raised.

        The caller raises that only after it has passed the watched call on, so that a test
        loses no signal. An exception may be swallowed where it is raised, in a thread that
        nobody joins: so it is logged as well.
        """
        if first:
            try:
                self._tell(violation)
            except Exception as error:  # noqa: BLE001 - whatever it is, it's not the stream's
                import penstock

                penstock.on_dropped_error(error, "checked(on_violation)")
        return RuleBroken(violation) if self.raises else None


def describe(kind: type[object], address: int) -> str:
    """Return what `object.__repr__` would: a user's own may be slow, lock or raise."""
    return f"<{kind.__module__}.{kind.__qualname__} at {address:#x}>"


def _log(violation: Violation) -> None:
    # Passed as an argument: it is rendered only if a handler wants it.
    _logger.error("%s", violation)
