"""Judges what a Publisher sends, and how a Subscriber takes it."""

from __future__ import annotations

import re
import time

from penstock._monitor.link import Link
from penstock._monitor.violation import RuleBroken, elsewhere, excused, here, origin

__all__ = ["CANCEL_ELEMENTS", "CANCEL_SECONDS", "judge_end", "judge_next", "overlap", "took"]

CANCEL_ELEMENTS = 1000
CANCEL_SECONDS = 10.0
"""Rule 1.8 leaves open how soon signals cease. Only a stream that has sent more than this many
elements since `cancel` returned, the last of them more than this long after it, is reported: it
goes on as if nothing had happened."""

_NAMES_3_9 = re.compile(r"\b3[.:]0?9\b|\bR\.10\b")


def overlap(link: Link, signal: str, me: int) -> RuleBroken | None:
    """Report rule 1.3: another thread is inside a signal, too."""
    if not link.judged:
        return None
    for other, running in link.inside.copy().items():
        if other != me:
            message = f"{signal} came while {running} was running in another thread"
            there = elsewhere(running, other)
            return link.report("1.3", "publisher", message, signal, there)
    # It has left in the meantime, but it was there.
    message = f"{signal} came while a signal was running in another thread"
    return link.report("1.3", "publisher", message, signal)


def judge_next(link: Link, element: object, got: int, me: int) -> RuleBroken | None:
    """Judge the `got`th `on_next`, one that isn't just one more element of a healthy stream."""
    broken = None
    if element is None:
        broken = link.report("2.13", "publisher", "on_next was given None", "on_next")
    if not link.judged:
        return broken
    if link.opened is None:
        return _too_early(link, "on_next") or broken
    if link.ended is not None:
        return _too_late(link, "on_next") or broken
    if link.raised_on == me:
        return _goes_on(link, "on_next") or broken
    if got > link.requested and got > (total := link.total()):
        broken = _too_many(link, got, total) or broken
    elif link.cancelled is not None:
        broken = _after_cancel(link, got, me) or broken
    if link.answering == me:
        link.answering = None  # what follows need not be the answer to the bad request
    link.proven = link.unanswered is not None
    return broken


def judge_end(link: Link, signal: str, args: tuple[object, ...], me: int) -> RuleBroken | None:
    """Judge a terminal signal, and note that it came."""
    broken = None
    if signal == "on_error" and args[0] is None:
        broken = link.report("2.13", "publisher", "on_error was given None", signal)
    elif signal == "on_error" and not isinstance(args[0], Exception):
        message = f"on_error was given {type(args[0]).__name__}, which is no Exception"
        broken = link.report("1.4", "publisher", message, signal)
    first = link.end(here(signal))
    if not link.judged:
        return broken
    if link.opened is None:
        return _too_early(link, signal) or broken
    if first is not None:
        return _too_late(link, signal) or broken
    if link.raised_on == me:
        return _goes_on(link, signal) or broken
    if link.answering == me and link.bad is not None:
        return _answer(link, link.bad, signal, args) or broken
    if link.unanswered and link.proven and signal == "on_complete" and not link.cancelled:
        message = "on_complete came instead of the on_error(ValueError) that a request called for"
        return link.report(link.unanswered, "publisher", message, signal, link.asked) or broken
    return broken


def took(
    link: Link, signal: str, error: BaseException | None, me: int, *, none_given: bool
) -> RuleBroken | None:
    """Judge how the Subscriber took a signal: what it raised, and whether it refused None."""
    if error is None:
        if none_given:
            message = f"{signal} took None and raised no TypeError"
            return link.report("2.13", "subscriber", message, signal)
        return None
    if excused(error):
        return None
    if isinstance(error, TypeError) and (none_given or _not_entered(error)):
        return None
    if not none_given:
        link.raised_on = me
        link.odd = True
    message = f"{signal} raised {type(error).__name__}"
    return link.report("2.13", "subscriber", message, signal, origin("raise", error))


def _not_entered(error: BaseException) -> bool:
    # Then the caller passed arguments that the method doesn't take: not the method's fault.
    return error.__traceback__ is None or error.__traceback__.tb_next is None


def _too_early(link: Link, signal: str) -> RuleBroken | None:
    return link.report("1.9", "publisher", f"{signal} came before on_subscribe", signal)


def _too_late(link: Link, signal: str) -> RuleBroken | None:
    first = link.ended.signal if link.ended else "the terminal signal"
    return link.report("1.7", "publisher", f"{signal} came after {first}", signal, link.ended)


def _goes_on(link: Link, signal: str) -> RuleBroken | None:
    # Certain only on the thread that the exception was raised to: on another one, the signal
    # may have been under way, waiting for its turn.
    message = f"{signal} came after a signal method had raised"
    return link.report("2.13", "publisher", message, signal)


def _too_many(link: Link, got: int, total: int) -> RuleBroken | None:
    if link.stretch is None or got <= total + link.stretch:
        message = "an element came for a request whose n was no int"
        return link.report("R.10", "publisher", message, "on_next", link.asked)
    message = f"on_next came {got} times, with {total} requested"
    return link.report("1.1", "publisher", message, "on_next")


def _after_cancel(link: Link, got: int, me: int) -> RuleBroken | None:
    if got > link.frozen and me in link.late:
        message = "a request made after cancel brought an element"
        return link.report("3.6", "publisher", message, "on_next", link.cancelled)
    link.after_cancel += 1
    late = time.monotonic() - link.cancelled_at
    if link.after_cancel > CANCEL_ELEMENTS and late > CANCEL_SECONDS:
        message = f"{link.after_cancel} elements came after cancel, the last {late:.0f} s after it"
        return link.report("1.8", "publisher", message, "on_next", link.cancelled)
    return None


def _answer(link: Link, rule: str, signal: str, args: tuple[object, ...]) -> RuleBroken | None:
    # Sent from inside the bad request, so it is the answer to it. A terminal signal from
    # elsewhere isn't judged by its kind: the stream may have failed for reasons of its own.
    if signal == "on_complete":
        wrong = "on_complete"
    elif not isinstance(args[0], ValueError):
        wrong = f"on_error({type(args[0]).__name__})"
    elif not _names_rule(args[0]):
        wrong = "on_error(ValueError) whose text does not name rule 3.9"
    else:
        return None
    return link.report(rule, "publisher", f"a bad request was answered with {wrong}", signal)


def _names_rule(error: ValueError) -> bool:
    try:
        text = "\n".join([str(error), *getattr(error, "__notes__", ())])
    except Exception:  # noqa: BLE001 - a text that can't be had can't be held against anyone
        return True
    return _NAMES_3_9.search(text) is not None
