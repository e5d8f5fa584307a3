"""Where flows begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import penstock
from penstock import UNBOUNDED, Flow
from penstock.tck import Environment, verify_publisher
from penstock.testing import ManualPublisher, Probe
from tests.flow.forms import assert_conforms, everywhere, numbers
from tests.flow.sources_helpers import ticks
from tests.waiting import eventually


def stairs(n: int) -> Flow[int]:
    return Flow.unfold(0, lambda i: (i, i + 1) if i < n else None)


@settings(max_examples=60, deadline=None)
@given(
    elements=st.lists(st.integers(), max_size=6),
    bounds=st.lists(st.integers(-9, 9), min_size=1, max_size=3),
)
def test_the_same_elements_as_in_plain_python(elements: list[int], bounds: list[int]) -> None:
    given: dict[str, Flow[int]] = {
        "of": Flow.of(*elements),
        "a list": Flow.from_iterable(elements),
        "a function": Flow.from_iterable(lambda: map(int, elements)),
        "defer": Flow.defer(lambda: iter(elements)),
        "using": Flow.using(lambda: elements, lambda xs: Flow.from_iterable(xs), list.copy),
        "unfold": Flow.unfold(0, lambda i: (elements[i], i + 1) if i < len(elements) else None),
        "from_publisher": Flow.from_publisher(penstock.checked(Flow.of(*elements))),
    }
    for name, flow in given.items():
        assert everywhere(flow) == elements, name
    if len(bounds) < 3 or bounds[2]:
        assert everywhere(Flow.range(*bounds)) == list(range(*bounds))


CONFORMING: dict[str, Callable[[int], Any]] = {
    "of": lambda n: numbers(n) if n == UNBOUNDED else Flow.of(*range(min(n, 3000))),
    "empty": lambda n: numbers(n) if n else Flow.empty(),
    "range": lambda n: Flow.range(n),
    "from_iterable": numbers,
    "from_callable": lambda n: Flow.from_callable(lambda: 1) if n == 1 else numbers(n),
    "from_publisher": lambda n: Flow.from_publisher(penstock.checked(numbers(n))),
    "defer": lambda n: Flow.defer(lambda: numbers(n)),
    "defer a publisher": lambda n: Flow.defer(lambda: penstock.checked(numbers(n))),
    "using": lambda n: Flow.using(object, lambda _: numbers(n), str),
    "unfold": stairs,
    "from_async_iterable": lambda n: Flow.from_async_iterable(lambda: ticks(n)),
}


@pytest.mark.parametrize("name", CONFORMING)
def test_it_keeps_the_standard(name: str) -> None:
    assert_conforms(CONFORMING[name])


def test_error_keeps_the_standard() -> None:
    report = verify_publisher(
        numbers,
        failed=lambda: Flow.error(OSError("always")),
        environment=Environment.from_env(Environment(quiet=0.02)),
    )
    assert not report.broken


class TestTheEnd:
    @pytest.mark.parametrize(
        "flow",
        [Flow.of(), Flow.empty(), Flow.range(0), Flow.from_iterable([]), Flow.from_iterable("")],
    )
    def test_an_empty_one_completes_without_demand(self, flow: Flow[Any]) -> None:
        assert Probe(flow).completed

    @pytest.mark.parametrize(
        "flow",
        [
            Flow.of(0, 1),
            Flow.range(2),
            Flow.from_iterable((0, 1)),
            Flow.from_iterable(lambda: [0, 1]),
            Flow.defer(lambda: Flow.range(2)),
            Flow.using(object, lambda _: [0, 1], str),
        ],
    )
    def test_it_completes_with_the_last_element(self, flow: Flow[int]) -> None:
        probe = Probe(flow)
        probe.request(2)
        probe.expect_next(0, 1)
        probe.expect_complete()

    def test_never_has_no_end_but_a_cancel(self) -> None:
        probe = Probe(Flow.never())
        probe.request(3)
        probe.expect_nothing(0.02)
        probe.cancel()
        run = Flow.never().drain().start()
        run.cancel()
        eventually(run.done)

    @pytest.mark.parametrize("given", [OSError("no"), lambda: OSError("no"), OSError])
    def test_an_error_waits_for_nobody(self, given: Any) -> None:
        flow = Flow.error(given)
        for _ in range(2):
            error = Probe(flow).expect_error(OSError)
            assert error.__notes__[0].startswith("in error(")
            with pytest.raises(OSError, match="no" if given is not OSError else None):
                flow.drain().result()

    def test_a_function_that_makes_no_error_is_told_so(self) -> None:
        Probe(Flow.error(lambda: "oops")).expect_error(TypeError, "returned 'oops'")  # type: ignore[arg-type,return-value]


class TestFromPublisher:
    def test_demand_passes_to_it(self) -> None:
        publisher = ManualPublisher[str]()
        probe = Probe(Flow.from_publisher(publisher))
        assert publisher.requested == 0
        probe.request(3)
        assert publisher.requested == 3
        publisher.emit("a", "b")
        probe.expect_next("a", "b")
        publisher.complete()
        probe.expect_complete()

    def test_a_cancel_and_an_error_pass_too(self) -> None:
        publisher = ManualPublisher[str]()
        probe = Probe(Flow.from_publisher(publisher))
        probe.cancel()
        publisher.expect_cancel()
        publisher = ManualPublisher[str]()
        probe = Probe(Flow.from_publisher(publisher))
        publisher.error(OSError("gone"))
        probe.expect_error(OSError, "gone")

    def test_a_flow_is_returned_as_it_is_and_a_run_unwrapped(self) -> None:
        flow = Flow.of(1, 2)
        assert Flow.from_publisher(flow) is flow
        assert everywhere(Flow.from_publisher(flow.sum())) == [3]

    @pytest.mark.parametrize("given", [3, [1], ManualPublisher])
    def test_what_is_no_publisher_is_refused(self, given: Any) -> None:
        with pytest.raises(TypeError, match=r"from_publisher\(.*give a Publisher"):
            Flow.from_publisher(given)


@pytest.mark.parametrize(
    ("build", "error", "text"),
    [
        (lambda: Flow.of(1, None), TypeError, r"of\(element=None\)"),
        (lambda: Flow.range("3"), TypeError, r"range\('3'\): "),
        (lambda: Flow.range(0, 3, 0), ValueError, r"range\(0, 3, 0\): "),
        (lambda: Flow.error("no"), TypeError, r"error\(error='no'\)"),
        (lambda: Flow.error(KeyboardInterrupt()), TypeError, r"give an Exception"),
        (lambda: Flow.from_callable(3), TypeError, r"from_callable\(fn=3\)"),
        (lambda: Flow.defer(3), TypeError, r"defer\(fn=3\)"),
        (lambda: Flow.unfold(0, 3), TypeError, r"unfold\(fn=3\)"),
        (lambda: Flow.using(3, str, str), TypeError, r"using\(acquire=3\)"),
        (lambda: Flow.using(str, 3, str), TypeError, r"using\(use=3\)"),
        (lambda: Flow.using(str, str, 3), TypeError, r"using\(release=3\)"),
    ],
)
def test_arguments_are_checked_when_it_is_built(build: Any, error: Any, text: str) -> None:
    with pytest.raises(error, match=text):
        build()
