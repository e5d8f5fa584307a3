"""What a user sees when his test fails: what was expected, what came, and what led to it."""

from __future__ import annotations

import asyncio
import threading
import time
import traceback
from typing import Any

import pytest

from penstock import UNBOUNDED
from penstock.testing import ManualPublisher, Probe
from tests.testing.helpers import Sink, failing

LATE = 0.02
"""A timeout that a test waits for."""


def connected() -> tuple[ManualPublisher[Any], Probe[Any]]:
    publisher = ManualPublisher[Any](timeout=LATE, quiet=LATE)
    return publisher, Probe(publisher, timeout=LATE, quiet=LATE)


# Probe: nothing comes.

SILENT = {
    "next": (lambda p: p.next(), "expected on_next, got no signal"),
    "expect_next": (lambda p: p.expect_next("a"), "expected on_next('a'), got no signal"),
    "expect_complete": (lambda p: p.expect_complete(), "expected on_complete, got no signal"),
    "expect_error": (lambda p: p.expect_error(), "expected on_error, got no signal"),
    "expect_error of a kind": (
        lambda p: p.expect_error(OSError, "disk"),
        "expected on_error(OSError), got no signal",
    ),
}


@pytest.mark.parametrize(("expect", "said"), SILENT.values(), ids=SILENT)
def test_nothing_came(expect: Any, said: str) -> None:
    publisher, probe = connected()
    probe.request(2)
    publisher.emit(1)
    probe.expect_next(1)
    began = time.monotonic()
    with failing(
        f"probe: {said} within 0.02 s\nrequested 2, received 1\nsignals so far:\n",
        "probe: on_subscribe\n",
        "probe: request(2)\n",
        "probe: on_next(1)",
    ):
        expect(probe)
    assert time.monotonic() - began >= LATE


def test_nothing_came_because_nothing_was_requested() -> None:
    _, probe = connected()
    with failing("got no signal", "\nrequested 0, received 0: no demand is left\n"):
        probe.next()


def test_nothing_came_because_the_stream_is_over() -> None:
    publisher, probe = connected()
    probe.request(UNBOUNDED)
    publisher.complete()
    probe.expect_complete()
    with failing("got no signal", "\nrequested UNBOUNDED, received 0, ended by on_complete\n"):
        probe.next()


def test_nothing_came_because_it_was_cancelled() -> None:
    _, probe = connected()
    probe.request(2)
    probe.cancel()
    with failing("got no signal", "\nrequested 2, received 0, cancelled\n"):
        probe.next()


@pytest.mark.parametrize("call", ["request", "cancel", "expect_subscription"])
def test_no_subscription_came(call: str) -> None:
    probe = Probe[int](timeout=LATE, name="sink")
    with failing("sink: no on_subscribe within 0.02 s\nnot subscribed\nsignals so far:\n  none"):
        getattr(probe, call)()


# Probe: something else comes.

ANOTHER = {
    "element for end": (1, lambda p: p.expect_complete(), "on_complete, got on_next(1)"),
    "element for error": (
        1,
        lambda p: p.expect_error(OSError),
        "on_error(OSError), got on_next(1)",
    ),
    "element for none": (1, lambda p: p.expect_nothing(), "no signal, got on_next(1)"),
    "another element": (1, lambda p: p.expect_next(2), "on_next(2), got on_next(1)"),
    "another type": ("1", lambda p: p.expect_next(1), "on_next(1), got on_next('1')"),
    "end for element": (None, lambda p: p.next(), "on_next, got on_complete"),
    "end for this element": (None, lambda p: p.expect_next(3), "on_next(3), got on_complete"),
    "end for error": (None, lambda p: p.expect_error(), "on_error, got on_complete"),
    "end for none": (None, lambda p: p.expect_nothing(), "no signal, got on_complete"),
    "error for element": (OSError("full"), lambda p: p.next(), "on_next, got on_error(OSError("),
    "error for end": (OSError("full"), lambda p: p.expect_complete(), "on_complete, got on_error("),
    "error for none": (OSError("full"), lambda p: p.expect_nothing(), "no signal, got on_error("),
    "another error": (
        OSError("full"),
        lambda p: p.expect_error(ValueError),
        "on_error(ValueError), got on_error(OSError('full'))",
    ),
    "another text": (
        OSError("full"),
        lambda p: p.expect_error(OSError, "rule 3.9"),
        "an error that matches 'rule 3.9', got OSError('full')",
    ),
}


@pytest.mark.parametrize(("came", "expect", "said"), ANOTHER.values(), ids=ANOTHER)
def test_another_signal_came(came: object, expect: Any, said: str) -> None:
    publisher, probe = connected()
    probe.request(1)
    if came is None:
        publisher.complete()
    elif isinstance(came, Exception):
        publisher.error(came)
    else:
        publisher.emit(came)
    with failing(f"probe: expected {said}", "\nrequested 1, received", "probe: request(1)") as seen:
        expect(probe)
    # The traceback of an error that came is shown with the failure.
    assert seen.value.__cause__ is (came if isinstance(came, Exception) else None)


def test_in_a_row_the_first_that_differs_is_named() -> None:
    publisher, probe = connected()
    probe.request(3)
    publisher.emit(1, 2, 4)
    with failing("expected on_next(3), got on_next(4)"):
        probe.expect_next(1, 2, 3)


def test_a_long_error_is_shown_to_its_end() -> None:
    publisher, probe = connected()
    publisher.error(ValueError("word " * 100 + "the end"))
    with failing("matches 'END'", "the end')\nrequested 0"):
        probe.expect_error(match="END")


def test_where_an_error_was_raised_is_seen() -> None:
    publisher, probe = connected()

    def parse() -> None:
        raise ValueError("no number")

    try:
        parse()
    except ValueError as error:
        publisher.error(error)
    with failing("expected on_next, got on_error(ValueError('no number'))") as seen:
        probe.next()
    assert "in parse" in "".join(traceback.format_exception(seen.value))


def test_what_was_refused_is_in_the_log() -> None:
    _, probe = connected()
    probe.request(1)
    with pytest.raises(TypeError):
        probe.on_next(None)
    with failing("got no signal", "raised TypeError: on_next(None): None is never an element"):
        probe.next()


def test_of_a_long_log_the_end_is_shown() -> None:
    publisher, probe = connected()
    probe.request(UNBOUNDED)
    publisher.emit(*range(3000))
    with failing(" more …", "on_next(2998)", "on_next(2999)", "on_next(3000)") as seen:
        publisher.emit(3000)
        probe.expect_next(*range(3000))
        probe.expect_complete()
    assert len(str(seen.value).splitlines()) < 40


def test_the_log_names_threads() -> None:
    _, probe = connected()
    worker = threading.Thread(target=probe.request, name="feeder-7")
    worker.start()
    worker.join()
    with failing("[feeder-7]  probe: request(1)"):
        probe.next()


# ManualPublisher: what the Subscriber does not do.


def test_nobody_subscribed() -> None:
    publisher = ManualPublisher[int](timeout=LATE, name="source")
    with failing(
        "source: nobody subscribed within 0.02 s\nnobody has subscribed\nsignals so far:\n  none"
    ):
        publisher.expect_subscriber()


@pytest.mark.parametrize("end", ["cancel", "complete"])
def test_the_subscriber_is_no_more(end: str) -> None:
    publisher, probe = connected()
    publisher.complete() if end == "complete" else probe.cancel()
    with failing("publisher: a Subscriber came, but its subscription is over\nrequested 0, sent 0"):
        publisher.expect_subscriber()


def test_no_request() -> None:
    publisher, probe = connected()
    with failing("publisher: expected a request, got none within 0.02 s\nrequested 0, sent 0\n"):
        publisher.expect_request()
    probe.request(3)
    publisher.expect_request()
    probe.cancel()
    with failing(
        "publisher: expected request(4), got none within 0.02 s\nrequested 3, sent 0, cancelled\n",
        "publisher: got request(3)\n",
        "publisher: got cancel()",
    ):
        publisher.expect_request(4)


def test_a_wrong_request_is_none() -> None:
    publisher, probe = connected()
    probe.request(0)
    with failing("expected a request", ", ended\n", "publisher: got request(0)", "rule 3.9"):
        publisher.expect_request()


def test_another_request() -> None:
    publisher, probe = connected()
    probe.request(2)
    with failing("publisher: expected request(1), got request(2)\nrequested 2, sent 0\n"):
        publisher.expect_request(1)


def test_an_unwanted_request() -> None:
    publisher, probe = connected()
    probe.request(2)
    for _ in range(2):  # it has not been looked at by this
        with failing("publisher: expected no request, got request(2)\nrequested 2, sent 0\n"):
            publisher.expect_no_request()
    publisher.expect_request(2)
    publisher.expect_no_request()


def test_no_cancel() -> None:
    publisher, probe = connected()
    probe.request(1)
    publisher.emit("a")
    with failing(
        "publisher: expected cancel(), got none within 0.02 s\nrequested 1, sent 1\n",
        "publisher: sends on_next('a')",
    ):
        publisher.expect_cancel()


# ManualPublisher: what the test may not do.

NOBODY = {
    "emit": (lambda p: p.emit("a"), "emit('a')"),
    "complete": (lambda p: p.complete(), "complete()"),
    "error": (lambda p: p.error(OSError("x")), "error(OSError('x'))"),
}
each_signal = pytest.mark.parametrize(("send", "said"), NOBODY.values(), ids=NOBODY)


@each_signal
def test_sending_to_nobody(send: Any, said: str) -> None:
    with failing(f"publisher: {said}: nobody to send to, since nobody has subscribed\n"):
        send(ManualPublisher[Any]())


@each_signal
def test_sending_after_a_cancellation(send: Any, said: str) -> None:
    publisher, probe = connected()
    probe.cancel()
    with failing(f"{said}: nobody to send to, since it was cancelled\n", "got cancel()"):
        send(publisher)


@each_signal
@pytest.mark.parametrize("end", ["complete", "error", "request"])
def test_sending_after_the_end(send: Any, said: str, end: str) -> None:
    publisher, probe = connected()
    probe.request(5)
    if end == "complete":
        publisher.complete()
    elif end == "error":
        publisher.error(OSError())
    else:
        probe.request(-1)
    before = len(probe.log)
    with failing(f"{said}: the stream has ended already (rule 1.7)\nrequested 5, sent 0, ended\n"):
        send(publisher)
    assert len(probe.log) == before


@each_signal
def test_sending_after_the_subscriber_raised(send: Any, said: str) -> None:
    def fail(sink: Sink, element: object) -> None:
        raise ZeroDivisionError

    publisher, sink = ManualPublisher[int](), Sink(on_next=fail)
    publisher.subscribe(sink)
    sink.subscription.request(2)
    with pytest.raises(ZeroDivisionError):
        publisher.emit(1)
    with failing(
        f"{said}: the Subscriber has raised, so nothing may follow (rule 2.13)\n",
        "requested 2, sent 1, raised\n",
    ):
        send(publisher)


def test_sending_more_than_was_requested() -> None:
    publisher, probe = connected()
    probe.request(2)
    with failing(
        "publisher: emit('c'): no demand; use expect_request first\nrequested 2, sent 2\n"
    ):
        publisher.emit("a", "b", "c")
    probe.expect_next("a", "b")
    probe.expect_nothing()


def test_sending_while_another_thread_is_in_a_signal() -> None:
    inside, leave = threading.Event(), threading.Event()

    def dwell(sink: Sink, element: object) -> None:
        inside.set()
        assert leave.wait(20)

    publisher, sink = ManualPublisher[int](timeout=LATE), Sink(on_next=dwell)
    publisher.subscribe(sink)
    sink.subscription.request(2)
    slow = threading.Thread(target=publisher.emit, args=(1,), daemon=True)
    slow.start()
    assert inside.wait(20)
    try:
        with failing("emit(2): on_next(1), sent on another thread, did not return within 0.02 s"):
            publisher.emit(2)
    finally:
        leave.set()
        slow.join(20)
    publisher.complete()
    assert sink.signals == ["on_subscribe", ("on_next", 1), "on_complete"]
    assert sink.overlaps == []


# On an event loop, waiting holds up what is waited for.


def test_waiting_on_an_event_loop_is_explained() -> None:
    publisher, probe = connected()

    async def on_the_loop() -> None:
        with failing("within 0.02 s\nan event loop runs on this thread", "asyncio.to_thread"):
            probe.next()
        with failing("within 0.02 s\nan event loop runs on this thread", "asyncio.to_thread"):
            publisher.expect_cancel()

    asyncio.run(on_the_loop())


def test_elsewhere_it_is_not_mentioned() -> None:
    _, probe = connected()

    async def beside_the_loop() -> None:
        with pytest.raises(AssertionError) as seen:
            await asyncio.to_thread(probe.next)
        assert "event loop" not in str(seen.value)
        probe.on_next(1)
        with pytest.raises(AssertionError) as seen:
            probe.expect_next(2)  # not a matter of waiting
        assert "event loop" not in str(seen.value)

    asyncio.run(beside_the_loop())
