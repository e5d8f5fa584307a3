"""The kit on every source, operator and boundary: alone, as a Processor, and combined."""

from __future__ import annotations

import pytest

from penstock import Flow
from penstock.flow import operators
from penstock.tck import Environment, Report, verify_processor, verify_publisher
from tests.flow.matrix import (
    COMBINED,
    MULTICAST,
    NOT_ALONE,
    PROCESSORS,
    PUBLISHERS,
    Case,
    Combination,
    page,
)
from tests.repo.source import ROOT

# Most of the time goes into waiting for what must not come.
QUICK = Environment.from_env(Environment(quiet=0.02))


def kept(report: Report) -> None:
    assert not report.broken, str(report)


@pytest.mark.parametrize("case", PUBLISHERS, ids=str)
def test_as_a_publisher(case: Case) -> None:
    kept(verify_publisher(case.create, environment=QUICK, **case.knobs))


@pytest.mark.parametrize("case", MULTICAST, ids=str)
def test_multicast(case: Case) -> None:
    kept(verify_publisher(case.create, environment=QUICK, multicast=True, **case.knobs))


@pytest.mark.parametrize("case", PROCESSORS, ids=str)
def test_as_a_processor(case: Case) -> None:
    kept(verify_processor(case.create, environment=QUICK, **case.knobs))


@pytest.mark.parametrize("combination", COMBINED, ids=str)
def test_combined(combination: Combination) -> None:
    kept(verify_publisher(combination.create, failed=combination.failed, environment=QUICK))


def test_a_failed_flow() -> None:
    kept(
        verify_publisher(
            Flow.range, failed=lambda: Flow.error(OSError("on purpose")), environment=QUICK
        )
    )


def test_no_operator_is_left_out() -> None:
    verified = {case.operator for case in (*PUBLISHERS, *MULTICAST, *PROCESSORS)}
    assert sorted(verified | NOT_ALONE.keys()) == sorted(operators())


def test_the_page_is_not_stale() -> None:
    written = (ROOT / "docs" / "operators-conformance.md").read_text(encoding="utf-8")
    assert written == page(), "stale: run `make generate`"
