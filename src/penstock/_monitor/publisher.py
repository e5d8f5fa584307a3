"""The watched Publisher, and the watched Processor."""

from __future__ import annotations

import threading
import weakref
from threading import get_ident
from typing import Any, TypeVar

from penstock._monitor.link import Link
from penstock._monitor.reporter import Reporter, describe
from penstock._monitor.shape import SUBSCRIBER, lacks
from penstock._monitor.subscriber import CheckedSubscriber
from penstock._monitor.violation import RuleBroken, Violation, excused, here, origin
from penstock.api import Processor, Publisher, Subscriber

__all__ = ["CheckedProcessor", "CheckedPublisher"]

T_co = TypeVar("T_co", covariant=True)
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class CheckedPublisher(Publisher[T_co]):
    """Passes `subscribe` on, with a watched Subscriber in the place of the given one.

    The same object gets the same stand-in as long as the Publisher holds on to that, so a
    Publisher that tells its Subscribers apart by identity still can.
    """

    def __init__(self, publisher: Publisher[T_co], reporter: Reporter) -> None:
        self._target = publisher
        self._reporter = reporter
        self._ending: dict[int, Link] = {}
        self._watching = threading.Lock()
        # By address: a Subscriber may be unhashable, or equal to another one.
        self._watched: weakref.WeakValueDictionary[int, CheckedSubscriber[Any]] = (
            weakref.WeakValueDictionary()
        )

    def __repr__(self) -> str:
        return f"checked({self._target!r})"

    def subscribe(self, subscriber: Subscriber[T_co], /) -> None:
        """Pass `subscriber` on, watched. Raises what the Publisher raises, or `RuleBroken`."""
        broken = self._called_back()
        watched = None
        if not lacks(subscriber, SUBSCRIBER):
            watched = self._watch(subscriber)
            broken = watched.expect() or broken
        try:
            result = self._target.subscribe(subscriber if watched is None else watched)
        except BaseException as error:
            if watched is not None:
                watched.give_up()
            broken = self._raised(subscriber, error, judged=watched is not None) or broken
            if broken is None or not isinstance(error, Exception):
                raise
            raise broken from error
        if subscriber is None:  # pyright: ignore[reportUnnecessaryComparison]
            broken = self._broke(subscriber, "subscribe took None and raised no TypeError")
        if broken is not None:
            raise broken
        return result

    def _watch(self, subscriber: Subscriber[T_co]) -> CheckedSubscriber[T_co]:
        with self._watching:
            watched = self._watched.get(id(subscriber))
            if watched is None:
                publisher = (type(self._target), id(self._target))
                watched = CheckedSubscriber(subscriber, self._reporter, publisher, self._ending)
                self._watched[id(subscriber)] = watched
        return watched

    def _called_back(self) -> RuleBroken | None:
        link = self._ending.get(get_ident())
        if link is None or link.ended is None:
            return None
        message = f"subscribe was called from inside {link.ended.signal}"
        return link.report("2.3", "subscriber", message, "subscribe", link.ended)

    def _raised(
        self, subscriber: object, error: BaseException, *, judged: bool
    ) -> RuleBroken | None:
        if excused(error):
            return None
        if subscriber is None and not isinstance(error, TypeError):
            judged = True
        if not judged:
            return None  # rightly refused, as no Subscriber
        return self._broke(subscriber, f"subscribe raised {type(error).__name__}", error)

    def _broke(
        self, subscriber: object, message: str, error: BaseException | None = None
    ) -> RuleBroken | None:
        there = None if error is None else origin("raise", error)
        return self._reporter(
            Violation(
                "1.9",
                message,
                "publisher",
                describe(type(self._target), id(self._target)),
                describe(type(subscriber), id(subscriber)),
                here("subscribe"),
                there,
            )
        )


class CheckedProcessor(CheckedSubscriber[T_contra], CheckedPublisher[R_co]):
    """Both at once: the upstream and the downstream of one Processor."""

    def __init__(self, processor: Processor[T_contra, R_co], reporter: Reporter) -> None:
        CheckedSubscriber.__init__(self, processor, reporter)  # pyright: ignore[reportUnknownMemberType]
        CheckedPublisher.__init__(self, processor, reporter)  # pyright: ignore[reportUnknownMemberType]

    def __repr__(self) -> str:
        return f"checked({self._subscriber!r})"
