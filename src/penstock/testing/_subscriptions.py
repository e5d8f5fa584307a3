"""The subscriptions that a ManualPublisher hands out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from penstock.api import Subscriber

__all__ = ["ManualSubscription", "reject"]

T = TypeVar("T")


class ManualSubscription:
    """Passes both calls to the publisher that made it."""

    __slots__ = ("_cancel", "_request")

    def __init__(self, request: Callable[[int], None], cancel: Callable[[], None]) -> None:
        self._request = request
        self._cancel = cancel

    def request(self, n: int, /) -> None:
        self._request(n)

    def cancel(self) -> None:
        self._cancel()


class _Rejected:
    """The subscription of a Subscriber that is turned away: it does nothing."""

    def __init__(self) -> None:
        self.cancelled = False

    def request(self, n: int, /) -> None:
        pass

    def cancel(self) -> None:
        self.cancelled = True


def reject(subscriber: Subscriber[T]) -> None:
    """Turn a Subscriber away as rule 1.9 wants it."""
    subscription = _Rejected()
    subscriber.on_subscribe(subscription)
    # A Subscriber that has another stream already cancels this one (rule 2.5); an error
    # would then end the wrong stream.
    if not subscription.cancelled:
        subscriber.on_error(RuntimeError("this ManualPublisher has its one Subscriber already"))
