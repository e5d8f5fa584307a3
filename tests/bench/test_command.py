"""`python -m bench`: every measure still runs, at a fiftieth of its size. No timing is judged."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys

import pytest
from bench.report import PEERS

from tests.repo.source import ROOT

MISSING = [name for name in PEERS if importlib.util.find_spec(name) is None]


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bench", *arguments],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def report():
    ended = bench("--quick", "--json")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return json.loads(ended.stdout)


def test_every_side_computes_what_is_expected(report):
    wrong = [
        row["verdict"]
        for row in report["rows"]
        if row["verdict"] not in {"met", "missed", "-"}
        and not any(f"No module named {name!r}" in row["verdict"] for name in MISSING)
    ]
    assert not wrong


def test_every_comparison_has_figures(report):
    for row in report["rows"]:
        for side in ("ours", "theirs"):
            if row[side] is not None and row[side]["problem"] is None:
                assert row[side]["best"] > 0, row


def test_one_measure_is_run_alone():
    ended = bench("--quick", "--only", "W2")
    assert ended.returncode == 0, ended.stderr
    assert "W2" in ended.stdout
    assert "W1" not in ended.stdout


def test_an_unknown_name_is_refused_and_the_known_ones_are_told():
    ended = bench("--only", "W9")
    assert ended.returncode == 2
    assert "no group or measure is named W9" in ended.stderr
    assert "junctions" in bench("--help").stdout
