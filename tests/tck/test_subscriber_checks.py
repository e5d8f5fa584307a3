"""The checks of Subscribers, on a handful of right and wrong ones."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import penstock.tck._checks  # noqa: F401 - registers them all
from penstock import UNBOUNDED, Subscription
from penstock.tck import Environment, Outcome
from penstock.tck._check import checks_of
from penstock.tck._knobs import Knobs
from penstock.tck._run import run_checks
from penstock.tck._subscriber_trial import SubscriberSubject, SubscriberTrial
from penstock.tck._whitebox_probe import SubscriberPuppet, WhiteboxProbe
from penstock.tck._whitebox_trial import WhiteboxSubject, WhiteboxTrial

ENVIRONMENT = Environment()


def blackbox(create: Callable[[], Any], **hooks: Any) -> list[Outcome]:
    subject = SubscriberSubject(create, **hooks)
    return run_checks(
        checks_of("subscriber"), lambda c: SubscriberTrial(c, ENVIRONMENT, Knobs(), subject)
    )


def whitebox(create: Callable[[WhiteboxProbe[Any]], Any], **hooks: Any) -> list[Outcome]:
    subject = WhiteboxSubject(create, **hooks)
    return run_checks(
        checks_of("whitebox"), lambda c: WhiteboxTrial(c, ENVIRONMENT, Knobs(), subject)
    )


def broken(outcomes: list[Outcome]) -> set[str]:
    return {o.rule for o in outcomes if o.status == "broken"}


def reasons(outcomes: list[Outcome], rule: str) -> str:
    return "\n".join(o.reason for o in outcomes if o.rule == rule and o.status == "broken")


def shut_down(subscriber: Any) -> None:
    subscriber.stop()


class OneByOne:
    """A correct one, for the wrong ones to derive from."""

    def __init__(self) -> None:
        self.subscription: Subscription | None = None
        self.over = False
        self.taken: list[Any] = []

    def on_subscribe(self, subscription: Subscription) -> None:
        if subscription is None:
            raise TypeError("on_subscribe(None)")
        if self.subscription is not None or self.over:
            subscription.cancel()
        else:
            self.subscription = subscription
            self.begin()

    def on_next(self, element: Any) -> None:
        if element is None:
            raise TypeError("on_next(None)")
        if not self.over:
            self.taken.append(element)
            self.go_on(element)

    def on_error(self, error: Exception) -> None:
        if error is None:
            raise TypeError("on_error(None)")
        self.end()

    def on_complete(self) -> None:
        self.end()

    def begin(self) -> None:
        self.ask(1)

    def go_on(self, element: Any) -> None:
        self.ask(1)

    def ask(self, n: int) -> None:
        if self.subscription is not None:
            self.subscription.request(n)

    def end(self) -> None:
        self.over = True
        self.subscription = None

    def stop(self) -> None:
        subscription = self.subscription
        self.end()
        if subscription is not None:
            subscription.cancel()


class OnCommand(OneByOne):
    def begin(self) -> None:
        pass

    def go_on(self, element: Any) -> None:
        pass


class Told(OnCommand):
    """A correct one for the whitebox checks: its own puppet."""

    def __init__(self, probe: WhiteboxProbe[Any]) -> None:
        super().__init__()
        self.probe = probe

    def begin(self) -> None:
        self.probe.register_on_subscribe(self)

    def go_on(self, element: Any) -> None:
        self.probe.register_on_next(element)

    def on_error(self, error: Exception) -> None:
        super().on_error(error)
        self.probe.register_on_error(error)

    def on_complete(self) -> None:
        super().on_complete()
        self.probe.register_on_complete()

    def trigger_request(self, n: int) -> None:
        self.ask(n)

    def signal_cancel(self) -> None:
        self.stop()


class TestRightOnes:
    def test_one_by_one_keeps_all(self):
        outcomes = blackbox(OneByOne, shut_down=shut_down)
        assert not broken(outcomes)
        assert [o.name for o in outcomes if o.status == "skipped"] == [
            "spec_R_08_waits_for_no_request"
        ]

    def test_unbounded_one_keeps_all(self):
        class Everything(OneByOne):
            def begin(self) -> None:
                self.ask(UNBOUNDED)
                self.ask(UNBOUNDED)

            def go_on(self, element: Any) -> None:
                pass

        assert not broken(blackbox(Everything, shut_down=shut_down))

    def test_one_that_takes_one_and_cancels_keeps_all(self):
        class First(OneByOne):
            def go_on(self, element: Any) -> None:
                self.stop()

        assert not broken(blackbox(First))

    def test_asynchronous_one_keeps_all(self):
        with ThreadPoolExecutor(1) as pool:

            class Elsewhere(OneByOne):
                def ask(self, n: int) -> None:
                    pool.submit(super().ask, n)

                def stop(self) -> None:
                    pool.submit(super().stop)

            outcomes = blackbox(Elsewhere, shut_down=shut_down)
        assert not broken(outcomes)
        assert not [o for o in outcomes if o.status == "skipped"]

    def test_trigger_that_calls_the_subscription_itself_is_not_blamed_on_the_subscriber(self):
        class Keeps(OnCommand):
            def end(self) -> None:
                self.over = True

        def trigger(subscriber: Any) -> None:
            subscriber.subscription.request(1)

        assert not broken(blackbox(Keeps, trigger=trigger))

    def test_shut_down_hook_may_raise_where_there_is_no_stream(self):
        def cancel(subscriber: Any) -> None:
            subscriber.over = True
            subscriber.subscription.cancel()

        assert not broken(blackbox(OneByOne, shut_down=cancel))

    def test_told_one_keeps_all(self):
        outcomes = whitebox(Told, shut_down=shut_down)
        assert not broken(outcomes)
        assert not [o for o in outcomes if o.status == "skipped"]


class TestWrongOnes:
    def test_one_that_raises_on_each_element_is_caught(self):
        class Raises(OneByOne):
            def go_on(self, element: Any) -> None:
                raise ValueError("no")

        outcomes = blackbox(Raises)
        assert broken(outcomes) == {"2.13"}
        assert "raised ValueError('no'), in line" in reasons(outcomes, "2.13")

    def test_one_that_does_not_trigger_is_told_how_to_say_so(self):
        outcomes = blackbox(OnCommand)
        assert broken(outcomes) == {"2.1"}
        assert "trigger_request" in reasons(outcomes, "2.1")

    def test_missing_none_check_that_raise_hides_is_caught(self):
        class Raises(OneByOne):
            def on_error(self, error: Exception) -> None:
                self.end()
                try:
                    raise error
                except ValueError:
                    pass

        outcomes = blackbox(Raises)
        assert "tried to raise None" in reasons(outcomes, "2.13")

    def test_hanging_one_is_given_up_in_time(self):
        free = threading.Event()

        class Hangs(OneByOne):
            def go_on(self, element: Any) -> None:
                free.wait()

        began = time.monotonic()
        try:
            outcomes = blackbox(Hangs)
        finally:
            free.set()
        assert broken(outcomes) == {"2.2"}
        assert "does not return" in reasons(outcomes, "2.2")
        assert time.monotonic() - began < 2 * (ENVIRONMENT.timeout + ENVIRONMENT.grace)

    def test_request_under_a_lock_that_on_next_needs_is_caught(self):
        class Locks(OnCommand):
            def __init__(self) -> None:
                super().__init__()
                self.lock = threading.RLock()

            def more(self) -> None:
                with self.lock:
                    self.ask(1)

            def go_on(self, element: Any) -> None:
                with self.lock:
                    self.taken.append(element)

        outcomes = blackbox(Locks, trigger=lambda subscriber: subscriber.more())
        assert broken(outcomes) == {"R.8"}
        assert "request() on another thread" in reasons(outcomes, "R.8")

    def test_cancel_under_a_lock_that_on_next_needs_is_caught(self):
        class Locks(OneByOne):
            def __init__(self) -> None:
                super().__init__()
                self.lock = threading.RLock()

            def stop(self) -> None:
                with self.lock:
                    super().stop()

            def on_next(self, element: Any) -> None:
                with self.lock:
                    super().on_next(element)

        outcomes = blackbox(Locks, shut_down=shut_down)
        assert broken(outcomes) == {"R.8"}
        assert "cancel() on another thread" in reasons(outcomes, "R.8")

    def test_calls_on_its_twin_from_a_pool_are_caught(self):
        with ThreadPoolExecutor(1) as pool:

            class Meddles(OneByOne):
                latest: Any = None

                def begin(self) -> None:
                    Meddles.latest = self
                    super().begin()

                def go_on(self, element: Any) -> None:
                    pool.submit(Meddles.latest.ask, 1)

            outcomes = blackbox(Meddles)
        assert "3.1" in broken(outcomes)

    def test_late_call_from_a_timer_is_caught(self):
        class Late(OneByOne):
            def on_complete(self) -> None:
                timer = threading.Timer(ENVIRONMENT.quiet / 5, self.ask, [1])
                timer.start()

        assert broken(blackbox(Late)) == {"2.4"}

    def test_lost_element_is_caught_from_inside_only(self):
        class Loses(Told):
            def go_on(self, element: Any) -> None:
                if element != 3:
                    super().go_on(element)

        outcomes = whitebox(Loses)
        assert broken(outcomes) == {"2.11"}
        assert "instead" in reasons(outcomes, "2.11")

    def test_end_that_gets_lost_is_caught(self):
        class Deaf(Told):
            def on_complete(self) -> None:
                self.end()

        outcomes = whitebox(Deaf)
        assert broken(outcomes) == {"2.9"}
        assert "register_on_complete" in reasons(outcomes, "2.9")

    def test_none_that_only_the_probe_could_refuse_is_caught(self):
        class Passes(Told):
            def on_error(self, error: Exception) -> None:
                self.end()
                self.probe.register_on_error(error)

        assert broken(whitebox(Passes)) == {"2.13"}


class TestMistakesInTheTest:
    def test_no_puppet_is_told_as_such(self):
        class Mute(Told):
            def begin(self) -> None:
                pass

        with pytest.raises(RuntimeError, match=r"never called probe\.register_on_subscribe"):
            whitebox(Mute)

    def test_unfit_puppet_is_told_as_such(self):
        class Half(Told):
            def begin(self) -> None:
                self.probe.register_on_subscribe(object())  # type: ignore[arg-type]

        with pytest.raises(RuntimeError, match="no trigger_request and no signal_cancel"):
            whitebox(Half)

    def test_factory_that_returns_no_subscriber_is_told_as_such(self):
        with pytest.raises(TypeError, match="has no on_subscribe"):
            blackbox(lambda: 3)

    def test_none_for_an_element_is_told_as_such(self):
        with pytest.raises(TypeError, match=r"element\(0\) returned None"):
            blackbox(OneByOne, element=lambda i: None)


def test_own_puppet_satisfies_the_protocol():
    puppet: SubscriberPuppet = Told(None)  # type: ignore[arg-type]
    assert puppet is not None


def test_both_sides_have_checks_of_different_names():
    outside, inside = checks_of("subscriber"), checks_of("whitebox")
    assert {c.rule for c in outside} <= {c.rule for c in inside}
    names = {c.name for c in outside + inside}
    assert len(names) == len(outside) + len(inside)
    assert all(need in names for c in outside + inside for need in c.needs)
