"""What the tests of Probe and ManualPublisher share."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any

import pytest

from penstock import Subscriber, Subscription
from penstock.testing import ManualPublisher
from penstock.testing._party import Party

PATIENCE = 20.0
"""How long to wait for what must come; only a failing test waits so long."""

LONGER = 2 * PATIENCE
"""How long a party waits that has to be told, and must not find out when its time is up."""


def started(work: Callable[[], Any], name: str = "other") -> Future[Any]:
    """Run `work` on a thread of its own; `result(PATIENCE)` tells how it went."""
    future: Future[Any] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - result() raises it
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


def eventually(happened: Callable[[], bool]) -> None:
    """Poll for what nothing signals."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.001)


def until_waited_on(*parties: Party) -> None:
    """Return when a thread waits for news of each of these."""
    eventually(lambda: all(party._news._waiters for party in parties))  # type: ignore[attr-defined]


@contextmanager
def failing(*parts: str) -> Iterator[pytest.ExceptionInfo[AssertionError]]:
    """Expect a failure whose text has these parts, in this order; each is a plain text."""
    with pytest.raises(AssertionError) as caught:
        yield caught
    text = str(caught.value)
    assert re.search(".*".join(map(re.escape, parts)), text, re.DOTALL), text


class Sink(Subscriber[Any]):
    """Notes its signals, and what overlaps; does in each what it was told to do there."""

    def __init__(self, **does: Callable[..., object]) -> None:
        self.does = does
        self.signals: list[Any] = []
        self.overlaps: list[str] = []
        self._lock = threading.Lock()
        self._inside: tuple[int, str] | None = None

    def on_subscribe(self, subscription: Subscription) -> None:
        self.subscription = subscription
        self._signal("on_subscribe", subscription)

    def on_next(self, element: Any) -> None:
        self._signal("on_next", element)

    def on_error(self, error: Exception) -> None:
        self._signal("on_error", error)

    def on_complete(self) -> None:
        self._signal("on_complete")

    def _signal(self, name: str, *values: Any) -> None:
        me = threading.get_ident()
        with self._lock:
            outer, self._inside = self._inside, (me, name)
            if outer is not None and outer[0] != me:
                self.overlaps.append(f"{name} came during {outer[1]}")
            self.signals.append((name, *values) if name == "on_next" else name)
            if name == "on_error":
                self.error = values[0]
        try:
            self.does.get(name, lambda *_: None)(self, *values)
        finally:
            with self._lock:
                self._inside = outer


def connected(**does: Callable[..., object]) -> tuple[ManualPublisher[Any], Sink]:
    """Connect a publisher to a Sink that does this in its signals."""
    publisher, sink = ManualPublisher[Any](timeout=LONGER, quiet=0.01), Sink(**does)
    publisher.subscribe(sink)
    return publisher, sink
