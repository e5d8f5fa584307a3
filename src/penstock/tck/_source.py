"""The well-behaved Publisher with which the kit feeds a Processor."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from penstock.api import Subscriber

__all__ = ["Source"]


class Source:
    """Feeds one Subscriber on the requesting thread, and completes with its last element.

    One drain at a time, whoever requests; a nested request only leaves its number. What
    the Subscriber raises goes to `raised` and ends the stream.
    """

    def __init__(
        self,
        elements: int,
        element: Callable[[int], Any],
        raised: Callable[[str, BaseException], None],
    ) -> None:
        self._subscriber: Subscriber[Any] | None = None
        self._raised = raised
        self._elements = elements
        self._element = element
        self._lock = threading.Lock()
        self._requested = 0
        self._sent = 0
        self._draining = True
        """True until on_subscribe has returned, so that nothing overtakes it."""
        self._missed = False
        self._error: Exception | None = None

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        """Start to feed this Subscriber."""
        self._subscriber = subscriber
        self._call("on_subscribe", lambda: subscriber.on_subscribe(self))
        self._drain()

    def request(self, n: int, /) -> None:
        """Send `n` more, now, unless a drain is under way, which will."""
        wrong = not isinstance(n, int) or isinstance(n, bool) or n <= 0  # pyright: ignore[reportUnnecessaryIsInstance]
        with self._lock:
            if wrong:
                self._error = ValueError(f"request({n!r}): rule 3.9 asks for an int above 0")
            else:
                self._requested += n
            if self._draining:
                self._missed = True
                return
            self._draining = True
        self._drain()

    def cancel(self) -> None:
        """Send nothing more."""
        self._subscriber = None

    def _drain(self) -> None:
        while True:
            with self._lock:
                self._missed = False
            self._send()
            with self._lock:
                if not self._missed:
                    self._draining = False
                    return

    def _send(self) -> None:
        while (subscriber := self._subscriber) is not None:
            if self._error is not None:
                self._subscriber = None
                error = self._error
                self._call("on_error", partial(subscriber.on_error, error))
            elif self._sent >= self._elements:
                self._subscriber = None
                self._call("on_complete", subscriber.on_complete)
            elif self._sent < self._requested:
                i, self._sent = self._sent, self._sent + 1
                element = self._element(i)
                self._call("on_next", partial(subscriber.on_next, element))
            else:
                return

    def _call(self, what: str, signal: Callable[[], None]) -> None:
        try:
            signal()
        except BaseException as error:  # noqa: BLE001 - SystemExit, too, must not come out of it
            self._subscriber = None
            self._raised(what, error)
