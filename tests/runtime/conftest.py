"""Pools of threads whose idle time a test chooses."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from penstock import _workers
from penstock.runtime._threads import Threads, threads
from tests.runtime.on_resource import Thing
from tests.waiting import eventually


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that end as soon as they have nothing to do."""
    monkeypatch.setattr(_workers, "IDLE", 0)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> Iterator[Threads]:
    """One thread that waits for ever when it has nothing to do, until the test is over."""
    monkeypatch.setattr(_workers, "IDLE", 3600)
    resource = threads(1)
    yield resource
    monkeypatch.setattr(_workers, "IDLE", 0)
    resource.enter().schedule(Thing())
    eventually(lambda: resource.counts().workers == 0)
