"""A synchronous publisher: the integers of a range, on the thread that asks for them.

Read this one first. All the other publishers here are the same three thoughts again:

*One drain.* `request` and `cancel` may come from any thread, and from inside the signals
that we are sending. So they signal nothing themselves: they write down what they want and
make sure that somebody is *draining*, which means sending signals one after the other until
there is nothing left to do. The flag `_draining` is a token. Whoever sets it drains; whoever
finds it set goes home, because the drainer looks at the notes again before it stops. This
keeps signals serial (rule 1.3) and makes `request` inside `on_next` cost no stack (3.3).

*Decide under the lock, act outside.* The drainer reads the notes, and gives the token back
if there are none, in one locked step. A note is therefore either seen by that step or
written after the token was free, when its writer takes the token: nothing is missed.
The signal itself is sent without the lock, so that no one ever waits for a subscriber.

*Forget the subscriber when it is over.* A subscription without a subscriber is a finished
one; there is no other flag for that, and nothing is left that could keep it alive (3.13).
"""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock

import penstock
from penstock import UNBOUNDED, Publisher, Subscriber, Subscription

__all__ = ["RangePublisher"]


class RangePublisher(Publisher[int]):
    """Publishes `start`, `start + 1`, ... up to, not including, `stop`.

    Every subscriber gets the whole range, at its own pace. All signals come on the threads
    that call `subscribe` and `request`.
    """

    def __init__(self, start: int, stop: int) -> None:
        self._start = start
        self._stop = stop

    def subscribe(self, subscriber: Subscriber[int]) -> None:
        """Run the range for `subscriber`. Raises `TypeError` for None (rule 1.9)."""
        if subscriber is None:
            raise TypeError("rule 1.9: the subscriber must not be None")
        _RangeSubscription(self._start, self._stop, subscriber).start()


class _RangeSubscription(Subscription):
    """One run. The fields are read and written under the lock only."""

    def __init__(self, start: int, stop: int, subscriber: Subscriber[int]) -> None:
        # Re-entrant, because a signal handler or a finaliser may call `cancel` on a thread
        # that is at this moment inside one of our locked steps.
        self._lock = RLock()
        self._subscriber: Subscriber[int] | None = subscriber  # None: it is over
        self._position = start
        self._stop = stop
        self._demand = 0
        self._error: ValueError | None = None
        # Taken from birth, for on_subscribe: nothing may overtake it, not even if another
        # thread requests while it is still running.
        self._draining = True

    def start(self) -> None:
        """Send on_subscribe, then whatever it asked for; an empty range ends here (R.4)."""
        subscriber = self._subscriber
        assert subscriber is not None  # noqa: S101 - nobody knows this object yet
        self._send(lambda: subscriber.on_subscribe(self))
        self._drain()

    def request(self, n: int) -> None:
        """Add `n` to the demand, and deliver what can be delivered. Raises nothing."""
        mistake = _mistake(n)
        with self._lock:
            if self._subscriber is None:
                return  # rule 3.6
            if mistake is None:
                self._demand = min(self._demand + n, UNBOUNDED)  # rules 3.8 and 3.17
            elif self._error is None:
                self._error = mistake
            if self._draining:
                return
            self._draining = True
        self._drain()

    def cancel(self) -> None:
        """End the run before its next signal. Raises nothing."""
        with self._lock:
            # Keep the name: a last reference must not die, and run user code, in the lock.
            _forgotten, self._subscriber = self._subscriber, None

    def _drain(self) -> None:
        """Send signals until there are none to send. The caller has the token."""
        while (signal := self._next_signal()) is not None:
            self._send(signal)

    def _next_signal(self) -> Callable[[], None] | None:
        """Decide what is to be sent next; give the token back if it is nothing.

        The lambdas also keep the look-up of the subscriber's methods out of the lock.
        """
        with self._lock:
            subscriber = self._subscriber
            if subscriber is not None:
                if (error := self._error) is not None:
                    self._subscriber = None  # rule 1.6: it counts as cancelled from here on
                    return lambda: subscriber.on_error(error)
                if self._position >= self._stop:  # no demand is needed to complete (R.4)
                    self._subscriber = None
                    return lambda: subscriber.on_complete()  # noqa: PLW0108
                if self._demand > 0:
                    if self._demand < UNBOUNDED:  # else it has no end: stop counting
                        self._demand -= 1
                    element = self._position
                    self._position += 1
                    return lambda: subscriber.on_next(element)
            self._draining = False
            return None

    def _send(self, signal: Callable[[], None]) -> None:
        """Send one signal; a subscriber that raises gets no other (rule 2.13)."""
        try:
            signal()
        except (KeyboardInterrupt, SystemExit):
            self.cancel()
            raise  # no fault of the subscriber's: somebody wants the program to end
        except BaseException as error:  # noqa: BLE001 - there is no other place to report it
            self.cancel()
            penstock.on_dropped_error(error, "RangePublisher, whose subscriber raised")


def _mistake(n: object) -> ValueError | None:
    """Say what is wrong with a request for `n`, if anything is (rules 3.9 and R.10)."""
    if isinstance(n, int) and not isinstance(n, bool) and n >= 1:
        return None
    return ValueError(f"rule 3.9: request takes an int of at least 1, not this {type(n).__name__}")
