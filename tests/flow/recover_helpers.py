"""What the tests of recovering share: flows that fail, and flows that do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from penstock import Flow


def pulled(n: int) -> Flow[int]:
    return Flow.range(n)


def pushed(n: int) -> Flow[int]:
    """The same, but it has to be subscribed to."""
    return Flow.range(n).via(lambda: Flow.processor(lambda flow: flow, window=4))


def broken(error: Exception | None = None) -> Flow[Any]:
    return Flow.error(lambda: OSError("broken") if error is None else error)


def failing_after(*elements: int, error: Exception | None = None) -> Flow[int]:
    """An iterable flow that raises after these."""

    def generate() -> Iterator[int]:
        yield from elements
        raise OSError("broken") if error is None else error

    return Flow.from_iterable(generate)
