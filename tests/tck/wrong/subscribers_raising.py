"""Subscribers that raise, take None, or keep the Publisher's thread."""

from __future__ import annotations

import asyncio
import queue
import threading
from typing import Any

from penstock import UNBOUNDED, Subscription
from tests.tck.wrong._sub_base import (
    TOO_LONG,
    Batches,
    Lane,
    OneByOne,
    acquire_or_hang,
    hang,
    released,
)
from tests.tck.wrong.registry import case

# 2.13: raises.


@case("subscriber", "on_next always raises", must="2.13", may="2.1")
def sub_raises_in_on_next() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            raise ValueError(f"can't work on {element!r}")

    return Wrong()


@case("subscriber", "on_next raises, once it has asked for the next element", must="2.13")
def sub_asks_for_more_and_raises() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            super().take(element)
            raise ValueError(f"can't work on {element!r}")

    return Wrong()


@case("subscriber", "on_next raises on the second element", must="2.13", may="2.1")
def sub_raises_on_the_second_element() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            if self.taken:
                raise ValueError(f"can't work on {element!r}")
            super().take(element)

    return Wrong()


@case("subscriber", "cancels and raises when it can't work on an element", must="2.13")
def sub_cancels_and_raises() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            self.stop()
            raise ValueError(f"can't work on {element!r}")

    return Wrong()


@case("subscriber", "on_next raises CancelledError, which is no Exception", must="2.13", may="2.1")
def sub_raises_cancelled_error() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            raise asyncio.CancelledError

    return Wrong()


@case("subscriber", "calls sys.exit at its second element", must="2.13", may="2.1")
def sub_exits() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            if self.taken:
                raise SystemExit(0)
            super().take(element)

    return Wrong()


@case("subscriber", "on_subscribe raises, having requested", must="2.13", may="2.1")
def sub_raises_in_on_subscribe() -> Any:
    class Wrong(OneByOne):
        def start(self) -> None:
            super().start()
            raise ConnectionError("the database is down")

    return Wrong()


@case("subscriber", "on_complete raises", must="2.13", may="2.9")
def sub_raises_in_on_complete() -> Any:
    class Wrong(OneByOne):
        def on_complete(self) -> None:
            self.finish()
            raise OSError("can't close the file")

    return Wrong()


@case("subscriber", "on_complete raises, if there were elements to write", must="2.13")
def sub_raises_in_on_complete_after_elements() -> Any:
    class Wrong(OneByOne):
        def on_complete(self) -> None:
            self.finish()
            if self.taken:
                raise OSError("can't write the elements")

    return Wrong()


@case("subscriber", "on_error raises the error again", must="2.13", may="2.10")
def sub_raises_the_error_again() -> Any:
    class Wrong(OneByOne):
        def on_error(self, error: Exception) -> None:
            if error is None:
                raise TypeError("on_error(None)")
            self.finish()
            raise error

    return Wrong()


@case("subscriber", "on_error raises, if elements are lost by it", must="2.13")
def sub_raises_in_on_error_after_elements() -> Any:
    class Wrong(OneByOne):
        def on_error(self, error: Exception) -> None:
            super().on_error(error)
            if self.taken:
                raise RuntimeError(f"{len(self.taken)} elements lost") from error

    return Wrong()


@case("subscriber", "its on_next has a second parameter without a default", must="2.13", may="2.1")
def sub_with_one_parameter_too_many() -> Any:
    class Wrong(OneByOne):
        def on_next(self, element: Any, is_complete: bool) -> None:  # type: ignore[override]
            super().on_next(element)

    return Wrong()


@case(
    "subscriber",
    "keeps the subscription in a threading.local, though signals change threads",
    must="2.13",
    may="2.1 2.11",
)
def sub_bound_to_a_thread() -> Any:
    class Wrong(OneByOne):
        def __init__(self) -> None:
            super().__init__()
            self.local = threading.local()

        def start(self) -> None:
            self.local.subscription = self.subscription
            self.ask(1)

        def take(self, element: Any) -> None:
            self.taken.append(element)
            self.local.subscription.request(1)

    return Wrong()


# 2.13: None.


@case("subscriber", "takes None for an element", must="2.13")
def sub_takes_none_for_an_element() -> Any:
    class Wrong(OneByOne):
        def on_next(self, element: Any) -> None:
            if not self.over:
                self.take(element)

    return Wrong()


@case("subscriber", "skips None instead of refusing it", must="2.13")
def sub_skips_none() -> Any:
    class Wrong(OneByOne):
        def on_next(self, element: Any) -> None:
            if element is not None and not self.over:
                self.take(element)
            elif not self.over:
                self.ask(1)

    return Wrong()


@case("subscriber", "answers None for an element with ValueError", must="2.13")
def sub_answers_none_with_a_value_error() -> Any:
    class Wrong(OneByOne):
        def on_next(self, element: Any) -> None:
            if element is None:
                raise ValueError("None is no element")
            super().on_next(element)

    return Wrong()


@case("subscriber", "takes None for an error", must="2.13")
def sub_takes_none_for_an_error() -> Any:
    class Wrong(OneByOne):
        def on_error(self, error: Exception) -> None:
            self.error = error
            self.finish()

    return Wrong()


@case("subscriber", "trips over None for an error, with AttributeError", must="2.13")
def sub_trips_over_none_for_an_error() -> Any:
    class Wrong(OneByOne):
        def on_error(self, error: Exception) -> None:
            error.add_note("seen by this subscriber")
            super().on_error(error)

    return Wrong()


@case("subscriber", "takes None for a subscription", must="2.13")
def sub_takes_none_for_a_subscription() -> Any:
    class Wrong(OneByOne):
        def on_subscribe(self, subscription: Subscription) -> None:
            if subscription is None:
                self.finish()
            else:
                super().on_subscribe(subscription)

    return Wrong()


@case("subscriber", "trips over None for a subscription, with AttributeError", must="2.13")
def sub_trips_over_none_for_a_subscription() -> Any:
    class Wrong(OneByOne):
        def on_subscribe(self, subscription: Subscription) -> None:
            self.request = subscription.request
            super().on_subscribe(subscription)

    return Wrong()


# 2.2: slow, or for ever.


@case("subscriber", "on_next sleeps", must="2.2")
def sub_sleeps_in_on_next() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            hang(TOO_LONG)
            super().take(element)

    return Wrong()


@case("subscriber", "on_next never returns", must="2.2", may="2.1")
def sub_hangs_in_on_next() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            hang()

    return Wrong()


@case("subscriber", "on_subscribe sleeps", must="2.2")
def sub_sleeps_in_on_subscribe() -> Any:
    class Wrong(OneByOne):
        def start(self) -> None:
            hang(TOO_LONG)
            super().start()

    return Wrong()


@case("subscriber", "on_complete sleeps", must="2.2")
def sub_sleeps_in_on_complete() -> Any:
    class Wrong(OneByOne):
        def on_complete(self) -> None:
            self.finish()
            hang(TOO_LONG)

    return Wrong()


@case("subscriber", "on_complete never returns", must="2.2")
def sub_hangs_in_on_complete() -> Any:
    class Wrong(OneByOne):
        def on_complete(self) -> None:
            self.finish()
            hang()

    return Wrong()


@case("subscriber", "on_error sleeps", must="2.2")
def sub_sleeps_in_on_error() -> Any:
    class Wrong(OneByOne):
        def on_error(self, error: Exception) -> None:
            super().on_error(error)
            hang(TOO_LONG)

    return Wrong()


@case("subscriber", "writes every third element with those before it, slowly", must="2.2")
def sub_flushes_every_third_element() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            if len(self.taken) % 3 == 2:
                hang(TOO_LONG)
            super().take(element)

    return Wrong()


@case("subscriber", "asks for everything and waits for room in a queue of two", must="2.2")
def sub_waits_for_room_in_its_queue() -> Any:
    class Wrong(OneByOne):
        def __init__(self) -> None:
            super().__init__()
            self.room: queue.Queue[Any] = queue.Queue(2)
            self.lane = Lane()
            self.released = released()

        def start(self) -> None:
            self.ask(UNBOUNDED)

        def take(self, element: Any) -> None:
            self.room.put(element)
            self.lane.put(self.work)

        def work(self) -> None:
            self.released.wait(TOO_LONG)
            self.taken.append(self.room.get())

    return Wrong()


@case("subscriber", "on_complete waits until its worker is done", must="2.2")
def sub_joins_its_worker_in_on_complete() -> Any:
    class Wrong(Batches):
        size = 2

        def __init__(self) -> None:
            super().__init__()
            self.lane = Lane()
            self.released = released()

        def take(self, element: Any) -> None:
            self.lane.put(lambda: self.work(element))

        def work(self, element: Any) -> None:
            hang(TOO_LONG / 2)
            if not self.over:
                super().take(element)

        def on_complete(self) -> None:
            self.finish()
            done = threading.Event()
            self.lane.put(done.set)
            while not done.wait(0.01) and not self.released.is_set():
                pass

    return Wrong()


@case(
    "subscriber",
    "holds a plain Lock while it requests, and on_next takes it",
    must="2.2",
    may="R.8",
)
def sub_requests_with_its_lock_held() -> Any:
    class Wrong(OneByOne):
        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()

        def start(self) -> None:
            with self.lock:
                super().start()

        def take(self, element: Any) -> None:
            if acquire_or_hang(self.lock):
                try:
                    super().take(element)
                finally:
                    self.lock.release()

    return Wrong()
