"""Several flows together: what they give, what they ask for, and how they end."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock import Flow, threads
from penstock.testing import Probe
from tests.flow.combine_helpers import manual
from tests.flow.inputs import FORMS, Counted, pushed

inputs = st.lists(
    st.tuples(st.lists(st.integers(0, 99), max_size=9), st.sampled_from(sorted(FORMS))),
    min_size=1,
    max_size=4,
)


def flows(drawn: list[tuple[list[int], str]]) -> list[Flow[int]]:
    return [FORMS[form](elements) for elements, form in drawn]


class TestAgainstPython:
    @settings(max_examples=60, deadline=None)
    @given(inputs)
    def test_concat_is_chain(self, drawn: list[tuple[list[int], str]]):
        lists = [elements for elements, _ in drawn]
        assert Flow.concat(*flows(drawn)).to_list().result(10) == list(itertools.chain(*lists))

    @settings(max_examples=60, deadline=None)
    @given(inputs)
    def test_zip_is_zip(self, drawn: list[tuple[list[int], str]]):
        lists = [elements for elements, _ in drawn]
        expected = list(zip(*lists, strict=False))
        assert Flow.zip(*flows(drawn)).to_list().result(10) == expected

    @settings(max_examples=60, deadline=None)
    @given(inputs)
    def test_strict_zip_is_strict(self, drawn: list[tuple[list[int], str]]):
        lists = [elements for elements, _ in drawn]
        run = Flow.zip(*flows(drawn), strict=True).to_list()
        if len({len(elements) for elements in lists}) == 1:
            assert run.result(10) == list(zip(*lists, strict=True))
        else:
            with pytest.raises(ValueError, match=r"zip\(\)|strict=True"):
                run.result(10)

    @settings(max_examples=60, deadline=None)
    @given(inputs)
    def test_merge_keeps_all_and_the_order_of_each(self, drawn: list[tuple[list[int], str]]):
        marked = [([(i, x) for x in elements], form) for i, (elements, form) in enumerate(drawn)]
        got = Flow.merge(*flows(marked)).to_list().result(10)  # type: ignore[arg-type]
        for i, (elements, _) in enumerate(marked):
            assert [x for x in got if x[0] == i] == elements
        assert len(got) == sum(len(elements) for elements, _ in marked)

    @settings(max_examples=60, deadline=None)
    @given(inputs)
    def test_combine_latest_gives_each_element_in_order(self, drawn: list[tuple[list[int], str]]):
        marked = [([(i, n) for n, _ in enumerate(xs)], form) for i, (xs, form) in enumerate(drawn)]
        rows = Flow.combine_latest(*flows(marked)).to_list().result(10)  # type: ignore[arg-type]
        lengths = [len(elements) for elements, _ in marked]
        if 0 in lengths:
            assert rows == []
            return
        assert rows[-1] == tuple((i, n - 1) for i, n in enumerate(lengths))
        for before, after in itertools.pairwise(rows):
            (changed,) = [i for i, _ in enumerate(lengths) if before[i] != after[i]]
            assert after[changed][1] == before[changed][1] + 1


class TestConcat:
    def test_the_next_is_subscribed_to_when_the_one_before_completes(self):
        a, b = manual(2)
        probe = Probe(Flow.concat(a, b))
        probe.request(3)
        a.expect_request(3)
        assert b.subscriber is None
        a.emit(1)
        a.complete()
        b.expect_request(2)
        b.emit(2)
        b.complete()
        probe.expect_next(1, 2)
        probe.expect_complete()

    def test_completes_without_demand_for_what_is_empty(self):
        a, b = manual(2)
        probe = Probe(Flow.concat(a, Flow.empty(), b, Flow.of()))
        a.complete()
        b.complete()
        probe.expect_complete()

    def test_opens_and_closes_each_in_its_turn(self):
        sources = [Counted(range(2)) for _ in range(3)]
        probe = Probe(Flow.concat(*[Flow.from_iterable(source) for source in sources]))
        probe.request(3)
        assert [source.opened for source in sources] == [1, 1, 0]
        assert [source.closed for source in sources] == [1, 0, 0]
        probe.cancel()
        assert [source.closed for source in sources] == [1, 1, 0]

    def test_runs_where_the_first_runs(self):
        flow = Flow.range(2).on(threads(1, name="first")).concat(Flow.range(2))
        assert flow.to_list().result(5) == [0, 1, 0, 1]

    def test_start_with_takes_elements_or_a_publisher(self):
        (a,) = manual(1)
        assert Flow.of(3).start_with(1, 2).to_list().result() == [1, 2, 3]
        assert Flow.of(3).start_with().to_list().result() == [3]
        assert Flow.of(3).start_with([1, 2]).to_list().result() == [[1, 2], 3]
        probe = Probe(Flow.of(3).start_with(a))
        probe.request(2)
        a.emit(1)
        a.complete()
        probe.expect_next(1, 3)
        probe.expect_complete()

    def test_nested_ones_are_in_order(self):
        of = Flow.of
        flow = of(3).start_with(2).concat(of(4).concat(of(5)), of(7).start_with(6)).start_with(1)
        assert flow.to_list().result() == [1, 2, 3, 4, 5, 6, 7]
        assert list(flow) == [1, 2, 3, 4, 5, 6, 7]


class TestMerge:
    def test_gives_what_comes(self):
        a, b = manual(2)
        probe = Probe(Flow.merge(a, b))
        a.expect_no_request(0.01)  # nobody has asked for anything
        probe.request(3)
        a.expect_request(64)
        b.expect_request(64)
        b.emit("b")
        a.emit("a")
        probe.expect_next("b", "a")
        a.complete()
        b.emit("b")
        b.complete()
        probe.expect_next("b")
        probe.expect_complete()

    def test_what_nobody_asked_for_waits(self):
        a, b = manual(2)
        probe = Probe(Flow.merge(a, b))
        probe.request(1)
        a.emit(*range(64))
        assert probe.elements == [0]
        assert a.demand == 0
        probe.request(63)
        assert probe.elements == list(range(64))
        assert a.demand > 0

    def test_iterables_take_turns(self):
        got = Flow.range(100).merge(Flow.range(100, 200)).to_list().result()
        assert got[:66] == [*range(64), 100, 101]

    def test_an_iterable_gives_way_to_what_has_come(self):
        (a,) = manual(1)
        probe = Probe(Flow.from_iterable(itertools.count()).map(str).merge(a))
        probe.request(5)
        a.emit("a")
        probe.request(2)
        assert "a" in probe.elements

    def test_all_are_asked_though_an_iterable_never_ends(self):
        got: list[object] = []
        endless = Flow.from_iterable(itertools.count()).merge(pushed("ab")).tap(got.append)
        assert endless.filter(lambda x: x == "b").first().result(5) == "b"
        assert "a" in got

    def test_an_iterable_is_not_pulled_ahead_of_demand(self):
        source = Counted(range(9))
        probe = Probe(Flow.from_iterable(source).merge(Flow.never()))
        probe.request(3)
        assert source.taken == 3

    def test_thousands_of_elements_from_threads(self):
        sources = [Flow.range(2000).on(threads(1), window=16) for _ in range(3)]
        assert Flow.merge(*sources).sum().result(20) == 3 * sum(range(2000))


class TestRace:
    def test_the_first_to_signal_goes_on_alone(self):
        a, b, c = manual(3)
        probe = Probe(Flow.race(a, b, c))
        probe.request(2)
        b.emit("b")
        a.expect_cancel()
        c.expect_cancel()
        b.emit("b")
        b.complete()
        probe.expect_next("b", "b")
        probe.expect_complete()

    @pytest.mark.parametrize("demand", [0, 1])
    def test_an_end_wins_as_well(self, demand: int):
        a, b = manual(2)
        probe = Probe(Flow.race(a, b))
        if demand:
            probe.request(demand)
        b.complete()
        probe.expect_complete()
        a.expect_cancel()

    @pytest.mark.parametrize("demand", [0, 1])
    def test_so_does_an_error(self, demand: int):
        a, b = manual(2)
        probe = Probe(Flow.race(a, b))
        if demand:
            probe.request(demand)
        b.error(ValueError("broken"))
        probe.expect_error(ValueError, "broken")
        a.expect_cancel()

    def test_an_error_of_the_winner_does_not_wait_for_demand(self):
        a, b = manual(2)
        probe = Probe(Flow.race(a, b))
        probe.request(1)
        a.emit(1)
        a.error(ValueError("broken"))
        probe.expect_next(1)
        probe.expect_error(ValueError)

    def test_of_iterables_the_first(self):
        loser = Counted([2])
        assert list(Flow.of(1).race(Flow.from_iterable(loser))) == [1]
        assert loser.opened == 0
