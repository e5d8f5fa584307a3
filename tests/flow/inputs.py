"""Inputs of junctions in several forms, and what counts how often they were closed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from penstock import Flow, threads
from penstock.testing import ManualPublisher

WORKERS = threads(2, name="inputs")


def pushed(elements: Iterable[Any]) -> Flow[Any]:
    """Return a flow of these elements that has to be subscribed to."""
    publisher_like = Flow.from_iterable(elements).flat_map(lambda x: (x,))
    assert publisher_like.depth == 0
    return publisher_like


def elsewhere(elements: Iterable[Any]) -> Flow[Any]:
    """Return a flow of these elements that come from another thread."""
    return Flow.from_iterable(elements).on(WORKERS, window=4)


def mapped(elements: Iterable[Any]) -> Flow[Any]:
    """Return a flow of these elements whose length nobody knows."""
    return Flow.from_iterable(elements).map(lambda x: x)


FORMS = {"iterable": Flow.from_iterable, "mapped": mapped, "pushed": pushed, "thread": elsewhere}


class Counted:
    """An iterable that counts how often it is taken from and closed."""

    def __init__(self, elements: Iterable[Any], fails: Exception | None = None) -> None:
        self._elements = elements
        self._fails = fails
        self.taken = 0
        self.opened = 0
        self.closed = 0

    def __iter__(self) -> Iterator[Any]:
        self.opened += 1
        try:
            for x in self._elements:
                self.taken += 1
                yield x
            if self._fails is not None:
                raise self._fails
        finally:
            self.closed += 1


class Foreign:
    """A Publisher that has nothing but `subscribe`."""

    def __init__(self, publisher: ManualPublisher[Any] | Flow[Any]) -> None:
        self.subscribe = publisher.subscribe
