"""`penstock spec` as people and scripts see it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from penstock.cli import main
from penstock.spec import GLOSSARY, RULES, rule, select

BOLD = "\x1b[1m"

Output = pytest.CaptureFixture[str]


def as_read(text: str) -> dict[str, object]:
    """A rule as JSON gives it back."""
    return json.loads(json.dumps(asdict(rule(text))))


def flat(text: str) -> str:
    return " ".join(text.split())


def test_all_rules_are_listed_under_their_sections(capsys: Output):
    assert main(["spec"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line.startswith("  ")] == list(RULES)
    assert [line for line in lines if line and line[0] != " "] == [
        "1 Publisher", "2 Subscriber", "3 Subscription", "4 Processor", "R Recommended",
    ]  # fmt: skip
    assert "  3.9   MUST         A request below 1 is an error" in lines


def test_a_rule_is_shown_in_full(capsys: Output):
    assert main(["spec", "3.7"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("3.7  cancel after cancel does nothing\nMUST, binds: subscription\n\n")
    one = RULES["3.7"]
    for text in (one.rule, one.intent, one.check, one.advice, one.overlap or ""):
        assert text in flat(shown)
    assert "reported as  3.5 cancel is quick" in shown
    assert "not checked" not in shown


def test_a_freedom_does_not_fail(capsys: Output):
    assert main(["spec", "1.2"]) == 0
    shown = capsys.readouterr().out
    assert "       note  A freedom" in shown
    assert "if it fails" not in shown


def test_several_rules_are_shown_as_asked_for(capsys: Output):
    assert main(["spec", "r.2", "1:1"]) == 0
    shown = capsys.readouterr().out
    assert shown.index("R.2  Newcomers") < shown.index("\n\n1.1  Never")


@pytest.mark.parametrize("width", [20, 50, 80, 300])
def test_lines_fit_the_terminal(capsys: Output, monkeypatch: pytest.MonkeyPatch, width: int):
    monkeypatch.setenv("COLUMNS", str(width))
    fits = max(40, min(100, width))
    for arguments in ([], ["glossary"], list(RULES)):
        assert main(["spec", *arguments]) == 0
        lines = capsys.readouterr().out.splitlines()
        # A long piece of code is not torn apart, and headings are short enough.
        assert [x for x in lines if len(x) > fits and " " in x.strip() and x[:1] == " "] == []
        assert not arguments or max(map(len, lines)) > fits - 10


def test_filters(capsys: Output):
    assert main(["spec", "--role", "Subscriber", "--level", "must"]) == 0
    lines = capsys.readouterr().out.splitlines()
    expected = [r.id for r in select(role="subscriber", level="MUST")]
    assert [line.split()[0] for line in lines if line.startswith("  ")] == expected
    assert expected[0] == "2.1"
    assert expected[-1] == "3.1"


def test_filters_hold_for_ids_too(capsys: Output):
    assert main(["spec", "3.9", "1.2", "--level", "MAY", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [as_read("1.2")]


def test_nothing_left_is_said(capsys: Output):
    assert main(["spec", "--role", "processor", "--level", "MAY"]) == 0
    assert capsys.readouterr() == ("", "penstock: no rule is like that\n")
    assert main(["spec", "--role", "processor", "--level", "MAY", "--json"]) == 0
    assert capsys.readouterr() == ("[]\n", "")


def test_json(capsys: Output):
    assert main(["spec", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [as_read(i) for i in RULES]
    assert as_read("3.7")["reported_as"] == "3.5"
    assert as_read("3.1")["roles"] == ["subscriber"]


def test_glossary(capsys: Output):
    assert main(["spec", "glossary"]) == 0
    shown = flat(capsys.readouterr().out)
    assert all(f"{t.name} {t.meaning}" in shown for t in GLOSSARY.values())
    assert main(["spec", "Glossary", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [asdict(t) for t in GLOSSARY.values()]


@pytest.mark.parametrize(
    ("asked", "remedy"),
    [("3.18", "nearest: 3.17, 3.16, 3.15"), ("demand", "ids look like 3.9 or R.2")],
)
def test_an_unknown_id_takes_two_lines(capsys: Output, asked: str, remedy: str):
    assert main(["spec", "3.9", asked]) == 2
    out, err = capsys.readouterr()
    first, second = err.splitlines()
    assert out == ""
    assert first == f"penstock: there is no rule {asked!r}"
    assert second.strip().startswith(remedy)


def test_bold_is_for_terminals_only(capsys: Output, monkeypatch: pytest.MonkeyPatch):
    main(["spec", "3.9", "glossary"])
    plain = capsys.readouterr().out
    assert BOLD not in plain
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    main(["spec", "3.9", "glossary"])
    assert capsys.readouterr().out == plain
    monkeypatch.delenv("NO_COLOR")
    main(["spec", "3.9", "glossary"])
    bold = capsys.readouterr().out
    assert bold.startswith(f"{BOLD}3.9  A request below 1 is an error\x1b[0m\n")
    assert f"{BOLD}demand\x1b[0m  What" in bold
    assert bold.replace(BOLD, "").replace("\x1b[0m", "") == plain, "bold moves nothing"


def test_a_reader_that_stops_reading_gets_no_traceback():
    reading, writing = os.pipe()
    os.close(reading)  # gone before the first line is written
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "penstock", "spec", *RULES],
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
        )
    finally:
        os.close(writing)
    assert ended.stderr == b""
    assert ended.returncode == 141
