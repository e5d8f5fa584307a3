"""A publisher of any iterable, run on an executor: `request` only schedules.

Read `range_publisher.py` first: notes, the token and the drain are explained there. What is
new is that the elements come from somebody else's code, an iterator, which may be slow, may
fail, and may hold something open:

* Only the drain opens, pulls and closes it: on the executor, and by one thread at a time.
  So `cancel` does not: closing a generator runs its code, or raises if it is running.
* It is pulled only when an element is asked for (rule 1.1). Looking ahead for its end would
  run its code early, so an iterator completes when it is asked for one more than it has. A
  sequence completes with its last element, by its length (R.4); the `len` of other objects
  may count something else than their elements.
* The executor may have shut down. Then the holder of the token drains, on whatever thread
  that is, and the stream ends with on_error; nobody gets an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from threading import RLock, Thread
from typing import Generic, TypeVar

import penstock
from penstock import UNBOUNDED, Publisher, Subscriber, Subscription

__all__ = ["IterablePublisher"]

T = TypeVar("T")


class IterablePublisher(Publisher[T], Generic[T]):
    """Publishes what `iterable_factory()` gives, anew for every subscriber.

    After `on_subscribe` all happens on `executor`; one worker is busy while there is demand.
    An iterator's `close`, if it has one, is called once, before the end is signalled.
    """

    def __init__(self, iterable_factory: Callable[[], Iterable[T]], executor: Executor) -> None:
        self.iterable_factory = iterable_factory
        self.executor = executor

    def subscribe(self, subscriber: Subscriber[T]) -> None:
        """Run the iterable for `subscriber`. Raises `TypeError` for None (rule 1.9)."""
        if subscriber is None:
            raise TypeError("rule 1.9: the subscriber must not be None")
        _IterableSubscription(self, subscriber).start()


class _IterableSubscription(Subscription, Generic[T]):
    def __init__(self, source: IterablePublisher[T], subscriber: Subscriber[T]) -> None:
        self._source = source
        self._lock = RLock()  # re-entrant for finalisers and signal handlers that cancel
        # Under the lock:
        self._subscriber: Subscriber[T] | None = subscriber  # None: it is over
        self._demand = 0
        self._mistake: ValueError | None = None
        self._busy = True  # the token; taken from birth, for on_subscribe
        self._finished = False
        # For the holder of the token alone:
        self._iterable: Iterable[T] | None = None
        self._iterator: Iterator[T] | None = None
        self._pulled = 0
        self._ended = False
        self._failure: Exception | None = None

    def start(self) -> None:
        """Send on_subscribe, then have the rest done on the executor."""
        self._send(lambda subscriber: subscriber.on_subscribe(self))
        self._schedule()

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
            if self._busy:
                return
            self._busy = True
        self._schedule()

    def cancel(self) -> None:
        """End the run before its next signal; the executor closes the iterator."""
        with self._lock:
            # Keep the name: a last reference must not die, and run user code, in the lock.
            _forgotten, self._subscriber = self._subscriber, None
            if self._busy or self._finished:
                return  # the drain will see it, or there is nothing left to close
            self._busy = True
        self._schedule()

    def _schedule(self) -> None:
        """Hand the token to a drain on the executor."""
        try:
            future = self._source.executor.submit(self._drain)
        except Exception as error:  # noqa: BLE001 - it has shut down, or lost its threads
            self._give_up(error)
        else:
            future.add_done_callback(self._see_how_it_went)

    def _see_how_it_went(self, future: Future[None]) -> None:
        """Notice a drain that never ran, as the executor's shutdown can cancel it."""
        error = CancelledError() if future.cancelled() else future.exception()
        if error is not None:  # not here: the executor may be holding a lock of its own
            Thread(target=self._give_up, args=(error,)).start()

    def _give_up(self, cause: BaseException) -> None:
        if self._subscriber is not None:  # else it has cancelled, and this is to close
            self._failure = RuntimeError("the executor of this publisher does no more work")
            self._failure.__cause__ = cause
        self._drain()

    def _drain(self) -> None:
        """Do what there is to do, one step after the other. The caller has the token."""
        while (step := self._next_step()) is not None:
            try:
                step()
                if isinstance(self._iterable, Sequence) and not self._ended:
                    self._ended = self._pulled >= len(self._iterable)
            except Exception as error:  # noqa: BLE001 - the source failed (rule 1.4)
                self._failure = error
            except BaseException as error:  # noqa: BLE001 - on_error takes Exceptions only
                self._failure = RuntimeError(f"the iterable raised {type(error).__name__}")
                self._failure.__cause__ = error

    def _next_step(self) -> Callable[[], None] | None:
        """Decide what is to be done next; give the token back if it is nothing."""
        with self._lock:
            if not self._finished:
                failed = (self._mistake or self._failure) is not None
                if failed or self._ended or self._subscriber is None:
                    self._finished = True
                    return self._finish
                if self._iterator is None:
                    return self._open
                if self._demand > 0:
                    if self._demand < UNBOUNDED:
                        self._demand -= 1
                    return self._pull
            self._busy = False
            return None

    def _open(self) -> None:
        """Open the source, before any demand: a source that can't be opened says so now."""
        self._iterable = self._source.iterable_factory()
        self._iterator = iter(self._iterable)

    def _pull(self) -> None:
        assert self._iterator is not None  # noqa: S101 - for the type checker
        try:
            element = next(self._iterator)
        except StopIteration:
            self._ended = True
            return
        if element is None:
            raise TypeError("rule 2.13: the iterable gave None, which is no element")
        self._send(lambda subscriber: subscriber.on_next(element))
        self._pulled += 1

    def _finish(self) -> None:
        """Close the source, then tell the subscriber how it ended, unless it cancelled."""
        try:
            getattr(self._iterator, "close", lambda: None)()
        except BaseException as error:  # noqa: BLE001 - how the stream ends is settled
            penstock.on_dropped_error(error, "IterablePublisher, closing its source")
        self._iterable = self._iterator = None
        outcome = self._mistake or self._failure
        self._failure = None  # its traceback refers to us: leave no cycle
        if outcome is None:
            self._send(lambda subscriber: subscriber.on_complete(), last=True)
        elif not self._send(lambda subscriber: subscriber.on_error(outcome), last=True):
            penstock.on_dropped_error(outcome, "IterablePublisher, which was cancelled")

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
        except BaseException as error:  # noqa: BLE001 - rule 2.13: it can't be told itself
            self.cancel()
            penstock.on_dropped_error(error, "IterablePublisher, whose subscriber raised")
        return True


def _mistake(n: object) -> ValueError | None:
    """Say what is wrong with a request for `n`, if anything is (rules 3.9 and R.10)."""
    if isinstance(n, int) and not isinstance(n, bool) and n >= 1:
        return None
    return ValueError(f"rule 3.9: request takes an int of at least 1, not this {type(n).__name__}")
