"""Correct multicast Publishers to derive wrong ones from: one at each one's pace, one in step."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

from penstock import UNBOUNDED
from tests.tck.wrong._base import Signal, Stream, reject


class Share(Stream):
    """One Subscriber's part in a Hub: `sent` is its position in the shared stream."""

    def __init__(self, hub: Hub, subscriber: Any, position: int) -> None:
        super().__init__(hub.elements, subscriber)
        self.lock = hub.lock
        self.hub = hub
        self.sent = position

    def pull(self, index: int) -> Any:
        return self.hub.element(index)

    def closed(self) -> None:
        self.hub.leave(self)


class Hub:
    """Each Subscriber moves at its own pace; an element is kept until the last one has it.

    Elements are made when the foremost asks for them. A new Subscriber starts with the
    oldest that is kept. When the last one leaves, the next starts a fresh run.
    """

    share: type[Share] = Share
    keep_alive = False

    def __init__(self, elements: int) -> None:
        self.lock = threading.RLock()
        self.elements = elements
        self.shares: list[Share] = []
        self.fresh_run()

    def fresh_run(self) -> None:
        self.source = iter(range(self.elements))
        self.kept: deque[Any] = deque()
        self.oldest = 0

    def subscribe(self, subscriber: Any) -> None:
        if subscriber is None:
            raise TypeError("subscribe(None): rule 1.9 asks for a Subscriber")
        with self.lock:
            twice = self.is_in(subscriber)
            if not twice:
                share = self.join(subscriber)
                self.shares.append(share)
        if twice:
            reject(subscriber, "this Subscriber is subscribed already")
        else:
            share.start()

    def is_in(self, subscriber: Any) -> bool:
        return any(share.subscriber is subscriber for share in self.shares)

    def join(self, subscriber: Any) -> Share:
        return self.share(self, subscriber, self.oldest)

    def element(self, index: int) -> Any:
        with self.lock:
            while index >= self.oldest + len(self.kept):
                self.kept.append(self.produce())
            element = self.kept[index - self.oldest]
            self.trim()
            return element

    def produce(self) -> Any:
        return next(self.source)

    def trim(self) -> None:
        """Forget what all have."""
        needed = min((share.sent for share in self.shares), default=0)
        while self.kept and self.oldest < needed:
            self.kept.popleft()
            self.oldest += 1

    def leave(self, share: Share) -> None:
        with self.lock:
            self.shares = [other for other in self.shares if other is not share]
            self.trim()
            if not self.shares and not self.keep_alive:
                self.fresh_run()


class Seat(Stream):
    """One Subscriber's place in a Choir, which sends all signals but on_subscribe."""

    def __init__(self, choir: Choir, subscriber: Any) -> None:
        super().__init__(UNBOUNDED, subscriber)
        self.lock = choir.lock
        self.choir = choir

    def start(self) -> None:
        self.signal(self.subscriber.on_subscribe, self)
        with self.lock:
            self.busy = False  # from now on it may be signalled
        self.choir.wake()

    def wake(self) -> None:
        self.choir.wake()

    def closed(self) -> None:
        self.choir.leave(self)


class Choir:
    """All Subscribers move in step: an element is made when all have asked, and goes to all."""

    def __init__(self, elements: int) -> None:
        self.lock = threading.RLock()
        self.elements = elements
        self.seats: list[Seat] = []
        self.busy = False
        self.again = False
        self.sent = 0

    def subscribe(self, subscriber: Any) -> None:
        if subscriber is None:
            raise TypeError("subscribe(None): rule 1.9 asks for a Subscriber")
        with self.lock:
            twice = any(seat.subscriber is subscriber for seat in self.seats)
            if not twice:
                seat = Seat(self, subscriber)
                self.enter(seat)
        if twice:
            reject(subscriber, "this Subscriber is subscribed already")
        else:
            seat.start()

    def leave(self, seat: Seat) -> None:
        with self.lock:
            self.forget(seat)
            if not self.seats:
                self.sent = 0
        self.wake()  # the others need not wait for this one any more

    def enter(self, seat: Seat) -> None:
        self.seats.append(seat)

    def forget(self, seat: Seat) -> None:
        self.seats = [other for other in self.seats if other is not seat]

    def wake(self) -> None:
        with self.lock:
            self.again = True
            if self.busy:
                return
            self.busy = True
        self.run()

    def run(self) -> None:
        while True:
            with self.lock:
                if not self.again:
                    self.busy = False
                    return
                self.again = self.plan()
            self.perform()

    def plan(self) -> bool:
        """Decide what to send to whom, and return whether there was anything to do."""
        self.name, self.value, self.audience = "on_next", self.sent, []
        ready = [seat for seat in self.seats if not seat.busy and not seat.over]
        failed = next((seat for seat in ready if seat.error is not None), None)
        if failed is not None:
            self.name, self.value, self.audience = "on_error", failed.error, [failed]
        elif self.sent == self.elements:
            self.name, self.audience = "on_complete", ready
        elif self.seats and all(seat in ready and seat.demand for seat in self.seats):
            self.audience = self.listeners()
            self.sent += 1
        return bool(self.audience)

    def listeners(self) -> list[Seat]:
        return self.seats.copy()

    def perform(self) -> None:
        signal: Signal = self.name, self.value
        for seat in self.audience:
            self.send(seat, signal)
        self.audience = []

    def send(self, seat: Seat, signal: Signal) -> None:
        with self.lock:
            subscriber = seat.subscriber
            if seat.over:
                return
            if signal[0] == "on_next":
                seat.demand -= 1
            else:
                seat.end()
        seat.deliver(subscriber, *signal)
