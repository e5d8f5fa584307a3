"""What all that recovers has in common; and catch, on_error_return and recover_each."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from penstock import Flow, Processor, threads
from penstock.flow._backoff import Backoff
from penstock.tck import verify_publisher
from penstock.testing import ManualPublisher, Probe
from tests.flow.recover_helpers import broken, failing_after, pulled, pushed


def flaky(source: Callable[[int], Flow[int]]) -> Callable[[int], Flow[int]]:
    def create(n: int) -> Flow[int]:
        turns = itertools.count()
        flow = source(n)
        return flow if not n else Flow.defer(lambda: flow if next(turns) % 2 else broken()).retry(1)

    return create


@pytest.mark.parametrize("source", [pulled, pushed])
@pytest.mark.parametrize(
    "operate",
    [
        flaky,
        lambda source: lambda n: source(n).retry(1),
        lambda source: lambda n: broken().catch(lambda error: source(n)),
        lambda source: lambda n: source(n).on_error_return(0),
        lambda source: lambda n: source(n).map(lambda x: 1 // (x % 2)).recover_each(lambda e: 7),
        lambda source: lambda n: source(n // 2).repeat(2) if n % 2 == 0 else source(n).repeat(1),
        lambda source: lambda n: source(n).finally_(lambda: None),
    ],
    ids=["retried", "retry", "catch", "on_error_return", "recover_each", "repeat", "finally_"],
)
def test_they_keep_all_rules(operate: Any, source: Any) -> None:
    report = verify_publisher(operate(source))
    assert not report.broken, report


class Refusing:
    """A Processor that makes a wrong request: upstream answers, and it passes that on."""

    def __init__(self) -> None:
        self.runs = 0

    def subscribe(self, subscriber: Any) -> None:
        self.subscriber = subscriber
        subscriber.on_subscribe(ManualPublisher[Any]._make_subscription(ManualPublisher[Any]()))

    def on_subscribe(self, subscription: Any) -> None:
        subscription.request(0)

    def on_next(self, element: Any) -> None:
        raise AssertionError

    def on_error(self, error: Exception) -> None:
        self.subscriber.on_error(error)

    def on_complete(self) -> None:
        raise AssertionError


@pytest.mark.parametrize(
    "recovered",
    [
        lambda flow: flow.retry(3),
        lambda flow: flow.catch(lambda error: [1]),
        lambda flow: flow.on_error_return(1),
    ],
)
def test_the_answer_to_a_wrong_request_passes(recovered: Any) -> None:
    made: list[Any] = []

    def make() -> Processor[int, int]:
        made.append(Refusing())
        return made[-1]  # type: ignore[no-any-return]

    probe = Probe(recovered(Flow.of(1, 2).via(make)))
    probe.expect_error(ValueError, r"rule 3\.9")
    assert len(made) == 1


@pytest.mark.parametrize("recovered", [lambda f: f.retry(3), lambda f: f.catch(lambda e: [1])])
def test_ones_own_wrong_request_is_answered(recovered: Any) -> None:
    probe = Probe(recovered(Flow.range(9)))
    probe.expect_subscription().request(0)
    probe.expect_error(ValueError, r"rule 3\.9")


# catch and on_error_return


async def _async_numbers() -> Any:
    yield 8
    yield 9


@pytest.mark.parametrize(
    "instead",
    [lambda: [8, 9], lambda: Flow.of(8, 9), lambda: pushed(10).filter(lambda x: x > 7)],
    ids=["a list", "a flow", "one to subscribe to"],
)
@pytest.mark.parametrize("source", [failing_after, lambda *x: failing_after(*x).on(threads(1))])
def test_catch_goes_on_with_what_the_function_returns(source: Any, instead: Any) -> None:
    flow = source(1, 2).catch(lambda error: instead())
    assert flow.to_list().result(10) == [1, 2, 8, 9]


def test_catch_takes_an_async_iterable() -> None:
    assert broken().catch(lambda error: _async_numbers()).to_list().result(10) == [8, 9]


def test_what_was_caught_is_given_to_the_function() -> None:
    seen: list[Exception] = []
    failing_after(1).catch(lambda error: seen.append(error) or []).to_list().result()  # type: ignore[func-returns-value]
    assert [str(error) for error in seen] == ["broken"]


def test_catch_catches_once() -> None:
    with pytest.raises(KeyError):
        broken().catch(lambda error: broken(KeyError("second"))).to_list().result()


def test_a_handler_that_raises_fails_the_stream_with_the_first_error_in_its_context() -> None:
    for flow in (broken(), failing_after(1), failing_after(1).on(threads(1))):
        with pytest.raises(ZeroDivisionError) as caught:
            flow.catch(lambda error: 1 // 0).to_list().result(10)  # type: ignore[arg-type, return-value]
        assert isinstance(caught.value.__context__, OSError)
        assert any("catch" in text for text in caught.value.__notes__)


def test_a_handler_that_returns_something_else_fails_the_stream() -> None:
    with pytest.raises(TypeError, match="catch"):
        broken().catch(lambda error: 5).to_list().result()  # type: ignore[arg-type, return-value]


def test_on_error_return_waits_for_demand_for_its_element_and_completes_with_it() -> None:
    source = ManualPublisher[int]()
    probe = Probe(Flow.from_publisher(source).on_error_return(lambda error: str(error)))
    source.error(OSError("gone"))
    probe.expect_nothing()
    probe.request(1)
    probe.expect_next("gone")
    probe.expect_complete()


def test_on_error_return_refuses_none() -> None:
    with pytest.raises(TypeError, match="value=None"):
        Flow.of(1).on_error_return(None)
    with pytest.raises(TypeError, match="made None"):
        broken().on_error_return(lambda error: None).to_list().result()


# recover_each


def test_an_element_that_failed_is_replaced_or_dropped_and_the_rest_goes_on() -> None:
    flow = Flow.of("1", "x", "3").map(int)
    assert flow.recover_each(lambda error: -1).to_list().result() == [1, -1, 3]
    assert flow.recover_each(lambda error: None).to_list().result() == [1, 3]


def test_only_what_is_above_it_is_guarded() -> None:
    flow = Flow.of(1, 0).recover_each(lambda error: 7).map(lambda x: 1 // x)
    with pytest.raises(ZeroDivisionError):
        flow.to_list().result()


def test_a_take_above_it_still_ends_the_stream() -> None:
    failed: list[Exception] = []
    flow = Flow.range(9).take(2).map(lambda x: x).recover_each(failed.append)  # type: ignore[func-returns-value]
    assert flow.to_list().result() == [0, 1]
    flow = Flow.range(9).take_while(lambda x: x < 2).recover_each(failed.append)  # type: ignore[func-returns-value]
    assert flow.to_list().result() == [0, 1]
    assert not failed


def test_each_guard_has_its_own_part() -> None:
    flow = (
        Flow.of("2", "x", "0")
        .map(int)
        .recover_each(lambda error: 0)
        .map(lambda x: 10 // x)
        .recover_each(lambda error: -1)
    )
    assert flow.to_list().result() == [5, -1, -1]


def test_a_recover_that_raises_fails_the_stream() -> None:
    with pytest.raises(KeyError) as caught:
        Flow.of("x").map(int).recover_each(lambda error: {}[error]).to_list().result()  # type: ignore[index]
    assert isinstance(caught.value.__context__, ValueError)
    assert any("recover_each" in text for text in caught.value.__notes__)


@pytest.mark.parametrize(
    ("wrong", "kind", "says"),
    [
        (lambda flow: flow.retry(0), ValueError, r"retry\(attempts=0\)"),
        (lambda flow: flow.retry("x"), TypeError, r"retry\(attempts='x'\)"),
        (lambda flow: flow.retry(1, 0), ValueError, r"retry\(backoff=0\)"),
        (lambda flow: flow.retry(1, "x"), TypeError, r"retry\(backoff='x'\)"),
        (lambda flow: flow.retry(1, when=5), TypeError, r"retry\(when=5\)"),
        (lambda flow: flow.retry(1, when=(OSError, 5)), TypeError, r"retry\(when="),
        (lambda flow: flow.retry(1, when=KeyboardInterrupt), TypeError, r"retry\(when="),
        (lambda flow: flow.catch(5), TypeError, r"catch\(fn=5\)"),
        (lambda flow: flow.recover_each(5), TypeError, r"recover_each\(fn=5\)"),
        (lambda flow: flow.repeat(0), ValueError, r"repeat\(times=0\)"),
        (lambda flow: flow.finally_(5), TypeError, r"finally_\(fn=5\)"),
        (lambda flow: Backoff(0), ValueError, r"Backoff\(base=0\)"),
        (lambda flow: Backoff(1, factor=0.5), ValueError, r"Backoff\(factor=0\.5\)"),
        (lambda flow: Backoff(1, jitter=2), ValueError, r"Backoff\(jitter=2\)"),
    ],
)
def test_wrong_arguments_are_refused_at_once(wrong: Any, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        wrong(Flow.of(1))
