from __future__ import annotations

import pytest

from penstock.tck._check import checks_of
from penstock.tck._checks import CHECKS
from tests.tck.plugin_runs import GENEROUS, GOOD, SILENT, Runs


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Runs:
    return Runs(pytester, monkeypatch)


def ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


# A new user.


def test_a_new_user_is_told_what_is_wrong(run: Runs):
    """Ten lines with a mistake and a class for the test: the output has to be enough."""
    result = run(
        """
        from penstock.tck import PublisherVerification

        class Countdown:
            def __init__(self, start):
                self.start = start
            def subscribe(self, subscriber):
                subscriber.on_subscribe(Counting(self.start, subscriber))
        class Counting:
            def __init__(self, left, subscriber):
                self.left, self.subscriber = left, subscriber
            def request(self, n):
                while self.left:
                    self.left -= 1
                    self.subscriber.on_next(self.left)
                self.subscriber.on_complete()
            def cancel(self):
                self.left = 0

        class TestCountdown(PublisherVerification):
            max_elements = 1000

            def create_publisher(self, elements):
                return Countdown(elements)
        """,
        "-k",
        "1_01_sends or 3_08_delivers",
        name="test_countdown",
        apart=True,
    )
    result.assert_outcomes(failed=2, deselected=len(checks_of("publisher")) - 2)
    result.stdout.fnmatch_lines(
        [
            "*_ TestCountdown.spec_3_08_delivers_what_is_requested _*",
            "rule 1.1 is broken: Never more elements than requested",
            "  observed  on_next(1) is element 2, requested were 1",
            "  seen by   spec_3_08_delivers_what_is_requested: Requests three elements one at",
            "  rule      A Publisher MUST NOT, at any moment, have sent a Subscriber more",
            "  why       This is back-pressure itself: the receiver decides how much it has",
            "  check     Look at where demand is counted down: once per element, before it is",
            "  signals   when, [[]thread], who: what",
            "* ms  [[]kit]  subscriber: request(1)",
            "* ms  [[]kit]  subscriber: on_next(2)",
            "* ms  [[]kit]  subscriber: on_next(1)",
            "* ms  [[]kit]  kit: rule 1.1 broken: on_next(1) is element 2, requested were 1",
            "*test_countdown.py:19",
            "*_ TestCountdown.spec_1_01_sends_no_more_than_requested _*",
            "rule 1.1 is broken: Never more elements than requested",
            "  rule      see spec_3_08_delivers_what_is_requested, above",
            "*= broken rules =*",
            "test_countdown.py::TestCountdown",
            "  1.1  Never more elements than requested",
            "       seen by spec_3_08_delivers_what_is_requested and 1 more",
            "FAILED test_countdown.py::TestCountdown::spec_3_08_* - rule 1.1: on_next(1) is*",
        ]
    )
    result.stdout.no_fnmatch_line("*penstock*.py*")
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_factory_that_raises_shows_the_authors_lines_only(run: Runs):
    result = run(
        """
        from penstock.tck import PublisherVerification

        class TestMine(PublisherVerification):
            def create_publisher(self, elements):
                return make(elements)

        def make(elements):
            raise OSError("no such table")
        """,
        "-k",
        "3_08_delivers",
    )
    result.assert_outcomes(failed=1, deselected=len(checks_of("publisher")) - 1)
    result.stdout.fnmatch_lines(
        [">       return make(elements)", "E       OSError: no such table", "test_it.py:8: OSError"]
    )
    result.stdout.no_fnmatch_line("*penstock*.py*")


def test_a_factory_without_a_return_is_told(run: Runs):
    result = run(GOOD.replace("return RangePublisher", "RangePublisher"), "-k", "3_08_delivers")
    result.stdout.fnmatch_lines(
        ["E*TypeError: create_publisher(3) returned None (is a `return` missing?); it has to *"]
    )
    result.stdout.no_fnmatch_line("*penstock*.py:*")


def test_a_class_without_its_factory_is_an_error(run: Runs):
    result = run(
        """
        from penstock.tck import SubscriberBlackboxVerification

        class TestMine(SubscriberBlackboxVerification):
            pass

        def test_plain():
            pass
        """,
        "--continue-on-collection-errors",
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["class TestMine lacks def create_subscriber(self)*"])


def test_a_hanging_implementation_fails_and_the_run_goes_on(run: Runs):
    hanging = GENEROUS.replace("for _ in", "threading.Event().wait()\n            for _ in")
    result = run(
        "    import threading\n" + hanging,
        "-k",
        "3_08_delivers or subscribe_none or 3_02_request_inside_on_next",
        apart=True,
    )
    result.stdout.fnmatch_lines(
        [
            "rule 3.4 is broken:*",
            "  observed  request(1) does not return; it is at",
            '*File "*test_it.py", line *, in request',
            "*threading.Event().wait()",
            "rule 1.9 is broken:*",
        ]
    )
    result.assert_outcomes(failed=2, skipped=1, deselected=len(checks_of("publisher")) - 3)


# Which classes and methods are tests.


def test_each_check_is_a_test_that_reads_as_its_rule(run: Runs):
    result = run(GOOD, "--collect-only", "-q")
    expected = [f"test_it.py::TestGood::{check.name}" for check in checks_of("publisher")]
    assert ids(result) == expected


def test_a_class_is_collected_where_it_is_defined_whatever_its_name(
    run: Runs, pytester: pytest.Pytester
):
    pytester.makepyfile(
        elsewhere="""
        from penstock.tck import PublisherVerification

        class RangeTests(PublisherVerification):
            def create_publisher(self, elements): ...

        class TestElsewhere(RangeTests): ...
        """
    )
    result = run(
        """
        from penstock.tck import *
        from elsewhere import RangeTests, TestElsewhere

        class RangeConformance(PublisherVerification):
            def create_publisher(self, elements): ...

        class Nested:
            class_in_a_class = 1

        class TestNest:
            class Inner(SubscriberBlackboxVerification):
                def create_subscriber(self): ...

        class AllOfMine(SubscriberBlackboxVerification):
            buffer_size = 3

        class TillConformance(AllOfMine):
            def create_subscriber(self): ...

        class TestNotNow(AllOfMine):
            __test__ = False

            def create_subscriber(self): ...

        Alias = RangeConformance
        """,
        "--collect-only",
        "-q",
    )
    classes = dict.fromkeys(line.rpartition("::")[0] for line in ids(result))
    assert list(classes) == [
        "test_it.py::TestElsewhere",
        "test_it.py::RangeConformance",
        "test_it.py::TestNest::Inner",
        "test_it.py::TillConformance",
    ]


def test_keywords_marks_fixtures_and_setup_methods_work(run: Runs, pytester: pytest.Pytester):
    pytester.makeini("[pytest]\nmarkers = fast: some are")
    marked = """
    import pytest

    @pytest.mark.fast
    class TestMarked(TestGood):
        made = ()

        def setup_method(self):
            self.start = 1

        @pytest.fixture(autouse=True, params=["a", "b"])
        def source(self, request):
            self.source = request.param
            yield
            print("\\nafter", self.source, self.start, self.made)

        def create_publisher(self, elements):
            self.made += (elements,)
            return super().create_publisher(elements)

        def test_of_my_own(self):
            assert self.source
    """
    result = run(GOOD + marked, "-m", "fast", "-k", "3_08_delivers or of_my_own", "-s", "-v")
    result.assert_outcomes(passed=4, deselected=3 * len(checks_of("publisher")) - 2)
    result.stdout.fnmatch_lines(
        [
            "test_it.py::TestMarked::spec_3_08_delivers_what_is_requested[[]a] PASSED",
            "after a 1 (3,)",
            "test_it.py::TestMarked::spec_3_08_delivers_what_is_requested[[]b] PASSED",
            "after b 1 (3,)",
        ]
    )


def test_a_check_can_be_overridden(run: Runs):
    overridden = """
        def spec_1_09_signals_on_subscribe(self):
            import pytest
            pytest.skip("not here")

        def spec_3_08_delivers_what_is_requested(self):
            super().spec_3_08_delivers_what_is_requested()
    """
    result = run(
        GOOD.rstrip() + "\n" + overridden, "-k", "signals_on_subscribe or 3_08_deliv", "-rs"
    )
    result.assert_outcomes(passed=1, skipped=1, deselected=len(checks_of("publisher")) - 2)
    result.stdout.fnmatch_lines(["SKIPPED*not here"])


# How a check's end is told.


def test_a_skipped_check_says_why_and_where(run: Runs):
    result = run(GOOD, "-k", "1_04", "-rs")
    result.assert_outcomes(skipped=1, deselected=len(checks_of("publisher")) - 1)
    result.stdout.fnmatch_lines(
        ["SKIPPED [[]1] test_it.py:4: no failed publisher was given (create_failed_publisher*"]
    )


def test_the_class_is_where_a_test_is(run: Runs):
    result = run(GOOD, "-k", "3_08_delivers", "-v")
    result.stdout.fnmatch_lines(["test_it.py::TestGood::spec_3_08_delivers_* PASSED*"])
    result.stdout.no_fnmatch_line("*<-*")


def test_a_class_remembers_what_could_not_be_found(run: Runs):
    result = run(SILENT, "-rs")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["SKIPPED*: needs what spec_1_09_signals_on_subscribe could not find: no on_subscribe *"]
    )
    outcomes = result.parseoutcomes()
    assert outcomes["skipped"] > outcomes["failed"] > 0


def test_each_class_remembers_for_itself(run: Runs):
    result = run(SILENT + GOOD, "-k", "signals_on_subscribe or 3_08_delivers")
    result.assert_outcomes(
        failed=1, skipped=1, passed=2, deselected=2 * len(checks_of("publisher")) - 4
    )


def test_another_rule_that_broke_meanwhile_is_what_fails(run: Runs):
    result = run(GENEROUS, "-k", "3_08_delivers")
    result.stdout.fnmatch_lines(
        ["*_ TestGenerous.spec_3_08_*", "rule 1.1 is broken: Never more elements than requested"]
    )


@pytest.mark.parametrize("style", ["line", "short", "native", "no"])
def test_every_style_of_traceback_is_borne(run: Runs, style):
    result = run(GENEROUS, "-k", "3_08_delivers", f"--tb={style}")
    result.assert_outcomes(failed=1, deselected=len(checks_of("publisher")) - 1)
    if style == "line":
        result.stdout.fnmatch_lines(["*test_it.py:19: rule 1.1: on_next(1) is element 2,*"])


def test_junit_has_the_explanation(run: Runs, pytester: pytest.Pytester):
    run(GENEROUS, "-k", "3_08_delivers", "--junit-xml", "out.xml")
    text = (pytester.path / "out.xml").read_text()
    assert "rule 1.1: on_next(1) is element 2, requested were 1" in text
    assert "Look at where demand is counted down" in text


# What it costs those who don't use it.


def test_other_runs_load_nothing_of_the_kit_and_see_nothing_of_it(run: Runs):
    result = run(
        """
        import sys

        class Verification:
            pass

        class TestPlain:
            def test_nothing_is_loaded(self):
                kit = {m for m in sys.modules if m.startswith(("penstock.tck", "penstock.spec"))}
                assert kit == {"penstock.tck", "penstock.tck.plugin"}

            def spec_1_01_is_no_test(self):
                raise AssertionError
        """,
        apart=True,
    )
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*penstock:*")
    result.stdout.no_fnmatch_line("*broken rules*")


def test_every_check_is_registered_once():
    assert len({check.name for check in CHECKS}) == len(CHECKS)
