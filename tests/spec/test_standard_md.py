"""docs/standard.md is what the rules say, and its links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from penstock.spec import GLOSSARY, RULES
from penstock.spec._markdown import markdown

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "standard.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text("utf-8") == markdown(), (
        "docs/standard.md is stale: run `python -m penstock.spec > docs/standard.md`"
    )


def test_the_command_writes_the_page_alike_each_time():
    for seed in ("1", "2"):
        ended = subprocess.run(
            [sys.executable, "-m", "penstock.spec"],
            capture_output=True,
            check=True,
            timeout=60,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": seed},
        )
        assert ended.stdout.decode("ascii").splitlines() == markdown().splitlines()


def test_every_rule_and_term_has_an_anchor():
    anchors = re.findall(r'<a id="([^"]+)"></a>', markdown())
    assert len(anchors) == len(set(anchors))
    assert set(anchors) >= {*RULES, *(name.replace(" ", "-") for name in GLOSSARY)}


def test_every_link_has_its_anchor():
    page = markdown()
    anchors = re.findall(r'<a id="([^"]+)"></a>', page)
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= set(anchors)


def test_tables_have_as_many_cells_as_their_heads():
    for table in re.findall(r"(?:^\|.*\n)+", markdown(), re.MULTILINE):
        cells = {line.count("|") for line in table.splitlines()}
        assert len(cells) == 1
