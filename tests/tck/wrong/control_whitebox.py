"""Correct Subscribers that tell a probe what they do."""

from __future__ import annotations

from typing import Any

from tests.tck.wrong._sub_base import (
    OnALane,
    OneByOne,
    hang,
)
from tests.tck.wrong.registry import case


def _shut_down(subscriber: Any) -> None:
    subscriber.stop()


# Whitebox: the same, with a probe.


class WithAProbe(OneByOne):
    """A correct one that tells its probe, and asks when its puppet is told to."""

    def __init__(self, probe: Any) -> None:
        super().__init__()
        self.probe = probe

    def start(self) -> None:
        self.probe.register_on_subscribe(Puppet(self))

    def take(self, element: Any) -> None:
        self.taken.append(element)
        self.probe.register_on_next(element)

    def on_error(self, error: Exception) -> None:
        super().on_error(error)
        self.probe.register_on_error(error)

    def on_complete(self) -> None:
        super().on_complete()
        self.probe.register_on_complete()


class Puppet:
    """The kit's hand in a Subscriber."""

    def __init__(self, subscriber: OneByOne) -> None:
        self.subscriber = subscriber

    def trigger_request(self, n: int) -> None:
        self.subscriber.ask(n)

    def signal_cancel(self) -> None:
        self.subscriber.stop()


class OnALaneWithAProbe(OnALane):
    """A correct asynchronous one; the probe hears of elements as they are worked on."""

    def __init__(self, probe: Any) -> None:
        super().__init__()
        self.probe = probe

    def start(self) -> None:
        self.probe.register_on_subscribe(Puppet(self))

    def take(self, element: Any) -> None:
        self.taken.append(element)
        self.probe.register_on_next(element)

    def finish(self) -> None:
        super().finish()
        if self.error is None:
            self.probe.register_on_complete()
        else:
            self.probe.register_on_error(self.error)


@case("whitebox", shut_down=_shut_down)
def whitebox_sync(probe: Any) -> Any:
    return WithAProbe(probe)


@case("whitebox", shut_down=_shut_down)
def whitebox_async(probe: Any) -> Any:
    return OnALaneWithAProbe(probe)


@case("whitebox")
def whitebox_slow_async(probe: Any) -> Any:
    class Correct(OnALaneWithAProbe):
        def take(self, element: Any) -> None:
            hang(0.01)
            super().take(element)

    return Correct(probe)


@case("whitebox")
def whitebox_asking_elsewhere(probe: Any) -> Any:
    class Correct(OnALaneWithAProbe):
        def ask(self, n: int) -> None:
            self.lane.put(lambda: OnALaneWithAProbe.ask(self, n))

    return Correct(probe)
