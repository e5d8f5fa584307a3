from __future__ import annotations

import io
import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest

import penstock
from penstock.cli import main
from tests.repo.source import ROOT, SRC

SHOP = '''
import penstock
from penstock.tck._verdict import Deliberate
from examples.standard.range_publisher import RangePublisher

number = 3

def good(elements):
    return RangePublisher(0, elements)

class Silent:
    """Signals nothing at all."""

    def __init__(self, elements):
        pass

    def subscribe(self, subscriber):
        if subscriber is None:
            raise TypeError

class Dropping(Silent):
    def subscribe(self, subscriber):
        for error in OSError("news"), Deliberate():
            penstock.on_dropped_error(error, "Dropping")
        super().subscribe(subscriber)

class Till:
    def close(self):
        pass

def boom(elements):
    raise OSError("no such table")

def nothing(elements):
    pass

def failed():
    raise LookupError("asked for a failed one")

def trigger(subscriber):
    pass
'''

QUICK = ("--timeout", "0.05", "--quiet", "0.01")


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be in a folder that holds shop.py, as somebody who has just opened a terminal."""
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "faulty.py").write_text("import no_such_thing\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    for name in ("shop", "faulty"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """Run `penstock tck`, which has to fail, and return the two lines that it prints."""
    assert main(["tck", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    first, second = err.splitlines()
    return [first.removeprefix("penstock: "), second.strip()]


def test_a_publisher_that_keeps_all(capsys):
    assert main(["tck", "publisher", "shop:good", "--knob", "stochastic=no"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("shop:good (publisher): no rule broken, ")
    assert err == ""


def test_a_broken_must_is_exit_status_1(capsys):
    assert main(["tck", "publisher", "shop:Silent", *QUICK]) == 1
    assert "BROKEN 1.9 " in capsys.readouterr().out


def test_a_broken_recommendation_is_not(capsys, monkeypatch):
    from penstock.tck import Outcome, Report, _verify

    waits = Outcome("R.4", "spec_R_04_x", "broken", "it waited")
    report = Report("shop:good", "publisher", (waits,), 1.0)
    monkeypatch.setattr(_verify, "verify", lambda *_: report)
    assert main(["tck", "publisher", "shop:good"]) == 0
    assert "BROKEN R.4 " in capsys.readouterr().out


def test_json(capsys):
    assert main(["tck", "publisher", "shop:Silent", "--json", *QUICK]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["subject"] == "shop:Silent"
    assert found["broken_must"] == ["1.9"]


def test_html_is_written_as_well(capsys):
    assert main(["tck", "publisher", "shop:Silent", "--html", "page.html", *QUICK]) == 1
    assert capsys.readouterr().out.startswith("shop:Silent (publisher)")
    assert '<th scope="col">shop:Silent</th>' in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["publisher", "subscriber", "whitebox", "processor"])
def test_each_kind_explains_itself(capsys, kind):
    assert main(["tck", kind, "--help"]) == 0
    out = capsys.readouterr().out
    assert f"penstock tck {kind}" in out
    assert "FACTORY(" in out


def test_a_kind_has_only_the_hooks_that_it_uses(capsys):
    assert "--trigger" in " ".join(told(capsys, "publisher", "shop:good", "--trigger", "shop:good"))
    assert "--failed" in " ".join(
        told(capsys, "subscriber", "shop:Till", "--failed", "shop:failed")
    )


def test_hooks_are_called(capsys):
    message, _ = told(capsys, "publisher", "shop:good", "--failed", "shop:failed")
    assert message == "shop:good can't be verified: LookupError: asked for a failed one"


@pytest.mark.parametrize(
    ("arguments", "message", "remedy"),
    [
        (["publisher", "shop"], "'shop' is not of the form package.module:name", "name the module"),
        (["publisher", ":x"], "':x' is not of the form package.module:name", "name the module"),
        (["publisher", "shap:good"], "there is no module 'shap'", "it is looked for in"),
        (["publisher", "shop.x:good"], "there is no module 'shop.x'", "it is looked for in"),
        (["publisher", "faulty:x"], "importing faulty failed: No module named", "install no_such"),
        (["publisher", "shop:god"], "shop:god: there is no 'god'", "nearest: good"),
        (["publisher", "shop:Till.clse"], "shop:Till.clse: there is no 'clse'", "nearest: close"),
        (["publisher", "shop:number"], "shop:number can't be called: it is 3", "it is called as"),
        (
            ["publisher", "shop:Till"],
            "shop:Till has other arguments: too many positional arguments",
            "it is called as Till(elements)",
        ),
        (
            ["subscriber", "shop:good"],
            "shop:good has other arguments: missing a required argument: 'elements'",
            "it is called as good()",
        ),
        (
            ["publisher", "shop:good", "--failed", "shop:good"],
            "shop:good has other arguments: missing a required argument: 'elements'",
            "it is called as good()",
        ),
        (
            ["publisher", "shop:boom"],
            "shop:boom can't be verified: OSError: no such table",
            "it comes from line ",
        ),
        (
            ["publisher", "shop:nothing"],
            "shop:nothing can't be verified: TypeError: create(",
            "mend what the factory returns",
        ),
        (
            ["publisher", "shop:good", "--knob", "multicats=no"],
            "--knob: unknown knob 'multicats'",
            "did you mean multicast",
        ),
        (
            ["publisher", "shop:good", "--knob", "multicast"],
            "--knob multicast: there is no value",
            "write it --knob multicast=yes",
        ),
        (
            ["publisher", "shop:good", "--knob", "multicast=maybe"],
            "--knob: 'maybe' is no value of a knob",
            "give a number or yes, no",
        ),
        (
            ["publisher", "shop:good", "--knob", "max_elements=-1"],
            "--knob: max_elements=-1: give an int of at least 0",
            "knobs: max_elements, ",
        ),
        (
            ["publisher", "shop:good", "--timeout", "0"],
            "Environment(timeout=0.0): give a number of seconds above 0",
            "all times are numbers above 0",
        ),
        (
            ["publisher", "shop:good", "--stretch", "-1"],
            "stretched(-1.0): give a factor above 0",
            "all times are numbers above 0",
        ),
        (
            ["publisher", "shop:good", "--html", "no/page.html"],
            "--html no/page.html: there is no such folder",
            "make it first",
        ),
        (["publisher"], "the following arguments are required: FACTORY", "see `penstock tck"),
        ([], "the following arguments are required: KIND", "see `penstock tck --help`"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_is_told_in_two_lines_with_the_remedy(capsys, arguments, message, remedy):
    first, second = told(capsys, *arguments)
    assert first.startswith(message)
    assert second.startswith(remedy)


def test_debug_shows_where_the_factory_raised(capsys):
    assert main(["tck", "publisher", "shop:boom", "--debug"]) == 2
    assert "in boom\n" in capsys.readouterr().err


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the command asks the kit for, in place of doing it."""
    from penstock.tck import Report, _verify

    seen: dict[str, object] = {}

    def verify(side, given, environment, knobs, before):
        seen.update(side=side, given=given, environment=environment, knobs=knobs)
        return Report("x", side, (), 0.0)

    monkeypatch.setattr(_verify, "verify", verify)
    return seen


def test_knobs_are_read(asked):
    words = ["multicast=yes", "max_elements=unbounded", "stochastic=no", "buffer-size=3"]
    assert main(["tck", "publisher", "shop:good", *(f"--knob={word}" for word in words)]) == 0
    assert asked["knobs"] == {
        "multicast": True,
        "max_elements": penstock.UNBOUNDED,
        "stochastic": False,
        "buffer_size": 3,
    }


def test_times_are_read(asked, monkeypatch):
    from penstock.tck import Environment

    monkeypatch.setenv("PENSTOCK_TCK_QUIET", "0.5")
    assert main(["tck", "publisher", "shop:good", "--stretch", "2", "--timeout", "7"]) == 0
    stretched = Environment(quiet=0.5).stretched(2)
    assert asked["environment"] == Environment(**{**vars(stretched), "timeout": 7.0})


def test_all_hooks_are_read(asked):
    hooks = ["--trigger=shop:trigger", "--shut-down=shop:Till.close", "--element=builtins:abs"]
    assert main(["tck", "subscriber", "shop:Till", *hooks]) == 0
    given = asked["given"]
    shop = sys.modules["shop"]
    assert (given.create, given.trigger) == (shop.Till, shop.trigger)
    assert (given.shut_down, given.element) == (shop.Till.close, abs)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_which_check_is_running(capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    assert main(["tck", "publisher", "shop:Silent", *QUICK]) == 1
    shown = terminal.getvalue().split("\r\x1b[K")
    assert shown[1].endswith("] spec_1_09_signals_on_subscribe")
    assert shown[1].startswith("[1/")
    assert shown[-1] == ""


def test_what_the_kit_raises_on_purpose_is_not_told_between_the_lines(capsys, caplog):
    assert main(["tck", "publisher", "shop:Dropping", *QUICK]) == 1
    assert {record.exc_info[0] for record in caplog.records} == {OSError}
    assert not logging.getLogger("penstock").filters


def test_it_runs_from_a_shell(tmp_path):
    path = os.pathsep.join([str(SRC), str(ROOT)])
    ended = subprocess.run(
        [sys.executable, "-m", "penstock", "tck", "publisher", "shop:Silent", *QUICK],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        cwd=tmp_path,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 1
    assert ended.stdout.startswith("shop:Silent (publisher): 1 rule broken, ")
    assert ended.stderr == ""
