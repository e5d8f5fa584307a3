"""One random flow, driven in one of many ways, and compared with the oracle at each step."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

from penstock import UNBOUNDED, Flow
from tests.flow.oracle import ASKS_MORE, Boom, Description, Tools, canonical, interpret
from tests.flow.strategies import HANDLERS, build, has, reorders
from tests.waiting import DEADLINE, eventually

__all__ = ["WAYS", "Case", "Failing", "stepped", "whole"]

Failing = tuple[str, int] | None


class Recorder:
    """A Subscriber that keeps what it gets, and knows what must not come."""

    def __init__(self) -> None:
        self.elements: list[Any] = []
        self.error: Exception | None = None
        self.ended = ""
        self.broken: list[str] = []
        self.news = threading.Condition()
        self._inside = threading.Lock()
        self.subscription: Any = None

    def _signal(self, signal: str) -> None:
        if not self._inside.acquire(blocking=False):
            self.broken.append(f"{signal} while in another signal")
            return
        if self.ended:
            self.broken.append(f"{signal} after {self.ended}")
        self._inside.release()

    def on_subscribe(self, subscription: Any) -> None:
        self.subscription = subscription

    def on_next(self, element: Any) -> None:
        self._signal("on_next")
        with self.news:
            self.elements.append(element)
            self.news.notify_all()

    def on_error(self, error: Exception) -> None:
        self._signal("on_error")
        with self.news:
            self.error = error
            self.ended = "on_error"
            self.news.notify_all()

    def on_complete(self) -> None:
        self._signal("on_complete")
        with self.news:
            self.ended = "on_complete"
            self.news.notify_all()

    def wait(self, happened: Callable[[], object], what: str) -> None:
        with self.news:
            assert self.news.wait_for(happened, DEADLINE), f"stalled: {what}"


def decidable(description: Description, fails: Failing, *, stepwise: bool) -> Failing:
    """Return what fails, unless nobody can say what comes of it.

    An error overtakes what was not asked for (R.7): what is dropped so is up to the moment, and
    shows if somebody makes elements of the error.
    """
    lazy = bool(build(description, Tools()).depth)
    if fails is None or lazy or not has(description, HANDLERS):
        return fails
    if has(description, ("retry", "repeat")):
        return None  # which run the failing call belongs to is up to the moment as well
    return None if stepwise or has(description, tuple(ASKS_MORE)) else fails


class Case:
    """A description, what it should give, and the flow that is tried."""

    def __init__(self, description: Description, fails: Failing, *, stepwise: bool) -> None:
        fails = decidable(description, fails, stepwise=stepwise)
        self.description = description
        self.fails = fails
        self.ordered = not reorders(description)
        self.elements: list[Any] = []
        self.error: Exception | None = None
        ideal = Tools(fails)
        ideal.lazy = True
        try:
            for x in interpret(description, ideal):
                self.elements.append(canonical(x))
        except Boom as error:
            self.error = error
        self.tools = Tools(fails)
        self.flow: Flow[Any] = build(description, self.tools)
        self.lazy = bool(self.flow.depth)
        """Whether nothing works ahead of demand."""

    def same(self, elements: list[Any], of: list[Any] | None = None) -> None:
        """Check that these are the elements that have to come, at first or in all."""
        got = [canonical(x) for x in elements]
        if not self.ordered:
            left = sorted(map(repr, self.elements))
            for one in map(repr, got):
                assert one in left, f"{one} came, of {left}: {self}"
                left.remove(one)
            return
        assert got == self.elements[: len(got)], f"{got}, not {self.elements}: {self}"

    def same_error(self, error: BaseException | None) -> None:
        """Check that it is this error, with the operator that it was raised in."""
        told = f"{error!r}, not {self.error!r}: {self}"
        if self.error is not None or self.lazy or not isinstance(error, Boom):
            assert (type(error), str(error)) == (type(self.error), str(self.error)), told
        # Else it overtook elements that nobody had asked for yet, and might not have (R.7).
        if self.fails is not None and not self.fails[0].endswith("source"):
            notes = getattr(error, "__notes__", [])
            assert any(f"({self.fails[0]}" in note for note in notes), f"{notes}: {self}"

    def over(self) -> None:
        """Check what has to hold when all is over."""
        eventually(lambda: not self.tools.left_open(), f"{self.tools.left_open()} {self}: closing")
        assert not self.tools.broken, str(self)

    def __str__(self) -> str:
        return f"{self.description} with {self.fails} failing"


def stepped(case: Case, schedule: list[int], *, elsewhere: bool) -> None:
    """Drive the flow by hand, and look at it after each step."""
    recorder = Recorder()
    bound = Tools(case.fails)
    bound.lazy = case.lazy
    asked = sum(n for n in schedule if n > 0)
    pulled = interpret(case.description, bound, asked)
    eager = elsewhere or not case.lazy
    demand = pulls = 0
    before = 0
    case.flow.subscribe(recorder)
    total = len(case.elements)
    refused = False
    for n in schedule:
        if n == -1:
            break
        over = recorder.ended
        recorder.subscription.request(n)
        if n == 0:
            refused = not over
            break
        demand = min(demand + n, UNBOUNDED)
        if elsewhere and not over:
            expected = min(demand, total)
            if demand > total:
                recorder.wait(lambda: recorder.ended, f"{recorder.elements} of {case}")
            else:
                recorder.wait(
                    lambda: recorder.ended or len(recorder.elements) >= expected,  # noqa: B023
                    f"{recorder.elements} of {case}",
                )
        for _ in range(min(demand - pulls, total + 2)):
            pulls += 1
            try:
                if next(pulled, None) is None:
                    break
            except Boom:
                break
        got = len(recorder.elements)
        assert got <= demand, str(case)
        if not over:
            if recorder.error is not None and eager:
                assert got >= min(before, total), str(case)
            elif recorder.error is None or not eager:
                assert got == min(demand, total), f"{got} of {demand}: {case}"
            if demand > total:
                assert recorder.ended, f"no end: {case}"
        before = demand
        for name in bound.names if case.ordered else ():
            if case.fails and "map_async" in name:
                continue  # calls that were begun beside the one that fails
            calls = case.tools.calls[name]
            assert calls <= bound.calls[name], f"{name}: {calls} > {bound.calls[name]}, {case}"
    case.same(recorder.elements)
    if refused:
        recorder.wait(lambda: recorder.ended, f"the answer to request(0): {case}")
        if not (eager and isinstance(recorder.error, Boom)):
            assert isinstance(recorder.error, ValueError), f"{recorder.ended} {case}"
            assert "3.9" in str(recorder.error)
    elif recorder.ended == "on_complete":
        assert len(recorder.elements) == total, str(case)
        assert case.error is None, str(case)
    elif recorder.ended:
        case.same_error(recorder.error)
    else:
        got = len(recorder.elements)
        calls = case.tools.calls.total()
        recorder.subscription.cancel()
        recorder.subscription.request(5)
        if not elsewhere:
            assert (len(recorder.elements), recorder.ended) == (got, ""), str(case)
            assert case.tools.calls.total() == calls, str(case)
    case.over()
    assert not recorder.broken, f"{recorder.broken} {case}"
    case.same(recorder.elements)
    assert len(recorder.elements) <= demand


def whole(case: Case, run: Callable[[], list[Any]]) -> None:
    """Run it to the end in some way: all elements come, then the end."""
    try:
        elements = run()
    except Boom as error:
        case.same_error(error)
    else:
        case.same(elements)
        assert len(elements) == len(case.elements), str(case)
        assert case.error is None, str(case)
    case.over()


def taken(case: Case, elements: Any, into: list[Any]) -> list[Any]:
    for x in elements:
        into.append(x)
        case.same(into[-1:] if not case.ordered else into)
    return into


async def awaited(flow: Flow[Any]) -> list[Any]:
    return await flow.to_list()


async def async_taken(flow: Flow[Any]) -> list[Any]:
    return [x async for x in flow]


WAYS: dict[str, Callable[[Case], list[Any]]] = {
    "result": lambda case: case.flow.to_list().result(DEADLINE),
    "start": lambda case: case.flow.to_list().start().result(DEADLINE),
    "await": lambda case: asyncio.run(asyncio.wait_for(awaited(case.flow), DEADLINE)),
    "for": lambda case: taken(case, case.flow, []),
    "async for": lambda case: asyncio.run(asyncio.wait_for(async_taken(case.flow), DEADLINE)),
}
