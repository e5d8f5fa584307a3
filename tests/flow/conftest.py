"""Fixtures of the tests of time."""

from __future__ import annotations

import pytest

from penstock.testing import VirtualClock
from tests.flow.time_helpers import Source
from tests.waiting import eventually


@pytest.fixture
def clock():
    with VirtualClock() as clock:
        yield clock
        eventually(lambda: clock.pending == 0, "the cancelling of all timers")


@pytest.fixture
def source() -> Source:
    return Source()
