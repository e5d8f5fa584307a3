"""Runs the conformance kit on the examples, and on one publisher with a mistake.

    python examples/demo.py

Ends with status 1 if an example breaks a rule, or if the mistake is not caught.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "standard"))

from async_subscriber import AsyncSubscriber
from asyncio_publisher import AsyncIterablePublisher
from iterable_publisher import IterablePublisher
from map_processor import MapProcessor
from number_subscriber import NumberSubscriber
from range_publisher import RangePublisher

from penstock import Subscriber, Subscription
from penstock.tck import Report, verify_processor, verify_publisher, verify_subscriber


class Collected(AsyncSubscriber[int]):
    """An asynchronous subscriber that takes everything."""

    def when_next(self, element: int) -> bool:
        """Want more, always."""
        return True


class Countdown:
    """A publisher as one writes it in a minute: it counts down from `start`."""

    def __init__(self, start: int) -> None:
        self.left = start

    def subscribe(self, subscriber: Subscriber[int]) -> None:
        """Start, with a subscription that nobody can cancel."""
        self.subscriber = subscriber
        subscriber.on_subscribe(_Countdown(self, subscriber))


class _Countdown(Subscription):
    def __init__(self, source: Countdown, subscriber: Subscriber[int]) -> None:
        self.source = source
        self.subscriber = subscriber

    def request(self, n: int) -> None:
        while n and self.source.left:
            n -= 1
            self.source.left -= 1
            self.subscriber.on_next(self.source.left)
        if not self.source.left:
            self.subscriber.on_complete()

    def cancel(self) -> None:
        pass


async def count(n: int) -> AsyncIterator[int]:
    """Yield 0 … n-1, giving way to others in between."""
    for i in range(n):
        await asyncio.sleep(0)
        yield i


def main() -> int:
    """Verify everything and print what was found."""
    with ThreadPoolExecutor(4) as pool, background_loop() as loop:
        examples: dict[str, Callable[[], Report]] = {
            "RangePublisher": lambda: verify_publisher(lambda n: RangePublisher(0, n)),
            "IterablePublisher": lambda: verify_publisher(
                lambda n: IterablePublisher(lambda: range(n), pool),
                failed=lambda: IterablePublisher(failing, pool),
            ),
            "AsyncIterablePublisher": lambda: verify_publisher(
                lambda n: AsyncIterablePublisher(lambda: count(n), loop)
            ),
            "NumberSubscriber": lambda: verify_subscriber(
                NumberSubscriber, shut_down=lambda subscriber: subscriber.shut_down()
            ),
            "AsyncSubscriber": lambda: verify_subscriber(
                lambda: Collected(pool), shut_down=lambda subscriber: subscriber.shut_down()
            ),
            "MapProcessor": lambda: verify_processor(
                lambda buffer_size: MapProcessor(lambda element: element, buffer_size)
            ),
        }
        print("The conformance kit on the examples in examples/standard:\n")
        broken = [name for name, verify in examples.items() if not show(name, verify())]
    print("\nAnd on a publisher with mistakes, as it is shown to its author:\n")
    mistake = verify_publisher(Countdown)
    print(mistake)
    if broken:
        print(f"\n{', '.join(broken)}: not as it should be")
    return 1 if broken or not mistake.broken_must else 0


def show(name: str, report: Report) -> bool:
    """Print one line on what was found, and all of it if a rule is broken."""
    kept, skipped = (
        sum(outcome.status == status for outcome in report.outcomes)
        for status in ("kept", "skipped")
    )
    print(
        f"  {name:24}{kept:4} checks kept, {len(report.broken)} rules broken, "
        f"{skipped:2} checks not applicable  ({report.seconds:.1f} s)",
        flush=True,
    )
    if report.broken:
        print(report)
    return not report.broken


def failing() -> Iterator[int]:
    """Yield nothing and fail."""
    raise ConnectionError("the source is gone")
    yield 0


@contextmanager
def background_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Run an event loop on a thread for as long as the block lasts."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="event loop")
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


if __name__ == "__main__":
    sys.exit(main())
