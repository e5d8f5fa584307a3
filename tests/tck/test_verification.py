from __future__ import annotations

import dataclasses
import functools
import re
import subprocess
import sys
from typing import Any

import pytest
from examples.standard.range_publisher import RangePublisher

from penstock import UNBOUNDED
from penstock.tck import (
    CHECKS,
    Environment,
    ProcessorVerification,
    PublisherVerification,
    SubscriberBlackboxVerification,
    SubscriberWhiteboxVerification,
    verify_processor,
    verify_publisher,
    verify_subscriber,
    verify_subscriber_whitebox,
)
from penstock.tck._check import Check, Side, checks_of
from penstock.tck._knobs import Knobs
from penstock.tck._spec_methods import Findings, RuleBroken, Undecided, carry_out
from penstock.tck._steps import Given, steps
from penstock.tck._trial import Trial
from penstock.tck._verify import name_of
from penstock.testing._log import brief
from tests.repo.source import SRC

CLASSES: dict[Side, type] = {
    "publisher": PublisherVerification,
    "subscriber": SubscriberBlackboxVerification,
    "whitebox": SubscriberWhiteboxVerification,
    "processor": ProcessorVerification,
}
PARTS: dict[Side, tuple[Side, ...]] = {
    "publisher": ("publisher",),
    "subscriber": ("subscriber",),
    "whitebox": ("whitebox",),
    "processor": ("publisher", "subscriber", "processor"),
}

every_verify = pytest.mark.parametrize(
    "verify", [verify_publisher, verify_subscriber, verify_subscriber_whitebox, verify_processor]
)
every_side = pytest.mark.parametrize("side", CLASSES)


class Called(Exception):  # noqa: N818
    """What a factory raises to show that it was called."""


def make_nothing(*given: object) -> Any:
    raise Called(*given)


# The checks, all together.


@every_side
def test_each_check_is_a_method_in_the_order_in_which_it_runs(side):
    methods = [name for name in vars(CLASSES[side]) if name.startswith("spec_")]
    expected = [check for part in PARTS[side] for check in checks_of(part)]
    assert expected
    assert methods == [check.name for check in expected]
    assert all(getattr(CLASSES[side], check.name).__doc__ == check.does for check in expected)


@every_side
def test_what_a_check_needs_runs_before_it(side):
    before: set[str] = set()
    for check, _ in steps(side, Given(make_nothing), Environment(), Knobs()):
        assert set(check.needs) <= before, check.name
        before.add(check.name)


def test_each_check_says_what_it_does():
    assert not [check.name for check in CHECKS if not check.does]


# verify_…


@every_verify
def test_an_unknown_knob_is_named_with_those_near(verify):
    with pytest.raises(TypeError, match="unknown knob 'multicats'; did you mean multicast"):
        verify(make_nothing, multicats=True)


@every_verify
@pytest.mark.parametrize("knob", [{"max_elements": -1}, {"multicast": "yes"}, {"buffer_size": 0}])
def test_a_wrong_knob_is_named_before_anything_is_made(verify, knob):
    with pytest.raises(ValueError, match=next(iter(knob))):
        verify(make_nothing, **knob)


@every_verify
def test_what_the_factory_raises_is_raised(verify):
    with pytest.raises(Called):
        verify(make_nothing)


def test_without_an_environment_the_variables_count(monkeypatch):
    monkeypatch.setenv("PENSTOCK_TCK_TIMEOUT", "soon")
    with pytest.raises(ValueError, match="PENSTOCK_TCK_TIMEOUT='soon'"):
        verify_publisher(make_nothing)
    with pytest.raises(Called):
        verify_publisher(make_nothing, environment=Environment())


def test_a_report_on_a_publisher_that_keeps_all():
    report = verify_publisher(functools.partial(RangePublisher, 0))
    assert (report.broken, str(report.kind)) == (frozenset(), "publisher"), str(report)
    assert report.subject == "RangePublisher"
    assert report.seconds > 0
    assert {o.name for o in report.outcomes} == {check.name for check in checks_of("publisher")}


def test_a_report_on_a_publisher_that_never_says_anything():
    class Silent:
        def subscribe(self, subscriber: object) -> None:
            if subscriber is None:
                raise TypeError

    quick = Environment(timeout=0.05, quiet=0.01)
    report = verify_publisher(lambda elements: Silent(), environment=quick)
    assert report.broken == report.broken_must == {"1.9"}
    skipped = {o.reason for o in report.outcomes if o.name.startswith("spec_3_08")}
    why = "no on_subscribe came after subscribe()"
    assert skipped == {f"needs what spec_1_09_signals_on_subscribe could not find: {why}"}


class Local:
    def make(self, elements: int) -> Any: ...

    def __call__(self, elements: int) -> Any: ...


@pytest.mark.parametrize(
    ("factory", "name"),
    [
        (RangePublisher, "RangePublisher"),
        (functools.partial(RangePublisher, 0), "RangePublisher"),
        (Local().make, "Local.make"),
        (Local(), "Local"),
        (lambda elements: None, r"the lambda in line \d+"),
    ],
)
def test_the_subject_has_a_name(factory, name):
    assert re.fullmatch(name, name_of(factory))


def test_a_function_inside_another_has_its_own_name():
    def make(elements: int) -> Any: ...

    assert name_of(make) == "make"


# The classes.


def test_the_class_attributes_are_the_knobs():
    fields = {field.name: field.default for field in dataclasses.fields(Knobs)}
    assert {name: getattr(PublisherVerification, name) for name in fields} == fields
    assert PublisherVerification.max_elements == UNBOUNDED


@pytest.mark.parametrize(
    ("attribute", "error", "told"),
    [
        ({"max_elements": -1}, ValueError, "max_elements=-1: give an int of at least 0"),
        ({"multicast": "no"}, ValueError, "multicast='no': give True or False"),
        ({"knows_length": "no"}, ValueError, "knows_length='no'"),
        ({"environment": 3}, TypeError, "Mine.environment: give an Environment"),
        ({"max_element": 3}, TypeError, "Mine.max_element: is max_elements meant?"),
        ({"createPublisher": None}, TypeError, "is create_publisher meant?"),
        ({"create_fail_publisher": None}, TypeError, "is create_failed_publisher meant?"),
    ],
)
def test_a_mistake_is_told_when_the_class_is_made(attribute, error, told):
    with pytest.raises(error, match=re.escape(told)):
        type("Mine", (PublisherVerification,), attribute)


def test_shutdown_is_no_name_of_ours():
    with pytest.raises(TypeError, match="is shut_down meant"):
        type("Mine", (SubscriberBlackboxVerification,), {"shutdown": None})


def test_names_of_ones_own_are_fine():
    class Mine(PublisherVerification):
        elements_made = 3
        _create_publishers = None

        def create_publisher(self, elements: int) -> Any:
            return self.create_publishers(elements)

        def create_publishers(self, elements: int) -> Any:
            """Like ours, but ours is there as well."""

        def helper(self) -> None: ...

    assert issubclass(Mine, PublisherVerification)


@every_side
def test_a_class_without_a_factory_makes_no_instance(side):
    with pytest.raises(TypeError, match="abstract"):
        type("Mine", (CLASSES[side],), {})()


def test_a_kept_rule_returns_and_an_undecided_one_says_why():
    class Mine(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            return RangePublisher(0, elements)

    verification: Any = Mine()
    assert verification.spec_1_09_signals_on_subscribe() is None
    with pytest.raises(Undecided, match="create_failed_publisher"):
        verification.spec_1_04_failure_reaches_on_error()


def test_a_factory_that_forgets_its_return():
    class Mine(PublisherVerification):
        def create_publisher(self, elements: int) -> Any:
            RangePublisher(0, elements)

    told = r"create_publisher\(\d\) returned None \(is a `return` missing\?\); .* subscribe"
    with pytest.raises(TypeError, match=told):
        Mine().spec_1_09_signals_on_subscribe()  # type: ignore[attr-defined]


def test_environment_variables_stretch_a_classs_own_times(monkeypatch):
    class Mine(PublisherVerification):
        environment = Environment(timeout=2)

        def create_publisher(self, elements: int) -> Any:
            return RangePublisher(0, elements)

    monkeypatch.setenv("PENSTOCK_TCK_QUIET", "never")
    with pytest.raises(ValueError, match="PENSTOCK_TCK_QUIET"):
        Mine().spec_1_09_signals_on_subscribe()  # type: ignore[attr-defined]


def given_by(cls: Any) -> Given:
    """What a class passes on to the trials."""
    return cls()._kit_given()


@pytest.mark.parametrize("base", [SubscriberBlackboxVerification, SubscriberWhiteboxVerification])
def test_hooks_count_only_if_they_are_overridden(base):
    class Plain(base):
        def create_subscriber(self, probe: object = None) -> Any: ...

    class Hooked(Plain):
        def trigger_request(self, subscriber: Any) -> None: ...

        def shut_down(self, subscriber: Any) -> None: ...

        def create_element(self, i: int) -> Any:
            return f"element {i}"

    plain, hooked = given_by(Plain), given_by(Hooked)
    assert (plain.trigger, plain.shut_down) == (None, None)
    assert hooked.trigger is not None
    assert hooked.shut_down is not None
    assert plain.element is not None
    assert hooked.element is not None
    assert (plain.element(3), hooked.element(3)) == (3, "element 3")


# What one method does, with a check made for it.


def outcome_of(
    body: Any,
    findings: Findings | None = None,
    needs: tuple[str, ...] = (),
    rule: str = "3.9",
) -> Any:
    check = Check("spec_3_09_made_for_this_test", rule, "publisher", body, needs, False)
    quick = Environment(timeout=0.1, quiet=0.01, grace=0.05)
    trial = functools.partial(Trial, environment=quick, knobs=Knobs())
    return carry_out(check, lambda check: trial(check), findings or Findings())


def test_a_check_that_fails():
    with pytest.raises(RuleBroken) as caught:
        outcome_of(lambda trial: trial.fail("request(0) was ignored"))
    text = str(caught.value)
    assert text.startswith("rule 3.9 is broken: ")
    assert "request(0) was ignored" in text
    assert isinstance(caught.value, AssertionError)


def test_a_rule_broken_in_passing_counts_more_than_the_checks_own():
    def body(trial: Trial) -> None:
        trial.note("1.1", "one too many")
        trial.skip("not decided")

    findings = Findings()
    with pytest.raises(RuleBroken) as caught:
        outcome_of(body, findings)
    assert caught.value.outcome.rule == "1.1"
    assert [(o.rule, o.status) for o in findings.outcomes] == [
        ("1.1", "broken"),
        ("3.9", "skipped"),
    ]


def test_the_log_ends_with_the_first_breach():
    def body(trial: Trial) -> None:
        trial.log.add("subscriber", "on_next(1)")
        trial.note("1.1", "one too many")
        for i in range(100):
            trial.log.add("subscriber", f"on_next({i})")
        trial.note("1.7", "another")

    with pytest.raises(RuleBroken) as caught:
        outcome_of(body)
    assert len(caught.value.outcome.log.splitlines()) == 2
    assert caught.value.outcome.log.endswith("kit: rule 1.1 broken: one too many")


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")
def test_a_method_that_gives_a_coroutine_is_told_of():
    class Late(RangePublisher):
        async def subscribe(self, subscriber):
            super().subscribe(subscriber)

    quick = Environment(timeout=0.1, quiet=0.01)
    report = verify_publisher(lambda elements: Late(0, elements), environment=quick)
    told = next(o for o in report.outcomes if o.name == "spec_1_09_signals_on_subscribe")
    assert "subscribe is an `async def`" in told.reason
    assert "gave a coroutine" in told.log


def test_a_may_can_not_fail():
    assert outcome_of(lambda trial: trial.fail("it did not"), rule="1.11") is None


def test_a_check_that_needs_what_was_not_found_passes_on_the_first_cause():
    findings = Findings()
    findings.history.undecided["first"] = "no on_subscribe came\n  a stack"
    for needs in ("first",), ("spec_3_09_made_for_this_test",):
        with pytest.raises(Undecided) as caught:
            outcome_of(lambda trial: None, findings, needs)
        assert str(caught.value) == "needs what first could not find: no on_subscribe came"


def test_what_an_author_raises_comes_without_our_part_of_the_traceback():
    def factory() -> None:
        raise Called

    def body(trial: Trial) -> None:
        factory()

    with pytest.raises(Called) as caught:
        outcome_of(body)
    names = [entry.name for entry in caught.traceback]
    assert names[-3:] == ["carry_out", "body", "factory"]


def test_where_something_was_raised_is_told():
    class Faulty:
        def subscribe(self, subscriber: object) -> None:
            raise ZeroDivisionError("no reason")

    quick = Environment(timeout=0.05, quiet=0.01)
    report = verify_publisher(lambda elements: Faulty(), environment=quick)
    first = next(o for o in report.outcomes if o.status == "broken")
    assert brief(ZeroDivisionError("no reason")) in first.reason
    assert "of test_verification.py (subscribe)" in first.reason


# What it costs not to use it.


def test_importing_the_kit_loads_nothing_of_it():
    code = (
        f"import sys; sys.path.insert(0, {str(SRC)!r}); import penstock.tck; "
        "print(*[m for m in sys.modules if m.startswith('penstock.tck.')]); "
        "print('Report' in dir(penstock.tck)); penstock.tck.Reprot"
    )
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.stdout == "\nTrue\n"
    assert "module 'penstock.tck' has no attribute 'Reprot'" in ended.stderr
