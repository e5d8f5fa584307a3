"""Wrong Publishers: they keep a Subscriber that has cancelled."""

from __future__ import annotations

import threading
from functools import lru_cache, partial
from queue import SimpleQueue
from typing import Any

from tests.tck.wrong._base import Source, Stream, Worker, at_release, spawn
from tests.tck.wrong.registry import case


class InAnAttribute(Stream):
    def end(self) -> None:
        self.over = True  # and subscriber stays


class KeepsStreams(Source):
    """Knows its latest stream, for `repr` and the like."""

    latest: Any = None

    def open(self, subscriber: Any) -> None:
        self.latest = self.stream(self.elements, subscriber)
        self.latest.start()


@case(
    "publisher",
    "the subscription, which its Subscriber may keep, has it in an attribute",
    must="3.13",
)
def keeps_it_in_an_attribute(elements: int) -> Source:
    return KeepsStreams(elements, InAnAttribute)


class InAList(Source):
    def __init__(self, elements: int) -> None:
        super().__init__(elements)
        self.subscribers: list[Any] = []

    def open(self, subscriber: Any) -> None:
        self.subscribers.append(subscriber)
        super().open(subscriber)


@case("publisher", "has a list of its Subscribers, which only grows", must="3.13")
def keeps_it_in_a_list(elements: int) -> Source:
    return InAList(elements)


class InADict(Source):
    def __init__(self, elements: int) -> None:
        super().__init__(elements)
        self.by_id: dict[int, Any] = {}

    def open(self, subscriber: Any) -> None:
        self.by_id[id(subscriber)] = subscriber
        super().open(subscriber)


@case("publisher", "has a dict of its Subscribers by id, which only grows", must="3.13")
def keeps_it_in_a_dict(elements: int) -> Source:
    return InADict(elements)


class InAClosure(Source):
    def __init__(self, elements: int) -> None:
        super().__init__(elements)
        self.on_close: list[Any] = []

    def open(self, subscriber: Any) -> None:
        self.on_close.append(lambda: subscriber.on_complete())
        super().open(subscriber)


@case("publisher", "has a closure for when it is closed, over the Subscriber", must="3.13")
def keeps_it_in_a_closure(elements: int) -> Source:
    return InAClosure(elements)


LISTENERS: list[Any] = []


class Registered(Source):
    def open(self, subscriber: Any) -> None:
        LISTENERS.append(subscriber.on_next)
        at_release(LISTENERS.clear)
        super().open(subscriber)


@case("publisher", "registers the bound method on_next with a module's list", must="3.13")
def keeps_a_bound_method(elements: int) -> Source:
    return Registered(elements)


class OnSharedWorker(Stream):
    def __init__(self, elements: int, subscriber: Any, *, tasks: SimpleQueue[Any]) -> None:
        super().__init__(elements, subscriber)
        self.tasks = tasks

    def start(self) -> None:
        self.signal(self.subscriber.on_subscribe, self)
        self.post()

    def wake(self) -> None:
        with self.lock:
            if self.busy or self.over:
                return
            self.busy = True
        self.post()

    def post(self) -> None:
        subscriber = self.subscriber
        if subscriber is not None:
            self.tasks.put(partial(self.run_for, subscriber))

    def run_for(self, subscriber: Any) -> None:
        self.run()


class SharedWorker(Source):
    """All its streams run on one thread, which waits for the next task while it holds the last."""

    def __init__(self, elements: int) -> None:
        tasks: SimpleQueue[Any] = SimpleQueue()
        super().__init__(elements, OnSharedWorker, tasks=tasks)
        spawn(partial(self.work, tasks))
        at_release(partial(tasks.put, None))

    @staticmethod
    def work(tasks: SimpleQueue[Any]) -> None:
        while (task := tasks.get()) is not None:
            try:
                task()
            except SystemExit:
                return


@case("publisher", "an idle worker's local holds the last task", must="3.13")
def keeps_it_in_an_idle_worker(elements: int) -> Source:
    return SharedWorker(elements)


current = threading.local()


class InAThreadLocal(Stream):
    def deliver_element(self, subscriber: Any, index: int) -> None:
        if "subscriber" not in current.__dict__:
            at_release(current.__dict__.clear)
        current.subscriber = subscriber
        super().deliver_element(subscriber, index)


@case("publisher", "a thread-local says whom it signalled last", must="3.13")
def keeps_it_in_a_thread_local(elements: int) -> Source:
    return Source(elements, InAThreadLocal)


@lru_cache(maxsize=64)
def takes_batches(subscriber: Any) -> bool:
    return hasattr(subscriber, "on_batch")


class Introspects(Source):
    def open(self, subscriber: Any) -> None:
        at_release(takes_batches.cache_clear)
        takes_batches(subscriber)
        super().open(subscriber)


@case(
    "publisher",
    "an lru_cache holds what it found out about each Subscriber",
    must="3.13",
    may="1.9",  # a Subscriber that is not hashable
)
def keeps_it_in_a_cache(elements: int) -> Source:
    return Introspects(elements)


class Cancelled(Exception):  # noqa: N818 - no error
    pass


class InATraceback(Stream):
    def __init__(self, *args: Any, ends: list[Exception]) -> None:
        super().__init__(*args)
        self.ends = ends

    def cancel(self) -> None:
        subscriber = self.subscriber
        super().cancel()
        try:
            raise Cancelled(f"by {type(subscriber).__name__}")
        except Cancelled as end:
            self.ends[:] = [end]


@case("publisher", "keeps an exception, whose traceback holds the Subscriber", must="3.13")
def keeps_it_in_a_traceback(elements: int) -> Source:
    return Source(elements, InATraceback, ends=[])


class CancelledByWorker(Worker):
    """Has its worker drop everything, when that comes by the next time: on a request."""

    cancelled = False

    def cancel(self) -> None:
        self.cancelled = True

    def decide(self) -> Any:
        if self.cancelled and self.demand:
            self.end()
        return super().decide() if not self.cancelled else None

    def can_go_on(self) -> bool:
        return self.over or (not self.cancelled and super().can_go_on())


@case("publisher", "cancel does not wake its worker, which waits for demand", must="3.13")
def keeps_it_in_a_sleeping_worker(elements: int) -> Source:
    return Source(elements, CancelledByWorker)


class InAPartial(Stream):
    """Prepares its signals once, as RxPY's observers do, and cancels by a flag."""

    def __init__(self, elements: int, subscriber: Any, *, prepared: list[Any]) -> None:
        super().__init__(elements, subscriber)
        prepared[:] = [partial(subscriber.on_next), partial(subscriber.on_complete)]


@case("publisher", "keeps the signals of the latest Subscriber, prepared as partials", must="3.13")
def keeps_it_in_partials(elements: int) -> Source:
    return Source(elements, InAPartial, prepared=[])
