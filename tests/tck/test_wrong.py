"""The kit catches each wrong implementation with the rules it breaks, and with no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from penstock.spec import RULES
from penstock.tck import CHECKS, Environment
from tests.tck.wrong import Case, cases, release

ALL = cases()

# `async def on_next` and its like are defects of ours; that nobody awaits them, too.
pytestmark = pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")


@pytest.fixture(autouse=True)
def let_go() -> Iterator[None]:
    yield
    release()


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_each_gets_its_verdict(case: Case):
    report = case.verify(Environment.from_env())
    assert case.must <= report.broken, f"not caught: {case.defect}\n{report}"
    assert report.broken <= case.must | case.may, f"wrongly blamed: {case.defect}\n{report}"


def test_there_are_enough_of_each_kind():
    wrong = Counter(case.kind for case in ALL if case.must)
    correct = Counter(case.kind for case in ALL if not case.must)
    least = {"publisher": (120, 15), "subscriber": (50, 15), "whitebox": (20, 4)}
    least["processor"] = (45, 9)
    for kind, (wrongs, corrects) in least.items():
        assert wrong[kind] >= wrongs, kind
        assert correct[kind] >= corrects, kind


def test_each_rule_that_can_be_broken_is_broken_by_one_of_them():
    reported = {RULES[check.rule].reported_as or check.rule for check in CHECKS}
    breakable = {rule for rule in reported if RULES[rule].level != "MAY"}
    # 4.1 is broken by what is no Processor at all, which the kit refuses with a TypeError.
    assert breakable - set().union(*(case.must for case in ALL)) <= {"4.1"}
