"""What the repo's text must not have: overlong modules, loose ends, traces of one machine."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.repo.source import ROOT

LONGEST = 400
"""Lines in a module; most have less than 200."""

# What the tools leave, and git ignores.
MADE = {".git", ".venv", "__pycache__", "build", "dist", "reports"} | {
    f".{tool}_cache" for tool in ("mypy", "pytest", "ruff")
}

# Written so that they don't find themselves.
LOOSE_END = re.compile(r"\b(TOD[O]|FIXM[E])\b")
PACKAGE_HOST = re.compile(r"\b(pyp[i]|pythonhoste[d]|npmj[s])\.|/simpl[e]/", re.IGNORECASE)
SOMEONES_FOLDER = re.compile(r"(?<![\w.])/(hom[e]|User[s]|roo[t]|wor[k])/\w")


def our_files() -> list[Path]:
    found: list[Path] = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(set(folders) - MADE - {".hypothesis"})
        found += [Path(folder, name).relative_to(ROOT) for name in sorted(names)]
    return found


FILES = our_files()


def lines_with(pattern: re.Pattern[str], files: list[Path]) -> str:
    return "\n".join(
        f"{path}:{number}: {line}"
        for path in files
        for number, line in enumerate((ROOT / path).read_text("utf-8").splitlines(), 1)
        if pattern.search(line)
    )


@pytest.mark.parametrize("path", [p for p in FILES if p.suffix == ".py"], ids=str)
def test_a_module_is_short(path: Path):
    assert len((ROOT / path).read_text("utf-8").splitlines()) <= LONGEST


def test_the_sources_have_no_loose_ends():
    found = lines_with(LOOSE_END, [path for path in FILES if path.parts[0] == "src"])
    assert not found, found


def test_no_file_names_a_package_host():
    found = lines_with(PACKAGE_HOST, FILES)
    assert not found, found


def test_no_file_names_a_folder_of_one_machine():
    here = {str(ROOT), str(Path.home()), sys.prefix} - {"/"}
    found = lines_with(SOMEONES_FOLDER, FILES)
    found += lines_with(re.compile("|".join(map(re.escape, here))), FILES)
    assert not found, found
