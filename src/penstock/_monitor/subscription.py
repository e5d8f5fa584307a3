"""The watched Subscription."""

from __future__ import annotations

from threading import get_ident

from penstock._monitor import demand
from penstock._monitor.demand import RECURSION
from penstock._monitor.link import Link
from penstock._monitor.violation import here
from penstock.api import Subscription

__all__ = ["CheckedSubscription"]


class CheckedSubscription(Subscription):
    """Passes `request` and `cancel` on; it knows the Subscriber by name only."""

    def __init__(self, subscription: Subscription, link: Link) -> None:
        self._subscription = subscription
        self._link = link

    def __repr__(self) -> str:
        return f"checked({self._subscription!r})"

    def wraps(self, subscription: Subscription) -> bool:
        """Say whether calls are passed on to this very object."""
        return self._subscription is subscription

    def request(self, n: int, /) -> None:
        """Pass the request on. Raises what the Subscription raises, and `RuleBroken` if told to."""
        link = self._link
        me = get_ident()
        entry = link.requesters.get(me)
        if entry is None:
            entry = link.requesters[me] = [0, 0]
        before = link.requested
        good = type(n) is int and n > 0
        # Counted before the Publisher can know of it.
        if good:
            entry[0] += n
            link.requested = before + n
        else:
            demand.add(link, n, entry)
        entry[1] = depth = entry[1] + 1
        if depth == 1:
            link.requesting[me] = before
        looked = False
        broken = None
        try:
            if depth == 1 and len(link.requesting) > 1:
                broken = demand.overlap(link, me)
            if link.odd or not good or depth > RECURSION:
                looked = True
                broken = demand.judge_request(link, n, depth, me) or broken
            result = self._subscription.request(n)
        except BaseException as error:
            broken = demand.raised(link, "3.16", "request", error) or broken
            if broken is None or not isinstance(error, Exception):
                raise
            raise broken from error
        finally:
            entry[1] = depth - 1
            if depth == 1:
                del link.requesting[me]
            if looked:
                demand.returned(link, me, good=good)
        if broken is not None:
            raise broken
        return result

    def cancel(self) -> None:
        """Pass the cancel on. Raises what the Subscription raises, and `RuleBroken` if told to."""
        link = self._link
        broken = demand.judge_call(link, "cancel", get_ident())
        link.leave()
        try:
            result = self._subscription.cancel()
        except BaseException as error:
            broken = demand.raised(link, "3.15", "cancel", error) or broken
            if broken is None or not isinstance(error, Exception):
                raise
            raise broken from error
        link.left(here("cancel"))
        if broken is not None:
            raise broken
        return result
