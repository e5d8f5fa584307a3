"""What rules.toml holds: all rules, each of them complete, and no loose references."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, asdict

import pytest

from penstock.spec import GLOSSARY, RULES, Rule, Term
from penstock.spec._load import standard

STANDARD = [
    f"{section}.{number}"
    for section, last in ((1, 11), (2, 13), (3, 17), (4, 2))
    for number in range(1, last + 1)
]
RECOMMENDED = [f"R.{number}" for number in range(1, 11)]

MAY = {"1.2", "1.11", "3.10", "3.11", "3.14"}
SHOULD = {"2.2", "3.4"}

# Whom a rule binds follows from its section; these are the others.
ROLES = {
    "2.12": {"publisher"},
    "2.13": {"publisher", "subscriber"},
    "3.1": {"subscriber"},
    "R.6": {"processor"},
    "R.7": {"publisher", "processor"},
    "R.8": {"publisher", "subscriber", "subscription", "processor"},
    "R.9": {"subscriber"},
    "R.10": {"subscription"},
}
SECTION_ROLE = {
    "1": "publisher",
    "2": "subscriber",
    "3": "subscription",
    "4": "processor",
    "R": "publisher",
}

TERMS = {
    "signal", "demand", "synchronous", "return normally", "responsivity", "non-obstructing",
    "terminal state", "NOP", "serial", "external synchronization", "thread-safe",
}  # fmt: skip

REFERENCE = re.compile(r"\b(?:[1-9]|R)\.\d+\b")
BINDING = re.compile(r"\b(MUST|SHOULD|MAY)\b")

every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))


def texts(rule: Rule) -> list[str]:
    return [v for k, v in asdict(rule).items() if isinstance(v, str) and k != "level"]


def test_all_rules_are_there_in_the_order_of_their_ids():
    assert list(RULES) == STANDARD + RECOMMENDED
    assert len(STANDARD) == 43


@every_rule
def test_level(rule: Rule):
    if rule.id in RECOMMENDED:
        assert rule.level == "RECOMMENDED"
        assert not BINDING.search(rule.rule), "a recommended rule doesn't speak of MUST"
        return
    expected = "MAY" if rule.id in MAY else "SHOULD" if rule.id in SHOULD else "MUST"
    assert rule.level == expected
    words = set(BINDING.findall(rule.rule))
    assert ("MUST" if "MUST" in words else words.pop()) == rule.level


@every_rule
def test_roles(rule: Rule):
    assert set(rule.roles) == ROLES.get(rule.id, {SECTION_ROLE[rule.section]})
    assert len(set(rule.roles)) == len(rule.roles)


@every_rule
def test_a_rule_is_complete(rule: Rule):
    assert 3 <= len(rule.title.split()) <= 8
    assert not rule.title.endswith(".")
    assert rule.rule
    assert rule.intent
    assert rule.advice
    assert bool(rule.check) != bool(rule.unobservable), "say how it is checked, or why it can't be"


@every_rule
def test_the_rule_itself_has_at_most_three_sentences(rule: Rule):
    assert len(re.findall(r"[.](?=\s+[A-Z`]|$)", rule.rule)) in (1, 2, 3)


@every_rule
def test_texts_can_be_shown_in_any_terminal(rule: Rule):
    for text in texts(rule):
        assert text.isascii()
        assert text == " ".join(text.split())
        assert text.count("`") % 2 == 0


@every_rule
def test_the_rules_that_are_referred_to_exist(rule: Rule):
    # Numbers in code are no references: request(1.5) is a number of the wrong type.
    prose = re.sub(r"`[^`]*`|\(True, 1\.5, None\)", "", " ".join(texts(rule)))
    assert [i for i in REFERENCE.findall(prose) if i not in RULES] == []


def test_a_breach_is_reported_as_a_rule_that_is_reported_as_itself():
    reported_as = {r.id: r.reported_as for r in RULES.values() if r.reported_as}
    assert reported_as == {"1.6": "1.7", "3.7": "3.5", "3.12": "1.8", "R.9": "2.6"}
    for reported in reported_as.values():
        assert RULES[reported].reported_as is None
    assert all(RULES[i].overlap for i in reported_as)


def test_the_glossary_has_the_words_of_the_standard():
    assert set(GLOSSARY) >= TERMS
    assert list(GLOSSARY) == sorted(GLOSSARY, key=str.casefold)
    for name, term in GLOSSARY.items():
        assert term == Term(name, term.meaning)
        assert term.meaning.isascii()
        assert term.meaning.endswith(".")


def test_translations_refer_to_rules():
    assert {i for t in standard().translations for i in t.rules} <= RULES.keys()


def test_every_rule_has_its_section():
    assert list(standard().sections) == list(dict.fromkeys(r.section for r in RULES.values()))


def test_nobody_can_change_the_rules():
    with pytest.raises(TypeError):
        RULES["3.9"] = RULES["3.8"]  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        RULES["3.9"].level = "MAY"  # type: ignore[misc]
