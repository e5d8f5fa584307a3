"""The rules of the standard as data: 43 rules, 10 recommended ones, and a glossary.

Nothing is read from disk before the first rule is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

from penstock.spec._find import UnknownRule, rule, select
from penstock.spec._load import standard
from penstock.spec._model import Level, Role, Rule, Term

__all__ = ["GLOSSARY", "RULES", "Level", "Role", "Rule", "Term", "UnknownRule", "rule", "select"]

RULES: Mapping[str, Rule]
"""All rules by their ids, from "1.1" to "4.2" and then from "R.1" to "R.10"."""

GLOSSARY: Mapping[str, Term]
"""All terms by their names, in the order of the alphabet."""


def __getattr__(name: str) -> object:
    # Called only while the name is not there: its first use reads the file.
    if name == "RULES":
        return globals().setdefault(name, standard().rules)
    if name == "GLOSSARY":
        return globals().setdefault(name, standard().glossary)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
