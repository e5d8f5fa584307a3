"""What a test drives by hand: `Probe`, `ManualPublisher` and `VirtualClock`."""

from __future__ import annotations

from penstock.testing._log import LoggedSignal, SignalLog
from penstock.testing._manual import ManualPublisher
from penstock.testing._probe import Probe
from penstock.testing._virtual_clock import VirtualClock

__all__ = ["LoggedSignal", "ManualPublisher", "Probe", "SignalLog", "VirtualClock"]
