"""What is public is listed, documented and typed, and nothing else is public."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import subprocess
import sys
from typing import Any, ParamSpec, TypeVar, TypeVarTuple

import pytest

from tests.repo.source import MODULES, ROOT, SRC, Module

PUBLIC_MODULES = [module for module in MODULES.values() if module.is_public]
PUBLIC_NAMES = [(m.name, name) for m in PUBLIC_MODULES for name in m.exports or ()]

every_public_module = pytest.mark.parametrize("module", PUBLIC_MODULES, ids=str)
every_public_name = pytest.mark.parametrize(
    ("module", "name"), PUBLIC_NAMES, ids=[".".join(pair) for pair in PUBLIC_NAMES]
)


def value_of(module: str, name: str) -> Any:
    return getattr(importlib.import_module(module), name)


@every_public_module
def test_a_module_lists_what_is_public(module: Module):
    assert module.exports is not None, "needs `__all__ = [...]`; ruff keeps it sorted"
    unlisted = {
        name
        for name in module.defined - set(module.exports)
        if not name.startswith("_")
        if not isinstance(value_of(module.name, name), TypeVar | ParamSpec | TypeVarTuple)
    }
    assert not unlisted, "list them in __all__, or let their names start with an underscore"


@every_public_name
def test_a_public_thing_has_a_docstring(module: str, name: str):
    thing = value_of(module, name)
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        assert MODULES[module].constant_is_documented(name), "no string follows the constant"
        return
    own = thing.__dict__.get("__doc__") if inspect.isclass(thing) else thing.__doc__
    # A dataclass or named tuple without a docstring is given its signature as one.
    assert own, "has no docstring"
    assert not own.startswith(f"{thing.__name__}("), "has no docstring"
    bare = [
        method
        for method, value in vars(thing).items()
        if inspect.isclass(thing) and not method.startswith("_")
        if inspect.isroutine(value) or isinstance(value, property)
        if not inspect.getdoc(getattr(thing, method))
    ]
    assert not bare, "methods without a docstring"


@pytest.fixture(scope="session")
def seen_by_pyright() -> dict[str, Any]:
    """What pyright says of the package as those who import it see it."""
    pyright = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    ended = subprocess.run(
        [*pyright, "--verifytypes", "penstock", "--ignoreexternal", "--outputjson"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(SRC)},  # it follows no editable installation
        check=False,  # it exits with 1 if anything is amiss; the tests say what
        timeout=120,
    )
    return json.loads(ended.stdout)["typeCompleteness"]


@every_public_name
def test_the_type_checker_sees_it(seen_by_pyright: dict[str, Any], module: str, name: str):
    symbols = {s["name"]: s for s in seen_by_pyright["symbols"] if s["isExported"]}
    assert f"{module}.{name}" in symbols
    known = symbols[f"{module}.{name}"]["isTypeKnown"]
    assert known, "test_the_type_checker_knows_every_type says what is missing"


def test_the_type_checker_knows_every_type(seen_by_pyright: dict[str, Any]):
    unclear = [
        f"{symbol['name']}: {diagnostic['message']}"
        for symbol in seen_by_pyright["symbols"]
        for diagnostic in symbol["diagnostics"]
        if symbol["name"].startswith("penstock.")
    ]
    assert not unclear, "\n".join(unclear)
    assert seen_by_pyright["completenessScore"] == 1


def test_the_type_checker_sees_the_same_modules(seen_by_pyright: dict[str, Any]):
    seen = {module["name"] for module in seen_by_pyright["modules"]}
    runnable = {name for name in MODULES if name.endswith("__main__")}
    assert seen - runnable == {module.name for module in PUBLIC_MODULES}


def test_the_type_checker_sees_nothing_more(seen_by_pyright: dict[str, Any]):
    tops = {
        symbol["name"].rpartition(".")
        for symbol in seen_by_pyright["symbols"]
        if symbol["isExported"] and symbol["category"] != "type variable"
    }
    modules = {module.name for module in PUBLIC_MODULES}
    seen = {f"{m}.{name}" for m, _, name in tops if m in modules and name[:2] != "__"}
    assert seen == {".".join(pair) for pair in PUBLIC_NAMES}
