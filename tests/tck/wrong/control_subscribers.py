"""Correct Subscribers of all kinds: the kit must find nothing wrong with any of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from penstock import UNBOUNDED, Subscription
from tests.tck.wrong._sub_base import (
    Batches,
    Lane,
    OnALane,
    OnCommand,
    OneByOne,
    hang,
    loop,
    pool,
)
from tests.tck.wrong.registry import case


def _shut_down(subscriber: Any) -> None:
    subscriber.stop()


@case("subscriber", shut_down=_shut_down)
def sub_one_by_one() -> Any:
    return OneByOne()


@case("subscriber", shut_down=_shut_down)
def sub_unbounded() -> Any:
    class Correct(OneByOne):
        def start(self) -> None:
            self.ask(UNBOUNDED)

        def take(self, element: Any) -> None:
            self.taken.append(element)

    return Correct()


@case("subscriber", shut_down=_shut_down)
def sub_in_batches_of_ten() -> Any:
    return Batches()


@case("subscriber", shut_down=_shut_down)
def sub_refilling_at_half() -> Any:
    class Correct(Batches):
        size = 8

        def take(self, element: Any) -> None:
            self.taken.append(element)
            self.open -= 1
            if self.open == self.size // 2:
                self.open = self.size
                self.ask(self.size // 2)

    return Correct()


@case("subscriber")
def sub_takes_one_and_cancels() -> Any:
    class Correct(OneByOne):
        def take(self, element: Any) -> None:
            self.taken.append(element)
            self.stop()

    return Correct()


@case("subscriber")
def sub_takes_three_of_ten_and_cancels() -> Any:
    class Correct(Batches):
        def take(self, element: Any) -> None:
            super().take(element)
            if len(self.taken) == 3:
                self.stop()

    return Correct()


@case("subscriber")
def sub_cancels_at_once() -> Any:
    class Correct(OneByOne):
        def start(self) -> None:
            self.stop()

    return Correct()


@case("subscriber", shut_down=_shut_down)
def sub_fails_at_the_third_element_and_cancels() -> Any:
    class Correct(OneByOne):
        def take(self, element: Any) -> None:
            if len(self.taken) == 2:
                self.error = ValueError("the third is one too many")
                self.stop()
            else:
                super().take(element)

    return Correct()


@case("subscriber", shut_down=_shut_down)
def sub_on_an_executor() -> Any:
    return OnALane()


@case("subscriber", shut_down=_shut_down)
def sub_slow_on_an_executor() -> Any:
    class Correct(OnALane):
        def take(self, element: Any) -> None:
            hang(0.01)
            super().take(element)

    return Correct()


@case("subscriber", shut_down=_shut_down)
def sub_slow() -> Any:
    class Correct(OneByOne):
        def take(self, element: Any) -> None:
            hang(0.01)
            super().take(element)

    return Correct()


@case("subscriber", shut_down=_shut_down)
def sub_working_off_its_queue_after_the_end() -> Any:
    class Correct(OnALane):
        """For elements that are queued when the end comes, it still requests: a no-op."""

        def start(self) -> None:
            super().ask(4)

        def ask(self, n: int) -> None:
            hang(0.002)
            OneByOne.ask(self, n)

    return Correct()


class _OnALoop(OneByOne):
    """The signals only call the loop; `work`, a coroutine, does the rest, one at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = loop()
        self.ended = False
        self.inbox: asyncio.Queue[Callable[[], None]] = asyncio.Queue()
        self.worker: asyncio.Task[None] | None = None

    def hand_over(self, job: Callable[[], None]) -> None:
        def put() -> None:
            self.inbox.put_nowait(job)
            if self.worker is None:
                self.worker = self.loop.create_task(self.work())

        self.loop.call_soon_threadsafe(put)

    async def work(self) -> None:
        while not self.inbox.empty():
            job = self.inbox.get_nowait()
            await asyncio.sleep(0)
            job()
        self.worker = None

    def on_subscribe(self, subscription: Subscription) -> None:
        if subscription is None:
            raise TypeError("on_subscribe(None)")
        self.hand_over(lambda: OneByOne.on_subscribe(self, subscription))

    def on_next(self, element: Any) -> None:
        if element is None:
            raise TypeError("on_next(None)")
        self.hand_over(lambda: OneByOne.on_next(self, element))

    def on_error(self, error: Exception) -> None:
        if error is None:
            raise TypeError("on_error(None)")
        self.ended = True
        self.hand_over(lambda: OneByOne.on_error(self, error))

    def on_complete(self) -> None:
        self.ended = True
        self.hand_over(lambda: OneByOne.on_complete(self))

    def ask(self, n: int) -> None:
        if not self.ended:
            super().ask(n)

    def stop(self) -> None:
        self.hand_over(self.stop_here)

    def stop_here(self) -> None:
        if not self.ended:
            super().stop()


@case("subscriber", shut_down=_shut_down)
def sub_on_an_event_loop() -> Any:
    return _OnALoop()


@case("subscriber", shut_down=_shut_down, trigger=lambda subscriber: subscriber.more())
def sub_on_command() -> Any:
    return OnCommand()


@case("subscriber", trigger=lambda subscriber: subscriber.more())
def sub_on_command_elsewhere() -> Any:
    class Correct(OnCommand):
        def __init__(self) -> None:
            super().__init__()
            self.lane = Lane()

        def more(self) -> None:
            self.lane.put(super().more)

    return Correct()


@case("subscriber", shut_down=_shut_down)
def sub_with_a_further_parameter() -> Any:
    class Correct(OneByOne):
        def on_next(self, element: Any, is_complete: bool = False) -> None:
            super().on_next(element)

    return Correct()


@case("subscriber")
def sub_of_no_base_class() -> Any:
    class Correct:
        __slots__ = ("_mine",)

        def __init__(self) -> None:
            self._mine: Subscription | None = None

        def on_subscribe(self, given: Any, /) -> None:
            if given is None:
                raise TypeError
            if self._mine is not None:
                given.cancel()
            else:
                self._mine = given
                given.request(1)

        def on_next(self, item: Any, /) -> None:
            if item is None:
                raise TypeError
            if self._mine is not None:
                self._mine.request(1)

        def on_error(self, why: Any, /) -> None:
            if why is None:
                raise TypeError
            self._mine = None

        def on_complete(self) -> None:
            self._mine = None

    return Correct()


@case("subscriber", shut_down=_shut_down)
def sub_requesting_from_ever_new_threads() -> Any:
    class Correct(OneByOne):
        """Its calls are made by whoever holds a token, so that none overlap."""

        def __init__(self) -> None:
            super().__init__()
            self.lock = threading.Lock()
            self.due = 0
            self.calling = False

        def take(self, element: Any) -> None:
            self.taken.append(element)
            pool().submit(self.ask, 1)

        def ask(self, n: int) -> None:
            with self.lock:
                self.due += n
                if self.calling:
                    return
                self.calling = True
            while True:
                with self.lock:
                    n, self.due = self.due, 0
                    if not n:
                        self.calling = False
                        return
                if not self.over:
                    super().ask(n)

    return Correct()


@case("subscriber", shut_down=_shut_down)
def sub_equal_to_all_others() -> Any:
    class Correct(OneByOne):
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 1

    return Correct()


@case("subscriber", element=lambda i: {"number": i})
def sub_of_dicts() -> Any:
    class Correct(OneByOne):
        total = 0

        def take(self, element: Any) -> None:
            self.total += element["number"]
            super().take(element)

    return Correct()
