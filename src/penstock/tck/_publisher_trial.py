"""A trial of a Publisher: makes it, subscribes to it, and leaves nothing subscribed."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from penstock.api import UNBOUNDED, Publisher
from penstock.tck._check import Check
from penstock.tck._environment import Environment
from penstock.tck._knobs import Knobs
from penstock.tck._raised import raised
from penstock.tck._trial import Trial
from penstock.tck._verdict import CheckOver
from penstock.tck._watch import Watch
from penstock.testing._log import brief

__all__ = ["PublisherSubject", "PublisherTrial"]


@dataclass(frozen=True)
class PublisherSubject:
    """What a Publisher's author gives: how to make one, and how to make a failed one."""

    create: Callable[[int], Publisher[Any]]
    failed: Callable[[], Publisher[Any] | None] | None = None


class PublisherTrial(Trial):
    """What a check of a Publisher is handed."""

    def __init__(
        self, check: Check, environment: Environment, knobs: Knobs, subject: PublisherSubject
    ) -> None:
        super().__init__(check, environment, knobs)
        self.subject = subject

    def publisher(self, elements: int) -> Publisher[Any]:
        """Make a Publisher of `elements` elements; skips if it can't be that long."""
        if elements > self.knobs.max_elements:
            self.skip(f"needs {elements} elements; max_elements is {self.knobs.max_elements}")
        return _must_be_publisher(self.make_publisher(elements), f"create({elements})")

    def make_publisher(self, elements: int) -> Publisher[Any]:
        """Make a Publisher in the way of its author."""
        with self.asking_author(f"create({elements})"):
            return self.subject.create(elements)

    def few(self, wanted: int, at_least: int = 1) -> int:
        """Return `wanted`, or as many as it can make; skips if that is not `at_least`."""
        few = min(wanted, self.knobs.max_elements)
        if few < at_least:
            self.skip(f"needs {at_least} elements; max_elements is {self.knobs.max_elements}")
        return few

    def long_publisher(self, at_least: int = 1) -> Publisher[Any]:
        """Make the longest Publisher there is; skips if it is not `at_least` so long."""
        if at_least > self.knobs.max_elements:
            self.publisher(at_least)
        longest = min(self.knobs.max_elements, UNBOUNDED)
        try:
            return self.publisher(longest)
        except (MemoryError, OverflowError) as error:
            error.add_note(
                f"create({longest}) was asked for an endless stream (penstock.UNBOUNDED); "
                "set max_elements if there is no such thing"
            )
            raise

    def failed_publisher(self) -> Publisher[Any]:
        """Make a Publisher that fails; skips if there is none."""
        publisher = self.failed_one()
        if publisher is None:
            self.skip("no failed publisher was given (create_failed_publisher / failed=)")
        return publisher

    def failed_one(self) -> Publisher[Any] | None:
        """Make a Publisher that fails, if its author said how."""
        if self.subject.failed is None:
            return None
        with self.asking_author("failed()"):
            publisher = self.subject.failed()
        return None if publisher is None else _must_be_publisher(publisher, "failed()")

    def subscribe(self, publisher: Publisher[Any], watch: Watch) -> None:
        """Subscribe, note what `subscribe` raises as 1.9, and cancel when the check is over."""
        # Weakly, since rule 3.13 is about who keeps the Subscriber alive.
        there = weakref.ref(watch)
        self.cleanup(lambda: _cancel(there()))
        self.log.add(watch.name, "subscribe")
        try:
            subscribe: Callable[[Watch], object] = publisher.subscribe
            with self.calling("subscribe(subscriber)", "1.9"):
                self.gave("subscribe(subscriber)", subscribe(watch))
        except CheckOver:
            pass
        except RecursionError:
            self.note("3.3", "subscribe(subscriber) ended in a RecursionError")
        except BaseException as error:  # noqa: BLE001 - SystemExit, too, must not come out of it
            if watch.raised:
                watch.escaped = True
            else:
                self.note("1.9", f"subscribe(subscriber) raised {raised(error)}")

    def watch(
        self,
        publisher: Publisher[Any] | int,
        name: str = "subscriber",
        *,
        when_subscribed: Callable[[Watch], object] | None = None,
        when_next: Callable[[Watch, Any], object] | None = None,
        dwell: float = 0.0,
    ) -> Watch:
        """Subscribe a new Watch to a Publisher, or to a new one of so many elements.

        Returns when `on_subscribe` has come.
        """
        if isinstance(publisher, int):
            publisher = self.publisher(publisher)
        watch = Watch(self, name, when_subscribed=when_subscribed, when_next=when_next, dwell=dwell)
        self.subscribe(publisher, watch)
        watch.await_subscription()
        return watch


def _cancel(watch: Watch | None) -> None:
    if watch is not None and not watch.over:
        watch.cancel()


def _must_be_publisher(value: Any, source: str) -> Publisher[Any]:
    if not callable(getattr(value, "subscribe", None)):
        raise TypeError(f"{source} returned {brief(value)}, which has no subscribe method")
    publisher: Publisher[Any] = value
    return publisher
