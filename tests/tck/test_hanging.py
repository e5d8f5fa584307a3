"""What does not return: a factory is an error, an implementation a breach; nobody waits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from penstock.tck import (
    Environment,
    verify_processor,
    verify_publisher,
    verify_subscriber,
    verify_subscriber_whitebox,
)
from penstock.tck._check import Check
from penstock.tck._knobs import Knobs
from penstock.tck._run import History, run_check
from penstock.tck._trial import Trial

QUICK = Environment(timeout=0.05, quiet=0.01, grace=0.05)


@pytest.fixture
def free() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


@pytest.mark.parametrize(
    "verify", [verify_publisher, verify_subscriber, verify_subscriber_whitebox, verify_processor]
)
def test_a_factory_is_an_error_and_no_verdict(verify, free: threading.Event):
    with pytest.raises(TimeoutError, match=r"create\(.*\) has not returned for \d s") as caught:
        verify(lambda *given: free.wait(), environment=QUICK)
    assert str(caught.value).count("  File ") == 1, "only the author's own line is of use"
    assert "free.wait()" in str(caught.value)


def test_what_makes_the_elements_is_told(free: threading.Event):
    class Asks:
        def on_subscribe(self, subscription: Any) -> None:
            subscription.request(1)

        def on_next(self, element: Any) -> None: ...
        def on_error(self, error: Exception) -> None: ...
        def on_complete(self) -> None: ...

    with pytest.raises(TimeoutError, match=r"element\(0\) has not returned"):
        verify_subscriber(Asks, element=lambda i: free.wait(), environment=QUICK)


def test_a_factory_is_not_waited_for_again(free: threading.Event):
    def body(trial: Trial) -> None:
        with trial.asking_author("create(3)"):
            free.wait()

    check = Check("spec_3_09_made_for_this_test", "3.9", "publisher", body, (), False)
    history = History()
    with pytest.raises(TimeoutError):
        run_check(check, lambda check: Trial(check, QUICK, Knobs()), history)
    (outcome,) = run_check(check, lambda check: Trial(check, QUICK, Knobs()), history)
    assert outcome.status == "skipped"
    assert "create(3) makes, which did not return" in outcome.reason


def test_a_slow_factory_is_borne():
    def body(trial: Trial) -> None:
        with trial.asking_author("create(3)"):
            threading.Event().wait(5 * (QUICK.timeout + QUICK.grace))

    check = Check("spec_3_09_made_for_this_test", "3.9", "publisher", body, (), False)
    (outcome,) = run_check(check, lambda check: Trial(check, QUICK, Knobs()), History())
    assert outcome.status == "kept"
