"""The shapes of what rules.toml holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Level", "Role", "Rule", "Section", "Standard", "Term", "Translation"]

Level = Literal["MUST", "SHOULD", "MAY", "RECOMMENDED"]
"""How binding a rule is; RECOMMENDED is the level of the rules R.*."""

Role = Literal["publisher", "subscriber", "subscription", "processor"]
"""Whom a rule binds; `subscription` is the Publisher's side of it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the standard. All texts are plain ASCII on one line, code in backticks."""

    id: str
    """Such as "3.9" or "R.2"."""
    level: Level
    """A rule with both a MUST and a MAY in it is a MUST."""
    title: str
    """What to call it, in a few words."""
    roles: tuple[Role, ...]
    """Whom it binds."""
    rule: str
    """What holds."""
    intent: str
    """Why."""
    check: str
    """How the kit looks at it from outside."""
    advice: str
    """Where to look in one's own code when the check fails."""
    reported_as: str | None = None
    """The id of the rule that a breach of this one is always reported as."""
    overlap: str | None = None
    """Where the rule meets another, and which of them gets the report."""
    unobservable: str | None = None
    """Why no check is possible; None where there is one."""

    @property
    def section(self) -> str:
        """The part of the id before the dot: "1" to "4", or "R"."""
        return self.id.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Term:
    """One word of the glossary."""

    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Section:
    """A group of rules, named by what stands before the dot of their ids."""

    id: str
    title: str
    about: str


@dataclass(frozen=True, slots=True)
class Translation:
    """What the standard for the JVM says, and what it is in Python."""

    jvm: str
    python: str
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standard:
    """All that rules.toml holds, rules and sections in the order of their ids."""

    rules: Mapping[str, Rule]
    glossary: Mapping[str, Term]
    sections: Mapping[str, Section]
    translations: tuple[Translation, ...]
