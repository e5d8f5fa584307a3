"""Streams for the monitor's tests: right ones, and one that does what the test says."""

from __future__ import annotations

import asyncio
import queue
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

from penstock import Publisher, Subscriber, Subscription, Violation

TIMEOUT = 10

# Without the GIL the frames of a running thread are not safe to read: no second position then.
SEES_OTHER_THREADS: bool = getattr(sys, "_is_gil_enabled", lambda: True)()


def ids(found: list[Violation]) -> list[tuple[str, str]]:
    return [(violation.rule, violation.party) for violation in found]


def in_thread(call: Callable[[], object]) -> Callable[[], None]:
    """Run `call` in a thread; return what waits for its end and raises what it raised."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            call()
        except BaseException as error:  # noqa: BLE001
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()

    def join() -> None:
        thread.join(TIMEOUT)
        assert not thread.is_alive()
        if raised:
            raise raised[0]

    return join


class Sink(Subscriber[Any]):
    """Keeps what it receives, and does in each signal what the test says."""

    def __init__(self, **does: Callable[..., object]) -> None:
        self.does = does
        self.log: list[tuple[Any, ...]] = []
        self.subscriptions: list[Subscription] = []
        self.over = threading.Event()

    @property
    def subscription(self) -> Subscription:
        return self.subscriptions[0]

    @property
    def elements(self) -> list[Any]:
        return [entry[1] for entry in self.log if entry[0] == "on_next"]

    def on_subscribe(self, subscription: Subscription, /) -> None:
        self.subscriptions.append(subscription)
        self.take("on_subscribe", subscription)

    def on_next(self, element: Any, /) -> None:
        self.take("on_next", element)

    def on_error(self, error: Exception, /) -> None:
        self.take("on_error", error)
        self.over.set()

    def on_complete(self) -> None:
        self.take("on_complete")
        self.over.set()

    def take(self, signal: str, *args: object) -> None:
        if args == (None,):
            raise TypeError(f"{signal}(None)")
        self.log.append((signal, *args))
        if signal in self.does:
            self.does[signal](self, *args)


class Bare(Publisher[Any], Subscription):
    """Publisher and Subscription in one, with no mind of its own: it may be as wrong as you like.

    `to` is what it was given to signal to; `does` says what `subscribe`, `request` and
    `cancel` do, and by default `subscribe` signals `on_subscribe`.
    """

    def __init__(self, **does: Callable[..., object]) -> None:
        self.does = {"subscribe": lambda bare, to: to.on_subscribe(bare), **does}
        self.to: Any = None
        self.calls: list[tuple[Any, ...]] = []

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        if subscriber is None:
            raise TypeError("subscribe(None)")
        self.to = subscriber
        self.does["subscribe"](self, subscriber)

    def request(self, n: int, /) -> None:
        self.calls.append(("request", n))
        self.does.get("request", lambda *_: None)(self, n)

    def cancel(self) -> None:
        self.calls.append(("cancel",))
        self.does.get("cancel", lambda *_: None)(self)


def bad(n: object) -> bool:
    return not isinstance(n, int) or isinstance(n, bool) or n < 1


class Right(Publisher[Any]):
    """A right publisher of `elements`, on the caller's thread, anew for each subscription."""

    def __init__(self, elements: Iterable[Any], error: Exception | None = None) -> None:
        self.elements = list(elements)
        self.error = error

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        if subscriber is None:
            raise TypeError("subscribe(None)")
        run = RightRun(subscriber, self.elements, self.error)
        subscriber.on_subscribe(run)
        run.opened()


class RightRun(Subscription):
    def __init__(
        self, subscriber: Subscriber[Any], elements: Iterable[Any], error: Exception | None
    ) -> None:
        self.subscriber: Subscriber[Any] | None = subscriber
        self.elements = iter(elements)
        self.error = error
        self.head = next(self.elements, None)
        self.demand = 0
        self.draining = True  # until on_subscribe has returned

    def opened(self) -> None:
        self.draining = False
        self.drain()

    def request(self, n: int, /) -> None:
        if bad(n):
            self.head, self.error = None, ValueError(f"rule 3.9: request({n!r})")
        else:
            self.demand += n
        self.drain()

    def cancel(self) -> None:
        self.subscriber = None

    def drain(self) -> None:
        if self.draining:
            return
        self.draining = True
        try:
            while (to := self.subscriber) is not None:
                if self.head is None:
                    self.subscriber = None
                    if self.error is None:
                        to.on_complete()
                    else:
                        to.on_error(self.error)
                elif self.demand:
                    self.demand -= 1
                    element, self.head = self.head, next(self.elements, None)
                    to.on_next(element)
                else:
                    return
        except Exception:
            self.subscriber = None
            raise
        finally:
            self.draining = False


class Serial(Subscription):
    """Runs a `RightRun` on whatever runs one task after the other."""

    def __init__(
        self, schedule: Callable[[Callable[[], object]], object], subscriber: Any, elements: Any
    ) -> None:
        self.schedule = schedule
        self.run = RightRun(subscriber, elements, None)
        schedule(lambda: (subscriber.on_subscribe(self), self.run.opened()))

    def request(self, n: int, /) -> None:
        self.schedule(lambda: self.run.request(n))

    def cancel(self) -> None:
        self.schedule(self.run.cancel)


class OnThread(Publisher[Any]):
    """A right publisher that signals on a thread of its own."""

    def __init__(self, elements: Iterable[Any]) -> None:
        self.elements = list(elements)
        self.tasks: queue.SimpleQueue[Callable[[], object] | None] = queue.SimpleQueue()
        self.join = in_thread(lambda: [task() for task in iter(self.tasks.get, None)])

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        Serial(self.tasks.put, subscriber, self.elements)

    def close(self) -> None:
        self.tasks.put(None)
        self.join()


class OnLoop(Publisher[Any]):
    """A right publisher that signals on an event loop."""

    def __init__(self, elements: Iterable[Any], loop: asyncio.AbstractEventLoop) -> None:
        self.elements = list(elements)
        self.loop = loop

    def subscribe(self, subscriber: Subscriber[Any], /) -> None:
        Serial(self.loop.call_soon_threadsafe, subscriber, self.elements)


class Queued(Subscriber[Any]):
    """A right subscriber that takes its signals on a thread of its own, and requests there."""

    def __init__(self, batch: int) -> None:
        self.batch = batch
        self.elements: list[Any] = []
        self.ended: list[Any] = []
        self.signals: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self.join = in_thread(self.work)

    def on_subscribe(self, subscription: Subscription, /) -> None:
        self.signals.put(("on_subscribe", subscription))

    def on_next(self, element: Any, /) -> None:
        self.signals.put(("on_next", element))

    def on_error(self, error: Exception, /) -> None:
        self.signals.put(("on_error", error))

    def on_complete(self) -> None:
        self.signals.put(("on_complete", None))

    def work(self) -> None:
        subscription: Any = None
        left = self.batch
        while not self.ended:
            signal, value = self.signals.get(timeout=TIMEOUT)
            if signal == "on_subscribe":
                subscription = value
                subscription.request(self.batch)
            elif signal == "on_next":
                self.elements.append(value)
                left -= 1
                if not left:
                    left = self.batch
                    subscription.request(self.batch)  # perhaps after on_complete was queued
            else:
                self.ended.append((signal, value))
