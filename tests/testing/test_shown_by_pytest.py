"""Where a test fails pytest shows its own lines, and none of Probe or ManualPublisher."""

from __future__ import annotations

from pathlib import Path

import pytest

import penstock

USERS_TESTS = """
from penstock.testing import ManualPublisher, Probe

def make():
    publisher = ManualPublisher(timeout=0.01, quiet=0.01)
    return publisher, Probe(publisher, timeout=0.01, quiet=0.01)

def test_next(): make()[1].next()  # marked
def test_expect_next(): make()[1].expect_next(1)  # marked
def test_expect_complete(): make()[1].expect_complete()  # marked
def test_expect_error(): make()[1].expect_error()  # marked
def test_request(): Probe(timeout=0.01).request()  # marked
def test_cancel(): Probe(timeout=0.01).cancel()  # marked
def test_expect_subscriber(): ManualPublisher(timeout=0.01).expect_subscriber()  # marked
def test_expect_request(): make()[0].expect_request()  # marked
def test_expect_cancel(): make()[0].expect_cancel()  # marked
def test_emit(): make()[0].emit(1)  # marked
def test_complete(): ManualPublisher().complete()  # marked
def test_error(): ManualPublisher().error(OSError())  # marked

def test_expect_nothing():
    publisher, probe = make()
    publisher.complete()
    probe.expect_nothing()  # marked

def test_expect_no_request():
    publisher, probe = make()
    probe.request(1)
    publisher.expect_no_request()  # marked

def test_of_another_kind():
    publisher, probe = make()
    probe.on_error(OSError("full"))
    probe.expect_error(ValueError)  # marked

class Broken(Probe):
    def on_next(self, element):
        raise OSError("raised by the Subscriber")  # marked

def test_raises():
    publisher = ManualPublisher()
    probe = Broken(publisher)
    probe.request(1)
    publisher.emit(1)
"""


def test_pytest_shows_the_users_lines_and_not_ours(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(penstock.__file__).parents[1]))
    pytester.makepyfile(USERS_TESTS)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
    tests = USERS_TESTS.count("def test_")
    result.assert_outcomes(failed=tests)
    shown = result.stdout.str()
    assert "_probe.py" not in shown
    assert "_manual.py" not in shown
    assert "_party.py" not in shown
    assert sum(line.startswith(">") and "# marked" in line for line in shown.splitlines()) == tests
