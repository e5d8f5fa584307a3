"""A fresh wheel holds what it should, and works where nothing else is installed."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from penstock._version import __version__
from tests.repo.source import ROOT, SRC

# What a shell may have set that would lead the new environment back to this checkout.
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}


def run(*command: str | Path) -> str:
    """Run `command` away from the checkout and return what it printed."""
    ended = subprocess.run(
        [str(word) for word in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=Path(command[0]).anchor,
        env=CLEAN,
        check=False,
        timeout=180,
    )
    assert ended.returncode == 0, ended.stdout
    return ended.stdout


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout without the network."""
    out = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def empty_environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of executables of an environment that holds the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", folder]
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel)
    return folder / "bin"


@pytest.fixture(scope="session")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        name = f"penstock-{__version__}.dist-info/METADATA"
        return Parser().parsestr(archive.read(name).decode())


def test_the_wheel_holds_the_package_and_its_licence_only(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if not name.endswith("/")}
    package = {
        path.relative_to(SRC).as_posix()
        for path in (SRC / "penstock").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    about = {name for name in held if name.startswith(f"penstock-{__version__}.dist-info/")}
    assert held - about == package
    assert f"penstock-{__version__}.dist-info/licenses/LICENSE" in about


def test_the_wheel_needs_nothing_but_what_an_extra_asks_for(metadata: Message):
    needs = metadata.get_all("Requires-Dist", [])
    assert not [need for need in needs if "extra ==" not in need]


def test_the_changelog_begins_with_this_version():
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    latest = next(line for line in lines if line.startswith("## "))
    assert latest.startswith(f"## {__version__} ")


def test_it_imports_from_there(empty_environment: Path):
    code = "import penstock; print(penstock.__file__, penstock.UNBOUNDED)"
    file, number = run(empty_environment / "python", "-c", code).split()
    assert Path(file).is_relative_to(empty_environment.parent)
    assert int(number) == 2**63 - 1


def test_its_rules_can_be_read_there(empty_environment: Path):
    code = "from penstock.spec import RULES; print(len(RULES))"
    assert int(run(empty_environment / "python", "-c", code)) == 43 + 10


def test_its_command_runs_there(empty_environment: Path):
    assert run(empty_environment / "penstock", "--version") == f"penstock {__version__}\n"
    assert run(empty_environment / "penstock", "--help").startswith("usage: penstock")
