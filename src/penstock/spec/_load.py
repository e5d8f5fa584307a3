"""Reads rules.toml, once, when it is first needed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from penstock.spec._model import Rule, Section, Standard, Term, Translation

__all__ = ["natural", "standard"]


@cache
def standard() -> Standard:
    """Return the whole standard, the same object each time. Raises nothing."""
    # Both imports cost more than the rest of penstock, so only who needs the rules pays.
    import tomllib
    from importlib.resources import files

    data = tomllib.loads(files("penstock.spec").joinpath("rules.toml").read_text("utf-8"))
    rules = {i: Rule(id=i, **_fields(data["rule"][i])) for i in sorted(data["rule"], key=natural)}
    glossary = {n: Term(n, _line(data["glossary"][n])) for n in sorted(data["glossary"], key=_fold)}
    sections = {i: Section(id=i, **_fields(data["section"][i])) for i in sorted(data["section"])}
    return Standard(
        rules=MappingProxyType(rules),
        glossary=MappingProxyType(glossary),
        sections=MappingProxyType(sections),
        translations=tuple(Translation(**_fields(t)) for t in data["translation"]),
    )


def natural(rule_id: str) -> tuple[str, int]:
    """Return a key that sorts 3.9 before 3.10, and R last."""
    section, _, number = rule_id.partition(".")
    return section, int(number)


def _fold(name: str) -> str:
    return name.casefold()


def _fields(table: Mapping[str, Any]) -> dict[str, Any]:
    return {k: _line(v) if isinstance(v, str) else tuple(v) for k, v in table.items()}


def _line(text: str) -> str:
    # Line breaks in the file are for its editors; readers wrap to their own width.
    return " ".join(text.split())
