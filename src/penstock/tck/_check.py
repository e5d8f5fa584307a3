"""A check: one named way to see whether one rule is kept."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

__all__ = ["CHECKS", "Check", "Side", "check", "checks_of"]

Side = Literal["publisher", "subscriber", "whitebox", "processor"]
"""What a check is handed: see the four `…Trial` classes."""

Body = TypeVar("Body", bound=Callable[[Any], str | None])

_NAME = re.compile(r"spec_(\d|R)_(\d\d)_[a-z0-9_]+")


@dataclass(frozen=True)
class Check:
    """One check: `name` begins with the rule it is for, as in `spec_3_09_…`."""

    name: str
    rule: str
    side: Side
    body: Callable[[Any], str | None]
    needs: tuple[str, ...]
    stochastic: bool

    @property
    def does(self) -> str:
        """What the check does, in a sentence or two."""
        return inspect.getdoc(self.body) or ""


CHECKS: list[Check] = []
"""All checks, in the order in which they run: what others need comes first."""


def check(side: Side, *, needs: str = "", stochastic: bool = False) -> Callable[[Body], Body]:
    """Register a function `spec_1_01_…(trial)` as a check of `side`.

    It returns None or a sentence on what was seen, if the rule is kept; it calls
    `trial.fail` or `trial.skip` otherwise. `needs` names the checks (separated by blanks)
    without which this one can't be decided: if one of them could not be completed, this
    one is skipped.
    """

    def register(body: Body) -> Body:
        name = body.__name__
        match = _NAME.fullmatch(name)
        if match is None:
            raise ValueError(f"check {name!r}: name it like spec_3_09_what_it_shows")
        if any(name == other.name for other in CHECKS):
            raise ValueError(f"check {name!r}: there is one of this name already")
        unknown = set(needs.split()) - {other.name for other in CHECKS}
        if unknown:
            raise ValueError(f"check {name!r}: needs {unknown}, which must be registered before")
        rule = f"{match[1]}.{int(match[2])}"
        CHECKS.append(Check(name, rule, side, body, tuple(needs.split()), stochastic))
        return body

    return register


def checks_of(side: Side) -> tuple[Check, ...]:
    """Return the checks of one side, in the order in which they run."""
    return tuple(c for c in CHECKS if c.side == side)
