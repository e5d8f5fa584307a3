"""How the two are used: what their docstrings show runs, and so does a first own Publisher."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

import pytest

from penstock import Publisher, Subscriber, Subscription
from penstock.testing import ManualPublisher, Probe
from tests.testing.helpers import failing


class Letters(Publisher[str]):
    """Sends "a" and "b": what a newcomer might write first."""

    def subscribe(self, subscriber: Subscriber[str]) -> None:
        subscriber.on_subscribe(LettersSubscription(subscriber))


class LettersSubscription(Subscription):
    def __init__(self, subscriber: Subscriber[str]) -> None:
        self.subscriber = subscriber
        self.letters = ["a", "b"]

    def request(self, n: int) -> None:
        for _ in range(min(n, len(self.letters))):
            self.subscriber.on_next(self.letters.pop(0))
        if not self.letters:
            self.subscriber.on_complete()

    def cancel(self) -> None:
        self.letters.clear()  # a mistake: a request then completes


class Pairs(Subscriber[str]):
    """Requests two by two."""

    def __init__(self) -> None:
        self.got: list[str] = []

    def on_subscribe(self, subscription: Subscription) -> None:
        subscription.request(2)

    def on_next(self, element: str) -> None:
        self.got.append(element)

    def on_error(self, error: Exception) -> None: ...

    def on_complete(self) -> None: ...


class Upper:
    """Passes letters on in upper case."""

    def __init__(self, to: Subscriber[str]) -> None:
        self.on_subscribe = to.on_subscribe
        self.on_error = to.on_error
        self.on_complete = to.on_complete
        self.to = to

    def on_next(self, element: str) -> None:
        self.to.on_next(element.upper())


def example_of(thing: type) -> str:
    """The indented lines of a docstring."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    return textwrap.dedent("\n".join(line for line in lines if line.startswith("    ")))


@pytest.mark.parametrize("thing", [Probe, ManualPublisher])
def test_the_example_in_the_docstring_runs(thing: type) -> None:
    example = example_of(thing)
    assert len(example.splitlines()) >= 5
    names: dict[str, Any] = {"Probe": Probe, "ManualPublisher": ManualPublisher}
    exec(example, names | {"publisher": Letters(), "subscriber": Pairs()})


def test_a_publisher_is_tested_with_a_probe() -> None:
    probe = Probe(Letters())
    probe.expect_nothing()
    probe.request(1)
    assert probe.next() == "a"
    probe.request(1)
    probe.expect_next("b")
    probe.expect_complete()


def test_the_mistake_in_it_is_found() -> None:
    probe = Probe(Letters())
    probe.cancel()
    probe.request(1)
    with failing("probe: expected no signal, got on_complete\nrequested 1, received 0"):
        probe.expect_nothing()


def test_a_subscriber_is_tested_with_a_publisher() -> None:
    publisher, pairs = ManualPublisher[str](), Pairs()
    publisher.subscribe(pairs)
    publisher.expect_request(2)
    publisher.emit("a", "b")
    publisher.expect_no_request()  # so it stops after two: a mistake as well
    publisher.complete()
    assert pairs.got == ["a", "b"]


def test_a_stage_is_tested_with_both() -> None:
    publisher, probe = ManualPublisher[str](), Probe[str]()
    publisher.subscribe(Upper(probe))
    probe.request(2)
    publisher.expect_request(2)
    publisher.emit("a")
    probe.expect_next("A")
    publisher.complete()
    probe.expect_complete()
