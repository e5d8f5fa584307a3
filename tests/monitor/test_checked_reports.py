"""How violations are told, and what can be watched at all."""

from __future__ import annotations

import logging
import threading
from typing import Any

import pytest
from monitor_streams import Bare, Right, Sink, ids, in_thread

import penstock
from penstock import Processor, Publisher, RuleBroken, Subscriber, Violation, checked
from penstock.spec import rule


def test_log_is_the_default(caplog: pytest.LogCaptureFixture) -> None:
    bare, sink = Bare(), Sink()
    checked(bare).subscribe(sink)
    with caplog.at_level(logging.ERROR, logger="penstock"):
        bare.to.on_next(1)
        bare.to.on_next(2)
    (record,) = caplog.records
    assert record.name == "penstock"
    text = record.getMessage()
    assert "rule 1.1 broken by the publisher" in text
    assert rule("1.1").title in text
    assert "monitor_streams.Bare at 0x" in text
    assert "monitor_streams.Sink at 0x" in text
    assert "in test_log_is_the_default" in text
    assert "bare.to.on_next(1)" in text  # the line itself
    assert "_monitor" not in text
    assert sink.elements == [1, 2]


def test_the_other_position_is_shown() -> None:
    found: list[Violation] = []
    bare = Bare()
    checked(bare, found.append).subscribe(Sink())

    def end_it() -> None:
        bare.to.on_complete()

    join = in_thread(end_it)
    join()
    bare.to.on_complete()
    text = str(found[0])
    assert "in end_it" in text
    assert threading.current_thread().name in text


def test_the_rules_text_is_looked_up_late(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr("penstock.spec.rule", lambda i: asked.append(i) or rule(i))
    found: list[Violation] = []
    bare = Bare()
    checked(bare, found.append).subscribe(Sink())
    bare.to.on_next(1)
    assert len(found) == 1
    assert asked == []
    str(found[0])
    assert asked == ["1.1"]


def test_raise_passes_the_signal_on_first(caplog: pytest.LogCaptureFixture) -> None:
    bare, sink = Bare(), Sink()
    checked(bare, "raise").subscribe(sink)
    for i in (1, 2):
        with pytest.raises(RuleBroken, match=r"rule 1\.1") as caught:
            bare.to.on_next(i)
        assert isinstance(caught.value, AssertionError)
        assert caught.value.violation.rule == "1.1"
    assert sink.elements == [1, 2]
    assert len(caplog.records) == 1  # raised each time, logged once


def test_raise_goes_to_the_one_that_broke_the_rule() -> None:
    seen: list[RuleBroken] = []

    def ask(sink: Sink, subscription: Any) -> None:
        try:
            subscription.request(0)
        except RuleBroken as broken:
            seen.append(broken)

    bare = Bare()
    checked(bare, "raise").subscribe(Sink(on_subscribe=ask))
    assert [broken.violation.rule for broken in seen] == ["3.9"]
    assert bare.calls == [("request", 0)]


def test_raise_keeps_what_was_raised() -> None:
    def fail(sink: Sink, element: int) -> None:
        raise OSError("broken")

    bare, sink = Bare(), Sink(on_next=fail)
    checked(bare, "raise").subscribe(sink)
    sink.subscription.request(1)
    with pytest.raises(RuleBroken, match=r"rule 2\.13") as caught:
        bare.to.on_next(1)
    assert isinstance(caught.value.__cause__, OSError)
    assert sink.elements == [1]


def test_raise_is_not_a_breach_of_its_own() -> None:
    # RuleBroken passes through request, on_subscribe and subscribe, all of them watched.
    bare = Bare(request=lambda bare, n: [bare.to.on_next(i) for i in range(2)])
    sink = Sink(on_subscribe=lambda sink, subscription: subscription.request(1))
    with pytest.raises(RuleBroken) as caught:
        checked(bare, "raise").subscribe(sink)
    assert caught.value.violation.rule == "1.1"
    assert caught.value.__cause__ is None
    assert sink.elements == [0, 1]


def test_raise_lets_an_interrupt_go_first() -> None:
    def stop(sink: Sink, element: int) -> None:
        raise KeyboardInterrupt

    bare = Bare()
    checked(bare, "raise").subscribe(Sink(on_next=stop))
    with pytest.raises(KeyboardInterrupt):
        bare.to.on_next(1)


def test_raise_where_subscribe_and_cancel_broke_the_rule() -> None:
    def fail(*_: object) -> None:
        raise OSError("broken")

    with pytest.raises(RuleBroken, match=r"rule 1\.9"):
        checked(Bare(subscribe=fail), "raise").subscribe(Sink())
    sink = Sink()
    checked(Bare(cancel=fail), "raise").subscribe(sink)
    with pytest.raises(RuleBroken, match=r"rule 3\.15"):
        sink.subscription.cancel()


def test_a_function_that_raises_leaves_the_stream_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(violation: Violation) -> None:
        raise OSError("no room")

    dropped: list[Exception] = []
    monkeypatch.setattr(penstock, "on_dropped_error", lambda error, where: dropped.append(error))
    bare, sink = Bare(), Sink()
    checked(bare, fail).subscribe(sink)
    bare.to.on_next(1)
    assert sink.elements == [1]
    assert [type(error) for error in dropped] == [OSError]


def test_no_repr_of_the_watched_is_called() -> None:
    class Shy(Sink):
        def __repr__(self) -> str:
            raise AssertionError("looked at")

    found: list[Violation] = []
    bare = Bare()
    checked(bare, found.append).subscribe(Shy())
    bare.to.on_next(1)
    assert "Shy at 0x" in str(found[0])


def test_the_kinds() -> None:
    class Both(Sink, Bare):
        def __init__(self) -> None:
            Sink.__init__(self)

    processor, publisher, subscriber = checked(Both()), checked(Right([])), checked(Sink())
    assert isinstance(processor, Processor)
    assert isinstance(publisher, Publisher)
    assert not isinstance(publisher, Subscriber)
    assert isinstance(subscriber, Subscriber)
    assert not isinstance(subscriber, Publisher)


def test_a_processor_is_watched_on_both_sides() -> None:
    class Faulty(Sink):
        """Asks for nothing above, and has too much below."""

        def subscribe(self, subscriber: Any, /) -> None:
            subscriber.on_subscribe(Bare())
            subscriber.on_next(1)

    found: list[Violation] = []
    faulty = Faulty(on_complete=lambda sink: sink.subscription.cancel())
    watched = checked(faulty, found.append)
    below = Sink()
    Right([]).subscribe(watched)
    watched.subscribe(below)
    assert ids(found) == [("2.3", "subscriber"), ("1.1", "publisher")]
    assert below.elements == [1]


@pytest.mark.parametrize(
    ("target", "says"),
    [
        (None, "got None: pass a Publisher"),
        (42, "got 42: pass a Publisher"),
        (Right, "got the class Right: make an instance"),
        (type("Half", (), {"on_next": print, "__repr__": lambda _: "half"})(), "it lacks on_subs"),
    ],
)
def test_what_cannot_be_watched(target: Any, says: str) -> None:
    with pytest.raises(TypeError, match=says):
        checked(target)


def test_a_subscription_cannot_be_watched_alone() -> None:
    subscription: Any = type("Sub", (), {"request": print, "cancel": print})()
    with pytest.raises(TypeError, match="its Publisher or its Subscriber"):
        checked(subscription)


@pytest.mark.parametrize("wrong", ["shout", None, ["raise"]])
def test_wrong_on_violation(wrong: Any) -> None:
    with pytest.raises(ValueError, match="on_violation is 'log', 'raise' or a function"):
        checked(Right([]), wrong)
