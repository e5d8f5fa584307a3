"""Who imports whom: the parts' arrows point one way, and the core needs nothing installed."""

from __future__ import annotations

import json
import subprocess
import sys
from fnmatch import fnmatchcase

import pytest

from tests.repo.source import MODULES, SRC, Import, Module

# Patterns of module names, an entry covering what lies below it as well. The package's
# own __init__ is the front door: it only passes on what the parts define.
PARTS = {
    "front door": ["penstock"],
    "standard": [
        "api",
        "spec",
        "_checked*",
        "_clock",
        "_dropped",
        "_monitor*",
        "_timers",
        "_version",
        "_workers",
    ],
    "kit": ["tck", "testing"],
    "streams": ["flow", "runtime"],
    "engine": ["spark"],
    "command": ["cli", "__main__"],
}

MAY_IMPORT = {
    "front door": {"standard", "streams"},
    "standard": set(),
    "kit": {"standard"},
    "streams": {"standard"},
    "engine": {"standard", "streams"},
    "command": {"standard", "kit", "streams", "engine"},
}

# The only modules that import what isn't in the standard library, and what that is.
MAY_NEED = {
    "penstock.tck.plugin": {"pytest"},
    "penstock.tck._pytest_*": {"pytest", "_pytest"},
    "penstock.spark*": {"pyspark", "pyarrow"},
}


def part_of(name: str) -> str | None:
    if name == "penstock":
        return "front door"
    top = name.split(".")[1]
    for part, patterns in PARTS.items():
        if any(fnmatchcase(top, pattern) for pattern in patterns):
            return part
    return None


def needs_of(name: str) -> set[str]:
    return {n for pattern, ns in MAY_NEED.items() if fnmatchcase(name, pattern) for n in ns}


# What the front door passes on, each with the module that it comes from.
PASSED_ON = {one.bound: one.module for one in MODULES["penstock"].imports}


def origin_of(one: Import) -> str:
    """The module that an import from the package is really about."""
    if f"{one.module}.{one.name}" in MODULES:
        return f"{one.module}.{one.name}"
    if one.module == "penstock":
        return PASSED_ON.get(one.name, "penstock")
    return one.module


every_module = pytest.mark.parametrize("module", MODULES.values(), ids=str)


@every_module
def test_a_module_belongs_to_a_part(module: Module):
    assert part_of(module.name), "name the part it belongs to in PARTS"


@every_module
def test_a_module_imports_only_what_its_part_may(module: Module):
    part = part_of(module.name) or ""
    # A bare `import penstock` only reaches what may be reached: it is for the hooks there.
    allowed = {part, "front door", *MAY_IMPORT[part]}
    wrong = [
        f"{module.path}:{one.line}: {part} imports {origin_of(one)} ({part_of(origin_of(one))})"
        for one in module.imports
        if one.module.split(".")[0] == "penstock" and part_of(origin_of(one)) not in allowed
    ]
    assert not wrong, "\n".join(wrong)


@every_module
def test_a_module_needs_only_what_it_may(module: Module):
    allowed = {"penstock", *sys.stdlib_module_names, *needs_of(module.name)}
    wrong = [
        f"{module.path}:{one.line}: imports {one.module}"
        for one in module.imports
        if one.module.split(".")[0] not in allowed
    ]
    assert not wrong, "\n".join(wrong)


IMPORT_EACH = """
import contextlib, importlib, json, sys
sys.path.insert(0, sys.argv[1])
known = {"penstock", "__main__", *sys.stdlib_module_names}
found = {}
for name in sys.argv[2:]:
    before = set(sys.modules)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            importlib.import_module(name)
    except Exception as error:
        found[name] = repr(error)
    else:
        new = set(sys.modules) - before
        found[name] = " ".join(sorted(n for n in new if n.split(".")[0] not in known))
json.dump(found, sys.stdout)
"""

SELF_CONTAINED = [name for name in MODULES if not needs_of(name)]


@pytest.fixture(scope="session")
def imported_bare() -> dict[str, str]:
    """What went wrong, or came from elsewhere, when an interpreter with no site-packages,
    no environment and no path but src imported each module."""
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", IMPORT_EACH, str(SRC), *SELF_CONTAINED],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return json.loads(ended.stdout)


@pytest.mark.parametrize("name", SELF_CONTAINED)
def test_a_bare_interpreter_imports_it(imported_bare: dict[str, str], name: str):
    assert imported_bare[name] == ""


@pytest.mark.parametrize("heavy", ["asyncio", "tomllib", "unittest", "concurrent.futures"])
def test_importing_penstock_leaves_out(heavy: str):
    code = f"import sys; sys.path.insert(0, {str(SRC)!r}); import penstock; print(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    )
    assert heavy not in ended.stdout.split()
