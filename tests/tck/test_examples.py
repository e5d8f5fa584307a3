"""The examples keep all rules, and `make demo` says so."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any

import pytest
from async_subscriber import AsyncSubscriber
from asyncio_publisher import AsyncIterablePublisher
from iterable_publisher import IterablePublisher
from map_processor import MapProcessor
from number_subscriber import NumberSubscriber
from range_publisher import RangePublisher
from sync_subscriber import SyncSubscriber

from penstock.tck import Report, verify_processor, verify_publisher, verify_subscriber


class TakesThree(SyncSubscriber[int]):
    taken = 0

    def when_next(self, element: int) -> bool:
        self.taken += 1
        return self.taken < 3

    def when_error(self, error: Exception) -> None:
        self.failed = error


class TakesAll(AsyncSubscriber[int]):
    def when_next(self, element: int) -> bool:
        return True

    def when_error(self, error: Exception) -> None:
        self.failed = error


def fail() -> Iterator[int]:
    raise ConnectionError("the source is gone")
    yield 0


async def count(n: int) -> AsyncIterator[int]:
    for i in range(n):
        await asyncio.sleep(0)
        yield i


def shut_down(subscriber: Any) -> None:
    subscriber.shut_down()


Verify = Callable[[Executor, asyncio.AbstractEventLoop], Report]

VERIFICATIONS: dict[str, Verify] = {
    "RangePublisher": lambda pool, loop: verify_publisher(lambda n: RangePublisher(0, n)),
    "IterablePublisher of a sequence": lambda pool, loop: verify_publisher(
        lambda n: IterablePublisher(lambda: range(n), pool),
        failed=lambda: IterablePublisher(fail, pool),
    ),
    "IterablePublisher of an iterator": lambda pool, loop: verify_publisher(
        lambda n: IterablePublisher(lambda: iter(range(n)), pool)
    ),
    "AsyncIterablePublisher": lambda pool, loop: verify_publisher(
        lambda n: AsyncIterablePublisher(lambda: count(n), loop)
    ),
    "NumberSubscriber": lambda pool, loop: verify_subscriber(NumberSubscriber, shut_down=shut_down),
    "SyncSubscriber": lambda pool, loop: verify_subscriber(TakesThree, shut_down=shut_down),
    "AsyncSubscriber": lambda pool, loop: verify_subscriber(
        lambda: TakesAll(pool), shut_down=shut_down
    ),
    "MapProcessor": lambda pool, loop: verify_processor(
        lambda size: MapProcessor(lambda element: element + 1, size)
    ),
    "MapProcessor, one at a time": lambda pool, loop: verify_processor(
        lambda size: MapProcessor(lambda element: element + 1, size), buffer_size=1
    ),
}


async def cancel_the_rest() -> None:
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    for task in rest:
        task.cancel()
    await asyncio.gather(*rest, return_exceptions=True)


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.run_until_complete(cancel_the_rest())
    loop.run_until_complete(loop.shutdown_asyncgens())
    loop.close()


@pytest.mark.parametrize("name", VERIFICATIONS)
def test_an_example_keeps_all_rules(name: str, loop: asyncio.AbstractEventLoop):
    with ThreadPoolExecutor(4) as pool:
        report = VERIFICATIONS[name](pool, loop)
    assert not report.broken, report
    assert sum(outcome.status == "kept" for outcome in report.outcomes) > 20
