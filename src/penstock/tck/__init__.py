"""The conformance kit: whether an implementation keeps the rules of Reactive Streams.

With pytest, subclass `PublisherVerification` or one of its three sisters; without it, call
`verify_publisher` or one of its sisters and read the `Report`. Nothing of the kit is loaded
before one of these names is used, so having it installed costs other test runs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.tck._check import CHECKS
    from penstock.tck._environment import Environment
    from penstock.tck._report import Report
    from penstock.tck._verdict import Outcome
    from penstock.tck._verification import (
        ProcessorVerification,
        PublisherVerification,
        SubscriberBlackboxVerification,
        SubscriberWhiteboxVerification,
    )
    from penstock.tck._verify import (
        verify_processor,
        verify_publisher,
        verify_subscriber,
        verify_subscriber_whitebox,
    )
    from penstock.tck._whitebox_probe import SubscriberPuppet, WhiteboxProbe

__all__ = [
    "CHECKS",
    "Environment",
    "Outcome",
    "ProcessorVerification",
    "PublisherVerification",
    "Report",
    "SubscriberBlackboxVerification",
    "SubscriberPuppet",
    "SubscriberWhiteboxVerification",
    "WhiteboxProbe",
    "verify_processor",
    "verify_publisher",
    "verify_subscriber",
    "verify_subscriber_whitebox",
]

_HOME = {
    "CHECKS": "_checks",  # not _check: the list is full only once the checks are loaded
    "Environment": "_environment",
    "Outcome": "_verdict",
    "ProcessorVerification": "_verification",
    "PublisherVerification": "_verification",
    "Report": "_report",
    "SubscriberBlackboxVerification": "_verification",
    "SubscriberPuppet": "_whitebox_probe",
    "SubscriberWhiteboxVerification": "_verification",
    "WhiteboxProbe": "_whitebox_probe",
    "verify_processor": "_verify",
    "verify_publisher": "_verify",
    "verify_subscriber": "_verify",
    "verify_subscriber_whitebox": "_verify",
}


def __getattr__(name: str) -> object:
    # Called only while the name is not there: its first use loads what it needs.
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    return globals().setdefault(name, value)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
