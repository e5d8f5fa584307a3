"""Processors that get connecting wrong, above or below, and what they are given."""

from __future__ import annotations

from functools import partial
from typing import Any

import penstock
from penstock import Subscription
from tests.tck.wrong._proc_base import End, Identity, Job, LockStep, tell
from tests.tck.wrong.registry import case

# 1.9, 1.10: below.


@case("processor", "who subscribes after the end hears nothing at all", must="1.9")
def proc_ignores_late_subscribers(buffer_size: int) -> Any:
    class Wrong(Identity):
        def subscribe(self, subscriber: Any) -> None:
            if subscriber is None or self.left is None:
                super().subscribe(subscriber)

    return Wrong(buffer_size)


@case("processor", "who subscribes after the end gets the end, without on_subscribe", must="1.9")
def proc_ends_late_subscribers_without_on_subscribe(buffer_size: int) -> Any:
    class Wrong(Identity):
        def subscribe(self, subscriber: Any) -> None:
            left = self.left
            if subscriber is None or left is None:
                super().subscribe(subscriber)
            else:
                self.guard(partial(tell, subscriber, left))

    return Wrong(buffer_size)


@case("processor", "rejects a second Subscriber without on_subscribe", must="1.9")
def proc_rejects_without_on_subscribe(buffer_size: int) -> Any:
    class Wrong(Identity):
        def subscribe(self, subscriber: Any) -> None:
            if subscriber is not None and self.line is not None and self.left is None:
                subscriber.on_error(RuntimeError("one Subscriber is enough"))
            else:
                super().subscribe(subscriber)

    return Wrong(buffer_size)


@case("processor", "subscribe raises if there is a Subscriber already", must="1.9")
def proc_raises_for_a_second_subscriber(buffer_size: int) -> Any:
    class Wrong(Identity):
        def subscribe(self, subscriber: Any) -> None:
            if subscriber is not None and self.line is not None:
                raise RuntimeError("one Subscriber is enough")
            super().subscribe(subscriber)

    return Wrong(buffer_size)


@case(
    "processor",
    "a second Subscriber takes the place of the first, who is not told",
    must="1.4",
    may="3.8",
)
def proc_replaces_its_subscriber(buffer_size: int) -> Any:
    class Wrong(Identity):
        def subscribe(self, subscriber: Any) -> None:
            if subscriber is not None and self.left is None:
                with self.lock:
                    if self.line is not None:
                        self.line.subscriber = None
                    self.line = None
            super().subscribe(subscriber)

    return Wrong(buffer_size)


@case("processor", "subscribe raises as long as there is no upstream", must="1.9")
def proc_needs_upstream_first(buffer_size: int) -> Any:
    class Wrong(Identity):
        def subscribe(self, subscriber: Any) -> None:
            unconnected = self.up is None and self.end is None and self.left is None
            if subscriber is not None and unconnected:
                raise AttributeError("'NoneType' object has no attribute 'request'")
            super().subscribe(subscriber)

    return Wrong(buffer_size)


@case("processor", "takes None for a Subscriber", must="1.9")
def proc_takes_none_for_a_subscriber(buffer_size: int) -> Any:
    class Wrong(Identity):
        def subscribe(self, subscriber: Any) -> None:
            if subscriber is not None:
                super().subscribe(subscriber)

    return Wrong(buffer_size)


@case("processor", "goes on with a Subscriber that has raised", must="2.13")
def proc_goes_on_with_who_raised(buffer_size: int) -> Any:
    class Wrong(Identity):
        def guard(self, job: Job) -> None:
            try:
                job()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is logged
                penstock.on_dropped_error(error, "a Subscriber")

    return Wrong(buffer_size)


# 2.3, 2.5, 2.13: above.


@case("processor", "keeps a second upstream subscription, and uses the first", must="2.5")
def proc_ignores_a_second_upstream(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_subscribe(self, subscription: Subscription) -> None:
            if subscription is None or self.up is None:
                super().on_subscribe(subscription)

    return Wrong(buffer_size)


@case("processor", "a second upstream subscription replaces the first", must="2.5")
def proc_replaces_its_upstream(buffer_size: int) -> Any:
    class Wrong(LockStep):
        def on_subscribe(self, subscription: Subscription) -> None:
            if subscription is not None and self.left is None:
                with self.lock:
                    self.up = None
                    self.asked = 0
            super().on_subscribe(subscription)

    return Wrong(buffer_size)


@case("processor", "raises when a second upstream comes", must="2.13", may="2.5")
def proc_raises_on_a_second_upstream(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_subscribe(self, subscription: Subscription) -> None:
            if subscription is not None and self.up is not None:
                raise RuntimeError("this processor has its upstream")
            super().on_subscribe(subscription)

    return Wrong(buffer_size)


@case(
    "processor",
    "cancels upstream when it is over, also when upstream has ended",
    must="2.3",
    may="2.4",
)
def proc_cancels_upstream_at_its_end(buffer_size: int) -> Any:
    class Wrong(Identity):
        def ended(self, end: End) -> None:
            with self.lock:
                self.end = self.end or end
                self.wanted = False
            self.wake()

    return Wrong(buffer_size)


@case("processor", "refills its window when upstream has ended, too", must="2.3", may="2.4")
def proc_requests_in_on_complete(buffer_size: int) -> Any:
    class Wrong(Identity):
        def ended(self, end: End) -> None:
            up = self.up
            if up is not None and self.wanted:
                up.request(self.window)
            super().ended(end)

    return Wrong(buffer_size)


@case("processor", "on_error raises when there is no Subscriber to tell", must="2.13", may="1.4")
def proc_raises_without_a_subscriber(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_error(self, error: Exception) -> None:
            if error is not None and self.line is None and self.left is None:
                raise AttributeError("'NoneType' object has no attribute 'on_error'")
            super().on_error(error)

    return Wrong(buffer_size)


@case("processor", "takes None for an element, and leaves it out", must="2.13")
def proc_takes_none_for_an_element(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_next(self, element: Any) -> None:
            if element is not None:
                super().on_next(element)

    return Wrong(buffer_size)


@case("processor", "passes None on like any element", must="2.13")
def proc_passes_none_on(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_next(self, element: Any) -> None:
            with self.lock:
                self.arrived(element)
            self.wake()

    return Wrong(buffer_size)
