"""Finding rules: by ids as people write them, by role and level, and at what cost."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import penstock.spec
from penstock.spec import RULES, UnknownRule, rule, select


@pytest.mark.parametrize(
    "asked", ["3.9", "3:9", "§3.9", "§ 3.9", " 3.9 ", "3.09", "rule 3.9", "Rule 3:9"]
)
def test_a_rule_is_found_however_its_id_is_written(asked: str):
    assert rule(asked) is RULES["3.9"]


@pytest.mark.parametrize("asked", ["R.2", "r.2", "r:2", "§R.2", "rule r.2"])
def test_recommended_rules_too(asked: str):
    assert rule(asked) is RULES["R.2"]


@pytest.mark.parametrize("id_", list(RULES))
def test_every_rule_is_found_by_its_id(id_: str):
    assert rule(id_) is RULES[id_]


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("3.18", ("3.17", "3.16", "3.15")),
        ("3.99", ("3.9", "3.17", "3.16")),
        ("§3:18", ("3.17", "3.16", "3.15")),
        ("39", ("3.9", "3.1", "3.2")),
        ("4.3", ("4.2", "4.1", "1.3")),
        ("2", ("2.1", "2.2", "2.3")),
        ("r.11", ("R.10", "R.1", "1.11")),
        ("1.0", ("1.1", "1.2", "1.3")),
        ("9.9", ("1.9", "2.9", "3.9")),
        ("demand", ()),
        ("", ()),
        ("3." + "9" * 9_999, ()),
        ("3.9 " * 9_999, ()),
    ],
)
def test_an_unknown_id_names_the_nearest(asked: str, nearest: tuple[str, ...]):
    with pytest.raises(UnknownRule) as caught:
        rule(asked)
    assert caught.value.nearest == nearest
    assert caught.value.asked == asked
    assert repr(asked) in str(caught.value)
    assert ", ".join(nearest) in str(caught.value)


def test_what_is_raised_is_a_lookup_error_and_travels():
    with pytest.raises(LookupError, match=r"'3\.18' \(nearest: 3\.17, 3\.16, 3\.15\)") as caught:
        rule("3.18")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_the_message_says_what_ids_look_like_if_nothing_is_near():
    with pytest.raises(UnknownRule, match=r"'demand' \(ids look like 3\.9 or R\.2\)"):
        rule("demand")


def test_select():
    assert select() == tuple(RULES.values())
    assert [r.id for r in select(level="SHOULD")] == ["2.2", "3.4"]
    assert [r.id for r in select(role="processor")] == ["4.1", "4.2", "R.6", "R.7", "R.8"]
    assert [r.id for r in select(role="subscription", level="MAY")] == ["3.10", "3.11", "3.14"]
    assert select(role="processor", level="MAY") == ()


def test_select_refuses_what_there_is_not():
    with pytest.raises(ValueError, match="no role 'publishr', only publisher, subscriber"):
        select(role="publishr")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no level 'must', only MUST, SHOULD"):
        select(level="must")  # type: ignore[arg-type]


def in_a_new_interpreter(code: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )
    return ended.stdout.strip()


def test_importing_penstock_reads_no_rules():
    code = "import penstock, sys; print({'tomllib', 'penstock.spec'} & {*sys.modules})"
    assert in_a_new_interpreter(code) == "set()"


def test_the_rules_are_read_on_first_use():
    code = (
        "import penstock.spec as s, sys; print('tomllib' in sys.modules, end=' ');"
        "len(s.RULES); print('tomllib' in sys.modules, s.RULES is s.RULES)"
    )
    assert in_a_new_interpreter(code) == "False True True"


def test_names_that_are_read_late_are_listed():
    code = "import penstock.spec as s; print({*s.__all__} <= {*dir(s)}, 'RULES' in vars(s))"
    assert in_a_new_interpreter(code) == "True False"


def test_other_names_are_missing_as_ever():
    with pytest.raises(AttributeError, match=r"module 'penstock\.spec' has no attribute 'RULE'"):
        penstock.spec.RULE  # type: ignore[attr-defined]  # noqa: B018
