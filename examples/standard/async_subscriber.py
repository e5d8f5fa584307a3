"""A subscriber that works on an executor: its signals only queue, and return at once.

Use this shape when the work on an element would hold up the publisher (rule 2.2). Read
`sync_subscriber.py` first; the methods to write are the same, the inside differs:

* A signal is put in the inbox. Whoever finds the token `_busy` free takes it and has one
  drain run on the executor, which works on the inbox until it is empty. So signals are
  processed one at a time and in order, on whatever threads the executor has, and the lock
  around the inbox publishes them from thread to thread (rule 2.11).
* Only the drain calls the subscription: those calls are serial (2.7) for free.
* It asks for elements in batches and refills at half, so the publisher is not kept waiting
  for each of them, and the inbox never holds more than one batch (1.1).
"""

from __future__ import annotations

from abc import abstractmethod
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from functools import partial
from threading import RLock, Thread
from typing import Final, Generic, TypeVar

import penstock
from penstock import Subscriber, Subscription

__all__ = ["AsyncSubscriber"]

T = TypeVar("T")

BATCH: Final = 8


class AsyncSubscriber(Subscriber[T], Generic[T]):
    """A base to extend. The `when_...` methods are called on the executor, one at a time."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._lock = RLock()  # re-entrant for finalisers and signal handlers that shut down
        self._inbox: deque[Callable[[], None]] = deque()
        self._busy = False  # the token: a drain is running, or about to
        # Two flags that the drain reads without the lock: at worst it sees what was true a
        # moment ago, and what set them is in the inbox as well.
        self._over = False  # nothing more is to be worked on
        self._ended = False  # on_error or on_complete has come, though not yet its turn
        # For the drain alone:
        self._subscription: Subscription | None = None
        self._on_the_way = 0

    @abstractmethod
    def when_next(self, element: T) -> bool:
        """Work on `element`; say True for more, False to cancel.

        Raising cancels as well, and gives the exception to `when_error`.
        """

    def when_complete(self) -> None:
        """Hear that the stream ended well. Does nothing, unless you write it."""

    def when_error(self, error: Exception) -> None:
        """Hear that the stream, or `when_next`, failed. Reports it, unless you write it."""
        penstock.on_dropped_error(error, type(self).__name__)

    def shut_down(self) -> None:
        """Want no more: skip what is in the inbox and cancel (rules 2.6 and R.9)."""
        self._over = True
        self._put(self._cancel)

    def on_subscribe(self, subscription: Subscription) -> None:
        """Queue the subscription: the first one is kept, any other cancelled (rule 2.5)."""
        if subscription is None:
            raise TypeError("rule 2.13: the subscription must not be None")
        self._put(partial(self._begin, subscription))

    def on_next(self, element: T) -> None:
        """Queue `element`."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        self._put(partial(self._work, element))

    def on_error(self, error: Exception) -> None:
        """Queue the end. From now on the subscription is not called again (rule 2.4)."""
        if error is None:
            raise TypeError("rule 2.13: the error must not be None")
        self._ended = True
        self._put(partial(self._fail, error))

    def on_complete(self) -> None:
        """Queue the end. From now on the subscription is not called again (rule 2.4)."""
        self._ended = True
        self._put(self._complete)

    def _put(self, task: Callable[[], None]) -> None:
        with self._lock:
            self._inbox.append(task)
            if self._busy:
                return
            self._busy = True
        try:
            future = self._executor.submit(self._drain)
        except Exception as error:  # noqa: BLE001 - it has shut down, or lost its threads
            self._give_up(error)
        else:
            future.add_done_callback(self._see_how_it_went)

    def _see_how_it_went(self, future: Future[None]) -> None:
        """Notice a drain that never ran, as the executor's shutdown can cancel it."""
        error = CancelledError() if future.cancelled() else future.exception()
        if error is not None:  # not here: the executor may be holding a lock of its own
            Thread(target=self._give_up, args=(error,)).start()

    def _give_up(self, error: BaseException) -> None:
        """Without an executor nothing can be worked on: cancel. The caller has the token."""
        if not self._over:
            penstock.on_dropped_error(error, f"{type(self).__name__}, whose executor is gone")
        self._stop_and_cancel()
        self._drain()

    def _stop_and_cancel(self) -> None:
        with self._lock:
            self._over = True
            self._inbox.append(self._cancel)

    def _drain(self) -> None:
        """Work on the inbox until it is empty. The caller has the token."""
        while True:
            with self._lock:
                if not self._inbox:
                    self._busy = False
                    return
                task = self._inbox.popleft()
            try:
                task()
            except BaseException as error:  # noqa: BLE001 - there is no one to pass it on to
                self._stop_and_cancel()
                penstock.on_dropped_error(error, type(self).__name__)

    # What follows runs in the drain.

    def _begin(self, subscription: Subscription) -> None:
        if self._over or self._subscription is not None:
            subscription.cancel()  # rule 2.5
        else:
            self._subscription = subscription
            self._refill()

    def _work(self, element: T) -> None:
        if self._over:
            return  # it was on its way when we cancelled (rule 2.8)
        self._on_the_way -= 1
        try:
            more = bool(self.when_next(element))
        except Exception as error:  # noqa: BLE001 - it has to be told to when_error
            self._fail(error)
        else:
            if more:
                self._refill()
            else:
                self._cancel()

    def _fail(self, error: Exception) -> None:
        if self._over:
            where = f"{type(self).__name__}, which was over already"
            penstock.on_dropped_error(error, where)
        else:
            self._cancel()
            self.when_error(error)

    def _complete(self) -> None:
        if not self._over:
            self._cancel()
            self.when_complete()

    def _refill(self) -> None:
        """Ask for the rest of a batch when half of it is used up."""
        subscription, n = self._subscription, BATCH - self._on_the_way
        if subscription is not None and n >= BATCH // 2 and not self._ended:
            self._on_the_way = BATCH
            subscription.request(n)

    def _cancel(self) -> None:
        """Be over and forget the subscription; cancel it, if the publisher has not ended."""
        self._over = True
        subscription, self._subscription = self._subscription, None
        if subscription is not None and not self._ended:
            try:
                subscription.cancel()
            except Exception as error:  # noqa: BLE001 - rule 3.15 says that it never raises
                penstock.on_dropped_error(error, type(self).__name__)
