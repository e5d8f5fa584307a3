"""Calls of a function for each element, several at once."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock import UNBOUNDED, Flow, event_loop, threads
from penstock.tck import verify_publisher
from tests.flow.map_async_helpers import Gate, both_orders, on_a_loop, probed, settled


class TestOrder:
    @on_a_loop
    async def test_results_keep_the_order(self):
        gate = Gate()
        probe = probed(Flow.range(5).map_async(gate, 3))
        probe.request(9)
        await settled()
        assert gate.begun == [0, 1, 2]
        await gate.let(2)
        await gate.let(1)
        assert probe.elements == []
        await gate.let(0)
        assert probe.elements == ["<0>", "<1>", "<2>"]
        await gate.let(4)
        await gate.let(3)
        assert probe.elements[3:] == ["<3>", "<4>"]
        assert probe.completed

    @on_a_loop
    async def test_or_come_as_they_are_made(self):
        gate = Gate()
        probe = probed(Flow.range(4).map_async(gate, 3, ordered=False))
        probe.request(9)
        await settled()
        for x in (2, 0, 3, 1):
            await gate.let(x)
        assert probe.elements == ["<2>", "<0>", "<3>", "<1>"]
        assert probe.completed

    @on_a_loop
    async def test_or_the_order_of_each_key(self):
        gate = Gate()
        flow = Flow.of("a1", "a2", "b1", "a3", "b2", "c1")
        probe = probed(flow.map_async(gate, 5, per_key=lambda x: x[0]))
        probe.request(9)
        await settled()
        assert gate.begun == ["a1", "b1"], "calls of one key do not overlap"
        await gate.let("b1")
        assert gate.begun == ["a1", "b1", "b2", "c1"]
        await gate.let("c1")
        await gate.let("a1")
        await gate.let("a2")
        await gate.let("a3")
        await gate.let("b2")
        assert probe.elements == ["<b1>", "<c1>", "<a1>", "<a2>", "<a3>", "<b2>"]
        assert probe.completed


class TestBounds:
    @both_orders
    @on_a_loop
    async def test_no_more_calls_than_slots_and_demand(self, ordered: bool):
        gate = Gate()
        pulled: list[int] = []
        probe = probed(Flow.range(99).tap(pulled.append).map_async(gate, 4, ordered=ordered))
        probe.request(2)
        await settled()
        assert (gate.begun, pulled) == ([0, 1], [0, 1])
        probe.request(9)
        await settled()
        assert (gate.begun, pulled) == ([0, 1, 2, 3], [0, 1, 2, 3])
        await gate.let(0)
        assert pulled == gate.begun == [0, 1, 2, 3, 4]
        probe.cancel()

    @both_orders
    @on_a_loop
    async def test_results_that_wait_have_a_bound(self, ordered: bool):
        """One that takes long holds up the others, not for ever but for as many as there are."""
        gate = Gate()
        probe = probed(Flow.range(99).map_async(gate, 4, ordered=ordered))
        probe.request(UNBOUNDED)
        await settled()
        for x in range(1, 40):
            if x not in gate.begun:
                break
            await gate.let(x)
        waiting = len(gate.begun) - len(probe.elements)
        assert waiting == (8 if ordered else 4)
        probe.cancel()

    def test_a_function_that_never_waits_is_bounded_as_well(self):
        calls: list[int] = []

        async def at_once(x: int) -> int:
            calls.append(x)
            return x

        def look(x: int) -> None:
            assert len(calls) - x <= 2 * 4 + 1

        Flow.range(1000).map_async(at_once, 4).for_each(look).result()

    @given(
        st.integers(0, 12),
        st.integers(1, 4),
        st.sampled_from(["ordered", "unordered", "per key"]),
        st.lists(st.one_of(st.integers(1, 4), st.none()), max_size=40),
        st.data(),
    )
    def test_any_schedule(self, n: int, most: int, how: str, steps: list[Any], data: Any):
        """A number is requested; None lets a call go that is under way."""

        async def main() -> None:
            gate = Gate()
            options: dict[str, Any] = {
                "ordered": {"ordered": True},
                "unordered": {"ordered": False},
                "per key": {"per_key": lambda x: x % 2},
            }[how]
            probe = probed(Flow.range(n).map_async(gate, most, **options))
            await settled()
            let: list[int] = []
            for step in steps:
                under_way = [x for x in gate.begun if x not in let]
                if step is not None:
                    probe.request(step)
                    await settled()
                elif under_way:
                    let.append(data.draw(st.sampled_from(under_way)))
                    await gate.let(let[-1], let[-1] + 100)
                assert len(gate.begun) - len(let) <= most
                assert len(gate.begun) <= min(n, probe.requested)
                assert len(gate.begun) - len(probe.elements) <= 2 * most
                got = [x - 100 for x in probe.elements]
                if how == "ordered":
                    assert got == list(range(len(got)))
                elif how == "unordered":
                    assert got == let
                else:
                    for key in (0, 1):
                        mine = [x for x in got if x % 2 == key]
                        assert mine == [x for x in range(n) if x % 2 == key][: len(mine)]
                assert probe.completed == (n == len(got))
            probe.cancel()
            await settled()
            assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(main())


def test_wrong_arguments():
    async def fn(x: int) -> int:
        return x

    flow = Flow.range(3)
    with pytest.raises(TypeError, match=r"map_async\(fn=3\): give a function"):
        flow.map_async(3)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=r"map_async\(concurrency=0\)"):
        flow.map_async(fn, 0)
    with pytest.raises(TypeError, match=r"map_async\(ordered=1\)"):
        flow.map_async(fn, ordered=1)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"map_async\(per_key='k'\)"):
        flow.map_async(fn, per_key="k")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"map_async\(on=3\): give a resource"):
        flow.map_async(fn, on=3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="a coroutine function runs on an event loop"):
        flow.map_async(fn, on=threads(2))


async def _same(x: int) -> int:
    await asyncio.sleep(0)
    return x


CONFORM = {
    "ordered": lambda n: Flow.range(n).map_async(_same, 4),
    "unordered": lambda n: Flow.range(n).map_async(_same, 4, ordered=False),
    "per key": lambda n: Flow.range(n).map_async(_same, 4, per_key=lambda x: x % 3),
    "on the loop": lambda n: Flow.range(n).subscribe_on(event_loop()).map_async(_same, 4),
    "plain": lambda n: Flow.range(n).map_async(lambda x: x, 4, on=threads(2)),
}


@pytest.mark.parametrize("how", CONFORM)
def test_it_keeps_the_rules(how: str):
    report = verify_publisher(CONFORM[how])
    assert not report.broken, str(report)
