"""What holds for each way to bring flows together, and for a thousand of them in a row."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from penstock import Flow, event_loop
from penstock.tck import verify_publisher
from penstock.testing import ManualPublisher, Probe
from tests.flow.inputs import FORMS, Counted, Foreign, elsewhere, pushed
from tests.waiting import eventually

Join = Callable[..., Flow[Any]]

JOINS: dict[str, Join] = {
    "concat": Flow.concat,
    "start_with": lambda first, *others: first.start_with(*others[:1]),
    "merge": Flow.merge,
    "zip": Flow.zip,
    "zip strict": lambda *flows: Flow.zip(*flows, strict=True),
    "combine_latest": Flow.combine_latest,
    "with_latest_from": lambda first, *others: first.with_latest_from(others[0]),
    "race": Flow.race,
}
AT_ONCE = [name for name in JOINS if name not in ("concat", "start_with")]
"""Those that subscribe to all inputs at the beginning."""

ALL = pytest.mark.parametrize("join", JOINS.values(), ids=JOINS)
EACH = pytest.mark.parametrize("join", [JOINS[name] for name in AT_ONCE], ids=AT_ONCE)


def manual(n: int) -> list[ManualPublisher[Any]]:
    return [ManualPublisher(name=f"input {i}") for i in range(n)]


class TestAll:
    """What holds for each way to bring flows together."""

    @EACH
    @pytest.mark.parametrize("i", [0, 1])
    @pytest.mark.parametrize("demand", [0, 5])
    def test_an_error_of_any_input_ends_it_at_once(self, join: Join, i: int, demand: int):
        both = manual(2)
        probe = Probe(join(*[Flow.from_publisher(one) for one in both]))
        if demand:
            probe.request(demand)
        both[i].error(ValueError("broken"))
        probe.expect_error(ValueError, "broken")
        both[1 - i].expect_cancel()

    @EACH
    def test_a_cancel_cancels_all(self, join: Join):
        both = manual(2)
        probe = Probe(join(*[Flow.from_publisher(one) for one in both]))
        probe.request(1)
        probe.cancel()
        both[0].expect_cancel()
        both[1].expect_cancel()
        assert probe.elements == []

    @ALL
    @pytest.mark.parametrize("take", [0, 1, 3, 500])
    def test_sources_are_closed_once(self, join: Join, take: int):
        a, b = Counted(range(300)), Counted(range(300))
        join(Flow.from_iterable(a), Flow.from_iterable(b)).take(take).drain().result()
        assert a.closed == a.opened <= 1
        assert b.closed == b.opened <= 1

    @ALL
    def test_sources_are_closed_if_one_fails(self, join: Join):
        a, b = Counted(range(3), ValueError("a")), Counted(range(3), ValueError("b"))
        with pytest.raises(ValueError, match=r"^[ab]"):
            join(Flow.from_iterable(a), Flow.from_iterable(b)).drain().result()
        assert (a.closed, b.closed) == (a.opened, b.opened)

    @ALL
    @pytest.mark.parametrize("form", FORMS)
    def test_step_by_step_as_at_once(self, join: Join, form: str):
        def flow() -> Flow[Any]:
            return join(FORMS[form](range(5)), FORMS[form](range(5)))

        probe = Probe(flow(), timeout=5)
        n = 0
        while not (probe.completed or probe.error):
            probe.request(1)
            n += 1
            eventually(lambda n=n: len(probe.elements) >= n or probe.completed or probe.error)
        assert probe.error is None
        assert len(probe.elements) <= n
        if form in ("iterable", "mapped") or join in (Flow.concat, Flow.zip):
            assert probe.elements == flow().to_list().result(5)

    @ALL
    def test_it_can_be_iterated(self, join: Join):
        def flow() -> Flow[Any]:
            return join(Flow.range(3), Flow.range(3))

        assert flow().depth > 0
        assert list(flow()) == flow().to_list().result()
        assert list(flow().map(str).concat(flow())) == [*map(str, flow()), *flow()]

    @ALL
    def test_a_foreign_publisher_may_be_first(self, join: Join):
        a: Any = Foreign(Flow.range(3))
        if join in (Flow.concat, Flow.merge, Flow.zip, Flow.combine_latest, Flow.race):
            assert join(a, Foreign(Flow.range(3))).to_list().result()

    @ALL
    def test_none_of_an_iterable_is_an_error_that_names_it(self, join: Join):
        with pytest.raises(TypeError, match=r"from_iterable.*made None"):
            join(Flow.from_iterable([None]), Flow.from_iterable([None])).drain().result()

    @ALL
    def test_stop_iteration_is_an_error(self, join: Join):
        def stop(_: int) -> int:
            raise StopIteration

        with pytest.raises(RuntimeError, match="StopIteration"):
            join(Flow.range(3).map(stop), Flow.range(3).map(stop)).drain().result()

    @ALL
    def test_on_an_event_loop(self, join: Join):
        async def main() -> None:
            flow = join(Flow.range(1000).on(event_loop()), Flow.range(1000).on(event_loop()))
            same = join(Flow.range(1000), Flow.range(1000)).on(event_loop())
            assert await asyncio.wait_for(flow.count(), 10) > 0
            assert await asyncio.wait_for(same.count(), 10) > 0

        asyncio.run(main())

    @pytest.mark.parametrize("name", ["concat", "merge", "zip", "combine_latest", "race"])
    def test_what_is_no_publisher_is_refused(self, name: str):
        with pytest.raises(TypeError, match=rf"{name}\(5\)"):
            getattr(Flow.of(1), name)(5)

    def test_arguments_are_checked(self):
        wrong: Any = 1
        with pytest.raises(TypeError, match=r"zip\(strict=1\)"):
            Flow.of(1).zip(Flow.of(1), strict=wrong)
        with pytest.raises(TypeError, match=r"with_latest_from\(fn=1\)"):
            Flow.of(1).with_latest_from(Flow.of(1), wrong)
        with pytest.raises(TypeError, match=r"start_with\(element=None\)"):
            Flow.of(1).start_with(wrong, None)

    def test_an_error_tells_where_the_input_was_declared(self):
        flow = Flow.of(1).map(lambda x: x / 0).merge(Flow.of(1))
        with pytest.raises(ZeroDivisionError) as caught:
            flow.drain().result()
        assert any(
            "in map(<lambda>), test_combine_all.py" in note for note in caught.value.__notes__
        )


LONG = 1000


class TestLongChains:
    """A thousand of them in a row: no stack overflows, and no time is lost."""

    @pytest.mark.parametrize("form", ["iterable", "pushed"])
    def test_concat_and_merge(self, form: str):
        one = FORMS[form]([1])
        concat = start = merge = right = one
        for _ in range(LONG):
            concat = concat.concat(one)
            start = start.start_with(1)
            merge = merge.merge(one)
            right = one.concat(right)
        for flow in (concat, start, merge, right):
            assert flow.count().result(10) == LONG + 1

    @pytest.mark.parametrize("form", ["iterable", "pushed"])
    @pytest.mark.parametrize("name", ["zip", "combine_latest", "with_latest_from", "race"])
    def test_the_others(self, form: str, name: str):
        flow = one = FORMS[form]([1])
        for _ in range(LONG):
            flow = getattr(flow, name)(one).map(lambda row: row)
        assert flow.count().result(20) == 1

    def test_the_depth_of_what_is_taken_apart_does_not_grow(self):
        flow = Flow.of(1)
        for _ in range(100):
            flow = flow.concat(Flow.of(1)).start_with(0)
        assert 0 < flow.depth <= 2
        assert sum(flow) == 101


STANDARD: dict[str, Callable[[int], Flow[Any]]] = {
    "concat": lambda n: pushed(range(n // 2)).concat(Flow.range(n - n // 2)),
    "start_with": lambda n: pushed(range(n - min(n, 1))).start_with(*range(min(n, 1))),
    "merge": lambda n: pushed(range(n // 2)).merge(elsewhere(range(n - n // 2))),
    "zip": lambda n: pushed(range(n)).zip(elsewhere(range(n))),
    "combine_latest": lambda n: Flow.range(n).combine_latest(Flow.range(min(n, 1))),
    "with_latest_from": lambda n: pushed(range(n)).with_latest_from(elsewhere([1])),
    "race": lambda n: pushed(range(n)).race(Flow.never()),
}


@pytest.mark.parametrize("name", STANDARD)
def test_it_keeps_the_standard(name: str):
    create = STANDARD[name]
    report = verify_publisher(lambda n: create(min(n, 2**62)))
    assert not report.broken, report
