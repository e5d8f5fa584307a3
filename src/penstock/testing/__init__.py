"""Parties of a stream that a test drives by hand: `Probe` and `ManualPublisher`."""

from __future__ import annotations

from penstock.testing._log import LoggedSignal, SignalLog
from penstock.testing._manual import ManualPublisher
from penstock.testing._probe import Probe

__all__ = ["LoggedSignal", "ManualPublisher", "Probe", "SignalLog"]
