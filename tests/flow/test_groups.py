"""Parting a flow: who gets which element, how many wait, and that nothing stands still unseen."""

from __future__ import annotations

import asyncio
import gc
import itertools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import UNBOUNDED, Flow, event_loop, threads
from penstock.flow import Group
from penstock.tck import verify_publisher
from penstock.testing import ManualPublisher, Probe, VirtualClock
from tests.flow.inputs import FORMS, Counted, elsewhere, pushed


def parity(n: int) -> int:
    return n % 2


def grouped(numbers: list[int], m: int) -> dict[int, list[int]]:
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for n in numbers:
        groups[n % m].append(n)
    return dict(groups)


def with_key(group: Group[Any, Any]) -> Flow[Any]:
    return group.map(lambda x: (group.key, x))


class TestAgainstPython:
    @settings(max_examples=80, deadline=None)
    @given(
        st.lists(st.integers(0, 999), max_size=200),
        st.integers(1, 12),
        st.sampled_from(sorted(FORMS)),
        st.integers(1, 300),
    )
    def test_group_by_is_a_dict_of_lists(self, numbers: list[int], m: int, form: str, window: int):
        flow = FORMS[form](numbers).group_by(lambda n: n % m, window=window)
        got: dict[int, list[int]] = defaultdict(list)
        for key, x in flow.flat_map(with_key, concurrency=m).to_list().result(10):
            got[key].append(x)
        assert got == grouped(numbers, m)

    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(st.integers(0, 999), max_size=60),
        st.integers(1, 12),
        st.sampled_from(sorted(FORMS)),
        st.integers(1, 3),
    )
    def test_window_is_batched(self, numbers: list[int], size: int, form: str, concurrency: int):
        flow = FORMS[form](numbers).window(size)
        got = flow.flat_map(lambda few: few.to_list(), concurrency=concurrency).to_list().result(10)
        assert got == [numbers[i : i + size] for i in range(0, len(numbers), size)]


class TestGroups:
    def test_they_are_flows_with_a_key(self):
        groups = Flow.range(5).group_by(parity).to_list().result()
        assert [type(group) for group in groups] == [Group, Group]
        assert [group.key for group in groups] == [0, 1]
        assert [group.to_list().result() for group in groups] == [[0, 2, 4], [1, 3]]

    def test_each_element_is_delivered_at_once(self):
        source = ManualPublisher[int]()
        probes: list[Probe[int]] = []

        def look(group: Group[int, int]) -> None:
            probes.append(Probe(group))
            probes[-1].request(UNBOUNDED)

        outer = Probe(Flow.from_publisher(source).group_by(parity).tap(look))
        source.expect_no_request(0.01)
        outer.request(5)
        source.expect_request()
        for n in range(5):
            source.emit(n)
            assert probes[n % 2].elements[-1] == n
        source.complete()
        for probe in (outer, *probes):
            assert probe.completed

    def test_of_an_iterable_too_if_it_may_be_slow(self):
        seen: list[int] = []
        pulled: list[int] = []

        def slow(n: int) -> int:
            assert seen == pulled  # all before was delivered
            pulled.append(n)
            return n

        groups = Flow.range(9).map(slow).group_by(parity)
        probe = Probe(groups.flat_map(lambda group: group.tap(seen.append)))
        probe.request(UNBOUNDED)
        assert seen == list(range(9))

    def test_no_more_is_pulled_than_somebody_waits_for(self):
        source = Counted(range(99))
        probe = Probe(Flow.from_iterable(source).group_by(parity))
        assert source.opened == 0
        probe.request(2)
        assert source.taken == 2
        inner = Probe(probe.next())
        inner.request(1)
        assert source.taken == 2  # its first one waited
        inner.request(1)
        assert (inner.elements, source.taken) == ([0, 2], 3)

    def test_a_second_subscriber_is_refused(self):
        (group,) = Flow.of(1).group_by(parity).to_list().result()
        assert group.to_list().result() == [1]
        probe = Probe(group)
        probe.expect_error(RuntimeError, r"a group of group_by\(.*test_groups.py.* can have one")

    def test_an_error_of_upstream_reaches_all(self):
        source = ManualPublisher[int]()
        outer = Probe(Flow.from_publisher(source).group_by(parity))
        outer.request(3)
        source.emit(0, 1)
        waiting, inner = outer.next(), Probe(outer.next())
        source.error(ValueError("broken"))
        outer.expect_error(ValueError, "broken")
        inner.expect_error(ValueError, "broken")
        Probe(waiting).expect_error(ValueError, "broken")

    def test_an_error_of_the_key_reaches_all_and_closes_the_source(self):
        source = Counted(range(9))

        def broken(n: int) -> int:
            if n == 3:
                raise ValueError("no key")
            return n % 2

        flow = Flow.from_iterable(source).group_by(broken)
        with pytest.raises(ValueError, match="no key") as caught:
            flow.flat_map(lambda group: group).drain().result()
        assert any(
            "in group_by(" in note and "test_groups" in note for note in caught.value.__notes__
        )
        assert source.closed == 1

    def test_a_key_that_cannot_be_hashed_is_an_error(self):
        with pytest.raises(TypeError, match="unhashable"):
            Flow.range(3).group_by(lambda n: [n]).drain().result()

    def test_a_cancel_of_everybody_cancels_upstream(self):
        source = ManualPublisher[int]()
        outer = Probe(Flow.from_publisher(source).group_by(parity))
        outer.request(3)
        source.emit(0, 1)
        probes = [Probe(outer.next()), Probe(outer.next())]
        outer.cancel()
        probes[0].cancel()
        assert not source.cancelled
        probes[1].request(1)
        probes[1].expect_next(1)
        probes[1].cancel()
        source.expect_cancel()

    def test_groups_that_were_given_go_on_when_no_more_are_wanted(self):
        flow = Flow.range(1000).group_by(lambda n: n % 10).take(2)
        counts = flow.flat_map(lambda group: group.count()).to_list()
        assert counts.result(5) == [100, 100]
        on = Flow.range(1000).group_by(lambda n: n % 10).take(2).on(threads(1))
        assert on.flat_map(lambda group: group.count()).to_list().result(5) == [100, 100]

    def test_a_group_that_nobody_kept_does_not_hold_the_source(self):
        source = ManualPublisher[int]()
        probe = Probe(Flow.from_publisher(source).group_by(parity).take(1).map(lambda g: g.key))
        probe.request(1)
        source.emit(0)
        probe.expect_next(0)
        probe.expect_complete()
        gc.collect()
        source.expect_cancel()

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("taken", [1, 3])
    def test_what_a_cancelled_group_was_not_given_opens_another(self, form: str, taken: int):
        flow = FORMS[form](range(20)).group_by(parity)
        got = flow.flat_map(lambda group: group.take(taken).to_list()).to_list().result(5)
        for key in (0, 1):
            numbers = list(range(key, 20, 2))
            assert [few for few in got if few[0] % 2 == key] == [
                numbers[i : i + taken] for i in range(0, 10, taken)
            ]

    def test_a_group_that_is_cancelled_at_once_uses_up_its_first_element(self):
        keys: list[int] = []

        def refuse(group: Group[int, int]) -> None:
            keys.append(group.key)
            Probe(group).cancel()

        FORMS["mapped"](range(20)).group_by(parity).tap(refuse).drain().result(5)
        assert keys == [0, 1] * 10

    def test_each_group_by_its_key_alone(self):
        flow = Flow.range(20).group_by(parity).flat_map(lambda group: [group.key])
        assert flow.to_list().result(4) == [0, 1]

    def test_closes_the_source_once(self):
        for take in (0, 1, 7, 99):
            source = Counted(range(30))
            flow = Flow.from_iterable(source).group_by(parity).flat_map(lambda group: group)
            flow.take(take).drain().result(5)
            assert source.closed == source.opened <= 1

    def test_the_groups_run_where_the_flow_runs(self):
        pool = threads(2, name="groups")
        flow = Flow.range(3000).on(pool).group_by(lambda n: n % 7)
        assert flow.flat_map(lambda g: g.sum()).sum().result(10) == sum(range(3000))
        flow = Flow.range(3000).group_by(lambda n: n % 7)
        inner = flow.flat_map(lambda g: g.on(pool, window=4).sum())
        assert inner.sum().result(10) == sum(range(3000))

    def test_on_an_event_loop(self):
        async def main() -> int:
            flow = Flow.range(3000).on(event_loop()).group_by(lambda n: n % 7)
            return await asyncio.wait_for(flow.flat_map(lambda g: g.sum()).sum(), 10)

        assert asyncio.run(main()) == sum(range(3000))

    def test_groups_of_groups(self):
        def inner(group: Group[int, int]) -> Flow[int]:
            return group.group_by(lambda n: n % 3).flat_map(lambda g: g.sum())

        flow = Flow.range(100).group_by(parity).flat_map(inner)
        assert sorted(flow.to_list().result(5)) == sorted(sum(range(i, 100, 6)) for i in range(6))

    def test_arguments_are_checked(self):
        wrong: Any = 5
        with pytest.raises(TypeError, match=r"group_by\(key=5\)"):
            Flow.of(1).group_by(wrong)
        with pytest.raises(ValueError, match=r"group_by\(window=0\)"):
            Flow.of(1).group_by(parity, window=0)
        with pytest.raises(ValueError, match=r"window\(size=0\)"):
            Flow.of(1).window(0)

    def test_a_chain_of_a_hundred(self):
        flow = Flow.range(3)
        for _ in range(100):
            flow = flow.group_by(parity).flat_map(lambda group: group)
        assert sorted(flow.to_list().result(20)) == [0, 1, 2]


class TestWindow:
    def test_a_window_is_complete_with_its_last_element(self):
        source = ManualPublisher[int]()
        outer = Probe(Flow.from_publisher(source).window(2))
        outer.request(2)
        source.expect_request(2)
        source.emit(1)
        first = Probe(outer.next())
        first.request(2)
        source.emit(2)
        first.expect_next(1, 2)
        first.expect_complete()
        outer.expect_nothing(0.01)
        source.emit(3)
        source.complete()
        outer.next()
        outer.expect_complete()

    def test_what_a_subscriber_leaves_is_dropped(self):
        flow = Flow.range(7).window(3).flat_map(lambda few: few.take(1))
        assert flow.to_list().result(5) == [0, 3, 6]

    def test_no_more_than_one_window_waits(self):
        source = Counted(range(99))
        probe = Probe(Flow.from_iterable(source).window(3))
        probe.request(1)
        assert source.taken == 1
        inner = Probe(probe.next())
        inner.request(2)
        assert source.taken == 2

    def test_of_windows(self):
        flow = (
            Flow.range(8)
            .window(4)
            .concat_map(lambda few: few.window(2).flat_map(lambda two: two.to_list()))
        )
        assert flow.to_list().result(5) == [[0, 1], [2, 3], [4, 5], [6, 7]]


class TestStandingStill:
    """The window is full, and those who could make room don't come: that is an error."""

    @pytest.mark.parametrize("form", FORMS)
    @pytest.mark.parametrize("name", ["flat_map", "concat_map"])
    def test_more_groups_than_are_taken(self, form: str, name: str):
        def take(flow: Flow[Any]) -> Flow[Any]:
            if name == "flat_map":
                return flow.flat_map(lambda g: g.map(str).to_list(), concurrency=3)
            return flow.concat_map(lambda g: g.sum())

        flow = FORMS[form](range(1000)).group_by(lambda n: f"key {n % 10}", window=20)
        with pytest.raises(RuntimeError, match=r"group_by is stuck: 20 elements wait") as caught:
            take(flow).drain().result(4)  # sooner than it would take to lose patience
        assert "'key " in str(caught.value)
        assert "concurrency" in str(caught.value)

    def test_not_if_the_window_holds_all_there_is(self):
        flow = Flow.range(1000).group_by(lambda n: n % 10, window=1000)
        counts = flow.flat_map(lambda g: g.count(), concurrency=2).to_list()
        assert counts.result(5) == [100] * 10

    def test_not_if_groups_end_in_time(self):
        flow = Flow.range(1000).group_by(lambda n: n // 10, window=20)
        few = flow.flat_map(lambda g: g.take(10).count(), concurrency=2).to_list()
        assert few.result(5) == [10] * 100

    def test_groups_that_nobody_keeps(self):
        flow = Flow.from_iterable(itertools.count()).group_by(lambda n: n % 10, window=20)
        with pytest.raises(RuntimeError, match="stuck: 20 elements wait"):
            flow.map(lambda group: group.key).drain().result(4)

    def test_groups_that_somebody_keeps_get_their_time(self):
        with VirtualClock() as clock:
            probe = Probe(Flow.range(1000).group_by(lambda n: n % 3, window=9))
            probe.request(9)
            groups = [probe.next() for _ in range(3)]
            clock.advance(4)
            late = Probe(groups[0])
            late.request(2)  # one has left it: everything begins anew
            late.expect_next(0, 3)
            clock.advance(4)
            assert probe.error is None
            late.request(3)
            late.expect_next(6, 9, 12)
            clock.advance(6)
            probe.expect_error(RuntimeError, "nobody has subscribed to: 1, 2")
            late.expect_error(RuntimeError)
            Probe(groups[1]).expect_error(RuntimeError)

    def test_a_slow_subscriber_is_no_error(self):
        with VirtualClock() as clock:
            probe = Probe(Flow.range(100).group_by(lambda n: n % 3, window=9))
            probe.request(9)
            slow = Probe(probe.next())
            slow.request(1)
            clock.advance(100)
            assert probe.error is None
            assert clock.pending == 0 or not probe.error

    def test_windows_that_nobody_takes(self):
        flow = Flow.range(100).window(5)
        with pytest.raises(RuntimeError, match="window is stuck: 5 elements wait"):
            flow.map(lambda few: 1).drain().result(4)

    def test_not_when_windows_are_taken_one_after_the_other(self):
        flow = Flow.range(100).window(5).concat_map(lambda few: few.to_list())
        assert flow.count().result(5) == 20


STANDARD: dict[str, Callable[[int], Flow[Any]]] = {
    "group_by": lambda n: Flow.range(n).group_by(lambda x: x),
    "group_by, flat": lambda n: elsewhere(range(n)).group_by(parity).flat_map(lambda g: g),
    "window": lambda n: pushed(range(n)).window(2).flat_map(lambda few: few),
}


@pytest.mark.parametrize("name", STANDARD)
def test_it_keeps_the_standard(name: str):
    create = STANDARD[name]
    report = verify_publisher(lambda n: create(min(n, 2**62)))
    assert not report.broken, report


def test_a_group_keeps_the_standard():
    def create(n: int) -> Any:
        source = ManualPublisher[int]()
        outer = Probe(Flow.range(min(n, 2**62)).group_by(lambda _: 0))
        del source
        outer.request(1)
        return outer.next() if n else Flow.empty()

    report = verify_publisher(create, max_elements=100)
    assert not report.broken, report
