"""Judges how a Subscriber uses its Subscription, and how that behaves."""

from __future__ import annotations

from penstock._monitor.link import Link
from penstock._monitor.violation import RuleBroken, elsewhere, excused, here, origin

__all__ = ["RECURSION", "add", "judge_call", "judge_request", "overlap", "raised", "returned"]

RECURSION = 16
"""How many requests may be nested on one thread before rule 3.3 counts as broken. It asks for
some bound and recommends 1; implementations that count levels tend to allow about eight."""


def add(link: Link, n: object, entry: list[int]) -> None:
    """Count a request whose n is no plain int above 0, at the most that it may mean."""
    if isinstance(n, bool):
        if link.stretch is not None:
            link.stretch += int(n)
    elif isinstance(n, int):
        entry[0] += max(int(n), 0)
    else:
        link.stretch = None


def overlap(link: Link, me: int) -> RuleBroken | None:
    """Report rule 2.7: another thread is inside `request`, too.

    Unless an element has come that only the other one's request can have brought: then that
    request has done its part, and what it is still inside of is the Publisher's emission.
    """
    if not link.active:
        return None
    for other, before in link.requesting.copy().items():
        if other != me and link.received <= before:
            message = "request was called while request was running in another thread"
            there = elsewhere("request", other)
            return link.report("2.7", "subscriber", message, "request", there)
    return None


def judge_call(link: Link, call: str, me: int) -> RuleBroken | None:
    """Report rule 2.3: a call from inside a terminal signal of this subscription."""
    if link.endings.get(me) is not link or link.ended is None:
        return None
    message = f"{call} was called from inside {link.ended.signal}"
    return link.report("2.3", "subscriber", message, call, link.ended)


def judge_request(link: Link, n: object, depth: int, me: int) -> RuleBroken | None:
    """Judge a request that isn't just a good number for a healthy stream.

    Requests after the end are no breach of rule 2.4: a Subscriber that queues its signals may
    not have come to the terminal one yet. (Inside the terminal signal itself they are: 2.3.)
    """
    if not link.active:
        if link.cancelled is not None:
            link.late.add(me)
        return judge_call(link, "request", me)
    broken = None
    if link.rival is not None and link.rival.active:
        message = "request was called on a second subscription, while the first one is active"
        broken = link.report("2.5", "subscriber", message, "request", link.rival.opened)
    if depth > RECURSION and link.judged:
        message = f"request and the signals that it sends are nested {depth} deep on one thread"
        broken = link.report("3.3", "publisher", message, "request") or broken
    return _judge_number(link, n, me) or broken


def returned(link: Link, me: int, *, good: bool) -> None:
    """Note that a request returned which `judge_request` had looked at."""
    link.late.discard(me)
    if not good:
        link.answering = None
        link.unanswered = link.bad if link.active else None


def raised(link: Link, rule: str, call: str, error: BaseException) -> RuleBroken | None:
    """Report that `request` or `cancel` raised, unless it only let an exception pass."""
    if excused(error):
        return None
    message = f"{call} raised {type(error).__name__}"
    return link.report(rule, "publisher", message, call, origin("raise", error))


def _judge_number(link: Link, n: object, me: int) -> RuleBroken | None:
    # A bool is an int to isinstance, but not to R.10. An n of another type is not touched:
    # what its operators do is nobody's business here.
    if isinstance(n, int) and not isinstance(n, bool):
        if n > 0:
            return None
        rule, shown = "3.9", str(int(n))
    else:
        rule, shown = "R.10", str(n) if isinstance(n, bool | float) else type(n).__name__
    link.odd = True
    link.bad = link.bad or rule
    link.asked = link.asked or here("request")
    link.answering = me
    return link.report(rule, "subscriber", f"request({shown}) was called", "request")
