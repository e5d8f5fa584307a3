"""The programs of `examples/flow` as a user meets them: run, read, and stopped by Ctrl-C."""

from __future__ import annotations

import re

import pytest
from flow_helpers import EXAMPLES, interrupt_program, run_program

PROGRAMS = sorted(path.name for path in EXAMPLES.glob("*.py"))


def test_the_readme_names_them_all():
    readme = (EXAMPLES / "README.md").read_text("utf-8")
    named = re.findall(r"^\d+\. `(\w+\.py)`", readme, re.MULTILINE)
    assert sorted(named) == PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_runs_and_ends(name: str):
    assert len(run_program(name).splitlines()) > 10


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_can_be_interrupted(name: str):
    interrupt_program(name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_short(name: str):
    assert len((EXAMPLES / name).read_text("utf-8").splitlines()) <= 120
