"""Where a Publisher's elements enter a segment: a bounded buffer, and the demand for it.

Invariants:

* Who adds to `buffer`, or sets `done`, does so before looking at the pump's `idle`; the pump
  looks at `ready` after it has set `idle`.
* `done` is set after the last element was added, and read before the buffer is: an end that is
  seen has nothing behind it.
* One thread at a time requests upstream, or cancels, outside of every lock: whoever set `_asking`.
  What is noted meanwhile (`_to_ask`, `closed`) is its to do before it lets go. Only `close` cancels
  beside it, where that is safe.
* `_asked - _taken` is what is under way, waits or is in hand; asking never takes it beyond
  `window`. Only the pump's owner counts.
"""

from __future__ import annotations

from operator import length_hint
from threading import RLock, get_ident
from typing import Any

import penstock
from penstock.api import Publisher, Subscription
from penstock.runtime._compile import EMPTY, INPUT
from penstock.runtime._iterables import SLICE, certainly_empty
from penstock.runtime._pump import Pump

__all__ = ["Inlet"]


class Inlet:
    """The Subscriber upstream of a segment, and the head of it, or a part of its head.

    At most `window` elements are under way or in here. If it is `coupled`, it asks for no more
    than there is demand for downstream; else it keeps the window full, refilling at half, from
    the first demand on.

    `next`, `ended` and `close` are called by the owner of the pump; signals come from anywhere.
    """

    __slots__ = (
        "_asked",
        "_asker",
        "_asking",
        "_at_once",
        "_batch",
        "_in_hand",
        "_lock",
        "_own",
        "_seen",
        "_subscription",
        "_taken",
        "_to_ask",
        "_told",
        "alarms",
        "buffer",
        "closed",
        "coupled",
        "done",
        "dropped",
        "error",
        "high",
        "pump",
        "window",
    )

    def __init__(
        self, pump: Pump, window: int, *, coupled: bool = False, alarms: bool = True
    ) -> None:
        self.pump: Pump = pump
        self.window: int = window
        self.coupled: bool = coupled
        self.alarms: bool = alarms
        """Whether an error ends the segment without waiting for demand (R.7)."""
        self.buffer: list[Any] = []
        self.done: bool = False
        self.error: Exception | None = None
        self.closed: bool = False
        self.high: int = 0
        self.dropped: int = 0
        self._batch: Any = None
        self._at_once = min(SLICE, max(1, window // 2))
        self._in_hand = 0
        self._taken = 0
        self._asked = 0
        self._to_ask = 0
        self._asking = False
        self._asker = 0
        self._own = False
        self._seen = -1
        self._told = False
        self._subscription: Subscription | None = None
        self._lock = RLock()

    # The Subscriber's signals.

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Keep the first subscription; cancel any other (rule 2.5)."""
        if subscription is None:
            raise TypeError("rule 2.13: the subscription must not be None")
        with self._lock:
            welcome = self._subscription is None and not self.closed and not self.done
            if welcome:
                self._subscription = subscription
        if not welcome:
            subscription.cancel()
            return
        self.settle()

    def on_next(self, element: Any, /) -> None:
        """Take one element in."""
        if element is None:
            raise TypeError("rule 2.13: an element must not be None")
        self.buffer.append(element)
        if self.pump.idle:
            self.arrived()

    def arrived(self) -> None:
        """Wake whom the buffer was empty for. Whoever adds to it calls this if `pump.idle`."""
        if self.pump.idle == INPUT:
            self.pump.wake()
        elif self.closed:
            self.buffer.clear()

    def on_error(self, error: Exception, /) -> None:
        """Learn that upstream failed."""
        if error is None:
            raise TypeError("rule 2.13: the error must not be None")
        self._end(error)

    def on_complete(self) -> None:
        """Learn that upstream is through."""
        self._end(None)

    def _end(self, error: Exception | None) -> None:
        with self._lock:
            if self.done or self.closed:
                dropped = error
            else:
                dropped = None
                self.error = error
                if error is not None and self.alarms:
                    self.pump.alarm = error
                self.done = True
                self._subscription = None
        if dropped is not None:
            penstock.on_dropped_error(dropped, "a stream that was over")
        else:
            self.pump.wake()

    # The head's side.

    def next(self) -> Any:
        """Return what has come in, EMPTY if nothing has, None if nothing will."""
        done = self.done  # before the buffer: what came in, came before the end
        buffer = self.buffer
        n = len(buffer)
        if n > self.high:
            self.high = n
        self._taken += self._in_hand
        if not n:
            self._in_hand = 0
            if done:
                self._told = True
                if self.error is not None:
                    raise self.error
                return None
            self._ask()
            return EMPTY
        if not done:
            self._ask()
        n = min(n, self._at_once)
        batch = buffer[:n]
        del buffer[:n]
        self._in_hand = n
        self._batch = iter(batch)
        return self._batch

    def ready(self) -> bool:
        """Return whether `next` has something new to say."""
        return bool(self.buffer) or (self.done and not self._told)

    def lost(self) -> int:
        """Return how many elements came in and will not be emitted, if it ends now."""
        lost = len(self.buffer) + (0 if self._batch is None else length_hint(self._batch))
        self.dropped += lost
        return lost

    def news(self) -> bool:
        """Return whether it is `ready`, and something has come in since this was asked last."""
        if not self.ready():
            return False
        if self.__class__ is not Inlet:
            return True  # `next` of its own keeps other books
        come = self._taken + self._in_hand + len(self.buffer) + self.done
        if come == self._seen:
            return False
        self._seen = come
        return True

    def ended(self) -> bool:
        """Return whether upstream is through and all of it was taken."""
        return (
            self.done
            and self.error is None
            and not self.buffer
            and (self._batch is None or certainly_empty(self._batch))
        )

    def _ask(self) -> None:
        """Note how many more to request; `settle` does it, outside of the drain."""
        target = self.window
        if self.coupled:
            target = min(target, self.pump.demand())
        under_way = self._asked - self._taken
        if under_way > target >> 1:
            return
        more = target - under_way
        if more > 0:
            self._asked += more
            with self._lock:
                self._to_ask += more

    def settle(self) -> None:
        """Request upstream what was noted: one thread at a time (rule 2.7)."""
        if not self._to_ask and not self.closed:
            return
        with self._lock:
            subscription = self._subscription
            if self._asking or subscription is None:
                return
            self._asking = True
            self._asker = get_ident()
        while True:
            with self._lock:
                n, self._to_ask = self._to_ask, 0
                closed = self.closed
                if not n or closed or self.done:
                    self._asking = False
                    if closed:
                        self._subscription = None
                    break
            try:
                subscription.request(n)
            except Exception as error:  # noqa: BLE001 - rule 3.16 is broken: upstream failed
                self._end(error)
        if closed and not self.done:
            self._cancel(subscription)

    @property
    def source(self) -> Subscription | None:
        """What it requests from, as long as upstream is not through."""
        return self._subscription

    @property
    def asking(self) -> bool:
        """Whether a request is on its way upstream."""
        return self._asking or self._to_ask > 0

    def subscribe_to(self, publisher: Publisher[Any]) -> None:
        """Subscribe to an implementation that isn't ours; what it raises is its failure."""
        try:
            publisher.subscribe(self)
        except Exception as error:  # noqa: BLE001 - rule 1.9 is broken: upstream failed
            self._end(error)

    def close(self) -> None:
        """Cancel upstream, if it is not through, and forget what came in."""
        with self._lock:
            self.closed = True
            over = self.done
            subscription = self._subscription
            # A request may run all of upstream before it returns, and a cancel that waited for
            # that would come too late. A pump bears both at once; anybody bears a nested call.
            now = self._asking and (isinstance(subscription, Pump) or self._asker == get_ident())
            if now:
                self.done = True
        self.buffer.clear()
        self._batch = None
        if now and not over and subscription is not None:
            self._cancel(subscription)
        elif not over:
            self.settle()

    @staticmethod
    def _cancel(subscription: Subscription) -> None:
        try:
            subscription.cancel()
        except Exception as error:  # noqa: BLE001 - rule 3.15 is broken; it is cancelled anyway
            penstock.on_dropped_error(error, "a Subscription's cancel, which must not raise")
