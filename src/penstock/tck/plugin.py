"""The pytest plugin: collects the checks of verification classes, and writes the report.

It loads nothing of the kit before a test module has imported a verification class.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import pytest

__all__ = ["pytest_addoption", "pytest_configure", "pytest_pycollect_makeitem"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--tck-report`."""
    group = parser.getgroup("penstock", "the conformance kit of penstock")
    group.addoption(
        "--tck-report",
        type=_report_file,
        metavar="FILE",
        help="write a page on all rules and all implementations verified in this run; "
        "FILE ends in .html or .json",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make ready for the report, if one is wanted."""
    file: Path | None = config.getoption("--tck-report")
    # A worker of pytest-xdist passes on what it finds; the process that started it writes.
    if file is not None and not hasattr(config, "workerinput"):
        from penstock.tck._pytest_report import ReportFile

        config.pluginmanager.register(ReportFile(file), "penstock-tck-report")


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> Any:
    """Collect a verification class, and leave all else to pytest."""
    base = sys.modules.get("penstock.tck._verification_base")
    if base is None or not isinstance(obj, type) or not issubclass(obj, base.Verification):
        return None
    from penstock.tck._pytest_classes import collected

    return collected(collector, name, obj)


def _report_file(name: str) -> Path:
    path = Path(name)
    if path.suffix not in (".html", ".json"):
        raise argparse.ArgumentTypeError(f"{name!r} ends neither in .html nor in .json")
    return path.absolute()
