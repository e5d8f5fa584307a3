"""A trial of a Subscriber that tells what happens inside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

from penstock.api import Subscriber
from penstock.tck._check import Check
from penstock.tck._environment import Environment
from penstock.tck._knobs import Knobs
from penstock.tck._subscriber_trial import SubscriberSubject, SubscriberTrial
from penstock.tck._whitebox_probe import Record, SubscriberPuppet, WhiteboxProbe

__all__ = ["WhiteboxSubject", "WhiteboxTrial"]


def _same(i: int) -> Any:
    return i


@dataclass(frozen=True)
class WhiteboxSubject:
    """What the author gives: as for a `SubscriberSubject`, but `create` is given a probe.

    The Subscriber's own puppet has it request, unless there is a `trigger`.
    """

    create: Callable[[WhiteboxProbe[Any]], Subscriber[Any]]
    trigger: Callable[[Any], object] | None = None
    element: Callable[[int], Any] = _same
    shut_down: Callable[[Any], object] | None = None


class WhiteboxTrial(SubscriberTrial):
    """What a check of such a Subscriber is handed."""

    def __init__(
        self, check: Check, environment: Environment, knobs: Knobs, subject: WhiteboxSubject
    ) -> None:
        hooks = SubscriberSubject(self.create, subject.trigger, subject.element, subject.shut_down)
        super().__init__(check, environment, knobs, hooks)
        self.dwell = 0.0
        """How long Subscribers made from now on are held up where they tell their probe."""
        self._whitebox = subject
        self._records: list[tuple[Subscriber[Any], Record]] = []

    def create(self) -> Subscriber[Any]:
        """Have the author's factory make a Subscriber with a new probe."""
        record = Record(self, self.dwell)
        probe: WhiteboxProbe[Any] = WhiteboxProbe(record)
        with self.asking_author("create(probe)"):
            subscriber = self._whitebox.create(probe)
        self._records.append((subscriber, record))
        return subscriber

    def record(self, subscriber: Subscriber[Any]) -> Record:
        """Return what a Subscriber that was made here has told."""
        return next(record for made, record in self._records if made is subscriber)

    def puppet(self, subscriber: Subscriber[Any]) -> SubscriberPuppet:
        """Return the Subscriber's puppet, waiting for it.

        Raises `RuntimeError` if it registered none: that is a mistake in the test, and
        breaks no rule.
        """
        record = self.record(subscriber)
        self.wait_until(lambda: record.puppet is not None or bool(record.mistake))
        if record.puppet is None:
            _explain(record)
        return record.puppet

    @property
    def can_push(self) -> bool:
        return True

    def push(self, subscriber: Subscriber[Any], n: int = 1) -> None:
        if self.subject.trigger is not None:
            super().push(subscriber, n)
            return
        puppet = self.puppet(subscriber)
        with self.calling(f"puppet.trigger_request({n})", "2.1"):
            puppet.trigger_request(n)

    @property
    def can_stop(self) -> bool:
        return True

    def stop(self, subscriber: Subscriber[Any]) -> None:
        puppet = self.puppet(subscriber)
        with self.calling("puppet.signal_cancel()", "2.6"):
            puppet.signal_cancel()


def _explain(record: Record) -> NoReturn:
    if record.mistake:
        raise RuntimeError(record.mistake)
    raise RuntimeError(
        "the Subscriber never called probe.register_on_subscribe(puppet): call it where the "
        "work on on_subscribe is done and the subscription is kept, with an object that has "
        "trigger_request(n) and signal_cancel()"
    )
