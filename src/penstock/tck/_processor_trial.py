"""A trial of a Processor: as a Publisher, as a Subscriber, and as what ties the two."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from penstock.api import Processor, Publisher
from penstock.tck._check import Check, checks_of
from penstock.tck._environment import Environment
from penstock.tck._knobs import Knobs
from penstock.tck._publisher_trial import PublisherSubject, PublisherTrial
from penstock.tck._raised import raised
from penstock.tck._source import Source
from penstock.tck._subscriber_trial import SubscriberSubject, SubscriberTrial
from penstock.tck._trial import Trial
from penstock.tck._upstream import Upstream
from penstock.tck._verdict import CheckOver, Deliberate, Skipped
from penstock.tck._watch import Watch
from penstock.testing import Probe
from penstock.testing._log import brief

__all__ = ["ProcessorSubject", "ProcessorTrial", "processor_trials"]


def _same(i: int) -> Any:
    return i


@dataclass(frozen=True)
class ProcessorSubject:
    """What a Processor's author gives: how to make one, and what to feed it.

    It is expected to send one element for each that it receives.
    """

    create: Callable[[int], Processor[Any, Any]]
    element: Callable[[int], Any] = _same

    def make(self, buffer_size: int) -> Processor[Any, Any]:
        """Make a Processor; raises `TypeError` for what is none (rule 4.1)."""
        processor = self.create(buffer_size)
        if not isinstance(processor, Processor):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"create({buffer_size}) returned {brief(processor)}, which is no Processor: "
                "it needs subscribe, on_subscribe, on_next, on_error and on_complete (rule 4.1)"
            )
        return processor


class ProcessorTrial(PublisherTrial):
    """What a check of a Processor is handed."""

    def __init__(
        self, check: Check, environment: Environment, knobs: Knobs, subject: ProcessorSubject
    ) -> None:
        # The kit's source completes with its last element, so a Processor can know the end.
        if knobs.knows_length is None:
            knobs = replace(knobs, knows_length=True)
        super().__init__(check, environment, knobs, PublisherSubject(self.make_publisher))
        self.processors = subject
        self._made = 0

    def make_publisher(self, elements: int) -> Publisher[Any]:
        """Make a Processor that is fed by a source of so many elements."""
        processor = self.processor()
        source = Source(elements, self.processors.element, self._raised)
        with self.calling("on_subscribe", "2.2"):
            source.subscribe(processor)
        return processor

    def _raised(self, what: str, error: BaseException) -> None:
        if not isinstance(error, Deliberate | CheckOver):
            self.note("2.13", f"{what} raised {raised(error)}")

    def processor(self) -> Processor[Any, Any]:
        """Make a Processor that is connected to nothing."""
        with self.asking_author(f"create({self.knobs.buffer_size})"):
            return self.processors.make(self.knobs.buffer_size)

    def element(self) -> Any:
        """Make the next element to feed it."""
        self._made += 1
        with self.asking_author(f"element({self._made - 1})"):
            return self.processors.element(self._made - 1)

    def feed(self, processor: Processor[Any, Any]) -> Upstream:
        """Connect an Upstream to a Processor, completed when all is over."""
        upstream = Upstream(self, "upstream")
        self.cleanup(lambda: None if upstream.over else upstream.finish())
        upstream.connect(processor)
        return upstream

    def pipe(
        self, *, when_next: Callable[[Watch, Any], object] | None = None, dwell: float = 0.0
    ) -> tuple[Upstream, Processor[Any, Any], Watch]:
        """Make a Processor between an Upstream and a Watch."""
        processor = self.processor()
        upstream = self.feed(processor)
        watch = self.watch(processor, "downstream", when_next=when_next, dwell=dwell)
        return upstream, processor, watch

    def fill(self, upstream: Upstream, watch: Watch, most: int) -> int:
        """Demand one element, send it and up to `most` that are asked for ahead of demand.

        Returns how many now wait in the Processor.
        """
        watch.request(1)
        sent = self.send(upstream, 1)
        self.stay_quiet()
        while upstream.demand > 0 and sent <= most:
            upstream.send(self.element())
            sent += 1
        watch.await_elements(1)
        return sent - 1

    def send(self, upstream: Upstream, most: int, pause: float = 0.0) -> int:
        """Send what there is demand for, at most so much in all, and return how much that was.

        Returns when `most` are sent or the Processor asks for no more. With a `pause` after
        each the sending takes long enough for others to run into it.
        """
        sent = 0
        while sent < most and upstream.await_demand():
            while sent < most and upstream.demand > 0 and not upstream.cancelled:
                upstream.send(self.element())
                sent += 1
                time.sleep(pause)
        return sent


def processor_trials(
    create: Callable[[int], Processor[Any, Any]],
    element: Callable[[int], Any],
    knobs: Knobs,
    environment: Environment,
) -> list[tuple[Check, Callable[[Check], Trial]]]:
    """Return all checks that apply to a Processor, each with how to make its trial."""
    subject = ProcessorSubject(create, element)
    as_subscriber = _as_subscriber(subject, knobs)

    def between(check: Check) -> Trial:
        return ProcessorTrial(check, environment, knobs, subject)

    def behind(check: Check) -> Trial:
        trial = SubscriberTrial(check, environment, knobs, as_subscriber)
        trial.instead = {"2.1": "3.4"}  # what hangs when it is triggered is its own request
        return trial

    return [
        *((check, between) for check in checks_of("publisher")),
        *((check, behind) for check in checks_of("subscriber")),
        *((check, between) for check in checks_of("processor")),
    ]


def _as_subscriber(subject: ProcessorSubject, knobs: Knobs) -> SubscriberSubject:
    sinks: list[tuple[Processor[Any, Any], Probe[Any]]] = []

    def create() -> Processor[Any, Any]:
        processor = subject.make(knobs.buffer_size)
        sink: Probe[Any] = Probe()
        try:
            processor.subscribe(sink)
        except Exception as error:
            # Found, and named, by the checks of the other side.
            raise Skipped(f"subscribe(subscriber) raised {brief(error)}") from error
        sinks.append((processor, sink))
        return processor

    def trigger(processor: object) -> None:
        for made, sink in sinks:
            if made is processor:
                try:
                    subscription = sink.expect_subscription()
                except AssertionError as error:
                    # Found, and named, by the checks of the other side.
                    raise Skipped("no on_subscribe came downstream") from error
                # More than it can hold, so that it has to ask upstream.
                subscription.request(knobs.buffer_size + 1)

    return SubscriberSubject(create, trigger, subject.element)
