"""The functions that all sides call, and the sinks that all sides feed."""

from __future__ import annotations

from collections.abc import Callable

from penstock import UNBOUNDED, Subscription

WINDOW = 1024
"""The bound of every boundary."""


def increment(element: int) -> int:
    return element + 1


def is_even(element: int) -> bool:
    return element % 2 == 0


def evens(n: int) -> int:
    """Return what W1 computes: the sum of the even numbers among 1 … n."""
    half = n // 2
    return half * (half + 1)


def triangle(n: int) -> int:
    """Return the sum of `range(n)`."""
    return n * (n - 1) // 2


class Sum:
    """Asks for everything and adds up what it gets."""

    __slots__ = ("error", "finished", "total")

    def __init__(self, finished: Callable[[], object] | None = None) -> None:
        self.total = 0
        self.error: Exception | None = None
        self.finished = finished

    def on_subscribe(self, subscription: Subscription, /) -> None:
        subscription.request(UNBOUNDED)

    def on_next(self, element: int, /) -> None:
        self.total += element

    def on_error(self, error: Exception, /) -> None:
        self.error = error
        self.on_complete()

    def on_complete(self) -> None:
        if self.finished is not None:
            self.finished()


class SumInBatches(Sum):
    """Asks for 256 elements, and for 256 more whenever it has got them."""

    __slots__ = ("left", "subscription")

    def on_subscribe(self, subscription: Subscription, /) -> None:
        self.left = 256
        self.subscription = subscription
        subscription.request(256)

    def on_next(self, element: int, /) -> None:
        self.total += element
        self.left -= 1
        if not self.left:
            self.left = 256
            self.subscription.request(256)


class Count(Sum):
    """Counts what it gets."""

    __slots__ = ()

    def on_next(self, element: object, /) -> None:  # noqa: ARG002 - it is only counted
        self.total += 1


class SumOf(Sum):
    """Adds up what `value` makes of each element."""

    __slots__ = ("value",)

    def __init__(self, value: Callable[..., int]) -> None:
        super().__init__()
        self.value = value

    def on_next(self, element: object, /) -> None:
        self.total += self.value(element)
