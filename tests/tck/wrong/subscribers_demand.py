"""Subscribers that ask wrongly: never, for nonsense, on two threads, of someone else."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from penstock import UNBOUNDED, Subscription
from tests.tck.wrong._sub_base import (
    Batches,
    Lane,
    OnCommand,
    OneByOne,
    hang,
    loop,
    pool,
    spawn,
)
from tests.tck.wrong.registry import case

# 2.1: what is not asked for never comes.


@case("subscriber", "keeps the subscription and never requests", must="2.1")
def sub_never_requests() -> Any:
    class Wrong(OneByOne):
        def start(self) -> None:
            pass

    return Wrong()


@case("subscriber", "requests one element, and none after it", must="2.1")
def sub_requests_only_once() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            self.taken.append(element)

    return Wrong()


@case("subscriber", "requests ten elements and forgets to ask for more", must="2.1")
def sub_forgets_to_ask_after_ten() -> Any:
    class Wrong(OneByOne):
        def start(self) -> None:
            self.ask(10)

        def take(self, element: Any) -> None:
            self.taken.append(element)

    return Wrong()


@case("subscriber", "asks for no replacement of an element that it filters out", must="2.1")
def sub_forgets_to_ask_when_it_filters() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            if element % 3 != 2:
                super().take(element)

    return Wrong()


@case("subscriber", "has had enough after three elements, and just ignores the rest", must="2.1")
def sub_takes_three_and_forgets_to_cancel() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            self.taken.append(element)
            if len(self.taken) < 3:
                self.ask(1)

    return Wrong()


@case(
    "subscriber",
    "asks on command, but only for the first time",
    must="2.1",
    trigger=lambda subscriber: subscriber.more(),
)
def sub_heeds_its_trigger_once() -> Any:
    class Wrong(OnCommand):
        asked = False

        def more(self) -> None:
            if not self.asked:
                self.asked = True
                super().more()

    return Wrong()


@case("subscriber", "its on_next is a coroutine function, so calling it does nothing", must="2.1")
def sub_with_a_coroutine_for_on_next() -> Any:
    class Wrong(OneByOne):
        async def on_next(self, element: Any) -> None:  # type: ignore[override]
            super().on_next(element)

    return Wrong()


@case("subscriber", "its work fails in a pool, where nobody looks at the future", must="2.1")
def sub_whose_worker_fails_unseen() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            pool().submit(self.work, element)

        def work(self, element: Any) -> None:
            self.taken.append(element)
            if len(self.taken) == 2:
                raise ValueError("this element can't be worked on")
            self.ask(1)

        def ask(self, n: int) -> None:
            if not self.over:
                super().ask(n)

    return Wrong()


@case(
    "subscriber", "hands over with call_soon, which does not wake another thread's loop", must="2.1"
)
def sub_does_not_wake_its_loop() -> Any:
    class Wrong(OneByOne):
        def __init__(self) -> None:
            super().__init__()
            self.loop = loop()

        def take(self, element: Any) -> None:
            self.loop.call_soon(self.work, element)

        def work(self, element: Any) -> None:
            if not self.over:
                super().take(element)

    return Wrong()


@case("subscriber", "its mailbox holds one element; more at a time overwrite it", must="2.1")
def sub_loses_elements_when_busy() -> Any:
    class Wrong(Batches):
        size = 4

        def __init__(self) -> None:
            super().__init__()
            self.lane = Lane()
            self.mailbox: Any = None

        def take(self, element: Any) -> None:
            self.mailbox = element
            self.lane.put(self.work)

        def work(self) -> None:
            hang(0.005)
            element, self.mailbox = self.mailbox, None
            if element is not None and not self.over:
                super().take(element)

    return Wrong()


# 3.9: numbers that are none.


@case("subscriber", "requests 0", must="3.9", may="2.1")
def sub_requests_zero() -> Any:
    class Wrong(OneByOne):
        def start(self) -> None:
            self.ask(0)

    return Wrong()


@case("subscriber", "requests -1, to say 'everything'", must="3.9", may="2.1")
def sub_requests_minus_one() -> Any:
    class Wrong(OneByOne):
        def start(self) -> None:
            self.ask(-1)

    return Wrong()


@case("subscriber", "requests True", must="3.9", may="2.1 R.10")
def sub_requests_true() -> Any:
    class Wrong(OneByOne):
        def start(self) -> None:
            self.ask(True)

    return Wrong()


@case("subscriber", "requests half of its batch size, which is a float", must="3.9", may="2.1 R.10")
def sub_requests_a_float() -> Any:
    class Wrong(Batches):
        size = 4

        def start(self) -> None:
            self.open = 2
            self.ask(self.size / 2)

    return Wrong()


@case("subscriber", "requests float('inf'), to say 'everything'", must="3.9", may="2.1 R.10")
def sub_requests_infinity() -> Any:
    class Wrong(OneByOne):
        def start(self) -> None:
            self.ask(float("inf"))

        def take(self, element: Any) -> None:
            self.taken.append(element)

    return Wrong()


@case(
    "subscriber", "after each batch it requests what is missing, sometimes 0", must="3.9", may="2.1"
)
def sub_requests_zero_later() -> Any:
    class Wrong(Batches):
        size = 4

        def take(self, element: Any) -> None:
            self.taken.append(element)
            self.open -= 1
            missing = 0 if self.open > 2 else self.size - self.open
            self.open += missing
            self.ask(missing)

    return Wrong()


# 2.7: two threads at once.


@case("subscriber", "works on elements in a pool; each job requests when it is done", must="2.7")
def sub_requests_from_all_workers() -> Any:
    class Wrong(OneByOne):
        def start(self) -> None:
            self.ask(8)

        def take(self, element: Any) -> None:
            pool().submit(self.work, element)

        def work(self, element: Any) -> None:
            hang(0.001)
            self.taken.append(element)
            if not self.over:
                self.ask(1)

    return Wrong()


@case("subscriber", "on_next requests, and a prefetcher on its own thread does too", must="2.7")
def sub_prefetches_on_another_thread() -> Any:
    class Wrong(OneByOne):
        def take(self, element: Any) -> None:
            self.taken.append(element)
            spawn(self.prefetch)
            self.ask(1)

        def prefetch(self) -> None:
            if not self.over:
                self.ask(1)

    return Wrong()


@case("subscriber", "two threads share the first requests", must="2.7")
def sub_starts_on_two_threads() -> Any:
    class Wrong(OneByOne):
        def start(self) -> None:
            spawn(lambda: self.ask(1))
            spawn(lambda: self.ask(1))

    return Wrong()


# 3.1: whose subscription?


class _SharesOneSubscription(OneByOne):
    latest: ClassVar[Subscription | None] = None

    def start(self) -> None:
        type(self).latest = self.subscription
        self.ask(1)

    def ask(self, n: int) -> None:
        if self.subscription is not None and type(self).latest is not None:
            type(self).latest.request(n)


@case(
    "subscriber",
    "requests from a class attribute: the subscription of the newest",
    must="3.1",
    may="2.1",
)
def sub_shares_its_subscription() -> Any:
    return _SharesOneSubscription()


class _AsksForAll(OneByOne):
    active: ClassVar[list[OneByOne]] = []

    def start(self) -> None:
        self.active.append(self)
        self.ask(1)

    def take(self, element: Any) -> None:
        self.taken.append(element)
        for one in self.active:
            one.ask(1)

    def finish(self) -> None:
        super().finish()
        if self in self.active:
            self.active.remove(self)

    def stop(self) -> None:
        super().stop()
        if self in self.active:
            self.active.remove(self)


@case("subscriber", "each element of one makes all of them request", must="3.1", may="2.7")
def sub_asks_for_all() -> Any:
    return _AsksForAll()


# 2.13: on_next raises, for lack of what it counts on.


@case(
    "subscriber",
    "requests before it stores the subscription, so on_next finds None",
    must="2.13",
    may="2.1",
)
def sub_requests_before_it_stores_the_subscription() -> Any:
    class Wrong(OneByOne):
        def on_subscribe(self, subscription: Subscription) -> None:
            if subscription is None:
                raise TypeError("on_subscribe(None)")
            if self.subscription is not None or self.over:
                subscription.cancel()
                return
            subscription.request(1)
            if not self.over:
                self.subscription = subscription

        def take(self, element: Any) -> None:
            self.taken.append(element)
            self.subscription.request(1)  # type: ignore[union-attr]

    return Wrong()


@case(
    "subscriber",
    "asks for everything, then uses a loop that no one runs on this thread",
    must="2.13",
)
def sub_needs_a_running_loop() -> Any:
    class Wrong(OneByOne):
        def start(self) -> None:
            self.ask(UNBOUNDED)

        def take(self, element: Any) -> None:
            asyncio.get_running_loop().call_soon(self.taken.append, element)

    return Wrong()
