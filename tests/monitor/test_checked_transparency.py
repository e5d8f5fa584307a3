"""A watched stream does just what it does unwatched."""

from __future__ import annotations

import gc
import itertools
import random
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from monitor_streams import Bare, Right, Sink, bad

from penstock import UNBOUNDED, Subscription, Violation, checked


class Boom(Exception):  # noqa: N818
    pass


ARGS = (object(), 1, 1.0, "x", None, OSError("e"), KeyboardInterrupt("k"))
SIGNALS = ("on_next", "on_error", "on_complete", "on_subscribe")
CALLS = ("request", "cancel", "subscribe")
NUMBERS = (1, 2, 5, 0, -1, True, 1.5, None, UNBOUNDED, "3")


@dataclass(frozen=True)
class Step:
    """A signal or a call, and what its receiver does: go on with the next step inside, raise."""

    what: str
    arg: int
    nest: bool
    fails: type[BaseException] | None
    lets_through: bool


WHATS = (*SIGNALS, *SIGNALS, *CALLS, "on_next")
FAILS = (None, None, None, None, Boom, TypeError, GeneratorExit)

steps = st.lists(
    st.builds(
        Step,
        what=st.sampled_from(WHATS),
        arg=st.integers(0, 20),
        nest=st.booleans(),
        fails=st.sampled_from(FAILS),
        lets_through=st.booleans(),
    ),
    max_size=30,
)


def scripts(count: int) -> Iterator[list[Step]]:
    """Yield long scripts, the same ones each time."""
    dice = random.Random(1)
    for _ in range(count):
        yield [
            Step(
                dice.choice(WHATS),
                dice.randrange(21),
                dice.random() < 0.5,
                dice.choice(FAILS),
                dice.random() < 0.3,
            )
            for _ in range(40)
        ]


class Play(Subscription):
    """Publisher, Subscription and Subscriber, that play a script and write down everything."""

    def __init__(self, script: list[Step], watch: str) -> None:
        self.script: Iterator[Step] = iter(script)
        self.log: list[tuple[object, ...]] = []
        self.tokens = itertools.count()
        self.given: Any = None
        self.found: list[Violation] = []
        self.now = Step("", 0, False, None, False)
        self.publisher: Any = self.Publisher(self)
        self.sink: Any = self.Taker(self)
        if "p" in watch:
            self.publisher = checked(self.publisher, self.found.append)
        if "s" in watch:
            self.sink = checked(self.sink, self.found.append)

    def play(self) -> list[tuple[object, ...]]:
        try:
            self.publisher.subscribe(self.sink)
            for step in self.script:
                self.step(step)
        except BaseException as error:  # noqa: BLE001
            self.log.append(("ended by", type(error), error.args))
        return self.log

    def step(self, step: Step) -> None:
        args: list[Any] = []
        to: Any = self.to
        if step.what in ("on_next", "on_error"):
            args = [ARGS[step.arg % len(ARGS)]]
        elif step.what == "on_subscribe":
            args = [None if step.arg == 0 else self]
        elif step.what == "subscribe":
            to, args = self.publisher, [None if step.arg == 0 else self.sink]
        elif step.what == "request":
            to, args = self.given, [NUMBERS[step.arg % len(NUMBERS)]]
        elif step.what == "cancel":
            to = self.given
        if to is None:
            return
        self.now = step
        self.log.append(("calls", step.what))
        try:
            self.log.append(("got back", getattr(to, step.what)(*args)))
        except BaseException as error:
            self.log.append(("caught", type(error), error.args))
            if step.lets_through:
                raise

    def receive(self, what: str, arg: object) -> int:
        step, token = self.now, next(self.tokens)
        self.log.append(("received", what, id(arg), threading.get_ident()))
        if step.nest and (inner := next(self.script, None)) is not None:
            self.step(inner)
        if step.fails is not None:
            raise step.fails(token)
        return token

    to: Any = None

    @dataclass
    class Publisher:
        play: Any

        def subscribe(self, subscriber: Any, /) -> object:
            if subscriber is not None:
                if self.play.to is not None:
                    self.play.log.append(("same object", self.play.to is subscriber))
                self.play.to = subscriber
            return self.play.receive("subscribe", None)

    @dataclass
    class Taker:
        play: Any

        def on_subscribe(self, subscription: Any, /) -> object:
            self.play.given = subscription or self.play.given
            return self.play.receive("on_subscribe", None)

        def on_next(self, element: Any, /) -> object:
            return self.play.receive("on_next", element)

        def on_error(self, error: Any, /) -> object:
            return self.play.receive("on_error", error)

        def on_complete(self) -> object:
            return self.play.receive("on_complete", None)

    def request(self, n: Any, /) -> Any:
        return self.receive("request", n)

    def cancel(self) -> Any:
        return self.receive("cancel", None)


@pytest.mark.parametrize("watch", ["p", "s", "ps"])
@given(script=steps)
def test_any_script_plays_the_same(watch: str, script: list[Step]) -> None:
    assert Play(script, watch).play() == Play(script, "").play()


@pytest.mark.parametrize("watch", ["p", "s", "ps"])
def test_long_wrong_scripts_play_the_same(watch: str) -> None:
    seen: set[str] = set()
    for script in scripts(1000):
        play = Play(script, watch)
        assert play.play() == Play(script, "").play()
        seen.update(violation.rule for violation in play.found)
    assert seen >= {"1.1", "1.4", "1.7", "2.12", "2.13", "3.9", "3.15", "3.16", "R.10"}


@given(
    elements=st.lists(st.one_of(st.integers(), st.text(), st.builds(object))),
    batches=st.lists(st.integers(-1, 7), min_size=1),
    cancel_at=st.integers(0, 30),
    error=st.sampled_from((None, OSError("e"))),
)
@example(elements=[1, 2], batches=[1], cancel_at=30, error=None)
def test_right_streams_are_the_same(
    elements: list[object], batches: list[int], cancel_at: int, error: Exception | None
) -> None:
    found: list[Violation] = []

    def trace(*, watched: bool) -> list[tuple[object, ...]]:
        numbers = iter(batches)

        def ask(sink: Sink, *_: object) -> None:
            if len(sink.elements) == cancel_at:
                sink.subscription.cancel()
            if (n := next(numbers, None)) is not None:
                sink.subscription.request(n)

        sink = Sink(on_subscribe=ask, on_next=ask)
        publisher = checked(Right(elements, error), found.append) if watched else None
        (publisher or Right(elements, error)).subscribe(sink)
        for n in numbers:
            sink.subscription.request(n)
        log = sink.log[1:]
        if log and log[-1][0] == "on_error" and log[-1][1] is not error:
            log[-1] = ("on_error", ValueError, str(log[-1][1]))
        return log

    plain, watched = trace(watched=False), trace(watched=True)
    assert len(plain) == len(watched)
    for one, other in zip(plain, watched, strict=True):
        assert all(
            a is b or (a == b and isinstance(a, str)) for a, b in zip(one, other, strict=True)
        )
    if not any(bad(n) for n in batches):
        assert found == []
    assert {violation.rule for violation in found} <= {"3.9"}
    assert {violation.party for violation in found} <= {"subscriber"}


def test_foreign_on_next_with_more_parameters() -> None:
    class Foreign(Sink):
        def on_next(self, value: Any, is_complete: bool = False, *, note: str = "") -> None:
            self.log.append(("on_next", value, is_complete, note))

    bare, sink = Bare(), Foreign()
    checked(bare, "raise").subscribe(sink)
    sink.subscription.request(3)
    bare.to.on_next(1)
    bare.to.on_next(2, True)
    bare.to.on_next(3, is_complete=True, note="n")
    assert sink.log[1:] == [
        ("on_next", 1, False, ""),
        ("on_next", 2, True, ""),
        ("on_next", 3, True, "n"),
    ]


def test_arguments_it_does_not_take_are_not_the_subscribers_fault() -> None:
    found: list[Violation] = []
    bare, sink = Bare(), Sink()
    checked(bare, found.append).subscribe(sink)
    sink.subscription.request(3)
    with pytest.raises(TypeError):
        bare.to.on_next(1, 2)
    assert found == []


def test_what_is_no_subscriber_is_not_wrapped() -> None:
    given: list[object] = []

    def take(bare: Bare, to: object) -> None:
        given.append(to)
        raise TypeError("no Subscriber")

    found: list[Violation] = []
    no_subscriber: Any = object()
    with pytest.raises(TypeError, match="no Subscriber"):
        checked(Bare(subscribe=take), found.append).subscribe(no_subscriber)
    assert given == [no_subscriber]
    assert found == []


def test_a_publisher_that_compares_finds_the_same() -> None:
    class Alike(Sink):
        def __eq__(self, other: object) -> bool:
            return isinstance(other, Alike)

        def __hash__(self) -> int:
            return 7

    class Unhashable(Sink):
        __hash__ = None  # type: ignore[assignment]

    given: list[Any] = []
    publisher = checked(Bare(subscribe=lambda bare, to: given.append(to)))
    for sink in (Alike(), Alike(), Sink(), Unhashable()):
        publisher.subscribe(sink)
    assert given[0] == given[1] == Alike()
    assert hash(given[0]) == 7
    assert given[0] != given[2]
    assert len({*given[:3]}) == 2
    with pytest.raises(TypeError):
        hash(given[3])


def test_methods_exchanged_while_watched() -> None:
    bare, sink = Bare(), Sink()
    checked(bare, "raise").subscribe(sink)
    sink.subscription.request(2)
    bare.to.on_next(1)
    later: list[object] = []
    sink.on_next = later.append  # type: ignore[method-assign]
    bare.to.on_next(2)
    assert later == [2]


class Forgetful(Bare):
    """Forgets its subscriber at the end, as 3.13 wants."""

    def cancel(self) -> None:
        self.to = None

    def end(self) -> None:
        to, self.to = self.to, None
        to.on_complete()


@pytest.mark.parametrize("ending", ["cancel", "end"])
@pytest.mark.parametrize("broken", [False, True])
def test_no_subscriber_is_kept(ending: str, broken: bool) -> None:
    found: list[Violation] = []
    bare = Forgetful()
    publisher = checked(bare, found.append)
    sink = Sink()
    sink.does["on_next"] = lambda sink, element: None
    gone = weakref.ref(sink)
    publisher.subscribe(sink)
    subscription = sink.subscription
    subscription.request(1)
    bare.to.on_next(1)
    if broken:
        bare.to.on_next(2)
    gc.collect()
    gc.disable()
    try:
        subscription.cancel() if ending == "cancel" else bare.end()
        del sink
        assert gone() is None  # at once, and although its subscription is still held
    finally:
        gc.enable()
    assert len(found) == broken
    assert not publisher._watched  # type: ignore[attr-defined]
    subscription.request(1)


def test_no_publisher_is_kept_by_a_watched_subscriber() -> None:
    sink = Sink()
    watched = checked(sink, "raise")
    bare = Bare()
    gone = weakref.ref(bare)
    watched.on_subscribe(bare)
    watched.on_complete()
    sink.subscriptions.clear()
    sink.log.clear()
    del bare
    gc.collect()
    assert gone() is None


def test_recursion_is_deeper_by_one_call_per_signal() -> None:
    import sys

    depths: list[int] = []

    def depth() -> int:
        frame, count = sys._getframe(), 0
        while frame.f_back is not None:
            frame, count = frame.f_back, count + 1
        return count

    def note(sink: Sink, element: int) -> None:
        depths.append(depth())
        if element < 3:
            sink.subscription.request(1)

    for watched in (False, True):
        bare = Bare(request=lambda bare, n: bare.to.on_next(len(depths) % 4))
        sink = Sink(on_next=note)
        (checked(bare, "raise") if watched else bare).subscribe(sink)
        sink.subscription.request(1)
    plain, checked_depths = depths[:4], depths[4:]
    more = [b - a for a, b in zip(plain, checked_depths, strict=True)]
    assert more == [2, 4, 6, 8]  # one for request and one for on_next, per level
