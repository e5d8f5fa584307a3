"""The watched Subscriber."""

from __future__ import annotations

import threading
import weakref
from threading import get_ident
from typing import Any, TypeVar, cast

from penstock._monitor import signals
from penstock._monitor.link import Link, Named
from penstock._monitor.reporter import Reporter
from penstock._monitor.shape import SUBSCRIPTION, lacks
from penstock._monitor.subscription import CheckedSubscription
from penstock._monitor.violation import RuleBroken, here
from penstock.api import Subscriber, Subscription

__all__ = ["CheckedSubscriber"]

T_contra = TypeVar("T_contra", contravariant=True)


class CheckedSubscriber(Subscriber[T_contra]):
    """Passes the signals on to a Subscriber, and watched Subscriptions with them.

    One that stands for itself may be given any Subscription. One that a watched Publisher
    made for a `subscribe` expects as many as there were of those.
    """

    def __init__(
        self,
        subscriber: Subscriber[T_contra],
        reporter: Reporter,
        publisher: Named | None = None,
        endings: dict[int, Link] | None = None,
    ) -> None:
        self._subscriber = subscriber
        self._reporter = reporter
        self._from = publisher
        self._endings: dict[int, Link] = {} if endings is None else endings
        self._pairing = threading.Lock()
        self._expected = 0
        self._given: weakref.ref[CheckedSubscription] | None = None
        self._link = self._new_link()

    def __repr__(self) -> str:
        return f"checked({self._subscriber!r})"

    # A Publisher shouldn't compare Subscribers (rule 2.12); one that does finds the same.

    def __eq__(self, other: object) -> bool:
        mine: object = self._subscriber
        if isinstance(other, CheckedSubscriber):
            return bool(mine == other._subscriber)  # pyright: ignore[reportUnknownMemberType]
        return bool(mine == other)

    def __hash__(self) -> int:
        return hash(self._subscriber)

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Pass a watched `subscription` on. Raises what the Subscriber raises, or `RuleBroken`."""
        link, given, broken = self._admit(subscription)
        return self._pass(link, "on_subscribe", (given,), broken)

    def on_next(self, element: T_contra, /, *more: object, **named: object) -> None:
        """Pass the element on. Raises what the Subscriber raises, and `RuleBroken` if told to."""
        link = self._link
        me = get_ident()
        inside = link.inside
        first = me not in inside
        if first:
            # No call between this and `try`, so no interrupt can come in between and leave it.
            inside[me] = "on_next"
        broken = None
        try:
            if first and len(inside) > 1:
                broken = signals.overlap(link, "on_next", me)
            link.received = got = link.received + 1
            if got > link.requested or link.odd or element is None:
                broken = signals.judge_next(link, element, got, me) or broken
            # A foreign Publisher may pass more, to a Subscriber that takes more.
            if more or named:
                taker: Any = self._subscriber
                result: None = taker.on_next(element, *more, **named)
            else:
                result = self._subscriber.on_next(element)
            if element is None:
                broken = signals.took(link, "on_next", None, me, none_given=True) or broken
        except BaseException as error:
            none = element is None
            broken = signals.took(link, "on_next", error, me, none_given=none) or broken
            if broken is None or not isinstance(error, Exception):
                raise
            raise broken from error
        finally:
            if first:
                del inside[me]
        if broken is not None:
            raise broken
        return result

    def on_error(self, error: Exception, /) -> None:
        """Pass the error on. Raises what the Subscriber raises, and `RuleBroken` if told to."""
        return self._end("on_error", error)

    def on_complete(self) -> None:
        """Pass the signal on. Raises what the Subscriber raises, and `RuleBroken` if told to."""
        return self._end("on_complete")

    def expect(self) -> RuleBroken | None:
        """Expect one more `on_subscribe`, for a `subscribe`; judge that by rule 1.10."""
        with self._pairing:
            link = self._link
            again = self._expected > 0 or link.active
            self._expected += 1
            if again:
                link.muddle()
        if not again:
            return None
        message = "subscribe was given an object that is subscribed already"
        return link.report("1.10", "subscriber", message, "subscribe", link.opened)

    def give_up(self) -> None:
        """Expect one `on_subscribe` less: `subscribe` raised."""
        with self._pairing:
            self._expected = max(self._expected - 1, 0)

    def _end(self, signal: str, *args: object) -> None:
        link = self._link
        me = get_ident()
        broken = signals.judge_end(link, signal, args, me)
        endings = link.endings
        outer = endings.get(me)
        endings[me] = link
        try:
            return self._pass(link, signal, args, broken)
        finally:
            if outer is None:
                del endings[me]
            else:
                endings[me] = outer

    def _pass(
        self, link: Link, signal: str, args: tuple[object, ...], broken: RuleBroken | None
    ) -> None:
        """Pass any signal but `on_next` on, which does the same without detours."""
        me = get_ident()
        inside = link.inside
        first = me not in inside
        none = args == (None,)
        if first:
            inside[me] = signal
        try:
            if first and len(inside) > 1:
                broken = signals.overlap(link, signal, me) or broken
            result = getattr(self._subscriber, signal)(*args)
            if none:
                broken = signals.took(link, signal, None, me, none_given=True) or broken
        except BaseException as error:
            broken = signals.took(link, signal, error, me, none_given=none) or broken
            if broken is None or not isinstance(error, Exception):
                raise
            raise broken from error
        finally:
            if first:
                del inside[me]
        if broken is not None:
            raise broken
        return cast("None", result)

    def _admit(self, subscription: Subscription) -> tuple[Link, Subscription, RuleBroken | None]:
        """Find the link that `subscription` belongs to, and judge that it was given."""
        if subscription is None:  # pyright: ignore[reportUnnecessaryComparison]
            message = "on_subscribe was given None"
            broken = self._link.report("2.13", "publisher", message, "on_subscribe")
            return self._link, subscription, broken
        position = here("on_subscribe")
        with self._pairing:
            old = self._link
            opened, active = old.opened, old.active
            unasked = self._from is not None and self._expected == 0
            self._expected = max(self._expected - 1, 0)
            link, given = self._place(old, subscription)
            link.open(subscription, position)
        broken = None
        if given is subscription:
            message = f"on_subscribe was given {type(subscription).__name__}, no Subscription"
            broken = link.report("1.9", "publisher", message, "on_subscribe")
        if opened is not None and (unasked or (active and self._from is None)):
            message = "on_subscribe came again"
            broken = link.report("2.12", "publisher", message, "on_subscribe", opened) or broken
        return link, given, broken

    def _place(self, old: Link, subscription: Subscription) -> tuple[Link, Subscription]:
        earlier = None if self._given is None else self._given()
        if old.active and earlier is not None and earlier.wraps(subscription):
            old.muddle()
            return old, earlier
        link = old
        if old.opened is not None:
            # Only if the last stream ended by a terminal signal are the next signals sure to
            # be of this one. After a cancel, some may still be under way.
            link = self._new_link()
            link.judged = old.judged and old.ended is not None
            if old.active:
                link.rival = old
                old.muddle()
            else:
                self._link = link
        if lacks(subscription, SUBSCRIPTION):
            link.muddle()  # its requests can't be seen
            return link, subscription
        given = CheckedSubscription(subscription, link)
        self._given = weakref.ref(given)
        return link, given

    def _new_link(self) -> Link:
        subscriber: object = self._subscriber
        return Link(self._from, (type(subscriber), id(subscriber)), self._reporter, self._endings)
