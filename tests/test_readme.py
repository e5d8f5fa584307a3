"""What the README shows runs, and shows what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from penstock.testing import ManualPublisher, Probe

README = Path(__file__).parents[1] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def shown() -> dict[str, Any]:
    """Run all blocks one after another, as a reader would."""
    names: dict[str, Any] = {"publisher": ManualPublisher(), "subscriber": Probe()}
    for number, block in enumerate(BLOCKS, 1):
        if "checked(publisher" in block:  # two subscriptions, for which one publisher is not enough
            names["checked_publishers"] = [ManualPublisher(), ManualPublisher()]
            for publisher in names["checked_publishers"]:
                names |= {"publisher": publisher, "subscriber": Probe()}
                exec(compile(block, f"README block {number}", "exec"), names)
            continue
        exec(compile(block, f"README block {number}", "exec"), names)
    return names


def test_the_report_is_as_shown(shown: dict[str, Any]):
    (said,) = re.findall(r"report\.broken +# frozenset\(\{(.*?)\}\)", README.read_text("utf-8"))
    assert set(re.findall(r"'([^']+)'", said)) <= shown["report"].broken
    assert shown["report"].broken_must


def test_the_parties_driven_by_hand_did_what_is_shown(shown: dict[str, Any]):
    assert shown["probe"].elements == ["a", "b"]
    assert shown["probe"].completed


def test_the_commands_are_those_of_the_makefile():
    makefile = (README.parent / "Makefile").read_text("utf-8")
    for command in re.findall(r"^make (\w+)", README.read_text("utf-8"), re.MULTILINE):
        assert re.search(rf"^{command}:", makefile, re.MULTILINE), command
