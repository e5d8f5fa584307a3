"""Correct Publishers of many kinds, which keep all rules: nothing may be held against them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from penstock import UNBOUNDED
from tests.tck.wrong._base import Nesting, Source, Stream, Worker, at_release, reject, spawn, submit
from tests.tck.wrong._base_multicast import Choir, Hub
from tests.tck.wrong.registry import case


@case(
    "publisher",
    "numbers, on the thread that requests",
    failed=lambda: Source(5, fails_at=0),
    knows_length=True,
)
def synchronous(elements: int) -> Source:
    return Source(elements)


class FromIterator(Stream):
    """Knows nothing of its end before it is asked for one more."""

    def __init__(self, elements: int, subscriber: Any) -> None:
        super().__init__(elements, subscriber)
        self.source = iter(range(elements))

    def at_end(self) -> bool:
        return False

    def deliver_element(self, subscriber: Any, index: int) -> None:
        try:
            element = next(self.source)
        except StopIteration:
            with self.lock:
                if self.over:
                    return
                self.end()
            self.signal(subscriber.on_complete)
        else:
            self.signal(subscriber.on_next, element)


@case("publisher", "an iterator, which ends when it is asked for one more")
def from_iterator(elements: int) -> Source:
    return Source(elements, FromIterator)


@case(
    "publisher",
    "a worker thread for each subscription",
    failed=lambda: Source(5, Worker, fails_at=0),
    knows_length=True,
)
def threaded(elements: int) -> Source:
    return Source(elements, Worker)


class OnExecutor(Stream):
    """Each drain is a task; another thread may do the next."""

    def __init__(self, elements: int, subscriber: Any, *, submit: Any = submit) -> None:
        super().__init__(elements, subscriber)
        self.submit = submit

    def start(self) -> None:
        self.signal(self.subscriber.on_subscribe, self)
        self.submit(self.run)

    def wake(self) -> None:
        with self.lock:
            if self.busy or self.over:
                return
            self.busy = True
        self.submit(self.run)


@case("publisher", "drains that are tasks of a pool of four threads")
def executor(elements: int) -> Source:
    return Source(elements, OnExecutor)


class Loop:
    """An event loop on a thread of its own, until it is released."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.thread = spawn(self.loop.run_forever)
        self.tasks: set[asyncio.Task[None]] = set()
        at_release(self.close)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()

    def submit(self, coroutine: Callable[[], Any]) -> None:
        try:
            self.loop.call_soon_threadsafe(self.begin, coroutine)
        except RuntimeError:
            return  # it was released: nobody waits for this any more

    def begin(self, coroutine: Callable[[], Any]) -> None:
        task = self.loop.create_task(coroutine())
        self.tasks.add(task)  # or it might be collected while it runs
        task.add_done_callback(self.tasks.discard)


class OnLoop(OnExecutor):
    async def run(self) -> None:  # type: ignore[override]
        while self.step():
            await asyncio.sleep(0)


@case("publisher", "coroutines on an event loop")
def asyncio_driven(elements: int) -> Source:
    return Source(elements, OnLoop, submit=shared_loop().submit)


_shared: list[Loop] = []


def shared_loop() -> Loop:
    if not _shared:
        _shared.append(Loop())
        at_release(_shared.clear)
    return _shared[0]


@case(
    "publisher",
    "a Hub, each Subscriber at its own pace",
    multicast=True,
    knows_length=True,
)
def multicast(elements: int) -> Hub:
    return Hub(elements)


class LivingHub(Hub):
    keep_alive = True


@case("publisher", "a Hub that goes on without Subscribers", multicast=True, keep_alive=True)
def multicast_kept_alive(elements: int) -> Hub:
    return LivingHub(elements)


@case(
    "publisher",
    "a Hub whose Subscribers move in step",
    multicast=True,
    coordinated_emission=True,
)
def multicast_in_step(elements: int) -> Choir:
    return Choir(elements)


class Slow(Stream):
    def pull(self, index: int) -> Any:
        time.sleep(0.01)
        return super().pull(index)


class SlowWorker(Slow, Worker):
    pass


@case("publisher", "10 ms for each element, on the thread that requests")
def slow(elements: int) -> Source:
    return Source(elements, Slow)


@case("publisher", "10 ms for each element, on a worker")
def slow_threaded(elements: int) -> Source:
    return Source(elements, SlowWorker)


@case("publisher", "one element, whatever is asked for", max_elements=1)
def single_element(elements: int) -> Source:
    return Source(1)


@case("publisher", "no element, whatever is asked for", max_elements=0)
def empty(elements: int) -> Source:
    return Source(0)


@case("publisher", "no end, whatever is asked for")
def endless(elements: int) -> Source:
    return Source(UNBOUNDED, Worker)


class Unicast(Source):
    taken = False

    def open(self, subscriber: Any) -> None:
        if self.taken:
            reject(subscriber, "this stream is taken")
        else:
            self.taken = True
            super().open(subscriber)


@case("publisher", "refuses a second Subscriber", max_subscribers=1)
def unicast(elements: int) -> Source:
    return Unicast(elements)


class LetsThrough(Stream):
    def signal(self, method: Callable[..., Any], *args: Any) -> None:
        try:
            method(*args)
        except BaseException:
            self.faulty = True
            self.give_up()
            raise


@case("publisher", "what a Subscriber raises comes out of its own request")
def raises_what_its_subscriber_raises(elements: int) -> Source:
    return Source(elements, LetsThrough)


@case("publisher", "sends inside request inside on_next, three deep")
def bounded_recursion(elements: int) -> Source:
    return Source(elements, Nesting)


@case(
    "publisher",
    "fails when it is first asked for an element",
    failed=lambda: Source(5, FromIteratorFails),
)
def fails_at_the_first_pull(elements: int) -> Source:
    return Source(elements, FromIterator)


class FromIteratorFails(Stream):
    def pull(self, index: int) -> Any:
        raise OSError("the source is broken")


class FailsAtOnce(Source):
    def open(self, subscriber: Any) -> None:
        stream = Stream(5, subscriber)
        stream.error = OSError("can't connect")
        stream.start()


@case("publisher", "fails right after on_subscribe", failed=lambda: FailsAtOnce(5))
def fails_at_once(elements: int) -> Source:
    return Source(elements)


class Prefetching(Worker):
    """Delivers batches, and looks after each whether it was cancelled."""

    size = 256

    def deliver_element(self, subscriber: Any, index: int) -> None:
        super().deliver_element(subscriber, index)
        for _ in range(self.size - 1):
            with self.lock:
                if self.faulty or self.error is not None or self.at_end() or not self.wanted():
                    return
                self.take()
                index = self.sent - 1
            super().deliver_element(subscriber, index)


@case("publisher", "batches of 256, of which the rest still comes after a cancel")
def prefetching(elements: int) -> Source:
    return Source(elements, Prefetching)
