"""Verification classes in pytest: how they are collected, and how a check's end is told."""

from __future__ import annotations

import inspect
import os
from collections.abc import Generator, Iterable, Iterator
from typing import Any

import pytest

from penstock.spec import RULES
from penstock.tck._pytest_report import attach
from penstock.tck._run import History
from penstock.tck._spec_methods import RuleBroken, Undecided
from penstock.tck._verification_base import Verification, findings_of

__all__ = ["collected"]

_NAME = "penstock-tck"


def collected(collector: Any, name: str, obj: type[Verification]) -> Any:
    """Return the collector of a verification class, or nothing if it is not to be run.

    A class is run in the module that defines it, whatever its name; elsewhere only if its
    name says that it is a test. The kit's own classes are not, nor are abstract ones that
    have subclasses: they are there to be inherited from.
    """
    if obj.__module__ == "penstock.tck._verification":
        return []
    elsewhere = obj.__module__ != collector.module.__name__ or name != obj.__name__
    if elsewhere and not collector.classnamefilter(name):
        return []
    if inspect.isabstract(obj) and (elsewhere or obj.__subclasses__()):
        return []
    plugins = collector.config.pluginmanager
    if not plugins.has_plugin(_NAME):
        plugins.register(_Reporter(), _NAME)
    kind: Any = _VerificationClass  # whose from_parent has no types
    return kind.from_parent(collector, name=name, obj=obj)


class _VerificationClass(pytest.Class):
    def funcnamefilter(self, name: str) -> bool:
        return name.startswith("spec_") or super().funcnamefilter(name)

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        if inspect.isabstract(self.obj):
            missing = [
                f"def {name}{inspect.signature(getattr(self.obj, name))}"
                for name in sorted(self.obj.__abstractmethods__)
            ]
            raise self.CollectError(f"class {self.obj.__name__} lacks {', '.join(missing)}")
        return list(self._items())

    def _items(self) -> Iterator[pytest.Item | pytest.Collector]:
        for item in super().collect():
            if isinstance(item, pytest.Function) and item.obj.__module__.startswith("penstock."):
                # The method is ours; what its author knows, and can go to, is the class.
                _put(item, self)
            yield item


def _put(item: pytest.Function, where: pytest.Class) -> None:
    path, line, _ = where.reportinfo()
    place = path, line, item.getmodpath()
    vars(item)["reportinfo"] = lambda: place


class _Reporter:
    """Lets the checks of a class share what they found, and tells how each of them ended."""

    def __init__(self) -> None:
        self._histories: dict[str, History] = {}
        self._broken: dict[str, dict[str, list[str]]] = {}
        """For each subject and each rule that it breaks the tests that saw it."""

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, object, object]:
        __tracebackhide__ = True
        if isinstance(pyfuncitem.instance, Verification):
            history = self._histories.setdefault(_subject(pyfuncitem), History())
            findings_of(pyfuncitem.instance).history = history
        try:
            return (yield)
        except Undecided as undecided:
            raise pytest.skip.Exception(str(undecided)) from undecided

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if call.when != "call" or not isinstance(item, pytest.Function):
            return report
        if isinstance(item.instance, Verification):
            found = findings_of(item.instance).outcomes
            attach(report, _subject(item), item.instance.side, found, call.duration)
            # Shown with -rP: the test of a MAY passes either way, and this is what it found.
            seen = [o.reason for o in found if o.status == "kept" and o.reason]
            report.sections.extend(("seen", reason) for reason in seen)
            error = None if call.excinfo is None else call.excinfo.value
            longrepr: Any = report.longrepr
            if isinstance(error, RuleBroken):
                rules = self._broken.setdefault(_subject(item), {})
                tests = rules.setdefault(error.outcome.rule, [])
                tests.append(item.name)
                longrepr = _BrokenRule(error, _Place(item), tests[0])
            elif error is not None and isinstance(error.__cause__, Undecided):
                place = _Place(item)
                longrepr = (place.path, place.lineno, f"Skipped: {error.__cause__}")
            report.longrepr = longrepr
        return report

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._broken:
            return
        terminalreporter.section("broken rules")
        for subject, rules in self._broken.items():
            terminalreporter.write_line(subject)
            for rule, tests in rules.items():
                more = f" and {len(tests) - 1} more" if len(tests) > 1 else ""
                terminalreporter.write_line(f"  {rule:<4} {RULES[rule].title}")
                terminalreporter.write_line(f"       seen by {tests[0]}{more}")


def _subject(item: pytest.Function) -> str:
    """Return what tells the implementations of a run apart: its class and parameters."""
    assert item.parent is not None  # noqa: S101 - a method has a class
    _, bracket, parameters = item.name.partition("[")
    return item.parent.nodeid + bracket + parameters


class _Place:
    """Where a test is, as pytest asks for it where it would name the line that failed."""

    def __init__(self, item: pytest.Item) -> None:
        path, line, _ = item.reportinfo()
        self.path = os.fspath(path)
        self.lineno = (line or 0) + 1
        self.message = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.lineno}: {self.message}"


class _BrokenRule:
    """What pytest prints of a broken rule, in place of a traceback."""

    def __init__(self, error: RuleBroken, place: _Place, explained_in: str) -> None:
        own = error.outcome.name == explained_in.partition("[")[0]
        self._title, *self._lines = error.lines(None if own else explained_in)
        self.reprcrash = place
        observed = error.outcome.reason.partition("\n")[0]
        place.message = f"rule {error.outcome.rule}: {observed}"

    def toterminal(self, tw: Any) -> None:
        tw.line(self._title, red=True, bold=True)
        for line in self._lines:
            tw.line(line, bold=line.startswith("  observed"))
        tw.line("")
        tw.line(f"{self.reprcrash.path}:{self.reprcrash.lineno}")

    def __str__(self) -> str:
        return "\n".join([self._title, *self._lines])
