"""The log keeps the order, the beginning and the end, and never fails."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest

from penstock.testing import LoggedSignal, SignalLog
from penstock.testing._log import brief
from tests.testing.helpers import PATIENCE, started


def filled(lines: int) -> SignalLog:
    log = SignalLog()
    for i in range(lines):
        log.add("probe", f"on_next({i})")
    return log


def numbers(text: str) -> list[str]:
    """The elements shown, and what is said between them."""
    return [line.split("on_next(")[-1].rstrip(")").strip() for line in text.splitlines()]


def test_a_line_has_time_thread_party_and_signal() -> None:
    log = filled(1)
    started(lambda: log.add("publisher", "got cancel()"), name="worker").result(PATIENCE)
    first, second = log
    assert first == LoggedSignal(first.at, threading.current_thread().name, "probe", "on_next(0)")
    assert second[1:] == ("worker", "publisher", "got cancel()")
    assert 0 <= first.at <= second.at < PATIENCE
    assert str(log).splitlines()[1].endswith(" ms  [worker]  publisher: got cancel()")


@pytest.fixture
def hasty_threads() -> Iterator[None]:
    """Has threads switch as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty_threads")
def test_times_never_go_back_whatever_threads_write() -> None:
    log = SignalLog()
    start = threading.Barrier(4)

    def write(party: str) -> None:
        start.wait(PATIENCE)
        for i in range(200):
            log.add(party, str(i))

    for writer in [started(lambda party=party: write(party)) for party in "abcd"]:
        writer.result(PATIENCE)
    assert len(log) == 800
    assert [line.at for line in log] == sorted(line.at for line in log)
    for party in "abcd":
        assert [line.signal for line in log if line.party == party] == [*map(str, range(200))]


def test_iterating_is_not_disturbed_by_new_lines() -> None:
    log = filled(3)
    for line in log:
        log.add("echo", line.signal)
    assert len(log) == 6


def test_a_long_log_keeps_its_beginning_and_its_end() -> None:
    log = filled(5000)
    assert (len(log), log.dropped) == (2000, 3000)
    kept = [line.signal for line in log]
    assert kept[:500] == [f"on_next({i})" for i in range(500)]
    assert kept[500:] == [f"on_next({i})" for i in range(3500, 5000)]


def test_a_log_that_just_fits_drops_nothing() -> None:
    log = filled(2000)
    assert (len(log), log.dropped) == (2000, 0)
    assert numbers(str(log)) == [*map(str, range(2000))]


def test_all_of_a_short_log_is_shown() -> None:
    assert numbers(filled(30).tail(30)) == [*map(str, range(30))]
    assert filled(0).tail() == ""


@pytest.mark.parametrize("lines", [31, 2000, 5000])
def test_of_a_longer_one_the_first_and_the_last(lines: int) -> None:
    shown = numbers(filled(lines).tail(30))
    left_out = f"… {lines - 29} more …"
    assert shown == [*map(str, range(10)), left_out, *map(str, range(lines - 19, lines))]


def test_all_that_is_kept_is_shown_as_text() -> None:
    shown = numbers(str(filled(5000)))
    assert shown == [*map(str, range(500)), "… 3000 more …", *map(str, range(3500, 5000))]


@pytest.mark.parametrize(
    ("lines", "shown"),
    [(0, ["… 9 more …"]), (1, ["… 9 more …"]), (2, ["… 8 more …", "8"]), (4, ["0", "… 6 more …"])],
)
def test_a_very_short_tail(lines: int, shown: list[str]) -> None:
    assert numbers(filled(9).tail(lines))[: len(shown)] == shown


# What elements look like.


class Broken:
    def __repr__(self) -> str:
        raise ZeroDivisionError


class Endless:
    def __init__(self) -> None:
        self.inner = self

    def __repr__(self) -> str:
        return repr(self.inner)


class Lines:
    def __repr__(self) -> str:
        return "array([[1, 2],\n       [3, 4]])"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a", "'a'"),
        (None, "None"),
        (Broken(), "<Broken whose repr raised ZeroDivisionError>"),
        (Endless(), "<Endless whose repr raised RecursionError>"),
        (10**5000, "<int whose repr raised ValueError>"),
        (Lines(), "array([[1, 2], [3, 4]])"),
        ("\n" * 3, repr("\n" * 3)),
        (int("7" * 80), "7" * 80),
        (int("7" * 81), "7" * 79 + "…"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_element_is_shown_briefly(value: object, shown: str) -> None:
    assert brief(value) == shown
