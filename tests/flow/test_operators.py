"""Every operator is documented in one shape, its example runs, and its data is complete."""

from __future__ import annotations

import doctest
import inspect
from typing import Any

import pytest

import penstock
from penstock import Flow
from penstock.flow import operators
from penstock.testing import ManualPublisher, Probe, VirtualClock
from tests.flow.page import DEMAND, FAMILIES, block, page
from tests.repo.source import ROOT

# Methods that are no operators: a Flow is these things.
NOT_OPERATORS = {"subscribe", "described", "chain", "flow"}

METHODS = sorted(
    name
    for name, member in inspect.getmembers(Flow)
    if not name.startswith("_")
    and (inspect.isfunction(member) or inspect.ismethod(member))
    and name not in NOT_OPERATORS
)


def test_the_data_names_every_operator_and_nothing_else():
    assert sorted(operators()) == METHODS


@pytest.mark.parametrize("name", METHODS)
def test_an_operator_has_its_data(name: str):
    operator = operators()[name]
    assert operator.family in FAMILIES
    assert operator.demand in DEMAND
    assert operator.summary
    assert not operator.summary.endswith(".")
    # Whatever waits somewhere has a bound that can be named.
    assert bool(operator.window) or operator.demand not in {"window", "policy"}


@pytest.mark.parametrize("name", METHODS)
def test_an_operator_is_documented_in_the_one_shape(name: str):
    found = block(name)
    assert found.about
    assert all(line.endswith(".") for line in found.lines.values())


@pytest.mark.parametrize("name", METHODS)
def test_the_example_of_an_operator_runs(name: str):
    names: dict[str, Any] = {key: getattr(penstock, key) for key in penstock.__all__}
    names |= {one.__name__: one for one in (ManualPublisher, Probe, VirtualClock)}
    example = doctest.DocTestParser().get_doctest(
        inspect.getdoc(getattr(Flow, name)) or "", names, name, None, 0
    )
    said: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert result.attempted
    assert not result.failed, "".join(said)


def test_the_page_is_not_stale():
    written = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
    assert written == page(), "stale: run `make generate`"
