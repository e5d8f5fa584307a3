"""What Probe does and returns. Its failures are in test_failures.py."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from penstock import UNBOUNDED
from penstock.testing import ManualPublisher, Probe, SignalLog
from tests.testing.helpers import LONGER, PATIENCE, started, until_waited_on


class Line:
    """A subscription that notes its calls."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def request(self, n: Any) -> None:
        self.calls.append(n)

    def cancel(self) -> None:
        self.calls.append("cancel")


def subscribed() -> tuple[Probe[Any], Line]:
    probe, line = Probe[Any](timeout=LONGER, quiet=0.01), Line()
    probe.on_subscribe(line)
    return probe, line


def test_it_subscribes_to_the_publisher_it_is_given() -> None:
    publisher = ManualPublisher[int]()
    probe = Probe(publisher)
    assert publisher.subscriber is probe
    assert probe.subscription is probe.expect_subscription() is not None


def test_what_subscribe_raises_comes_out() -> None:
    class Broken:
        def subscribe(self, subscriber: object) -> None:
            raise OSError("not here")

    with pytest.raises(OSError, match="not here"):
        Probe[int](Broken())


def test_by_itself_it_calls_nothing() -> None:
    probe, line = subscribed()
    probe.on_next(1)
    probe.on_complete()
    probe.expect_next(1)
    probe.expect_complete()
    assert line.calls == []


def test_a_fresh_one_knows_nothing() -> None:
    probe = Probe[int]()
    assert probe.subscription is None
    assert probe.elements == []
    assert probe.requested == 0
    assert not probe.completed
    assert probe.error is None


# Requests.


def test_requests_are_passed_on_and_counted() -> None:
    probe, line = subscribed()
    probe.request()
    probe.request(3)
    probe.request(UNBOUNDED)
    assert line.calls == [1, 3, UNBOUNDED]
    assert probe.requested == 4 + UNBOUNDED


@pytest.mark.parametrize("n", [0, -1, True, 1.5, "1", None])
def test_wrong_requests_are_passed_on_and_not_counted(n: Any) -> None:
    probe, line = subscribed()
    probe.request(n)
    assert line.calls == [n]
    assert probe.requested == 0


def test_requests_from_several_threads_add_up() -> None:
    probe, line = subscribed()
    start = threading.Barrier(4)

    def ask() -> None:
        start.wait(PATIENCE)
        for _ in range(500):
            probe.request()

    for thread in [started(ask) for _ in range(4)]:
        thread.result(PATIENCE)
    assert probe.requested == len(line.calls) == 2000


def test_cancel_is_passed_on() -> None:
    probe, line = subscribed()
    probe.cancel()
    probe.cancel()
    assert line.calls == ["cancel", "cancel"]


def test_after_the_end_the_test_may_still_call() -> None:
    probe, line = subscribed()
    probe.on_complete()
    probe.request(1)
    probe.cancel()
    assert line.calls == [1, "cancel"]


@pytest.mark.parametrize("call", ["request", "cancel", "expect_subscription"])
def test_calls_wait_for_the_subscription(call: str) -> None:
    probe, line = Probe[Any](timeout=LONGER), Line()
    waiting = started(getattr(probe, call))
    until_waited_on(probe)
    assert not waiting.done()
    probe.on_subscribe(line)
    result = waiting.result(PATIENCE)
    wanted = {"request": ([1], None), "cancel": (["cancel"], None)}
    assert (line.calls, result) == wanted.get(call, ([], line))


def test_what_request_raises_comes_out() -> None:
    class Broken(Line):
        def request(self, n: int) -> None:
            raise OSError("rule 3.16")

    probe = Probe[int]()
    probe.on_subscribe(Broken())
    with pytest.raises(OSError, match=r"rule 3\.16"):
        probe.request()


# The rules of a Subscriber.


def test_2_5_a_second_subscription_is_cancelled() -> None:
    probe, line = subscribed()
    second = Line()
    probe.on_subscribe(second)
    assert second.calls == ["cancel"]
    assert line.calls == []
    probe.request(2)
    assert line.calls == [2]
    assert [entry.signal for entry in probe.log][:2] == ["on_subscribe", "a second on_subscribe"]


def test_2_5_the_first_one_again_too() -> None:
    probe, line = subscribed()
    probe.on_subscribe(line)
    assert line.calls == ["cancel"]


@pytest.mark.parametrize("signal", ["on_subscribe", "on_next", "on_error"])
def test_2_13_none_is_refused_and_noted(signal: str) -> None:
    probe, line = (Probe[Any](quiet=0.01), None) if signal == "on_subscribe" else subscribed()
    with pytest.raises(TypeError, match=rf"{signal}\(None\).*rule 2\.13"):
        getattr(probe, signal)(None)
    assert f"raised TypeError: {signal}(None)" in str(probe.log)
    assert (probe.subscription, probe.elements, probe.error) == (line, [], None)
    probe.expect_nothing()


def test_falsy_elements_are_elements() -> None:
    probe, _ = subscribed()
    for element in (0, "", False, [], ()):
        probe.on_next(element)
    probe.expect_next(0, "", False, [], ())


def test_2_8_elements_after_cancel_are_taken() -> None:
    probe, _ = subscribed()
    probe.request(2)
    probe.cancel()
    probe.on_next(1)
    probe.expect_next(1)


@pytest.mark.parametrize("signal", ["on_complete", "on_error"])
def test_2_9_2_10_the_end_comes_without_demand(signal: str) -> None:
    probe, _ = subscribed()
    error = OSError()
    getattr(probe, signal)(*[error] * (signal == "on_error"))
    assert probe.completed == (signal == "on_complete")
    assert probe.error is (error if signal == "on_error" else None)


def test_the_first_end_counts() -> None:
    probe, _ = subscribed()
    probe.on_complete()
    probe.on_error(OSError())
    assert probe.completed
    assert probe.error is None
    probe.expect_complete()
    probe.expect_error(OSError)


# Looking at signals.


def test_signals_are_looked_at_once_and_in_order() -> None:
    probe, _ = subscribed()
    for i in range(4):
        probe.on_next(i)
    assert probe.next() == 0
    probe.expect_next(1, 2)
    probe.expect_next()
    assert probe.next() == 3
    probe.on_complete()
    probe.expect_complete()
    probe.expect_nothing()
    assert probe.elements == [0, 1, 2, 3]


def test_elements_is_a_copy() -> None:
    probe, _ = subscribed()
    probe.on_next(1)
    probe.elements.clear()
    assert probe.elements == [1]


def test_what_equals_only_itself_is_expected_by_identity() -> None:
    probe, _ = subscribed()
    nan = float("nan")
    probe.on_next(nan)
    probe.expect_next(nan)


def test_the_error_is_returned() -> None:
    probe, _ = subscribed()
    for expect in (
        lambda: probe.expect_error(),
        lambda: probe.expect_error(OSError),
        lambda: probe.expect_error(PermissionError, "no .*try"),
        lambda: probe.expect_error(match="^no entry$"),
    ):
        error = PermissionError("no entry")
        probe.on_error(error)
        assert expect() is error


@pytest.mark.parametrize("signal", ["on_next", "on_complete", "on_error"])
def test_a_signal_of_another_thread_is_waited_for(signal: str) -> None:
    probe, _ = subscribed()
    expect = {"on_next": probe.next, "on_complete": probe.expect_complete}
    waiting = started(expect.get(signal, probe.expect_error))
    until_waited_on(probe)
    value = {"on_next": "a", "on_error": OSError()}.get(signal)
    getattr(probe, signal)(*[value] * (value is not None))
    assert waiting.result(PATIENCE) is value


def test_nothing_is_waited_for_as_long_as_said() -> None:
    probe, _ = subscribed()
    waiting = started(lambda: probe.expect_nothing(within=LONGER))
    until_waited_on(probe)
    probe.on_next(1)  # ends the wait at once, or this test takes too long
    with pytest.raises(AssertionError, match=r"expected no signal, got on_next\(1\)"):
        waiting.result(PATIENCE)


def test_expecting_nothing_looks_at_nothing() -> None:
    probe, _ = subscribed()
    probe.on_next(1)
    with pytest.raises(AssertionError):
        probe.expect_nothing()
    probe.expect_next(1)


def test_several_parties_share_a_log() -> None:
    log = SignalLog()
    publisher = ManualPublisher[int](name="source", log=log)
    probe = Probe(publisher, name="end", log=log)
    probe.request(1)
    publisher.emit(7)
    publisher.complete()
    probe.cancel()
    assert [line[2:] for line in log] == [
        ("source", "sends on_subscribe"),
        ("end", "on_subscribe"),
        ("end", "request(1)"),
        ("source", "got request(1)"),
        ("source", "sends on_next(7)"),
        ("end", "on_next(7)"),
        ("source", "sends on_complete"),
        ("end", "on_complete"),
        ("end", "cancel()"),
        ("source", "got cancel()"),
    ]


def test_r_8_no_lock_is_held_while_upstream_is_called() -> None:
    probe: Probe[int]

    class Upstream(Line):
        def request(self, n: int) -> None:  # another thread must get through meanwhile
            started(lambda: probe.on_next(n)).result(PATIENCE)

        def cancel(self) -> None:
            started(probe.on_complete).result(PATIENCE)

    probe = Probe[int]()
    probe.on_subscribe(Upstream())
    probe.request(3)
    probe.cancel()
    probe.expect_next(3)
    probe.expect_complete()
    second = Upstream()
    probe.on_subscribe(second)  # cancels it
    probe.expect_complete()
