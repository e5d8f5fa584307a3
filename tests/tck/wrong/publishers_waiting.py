"""Wrong Publishers: request or cancel waits; locks are held across signals."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from threading import get_ident
from typing import Any

from tests.tck.wrong._base import Source, Stream, Worker, hang
from tests.tck.wrong.registry import case

GIVE_UP = 30.0


class WaitsForDelivery(Worker):
    """Has `request` return when the worker has delivered what was requested."""

    delivered = asked = 0

    def add(self, n: int) -> None:
        super().add(n)
        self.asked += n

    def deliver_element(self, subscriber: Any, index: int) -> None:
        super().deliver_element(subscriber, index)
        with self.lock:
            self.delivered += 1
            self.news.notify_all()

    def request(self, n: Any) -> None:
        super().request(n)
        if self.thread is None or get_ident() == self.thread.ident:
            return  # it would wait for itself
        until = time.monotonic() + GIVE_UP
        with self.lock:
            mine = self.asked
            while self.delivered < mine and not self.over and not self.released.is_set():
                if not self.news.wait(0.05) and time.monotonic() > until:
                    return


@case(
    "publisher",
    "request waits until the worker has delivered, on_next included",
    must="R.8",
    may="3.4",
)
def request_waits_for_delivery(elements: int) -> Source:
    return Source(elements, WaitsForDelivery)


class ConnectsOnRequest(Worker):
    connected = False

    def wake(self) -> None:
        if not self.connected:
            self.connected = True
            hang(0.3)
        super().wake()


@case("publisher", "the first request connects, which takes 300 ms", must="3.4", may="R.8")
def request_sleeps(elements: int) -> Source:
    return Source(elements, ConnectsOnRequest)


class Stuck(Stream):
    def wake(self) -> None:
        hang(GIVE_UP)
        super().wake()


@case("publisher", "request waits for an answer that never comes", must="3.4", may="R.8")
def request_hangs(elements: int) -> Source:
    return Source(elements, Stuck)


class Locked(Stream):
    """Locks what it does with a lock of its own."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.signalling: Any = self.make_lock()

    def make_lock(self) -> Any:
        return threading.RLock()

    @contextlib.contextmanager
    def holding(self) -> Iterator[None]:
        until = time.monotonic() + GIVE_UP
        while not self.signalling.acquire(timeout=0.05):
            if self.released.is_set() or time.monotonic() > until:
                raise SystemExit  # the way out of what would be stuck for ever
        try:
            yield
        finally:
            self.signalling.release()

    def deliver_element(self, subscriber: Any, index: int) -> None:
        with self.holding():
            super().deliver_element(subscriber, index)


class LocksRequest(Locked, Worker):
    def request(self, n: Any) -> None:
        with self.holding():
            super().request(n)


@case("publisher", "request waits while on_next runs on another thread", must="R.8", may="3.4")
def request_waits_for_on_next(elements: int) -> Source:
    return Source(elements, LocksRequest)


class LocksRequestWithLock(Locked):
    def make_lock(self) -> Any:
        return threading.Lock()

    def request(self, n: Any) -> None:
        with self.holding():
            self.super_request(n)
        self.wake()

    def super_request(self, n: Any) -> None:
        with self.lock:
            if not self.over:
                self.accept(n)


@case(
    "publisher",
    "holds a Lock, which is not re-entrant, while it signals, so that request deadlocks",
    must="3.2",
    may="3.4 R.8",
)
def request_in_on_next_deadlocks(elements: int) -> Source:
    return Source(elements, LocksRequestWithLock)


class LocksCancel(Locked):
    def cancel(self) -> None:
        with self.holding():
            super().cancel()


@case("publisher", "cancel waits while on_next runs on another thread", must="3.5", may="R.8")
def cancel_waits_for_on_next(elements: int) -> Source:
    return Source(elements, LocksCancel)


class LocksCancelWithLock(LocksCancel):
    def make_lock(self) -> Any:
        return threading.Lock()


@case(
    "publisher",
    "holds a Lock, which is not re-entrant, while it signals, so that cancel deadlocks",
    must="3.5",
    may="R.8",
)
def cancel_in_on_next_deadlocks(elements: int) -> Source:
    return Source(elements, LocksCancelWithLock)


class JoinsWorker(Worker):
    def cancel(self) -> None:
        super().cancel()
        thread, until = self.thread, time.monotonic() + GIVE_UP
        if thread is None or thread is threading.current_thread():
            return
        while thread.is_alive() and not self.released.is_set() and time.monotonic() < until:
            thread.join(0.05)


@case("publisher", "cancel joins the worker, which may be in on_next", must="3.5", may="R.8")
def cancel_joins_the_worker(elements: int) -> Source:
    return Source(elements, JoinsWorker)


class SlowToClose(Stream):
    def cancel(self) -> None:
        if not self.over:
            hang(0.3)
        super().cancel()


@case("publisher", "cancel says good-bye to a server first, for 300 ms", must="3.5", may="R.8")
def cancel_sleeps(elements: int) -> Source:
    return Source(elements, SlowToClose)


class NeverCloses(Stream):
    def cancel(self) -> None:
        if not self.over:
            hang(GIVE_UP)
        super().cancel()


@case("publisher", "cancel waits for an answer that never comes", must="3.5", may="R.8")
def cancel_hangs(elements: int) -> Source:
    return Source(elements, NeverCloses)
