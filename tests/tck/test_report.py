from __future__ import annotations

import json
from html import escape
from html.parser import HTMLParser

import pytest

from penstock.spec import RULES
from penstock.tck import CHECKS, Outcome, Report
from penstock.tck._report_html import as_html
from penstock.tck._report_json import all_as_json

SEEN_BY = "spec_1_01_sends_no_more_than_requested"
LOG = f"      0.1 ms  [penstock-tck {SEEN_BY}]  subscriber: request(1)"

BROKEN = Outcome("1.1", SEEN_BY, "broken", "on_next(2) is element 2, requested were 1", LOG)
KEPT = Outcome("3.5", "spec_3_05_x", "kept", "cancel returned after 0.1 ms")
SKIPPED = Outcome("1.4", "spec_1_04_x", "skipped", "no failed publisher was given")
SHOULD = Outcome("3.4", "spec_3_04_x", "broken", "request waited")
RECOMMENDED = Outcome("R.4", "spec_R_04_x", "broken", "it waited")
MAY = Outcome("1.2", "spec_1_02_x", "kept", "of 10 requested elements 3 came")


def report(*outcomes: Outcome, subject: str = "Countdown") -> Report:
    return Report(subject, "publisher", outcomes, 1.25)


def rules_of(*outcomes: Outcome) -> dict[str, dict[str, str]]:
    return json.loads(report(*outcomes).to_json())["rules"]


def test_what_is_broken():
    found = report(BROKEN, KEPT, SKIPPED, SHOULD, RECOMMENDED, MAY)
    assert found.broken == {"1.1", "3.4", "R.4"}
    assert found.broken_must == {"1.1"}


def test_a_may_is_what_was_seen_and_never_broken():
    wrongly = Outcome("1.11", "spec_1_11_x", "broken", "one Subscriber was turned away")
    assert report(MAY, wrongly).broken == frozenset()
    assert rules_of(MAY, wrongly)["1.11"]["verdict"] == "seen"
    assert rules_of(MAY)["1.2"]["reason"] == MAY.reason


def test_a_breach_is_reported_as_the_rule_that_the_data_names():
    outcome = Outcome("3.12", "spec_3_12_x", "broken", "elements still came")
    kept = Outcome("3.12", "spec_3_12_y", "kept", "")
    assert report(outcome).broken == {"1.8"}
    for outcomes in ([outcome], [outcome, kept]):
        assert rules_of(*outcomes)["3.12"]["reason"] == "reported as 1.8"
    assert rules_of(kept)["3.12"]["verdict"] == "kept"


@pytest.mark.parametrize(
    ("standings", "expected"),
    [
        (("kept", "broken", "skipped"), "broken"),
        (("skipped", "kept"), "kept"),
        (("skipped", "skipped"), "skipped"),
    ],
)
def test_several_checks_of_one_rule_make_one_verdict(standings, expected):
    outcomes = [Outcome("3.9", f"spec_3_09_{i}", s, str(i)) for i, s in enumerate(standings)]
    assert rules_of(*outcomes)["3.9"]["verdict"] == expected


def test_the_verdicts_are_in_the_order_of_the_rules():
    assert list(rules_of(RECOMMENDED, KEPT, SHOULD, BROKEN)) == ["1.1", "3.4", "3.5", "R.4"]


def test_it_is_frozen():
    with pytest.raises(AttributeError):
        report().subject = "another"  # type: ignore[misc]


def test_its_repr_is_short():
    assert repr(report(KEPT, BROKEN)) == "<Report on Countdown (publisher): 1.1 broken>"
    assert repr(report(KEPT)) == "<Report on Countdown (publisher): nothing broken>"


def words(text: str) -> str:
    return " ".join(text.split())


def test_the_text_explains_what_is_broken_before_all_else():
    text = str(report(KEPT, SKIPPED, BROKEN, MAY))
    head, first, *_ = text.split("\n\n")
    assert words(head) == (
        "Countdown (publisher): 1 rule broken, 1 kept, 1 seen, 1 skipped in 1.2 s"
    )
    assert first.startswith("BROKEN 1.1 Never more elements than requested (MUST)\n")
    rule = RULES["1.1"]
    does = next(check.does for check in CHECKS if check.name == SEEN_BY)
    for part in (BROKEN.reason, f"{SEEN_BY}: {does}", rule.rule, rule.intent, rule.advice):
        assert words(part) in words(first)
    assert "[kit]  subscriber: request(1)" in first


def test_the_text_is_no_wider_than_a_terminal():
    text = str(report(KEPT, SKIPPED, BROKEN, MAY))
    assert max(map(len, text.splitlines())) <= 80


def test_the_text_tells_the_rest_in_short():
    again = Outcome("R.7", "spec_R_07_x", "skipped", SKIPPED.reason)
    text = str(report(KEPT, SKIPPED, again, MAY))
    assert "no rule broken" in text
    assert "kept (1)\n  3.5: cancel returned after 0.1 ms\n" in text
    assert "  1.2: of 10 requested elements 3 came\n" in text
    assert "skipped (2)\n  1.4, R.7: no failed publisher was given" in text


def test_the_text_names_some_of_the_other_checks_that_saw_it():
    others = [Outcome("1.1", f"spec_1_01_{i}", "broken", "too many") for i in "abcdef"]
    text = words(str(report(BROKEN, *others)))
    assert "also by spec_1_01_a, spec_1_01_b, spec_1_01_c and 3 more" in text


def test_what_was_observed_keeps_its_lines():
    stack = 'request(1) does not return; it is at\n  File "x.py", line 3, in request\n    wait()'
    text = str(report(Outcome("3.4", "spec_3_04_x", "broken", stack)))
    assert '              File "x.py", line 3, in request\n                wait()' in text


def test_json_has_all_of_it():
    found = json.loads(report(BROKEN, SHOULD, KEPT).to_json())
    assert found["subject"] == "Countdown"
    assert found["kind"] == "publisher"
    assert found["broken"] == ["1.1", "3.4"]
    assert found["broken_must"] == ["1.1"]
    assert found["outcomes"][0] == {
        "rule": "1.1",
        "name": SEEN_BY,
        "status": "broken",
        "reason": BROKEN.reason,
        "log": LOG,
    }
    assert found["rules"]["3.4"]["level"] == "SHOULD"


def test_json_of_many():
    both = json.loads(all_as_json([report(BROKEN), report(KEPT, subject="Range")]))
    assert [one["subject"] for one in both["reports"]] == ["Countdown", "Range"]


class Page(HTMLParser):
    """Reads a page, and sees to it that every element is closed where it should be."""

    VOID = frozenset({"meta", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.rows: dict[str, list[str]] = {}
        self._cells: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append(tag)
        if "id" in given:
            self.ids.append(str(given["id"]))
        if tag == "a":
            self.links.append(str(given["href"]))
        assert not {"src", "style", "onclick", "onload"} & given.keys()
        if tag == "tr":
            self._cells = []
        if tag in {"th", "td"}:
            self._cells.append("")
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        if tag == "tr" and len(self._cells) > 1:
            head, *cells = (words(cell) for cell in self._cells)
            self.rows[head.split()[0]] = cells

    def handle_data(self, data: str) -> None:
        if {"th", "td"} & set(self.open):
            self._cells[-1] += data


def test_the_page_has_all_rules_and_all_implementations():
    page = Page(as_html([report(BROKEN, MAY), report(KEPT, SKIPPED, subject="Range")]))
    assert page.rows.pop("Rule") == ["Countdown", "Range"]
    assert list(page.rows) == list(RULES)
    assert page.rows["1.1"] == ["✗ broken", "·"]
    assert page.rows["1.2"] == ["○ seen", "·"]
    assert page.rows["1.4"] == ["·", "\u2013 skipped"]
    assert page.rows["3.5"] == ["·", "✓ kept"]


def test_the_page_tells_every_rules_text_and_intent():
    text = words(as_html([report(KEPT)])).replace("<code>", "`").replace("</code>", "`")
    for rule in RULES.values():
        for part in (rule.rule, rule.intent, rule.unobservable or ""):
            assert escape(part) in text


def test_the_page_explains_what_is_broken_and_links_to_it():
    elsewhere = Outcome("3.12", "spec_3_12_x", "broken", "elements still came")
    page = Page(report(BROKEN, elsewhere, KEPT).to_html())
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert {"breach-0-1.1", "breach-0-1.8"} <= set(page.ids)
    assert page.rows["3.12"] == ["reported as 1.8"]
    text = report(BROKEN).to_html()
    assert RULES["1.1"].advice.split("`")[0] in text
    assert "[kit]  subscriber: request(1)" in text


def test_the_page_needs_nothing_else():
    text = as_html([report(BROKEN, KEPT)])
    assert "http" not in text.replace("http-equiv", "")
    assert "url(" not in text
    assert "@import" not in text
    assert not {"script", "link", "img", "iframe"} & set(Page(text).tags)
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_whatever_a_page_quotes_is_only_text():
    evil = "<script>alert('&amp;')</script>\" onload=\"x"
    outcomes = [
        Outcome("1.1", evil, "broken", evil, evil),
        Outcome("1.1", evil, "broken", evil, evil),
        Outcome("3.5", evil, "kept", evil),
        Outcome("1.4", evil, "skipped", evil),
        Outcome("1.2", evil, "kept", evil),
    ]
    text = as_html([report(*outcomes, subject=evil)] * 2)
    page = Page(text)
    assert "script" not in page.tags
    assert "<script" not in text
    assert page.rows["Rule"] == [evil, evil]


def test_a_page_on_nothing_says_so():
    assert "Nothing was verified." in as_html([])
