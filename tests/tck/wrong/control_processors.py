"""Correct Processors of all kinds: the kit must find nothing wrong with any of them."""

from __future__ import annotations

from functools import partial
from typing import Any

from tests.tck.wrong._proc_audience import Audience
from tests.tck.wrong._proc_base import Elsewhere, Identity, Job, Line, LockStep
from tests.tck.wrong._sub_base import hang, loop
from tests.tck.wrong.registry import case


@case("processor")
def proc_lock_step(buffer_size: int) -> Any:
    return LockStep(buffer_size)


@case("processor")
def proc_with_a_window(buffer_size: int) -> Any:
    return Identity(buffer_size)


@case("processor", buffer_size=1)
def proc_with_a_window_of_one(buffer_size: int) -> Any:
    return Identity(buffer_size)


@case("processor", max_subscribers=1)
def proc_rejecting_a_second_subscriber(buffer_size: int) -> Any:
    return Identity(buffer_size)


@case("processor")
def proc_asynchronous(buffer_size: int) -> Any:
    return Elsewhere(buffer_size)


@case("processor")
def proc_slow_and_asynchronous(buffer_size: int) -> Any:
    class Correct(Elsewhere):
        def emit(self, subscriber: Any, line: Line) -> Job:
            job = super().emit(subscriber, line)

            def work() -> None:
                hang(0.01)
                if line.subscriber is not None:
                    job()

            return work

    return Correct(buffer_size)


@case("processor")
def proc_on_an_event_loop(buffer_size: int) -> Any:
    class Correct(Identity):
        def __init__(self, window: int) -> None:
            super().__init__(window)
            self.loop = loop()

        def wake(self) -> None:
            self.loop.call_soon_threadsafe(super().wake)

    return Correct(buffer_size)


@case("processor")
def proc_mapping(buffer_size: int) -> Any:
    class Correct(Identity):
        def emit(self, subscriber: Any, line: Line) -> Job:
            line.demand -= 1
            return partial(subscriber.on_next, (self.buffer.popleft(), "mapped"))

    return Correct(buffer_size)


@case("processor", multicast=True, coordinated_emission=True)
def proc_broadcasting(buffer_size: int) -> Any:
    return Audience(buffer_size)


@case("processor", multicast=True, coordinated_emission=True, max_subscribers=2)
def proc_broadcasting_in_lock_step(buffer_size: int) -> Any:
    class Correct(Audience):
        def lacks(self) -> int:
            demand = min((line.demand for line in self.lines), default=0)
            return demand - self.asked - len(self.buffer)

    return Correct(buffer_size)
