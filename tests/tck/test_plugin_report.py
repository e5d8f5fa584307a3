"""What --tck-report writes."""

from __future__ import annotations

import json

import pytest

from penstock.spec import RULES
from tests.tck.plugin_runs import GENEROUS, GOOD, Runs


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Runs:
    return Runs(pytester, monkeypatch)


def test_the_report_is_on_all_that_was_verified(run: Runs, pytester: pytest.Pytester):
    result = run(GENEROUS + GOOD, "-k", "3_08_delivers or 1_04", "--tck-report", "out/all.html")
    result.stdout.fnmatch_lines(["penstock: report on 2 implementations in *all.html"])
    text = (pytester.path / "out" / "all.html").read_text(encoding="utf-8")
    assert '<th scope="col">TestGenerous</th>' in text
    assert '<th scope="col">TestGood</th>' in text
    assert all(f"<b>{id_}</b>" in text for id_ in RULES)


def test_the_report_as_json(run: Runs, pytester: pytest.Pytester):
    run(GENEROUS + GOOD, "-k", "3_08_delivers or signals_on", "--tck-report=all.json")
    generous, good = json.loads((pytester.path / "all.json").read_text())["reports"]
    assert (generous["subject"], generous["broken"]) == ("TestGenerous", ["1.1"])
    assert (good["subject"], good["broken"]) == ("TestGood", [])
    assert generous["rules"]["3.8"]["verdict"] == "skipped"
    assert good["rules"]["3.8"]["verdict"] == "kept"
    assert good["kind"] == "publisher"
    assert good["seconds"] > 0


def test_a_run_that_stops_early_has_a_report(run: Runs, pytester: pytest.Pytester):
    result = run(GENEROUS, "-x", "--tck-report=all.json")
    result.assert_outcomes(failed=1, passed=1)
    (report,) = json.loads((pytester.path / "all.json").read_text())["reports"]
    assert report["broken"] == ["1.1"]
    assert len(report["outcomes"]) == 3


def test_classes_of_the_same_name_and_parameters_are_told_apart(
    run: Runs, pytester: pytest.Pytester
):
    pytester.makepyfile(test_other=GOOD)
    parameters = """
    import pytest

    class TestMany(TestGood):
        @pytest.fixture(autouse=True, params=["a", "b"])
        def source(self):
            pass
    """
    run(GOOD + parameters, "-k", "3_08_delivers", "--tck-report=all.json")
    reports = json.loads((pytester.path / "all.json").read_text())["reports"]
    assert [report["subject"] for report in reports] == [
        "test_it.py::TestGood",
        "TestMany[a]",
        "TestMany[b]",
        "test_other.py::TestGood",
    ]


def test_a_report_on_nothing(run: Runs, pytester: pytest.Pytester):
    result = run("def test_plain(): pass", "--tck-report=all.html")
    result.assert_outcomes(passed=1)
    assert "Nothing was verified." in (pytester.path / "all.html").read_text()


def test_another_kind_of_report_is_a_usage_error(run: Runs):
    result = run("def test_plain(): pass", "--tck-report=report.txt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--tck-report: 'report.txt' ends neither in .html nor in .json"])
