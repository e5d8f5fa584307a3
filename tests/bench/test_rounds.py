"""The measures' harness: turns, honest results, and what it says of a peer that is broken."""

from __future__ import annotations

from bench.measure import US, Measure, Rival, Sample, Side, at_most, faster
from bench.report import summary, table
from bench.rounds import Row, run


def costing(name: str, *costs: float, result: object = "done", log: list[str] | None = None):
    """A side that costs this in its first turn, that in its next; the warm-up comes first."""
    left = [costs[0], *costs]

    def sample(n: int) -> Sample:
        if log is not None:
            log.append(name)
        return Sample(left.pop(0), result)

    return Side(name, sample)


def raising(name: str, error: Exception) -> Side:
    def sample(n: int) -> Sample:
        raise error

    return Side(name, sample)


def rows(ours: Side, *rivals: Rival, limit: float | None = None) -> list[Row]:
    measure = Measure("m", "it", 10, lambda n: "done", ours, rivals, limit, US)
    return run(measure, 2)


def test_the_best_round_of_each_side_counts():
    (row,) = rows(costing("we", 3, 2), Rival(costing("they", 8, 9), faster(4)))
    assert (row.ratio, row.verdict) == (4, "met")


def test_a_ratio_that_is_too_low_is_missed():
    (row,) = rows(costing("we", 2, 2), Rival(costing("they", 7, 8), faster(4)))
    assert (row.ratio, row.verdict) == (3.5, "missed")


def test_a_cost_that_is_too_high_is_missed():
    high, low = rows(
        costing("we", 3, 4),
        Rival(costing("they", 2, 2), at_most(1.25)),
        Rival(costing("others", 3, 3), at_most(1.25)),
    )
    assert (high.ratio, high.verdict) == (1.5, "missed")
    assert (low.ratio, low.verdict) == (1, "met")


def test_the_sides_take_turns_each_way_round():
    log: list[str] = []
    rows(costing("a", 1, 1, log=log), Rival(costing("b", 1, 1, log=log)))
    assert log[2:] == ["a", "b", "b", "a"]


def test_a_limit_is_in_the_unit_that_is_shown():
    (within,) = rows(costing("we", 9e-6, 9e-6), limit=10)
    (beyond,) = rows(costing("we", 11e-6, 11e-6), limit=10)
    assert (within.verdict, beyond.verdict) == ("met", "missed")


def test_a_wrong_result_does_not_count():
    (row,) = rows(costing("we", 1, 1), Rival(costing("they", 9, 9, result=7), faster(2)))
    assert row.ratio is None
    assert row.verdict == "they: computed 7 instead of 'done'"


def test_a_broken_peer_and_a_missing_one_are_named():
    broken, missing = rows(
        costing("we", 1, 1),
        Rival(raising("peer", ValueError("no")), faster(2)),
        Rival(raising("other", ImportError("No module named 'other'")), faster(2)),
    )
    assert broken.verdict == "peer: failed: ValueError: no"
    assert missing.verdict == "other: not installed: No module named 'other'"
    shown = table([broken, missing])
    assert "failed: ValueError: no" in shown
    assert summary([broken, missing]) == "0 met, 0 missed, 2 not comparable"


def test_what_has_no_target_is_only_shown():
    (row,) = rows(costing("we", 1, 1), Rival(costing("they", 3, 3)))
    assert (row.ratio, row.verdict) == (3, "-")
