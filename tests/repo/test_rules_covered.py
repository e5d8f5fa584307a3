"""Every rule is checked by the kit, or says why nobody outside can check it."""

from __future__ import annotations

from penstock.spec import RULES
from penstock.tck import CHECKS


def test_every_rule_has_a_check_or_says_why_none_is_possible():
    checked = {check.rule for check in CHECKS}
    silent = [id_ for id_, rule in RULES.items() if id_ not in checked and not rule.unobservable]
    assert not silent, "rules that no check covers and that don't say why"


def test_no_rule_is_both_checked_and_called_unobservable():
    checked = {check.rule for check in CHECKS}
    assert not [id_ for id_, rule in RULES.items() if id_ in checked and rule.unobservable]


def test_every_check_is_for_a_rule_there_is():
    assert not [check.name for check in CHECKS if check.rule not in RULES]
