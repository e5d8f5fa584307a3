"""How a check ends: what its body raises, and what is made of that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "Broken",
    "CheckOver",
    "Deliberate",
    "OnPurpose",
    "Outcome",
    "Skipped",
    "Status",
    "Stopped",
    "StreamError",
    "Violation",
]

Status = Literal["kept", "broken", "skipped"]


@dataclass(frozen=True)
class Outcome:
    """What one check found out about one rule.

    `status` is `kept`, `broken` or `skipped`, and `reason` says why, or what was seen.
    `rule` is the rule that is reported: where rules overlap, the one that the data file
    names. `log` holds the signals that led to a breach.
    """

    rule: str
    name: str
    status: Status
    reason: str
    log: str = ""


@dataclass(frozen=True)
class Violation:
    """A rule that was seen to be broken, by whichever check was running."""

    rule: str
    observed: str
    log: str = ""
    """The signals up to then."""


class Broken(AssertionError):  # noqa: N818 - a verdict, not an accident
    """Raised by a check's body: `rule` is broken, as `observed` shows."""

    def __init__(self, rule: str, observed: str) -> None:
        super().__init__(f"rule {rule} is broken: {observed}")
        self.rule = rule
        self.observed = observed


class Skipped(Exception):  # noqa: N818 - says how a check ended; nothing went wrong
    """Raised by a check's body: it can't be decided here, for this reason."""


class Stopped(Exception):  # noqa: N818 - says how a check ended; nothing went wrong
    """Raised inside a check's body when a violation was seen: no need to go on."""


class CheckOver(Exception):  # noqa: N818 - ends a runaway stream; nothing went wrong
    """Raised to a Publisher that goes on signalling long after its check has ended."""


class OnPurpose(RuntimeError):  # noqa: N818 - there on purpose
    """An error that the kit makes to see what becomes of it: no news for a log."""


class Deliberate(OnPurpose):
    """Raised by the kit's own Subscriber, where it plays the one that raises (2.13)."""

    def __init__(self) -> None:
        super().__init__("raised on purpose by the conformance kit")


class StreamError(OnPurpose):
    """What the kit's own Publisher ends a stream with."""

    def __init__(self) -> None:
        super().__init__("the kit fails this stream on purpose")
