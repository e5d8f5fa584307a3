"""What a Subscriber under test tells the kit, and what the kit tells it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from penstock.tck._trial import Trial
from penstock.testing._log import brief

__all__ = ["Record", "SubscriberPuppet", "WhiteboxProbe"]

T_contra = TypeVar("T_contra", contravariant=True)


class SubscriberPuppet(Protocol):
    """The kit's hand in a Subscriber: an object with these two methods, of your own making."""

    def trigger_request(self, n: int, /) -> None:
        """Have the Subscriber request `n` more elements, now or soon."""

    def signal_cancel(self) -> None:
        """Have the Subscriber cancel its subscription, now or soon."""


class Record:
    """What one Subscriber has told: its puppet, and each signal that it has dealt with."""

    def __init__(self, trial: Trial, dwell: float) -> None:
        self.trial = trial
        self.dwell = dwell
        self.puppet: SubscriberPuppet | None = None
        self.mistake: str = ""
        self.signals: list[tuple[str, Any]] = []

    def add(self, signal: str, value: Any = None) -> None:
        """Note a signal that was dealt with, and stay for `dwell` seconds."""
        shown = signal if signal == "on_complete" else f"{signal}({brief(value)})"
        self.trial.log.add("probe", f"has dealt with {shown}")
        with self.trial.news:
            self.signals.append((signal, value))
            self.trial.tick()
        if self.dwell:
            time.sleep(self.dwell)

    def take_puppet(self, puppet: SubscriberPuppet) -> None:
        """Keep the first puppet; note a mistake for the check to raise."""
        lacks = [m for m in ("trigger_request", "signal_cancel") if not _has(puppet, m)]
        with self.trial.news:
            if lacks:
                self.mistake = (
                    f"register_on_subscribe({brief(puppet)}): the puppet has no "
                    f"{' and no '.join(lacks)}"
                )
            elif self.puppet is None:
                self.puppet = puppet
            self.trial.tick()

    @property
    def elements(self) -> list[Any]:
        """The elements that were dealt with, in that order."""
        return [value for signal, value in self.signals if signal == "on_next"]

    def has(self, signal: str) -> Callable[[], bool]:
        """Return what says whether such a signal was dealt with, for `wait_until`."""
        return lambda: any(s == signal for s, _ in self.signals)


def _has(puppet: object, method: str) -> bool:
    return callable(getattr(puppet, method, None))


class WhiteboxProbe(Generic[T_contra]):
    """To be told of each signal when the Subscriber deals with it, on whatever thread.

    `create_subscriber(probe)` is given one for each Subscriber. Tell it of a signal where
    the work on that signal is done (which may be long after the signal method returned), and
    of nothing that was refused or ignored. No method raises anything.
    """

    def __init__(self, record: Record) -> None:
        """Make a probe that writes to this record; the kit does that."""
        self._record = record

    def register_on_subscribe(self, puppet: SubscriberPuppet) -> None:
        """Tell that the subscription was accepted, and how to have requests and a cancel made."""
        self._record.take_puppet(puppet)

    def register_on_next(self, element: T_contra) -> None:
        """Tell of an element, the one that came with `on_next`."""
        self._record.add("on_next", element)

    def register_on_error(self, error: Exception) -> None:
        """Tell that the stream has failed."""
        self._record.add("on_error", error)

    def register_on_complete(self) -> None:
        """Tell that the stream has completed."""
        self._record.add("on_complete")
