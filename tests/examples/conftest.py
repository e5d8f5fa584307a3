"""Fixtures for the tests of the examples: nothing is left behind, nothing goes unreported."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import standard_helpers as helpers

import penstock


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    helpers.wait_until(lambda: set(threading.enumerate()) <= before, "all threads ended")


@pytest.fixture(autouse=True)
def dropped(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[BaseException]]:
    """The errors that nobody could receive. A test that expects some takes them out."""
    errors: list[BaseException] = []
    monkeypatch.setattr(penstock, "on_dropped_error", lambda error, _where: errors.append(error))
    yield errors
    assert errors == []


@pytest.fixture
def pool(no_thread_is_left: None) -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(3) as executor:
        yield executor


@pytest.fixture
def loop_thread(no_thread_is_left: None) -> Iterator[helpers.LoopThread]:
    thread = helpers.LoopThread()
    yield thread
    thread.close()
