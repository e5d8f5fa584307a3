"""Runs of pytest with the plugin, and modules for them to run on."""

from __future__ import annotations

import os
from importlib.metadata import entry_points

# What the runs in this process use stays loaded after them only if it was before.
import pytest

import penstock.tck._pytest_classes
import penstock.tck._report_html
import penstock.tck._report_json
import penstock.tck._verification  # noqa: F401
from tests.repo.source import ROOT, SRC

INSTALLED = any(point.value == "penstock.tck.plugin" for point in entry_points(group="pytest11"))

GOOD = """
    from examples.standard.range_publisher import RangePublisher
    from penstock.tck import PublisherVerification

    class TestGood(PublisherVerification):
        def create_publisher(self, elements):
            return RangePublisher(0, elements)
"""

# Signals nothing at all.
SILENT = """
    from penstock.tck import Environment, PublisherVerification

    class Silent:
        def subscribe(self, subscriber):
            if subscriber is None:
                raise TypeError

    class TestSilent(PublisherVerification):
        environment = Environment(timeout=0.05, quiet=0.01)

        def create_publisher(self, elements):
            return Silent()
"""

# Sends one more than it is asked for.
GENEROUS = """
    from penstock.tck import PublisherVerification

    class Generous:
        def __init__(self, elements):
            self.left = elements

        def subscribe(self, subscriber):
            self.subscriber = subscriber
            subscriber.on_subscribe(self)

        def request(self, n):
            for _ in range(min(n + 1, self.left)):
                self.left -= 1
                self.subscriber.on_next(self.left)

        def cancel(self):
            self.left = 0

    class TestGenerous(PublisherVerification):
        def create_publisher(self, elements):
            return Generous(elements)
"""


class Runs:
    """Runs pytest on one module, in this process or, `apart`, in one of its own."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self._pytester = pytester
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SRC), str(ROOT)]))
        monkeypatch.setenv("COLUMNS", "120")
        if not INSTALLED:  # it may be loaded only once
            monkeypatch.setenv("PYTEST_PLUGINS", "penstock.tck.plugin")

    def __call__(
        self, module: str, *arguments: str, name: str = "test_it", apart: bool = False
    ) -> pytest.RunResult:
        self._pytester.makepyfile(**{name: module})
        run = self._pytester.runpytest_subprocess if apart else self._pytester.runpytest_inprocess
        # Hypothesis's plugin is left out since it takes a second to load, for each run.
        return run("-p", "no:cacheprovider", "-p", "no:hypothesispytest", *arguments)
