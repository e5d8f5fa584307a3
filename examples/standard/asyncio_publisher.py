"""A publisher of any async iterable, driven on an event loop.

Read `range_publisher.py` first. Here the drain is a task: one per subscription, from its
opening to its close, as an async generator may rely on running in one task (its timeouts,
task groups and context variables do). The task pulls one element when one is demanded, and
sleeps when none is. `request` and `cancel` may come from any thread, and touch the task only
by way of `call_soon_threadsafe`:

* A request that finds the task asleep wakes it. `_asleep` is written under the same lock as
  the demand, so the task can't fall asleep on a request that it has not seen.
* A cancel interrupts a pull, as nobody wants that element any more; so does a request that
  breaks rule 3.9. Nothing else is interrupted, the closing least of all.
* A closed loop runs nothing, so whoever notices ends the stream with on_error: no other
  signal can be under way, as it would be sent by the loop.
"""

from __future__ import annotations

import asyncio
from asyncio import AbstractEventLoop
from collections.abc import AsyncIterable, Callable
from threading import RLock
from typing import Final, Generic, TypeVar

import penstock
from penstock import UNBOUNDED, Publisher, Subscriber, Subscription

__all__ = ["AsyncIterablePublisher"]

T = TypeVar("T")

TURN: Final = 256  # elements after which other tasks get a turn


class AsyncIterablePublisher(Publisher[T], Generic[T]):
    """Publishes what `async_iterable_factory()` gives, anew for every subscriber.

    After `on_subscribe` all happens on `loop`. An iterator's `aclose`, if it has one, is
    called once, before the end is signalled; if it raises, that is the end.
    """

    def __init__(
        self, async_iterable_factory: Callable[[], AsyncIterable[T]], loop: AbstractEventLoop
    ) -> None:
        self.async_iterable_factory = async_iterable_factory
        self.loop = loop

    def subscribe(self, subscriber: Subscriber[T]) -> None:
        """Run the iterable for `subscriber`. Raises `TypeError` for None (rule 1.9)."""
        if subscriber is None:
            raise TypeError("rule 1.9: the subscriber must not be None")
        _AsyncSubscription(self, subscriber).start()


class _AsyncSubscription(Subscription, Generic[T]):
    def __init__(self, source: AsyncIterablePublisher[T], subscriber: Subscriber[T]) -> None:
        self._source = source
        self._lock = RLock()  # re-entrant for finalisers and signal handlers that cancel
        # Under the lock:
        self._subscriber: Subscriber[T] | None = subscriber  # None: it is over
        self._demand = 0
        self._mistake: ValueError | None = None
        self._started = False  # on_subscribe has returned, so that other signals may come
        self._asleep = False  # the task waits to be woken; whoever clears this wakes it
        # On the loop alone, like the methods from `_interrupt` on:
        self._task: asyncio.Task[None] | None = None
        self._pulling = False
        self._wake = asyncio.Event()

    def start(self) -> None:
        """Send on_subscribe, then have the rest done on the loop."""
        self._send(lambda subscriber: subscriber.on_subscribe(self))
        with self._lock:
            self._started = self._asleep = True
        self._on_loop(self._launch)

    def request(self, n: int) -> None:
        """Add `n` to the demand. Raises nothing, and waits for nothing."""
        mistake = _mistake(n)
        with self._lock:
            if self._subscriber is None:
                return  # rule 3.6
            if mistake is None:
                self._demand = min(self._demand + n, UNBOUNDED)
            elif self._mistake is None:
                self._mistake = mistake
            wake = self._asleep or (mistake is not None and self._started)
            self._asleep = False
        if wake:
            self._on_loop(self._wake.set if mistake is None else self._interrupt)

    def cancel(self) -> None:
        """End the run before its next signal; the loop closes the iterator."""
        with self._lock:
            # Keep the name: a last reference must not die, and run user code, in the lock.
            _forgotten, self._subscriber = self._subscriber, None
            if _forgotten is None or not self._started:
                return
        self._on_loop(self._interrupt)

    def _on_loop(self, callback: Callable[[], object]) -> None:
        try:
            self._source.loop.call_soon_threadsafe(callback)
        except RuntimeError as error:
            self._end(error)  # it is closed, and says so

    def _interrupt(self) -> None:
        """Stop the sleep or the pull of the task, if it is in one."""
        self._wake.set()
        if self._task is not None and self._pulling:
            self._pulling = False  # once: a second time would hit the iterator's clean-up
            self._task.cancel()

    def _launch(self) -> None:
        if self._subscriber is not None:  # else it has cancelled already: open nothing
            self._task = self._source.loop.create_task(self._run())
            self._task.add_done_callback(self._see_how_it_went)

    async def _run(self) -> None:
        """Open the source, before any demand; pull and send what is wanted; close."""
        iterator = aiter(self._source.async_iterable_factory())
        close = getattr(iterator, "aclose", None)
        sent = 0
        try:
            while await self._wanted():
                self._pulling = True
                element = await anext(iterator)
                self._pulling = False
                if element is None:
                    raise TypeError("rule 2.13: the iterable gave None, which is no element")
                self._send(lambda subscriber: subscriber.on_next(element))  # noqa: B023 - now
                sent += 1
                if sent % TURN == 0:
                    await asyncio.sleep(0)
        except StopAsyncIteration:
            return
        except GeneratorExit:
            close = None  # the loop was given up with us asleep: there is no awaiting any more
            raise
        finally:
            self._pulling = False
            if close is not None:
                await close()

    async def _wanted(self) -> bool:
        """Wait for demand. False: the subscription is over."""
        while True:
            with self._lock:
                if self._subscriber is None or self._mistake is not None:
                    return False
                if self._demand > 0:
                    if self._demand < UNBOUNDED:
                        self._demand -= 1
                    return True
                self._wake.clear()
                self._asleep = True
            await self._wake.wait()

    def _see_how_it_went(self, task: asyncio.Task[None]) -> None:
        """Tell the subscriber of the end, unless it brought it about itself."""
        self._task = None  # it refers to us: leave no cycle
        by_us = self._subscriber is None or self._mistake is not None
        cancelled = None if by_us else asyncio.CancelledError()
        self._end(cancelled if task.cancelled() else task.exception())

    def _end(self, error: BaseException | None) -> None:
        if error is not None and not isinstance(error, Exception):
            cause, error = error, RuntimeError(f"stopped by {type(error).__name__}")
            error.__cause__ = cause
        outcome = self._mistake or error
        if outcome is None:
            self._send(lambda subscriber: subscriber.on_complete(), last=True)
        elif not self._send(lambda subscriber: subscriber.on_error(outcome), last=True):
            penstock.on_dropped_error(outcome, "AsyncIterablePublisher, which was cancelled")

    def _send(self, signal: Callable[[Subscriber[T]], None], *, last: bool = False) -> bool:
        """Send one signal, if the subscriber did not cancel; if it raises, it gets no other."""
        with self._lock:
            subscriber = self._subscriber
            if last:
                self._subscriber = None  # rule 1.6: it counts as cancelled from here on
        if subscriber is None:
            return False
        try:
            signal(subscriber)
        except (KeyboardInterrupt, SystemExit):
            self.cancel()
            raise  # no fault of the subscriber's: somebody wants the program to end
        except BaseException as error:  # noqa: BLE001 - rule 2.13: it can't be told itself
            self.cancel()
            penstock.on_dropped_error(error, "AsyncIterablePublisher, whose subscriber raised")
        return True


def _mistake(n: object) -> ValueError | None:
    """Say what is wrong with a request for `n`, if anything is (rules 3.9 and R.10)."""
    if isinstance(n, int) and not isinstance(n, bool) and n >= 1:
        return None
    return ValueError(f"rule 3.9: request takes an int of at least 1, not this {type(n).__name__}")
