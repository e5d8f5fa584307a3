"""Each rule that a Publisher can be seen to break, on one that breaks just that."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from monitor_streams import SEES_OTHER_THREADS, TIMEOUT, Bare, Sink, ids, in_thread

from penstock import Violation, checked
from penstock._monitor import signals


def watch(bare: Bare, sink: Sink | None = None) -> tuple[list[Violation], Sink]:
    found: list[Violation] = []
    sink = sink or Sink()
    checked(bare, found.append).subscribe(sink)
    return found, sink


def test_1_1_more_elements_than_requested() -> None:
    bare = Bare()
    found, sink = watch(bare)
    sink.subscription.request(2)
    sink.subscription.request(1)
    for i in range(3):
        bare.to.on_next(i)
    assert found == []
    for i in range(3, 6):
        bare.to.on_next(i)
    assert ids(found) == [("1.1", "publisher")]
    assert "4 times" in found[0].message
    assert "3 requested" in found[0].message
    assert sink.elements == [0, 1, 2, 3, 4, 5]


def test_1_1_nothing_requested() -> None:
    bare = Bare(subscribe=lambda bare, to: (to.on_subscribe(bare), to.on_next(1)))
    found, _ = watch(bare)
    assert ids(found) == [("1.1", "publisher")]


def test_1_1_demand_adds_up_over_threads() -> None:
    bare = Bare()
    found, sink = watch(bare)
    for join in [in_thread(lambda: sink.subscription.request(10)) for _ in range(4)]:
        join()
    for i in range(40):
        bare.to.on_next(i)
    assert {violation.rule for violation in found} <= {"2.7"}
    bare.to.on_next(40)
    assert ids(found)[-1] == ("1.1", "publisher")


@pytest.mark.parametrize("second", ["on_next", "on_error", "on_complete", "on_subscribe"])
def test_1_3_two_threads_at_once(second: str) -> None:
    inside, leave = threading.Event(), threading.Event()

    def dwell(sink: Sink, element: int) -> None:
        if element == 1:
            inside.set()
            assert leave.wait(TIMEOUT)

    bare = Bare()
    found, sink = watch(bare, Sink(on_next=dwell))
    sink.subscription.request(5)

    def slow_signal() -> None:
        bare.to.on_next(1)

    join = in_thread(slow_signal)
    assert inside.wait(TIMEOUT)
    args = {"on_next": [2], "on_error": [OSError()], "on_complete": [], "on_subscribe": [Bare()]}
    getattr(bare.to, second)(*args[second])
    leave.set()
    join()
    if second == "on_subscribe":  # it's the second one that is wrong about this
        assert ids(found) == [("2.12", "publisher")]
        return
    assert ids(found) == [("1.3", "publisher")]
    here, there = found[0].here, found[0].there
    assert here.signal == second
    assert here.thread == threading.current_thread().name
    assert here.calls[-1][2] == "test_1_3_two_threads_at_once"
    if not SEES_OTHER_THREADS:
        assert there is None
        return
    assert there is not None
    assert there.signal == "on_next"
    assert there.thread != here.thread
    assert {"slow_signal", "dwell"} <= {name for _, _, name in there.calls}


def test_1_3_during_on_subscribe() -> None:
    def request_elsewhere(sink: Sink, subscription: Any) -> None:
        in_thread(lambda: subscription.request(1))()

    bare = Bare(request=lambda bare, n: bare.to.on_next(1))
    found, _ = watch(bare, Sink(on_subscribe=request_elsewhere))
    assert ids(found) == [("1.3", "publisher")]


def test_1_4_error_that_is_none() -> None:
    bare = Bare()
    found, _ = watch(bare)
    bare.to.on_error("it failed")
    assert ids(found) == [("1.4", "publisher")]


@pytest.mark.parametrize("first", ["on_error", "on_complete"])
@pytest.mark.parametrize("second", ["on_next", "on_error", "on_complete"])
def test_1_7_after_the_end(first: str, second: str) -> None:
    args: dict[str, list[Any]] = {"on_next": [1], "on_error": [OSError()], "on_complete": []}
    bare = Bare()
    found, sink = watch(bare)
    sink.subscription.request(5)

    def send_the_first() -> None:
        getattr(bare.to, first)(*args[first])

    send_the_first()
    assert found == []
    getattr(bare.to, second)(*args[second])
    assert ids(found) == [("1.7", "publisher")]
    assert found[0].there is not None
    assert found[0].there.signal == first
    assert found[0].there.calls[-1][2] == "send_the_first"


def test_1_8_goes_on_long_after_cancel(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("penstock._monitor.link.time.monotonic", lambda: now)
    bare = Bare()
    found, sink = watch(bare)
    sink.subscription.request(10**9)

    def cancel() -> None:
        sink.subscription.cancel()

    cancel()
    for i in range(2 * signals.CANCEL_ELEMENTS):  # many, but soon
        bare.to.on_next(i)
    assert found == []
    now += signals.CANCEL_SECONDS + 1
    bare.to.on_next(0)
    assert ids(found) == [("1.8", "publisher")]
    assert found[0].there is not None
    assert found[0].there.calls[-1][2] == "cancel"


def test_1_8_a_late_element_is_no_breach(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("penstock._monitor.link.time.monotonic", lambda: now)
    bare = Bare()
    found, sink = watch(bare)
    sink.subscription.request(10)
    sink.subscription.cancel()
    now += 1000
    bare.to.on_next(0)
    bare.to.on_complete()
    assert found == []


@pytest.mark.parametrize(
    ("signal", "args"), [("on_next", [1]), ("on_error", [OSError()]), ("on_complete", [])]
)
def test_1_9_before_on_subscribe(signal: str, args: list[Any]) -> None:
    bare = Bare(subscribe=lambda bare, to: getattr(to, signal)(*args))
    found, _ = watch(bare)
    assert ids(found) == [("1.9", "publisher")]
    assert found[0].publisher == object.__repr__(bare).replace(" object", "")


def test_1_9_subscribe_raises() -> None:
    def refuse(bare: Bare, to: Any) -> None:
        raise OSError("full")

    found: list[Violation] = []
    with pytest.raises(OSError, match="full"):
        checked(Bare(subscribe=refuse), found.append).subscribe(Sink())
    assert ids(found) == [("1.9", "publisher")]
    assert found[0].there is not None
    assert found[0].there.calls[-1][2] == "refuse"


def test_1_9_subscribe_none() -> None:
    class Takes(Bare):
        def subscribe(self, subscriber: Any, /) -> None:
            if subscriber is not None:
                super().subscribe(subscriber)

    class Refuses(Bare):
        def subscribe(self, subscriber: Any, /) -> None:
            raise ValueError("no")

    found: list[Violation] = []
    none: Any = None
    checked(Takes(), found.append).subscribe(none)
    assert ids(found) == [("1.9", "publisher")]
    with pytest.raises(ValueError, match="no"):
        checked(Refuses(), found.append).subscribe(none)
    assert ids(found) == [("1.9", "publisher")] * 2
    with pytest.raises(TypeError):
        checked(Bare(), found.append).subscribe(none)
    assert len(found) == 2


def test_1_9_no_subscription() -> None:
    seen: list[Any] = []
    bare = Bare(subscribe=lambda bare, to: to.on_subscribe("nothing"))
    found, _ = watch(bare, Sink(on_subscribe=lambda sink, it: seen.append(it)))
    assert ids(found) == [("1.9", "publisher")]
    assert seen == ["nothing"]


def test_2_12_a_second_on_subscribe() -> None:
    bare = Bare(subscribe=lambda bare, to: (to.on_subscribe(bare), to.on_subscribe(bare)))
    found, sink = watch(bare)
    assert ids(found) == [("2.12", "publisher")]
    assert sink.subscriptions[0] is sink.subscriptions[1]  # as it was sent


@pytest.mark.parametrize("signal", ["on_next", "on_error", "on_subscribe"])
def test_2_13_none(signal: str) -> None:
    bare = Bare(subscribe=lambda bare, to: None) if signal == "on_subscribe" else Bare()
    found, sink = watch(bare)
    if sink.subscriptions:
        sink.subscription.request(1)
    with pytest.raises(TypeError, match=signal):
        getattr(bare.to, signal)(None)
    assert ids(found) == [("2.13", "publisher")]


def test_2_13_goes_on_after_the_subscriber_raised() -> None:
    def fail(sink: Sink, element: int) -> None:
        if element == 1:
            raise OSError

    bare = Bare()
    found, sink = watch(bare, Sink(on_next=fail))
    sink.subscription.request(3)
    with pytest.raises(OSError):  # noqa: PT011
        bare.to.on_next(1)
    assert ids(found) == [("2.13", "subscriber")]
    in_thread(lambda: bare.to.on_next(2))()  # was waiting for its turn, maybe
    assert len(found) == 1
    bare.to.on_next(3)
    assert ids(found)[1:] == [("2.13", "publisher")]


def test_3_3_recursion() -> None:
    def recurse(bare: Bare, n: int) -> None:
        bare.to.on_next(1)

    def again(sink: Sink, element: int) -> None:
        if len(sink.elements) < 40:
            sink.subscription.request(1)

    found, sink = watch(Bare(request=recurse), Sink(on_next=again))
    sink.subscription.request(1)
    assert ids(found) == [("3.3", "publisher")]
    assert len(sink.elements) == 40


def test_3_6_request_after_cancel_brings_an_element() -> None:
    bare = Bare(request=lambda bare, n: bare.to.on_next(n))
    found, sink = watch(bare)
    sink.subscription.request(1)
    sink.subscription.cancel()
    assert found == []
    sink.subscription.request(1)
    assert ids(found) == [("3.6", "publisher")]


@pytest.mark.parametrize("n", [0, -3, True, 1.5, "x", None])
@pytest.mark.parametrize(
    "answer",
    [
        lambda to: to.on_error(RuntimeError("rule 3.9")),
        lambda to: to.on_error(ValueError("no")),
        lambda to: to.on_complete(),
    ],
)
def test_3_9_wrong_answers(n: Any, answer: Any) -> None:
    bare = Bare(request=lambda bare, n: answer(bare.to))
    found, sink = watch(bare)
    sink.subscription.request(n)
    rule = "3.9" if type(n) is int else "R.10"
    assert ids(found) == [(rule, "subscriber"), (rule, "publisher")]


@pytest.mark.parametrize("n", [0, True])
def test_3_9_right_answers(n: Any) -> None:
    for answer in (ValueError("rule 3.9: no"), ValueError("§3.9 violated"), ValueError("3:9")):
        bare = Bare(request=lambda bare, n, answer=answer: bare.to.on_error(answer))
        found, sink = watch(bare)
        sink.subscription.request(n)
        assert ids(found) == [("3.9" if n == 0 else "R.10", "subscriber")]


def test_3_9_ignored() -> None:
    bare = Bare()
    found, sink = watch(bare)
    sink.subscription.request(5)
    sink.subscription.request(0)
    bare.to.on_next(1)
    assert ids(found) == [("3.9", "subscriber")]
    bare.to.on_complete()
    assert ids(found) == [("3.9", "subscriber"), ("3.9", "publisher")]


@pytest.mark.parametrize(
    ("signal", "args"), [("on_complete", []), ("on_error", [RuntimeError("refused")])]
)
def test_3_9_what_was_under_way_is_no_breach(signal: str, args: list[Any]) -> None:
    # The stream may have been at its end, or refused, before the request was made.
    bare = Bare()
    found, sink = watch(bare)
    sink.subscription.request(0)
    getattr(bare.to, signal)(*args)
    assert ids(found) == [("3.9", "subscriber")]


def test_r_10_true_counted_as_one() -> None:
    bare = Bare()
    found, sink = watch(bare)
    sink.subscription.request(True)
    bare.to.on_next(1)
    assert ids(found) == [("R.10", "subscriber"), ("R.10", "publisher")]
    bare.to.on_next(2)
    assert ids(found)[2:] == [("1.1", "publisher")]


def test_3_15_and_3_16_raise() -> None:
    def fail(bare: Bare, *n: int) -> None:
        raise OSError("broken")

    found, sink = watch(Bare(request=fail, cancel=fail))
    with pytest.raises(OSError, match="broken"):
        sink.subscription.request(1)
    assert ids(found) == [("3.16", "publisher")]
    with pytest.raises(OSError, match="broken"):
        sink.subscription.cancel()
    assert ids(found)[1:] == [("3.15", "publisher")]
    assert found[0].there is not None
    assert found[0].there.calls[-1][2] == "fail"
