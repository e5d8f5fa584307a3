"""Finding rules by id, as people write ids, and by what they say."""

from __future__ import annotations

import re
from typing import get_args

from penstock.spec._load import natural, standard
from penstock.spec._model import Level, Role, Rule

__all__ = ["UnknownRule", "rule", "select"]

_ID = re.compile(r"(?:§|rule\b)?\s*([1-4R])\s*[.:]\s*0*([0-9]+)", re.IGNORECASE)
_LONGEST = len("3.17")


class UnknownRule(LookupError):  # noqa: N818  (named like what it tells)
    """There is no rule of that id; `nearest` holds up to three ids that are much like it."""

    def __init__(self, asked: str) -> None:
        self.asked: str = asked
        self.nearest: tuple[str, ...] = _nearest(asked)
        super().__init__(asked)

    def __str__(self) -> str:
        """Say which id is unknown and which are near."""
        hint = f"nearest: {', '.join(self.nearest)}" if self.nearest else "ids look like 3.9 or R.2"
        return f"there is no rule {self.asked!r} ({hint})"


def rule(rule_id: str, /) -> Rule:
    """Return the rule of that id; "3.9", "3:9", "§3.9" and "r.2" are all understood.

    Raises `UnknownRule`, a `LookupError` that names the nearest ids, if there is none.
    """
    match = _ID.fullmatch(rule_id.strip())
    found = match and standard().rules.get(f"{match[1].upper()}.{match[2]}")
    if not found:
        raise UnknownRule(rule_id)
    return found


def select(*, role: Role | None = None, level: Level | None = None) -> tuple[Rule, ...]:
    """Return the rules that bind `role` and are of `level`, in the order of their ids.

    None leaves that question open. Rules that bind a Processor by way of 4.1 are listed
    under the role that they name. Raises `ValueError` if there is no such role or level.
    """
    _known("role", role, get_args(Role))
    _known("level", level, get_args(Level))
    return tuple(
        r
        for r in standard().rules.values()
        if (role is None or role in r.roles) and (level is None or level == r.level)
    )


def _known(what: str, given: str | None, known: tuple[str, ...]) -> None:
    if given is not None and given not in known:
        raise ValueError(f"there is no {what} {given!r}, only {', '.join(known)}")


def _nearest(asked: str) -> tuple[str, ...]:
    """Ids at most two keystrokes away; of equals, those in the same section, then by number."""
    match = _ID.fullmatch(asked.strip())
    text = f"{match[1]}.{match[2]}".upper() if match else asked.strip().upper()
    if len(text) > _LONGEST + 2:
        return ()
    number = int(match[2]) if match else 0
    ranked = sorted(
        (_keystrokes(text, i), i[0] != text[:1], abs(natural(i)[1] - number), natural(i), i)
        for i in standard().rules
    )
    return tuple(i for strokes, *_, i in ranked[:3] if strokes <= 2)


def _keystrokes(a: str, b: str) -> int:
    """Levenshtein's distance: how many letters to add, drop or change to make b of a."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return row[-1]
