"""What the monitor knows of one subscription."""

from __future__ import annotations

import threading
import time

from penstock._monitor.reporter import Reporter, describe
from penstock._monitor.violation import Party, Position, RuleBroken, Violation, here

__all__ = ["Link", "Named"]

Named = tuple[type[object], int]
"""An object's type and address: enough to name it, and it isn't kept alive (rule 3.13)."""


class Link:
    """The counters and the state of one pair of Publisher and Subscriber.

    Nothing here takes a lock for an element or a request, and nothing relies on the GIL:

    * Each thread counts what it requests under its own key, before it passes the request on,
      so that a Publisher can't know of a request that is not counted. `requested` is their
      sum, or less if two threads were at it at once: so it is only good for saying that
      all is well, and `total` has the last word.
    * `received` is written by signals. Those come one at a time (rule 1.3); a Publisher that
      breaks that makes the monitor count too few of them, never too many.
    * `inside` and `requesting` show overlaps: each thread first enters itself and then looks
      at the length, so of two that overlap, the later one sees both.
    """

    __slots__ = (
        "active",
        "after_cancel",
        "answering",
        "asked",
        "bad",
        "cancelled",
        "cancelled_at",
        "ended",
        "endings",
        "frozen",
        "inside",
        "judged",
        "late",
        "lock",
        "odd",
        "opened",
        "proven",
        "publisher",
        "raised_on",
        "received",
        "reporter",
        "requested",
        "requesters",
        "requesting",
        "rival",
        "stretch",
        "subscriber",
        "subscription",
        "told",
        "unanswered",
    )

    def __init__(
        self,
        publisher: Named | None,
        subscriber: Named,
        reporter: Reporter,
        endings: dict[int, Link],
    ) -> None:
        self.publisher = publisher
        self.subscriber = subscriber
        self.subscription: Named | None = None
        self.reporter = reporter
        self.lock = threading.Lock()
        self.requested = 0
        self.received = 0
        self.inside: dict[int, str] = {}
        """The threads inside a signal of this subscription, and which one."""
        self.requesters: dict[int, list[int]] = {}
        """What each thread has requested in total, and how deep it is inside requests now."""
        self.requesting: dict[int, int] = {}
        """The threads inside a request, and what had been requested before it."""

        self.odd = True
        """Whether anything is other than in the middle of a stream: look closer."""
        self.judged = True
        """False once a signal can't be told to belong to this subscription or to another one."""
        self.active = False
        self.opened: Position | None = None
        self.ended: Position | None = None
        self.endings = endings
        """The threads inside a terminal signal of this Publisher, and whose it is."""
        self.raised_on: int | None = None
        """The thread on which the Subscriber raised."""
        self.rival: Link | None = None
        """The subscription that the Subscriber had when it was given this one."""

        self.cancelled: Position | None = None
        self.cancelled_at = 0.0
        self.frozen = 0
        """What had been requested when `cancel` returned."""
        self.after_cancel = 0
        self.late: set[int] = set()
        """The threads inside a request that was made after `cancel` had returned."""

        self.stretch: int | None = 0
        """What requests for no int may have added (None: no saying)."""
        self.bad: str | None = None
        """The rule that the first bad request broke."""
        self.asked: Position | None = None
        """Where that request was made."""
        self.answering: int | None = None
        """The thread inside a bad request, as long as no element came in between."""
        self.unanswered: str | None = None
        """The rule that a bad request broke, once one has returned without an answer."""
        self.proven = False
        """Whether an element has come since: the stream was active then."""

        self.told: dict[tuple[str, Party], object] = {}

    def total(self) -> int:
        """Return how many elements have been requested so far."""
        return sum([entry[0] for entry in self.requesters.copy().values()])

    def open(self, subscription: object, position: Position) -> None:
        """Note that `on_subscribe` has come."""
        self.subscription = (type(subscription), id(subscription))
        self.opened = position
        self.active = True
        self.odd = not self.judged or self.rival is not None

    def end(self, position: Position) -> Position | None:
        """Note a terminal signal; return where the first one was sent, if this isn't it."""
        with self.lock:
            first, self.ended = self.ended, self.ended or position
            self.active = False
            self.odd = True
        return first

    def leave(self) -> None:
        """Note that `cancel` was called."""
        with self.lock:
            self.active = False

    def left(self, position: Position) -> None:
        """Note that `cancel` has returned."""
        with self.lock:
            if self.cancelled is None and self.ended is None:
                self.cancelled_at = time.monotonic()
                self.frozen = self.total()
                self.cancelled = position
                self.odd = True

    def muddle(self) -> None:
        """Judge the signals no more: two subscriptions send them to the same object."""
        with self.lock:
            self.judged = False
            self.odd = True

    def report(
        self,
        rule: str,
        party: Party,
        message: str,
        signal: str,
        there: Position | None = None,
    ) -> RuleBroken | None:
        """Report a breach, once per rule and party; return what is to be raised for it.

        A stream that breaks a rule often does so with every element, so a breach that was
        told of before costs little and is passed over, unless it is to be raised.
        """
        mark = object()
        first = self.told.setdefault((rule, party), mark) is mark
        if not first and not self.reporter.raises:
            return None
        publisher = self.publisher and describe(*self.publisher)
        if publisher is None:
            publisher = "unknown"
            if self.subscription is not None:
                publisher += f", its subscription is {describe(*self.subscription)}"
        violation = Violation(
            rule, message, party, publisher, describe(*self.subscriber), here(signal), there
        )
        return self.reporter(violation, first=first)
