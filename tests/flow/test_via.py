"""via, pipe and checked: other implementations between operators; and those of rsocket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from reactivestreams.subscriber import DefaultSubscriber
from rsocket.payload import Payload
from rsocket.streams.empty_stream import EmptyStream
from rsocket.streams.error_stream import ErrorStream
from rsocket.streams.stream_from_async_generator import StreamFromAsyncGenerator
from rsocket.streams.stream_from_generator import StreamFromGenerator

from penstock import UNBOUNDED, Flow, threads
from penstock.flow._hub import Hub
from penstock.runtime._foreign import adapted
from penstock.tck import verify_publisher
from penstock.testing import ManualPublisher, Probe
from tests.waiting import eventually


def test_via_keeps_all_rules() -> None:
    report = verify_publisher(lambda n: Flow.range(n).via(lambda: Hub(8, keep_alive=False)))
    assert not report.broken, report


def test_checked_keeps_all_rules_and_finds_none_broken() -> None:
    broken: list[Any] = []
    report = verify_publisher(lambda n: Flow.range(n).checked(broken.append))
    assert not report.broken, report
    assert not broken


def test_each_run_has_a_processor_of_its_own() -> None:
    made: list[Hub[int]] = []

    def make() -> Hub[int]:
        made.append(Hub(8))
        return made[-1]

    flow = Flow.of(1, 2).via(make)
    assert not made
    assert [flow.to_list().result() for _ in range(2)] == [[1, 2], [1, 2]]
    assert len(made) == 2


def test_a_processor_is_fed_what_is_asked_of_it() -> None:
    source = ManualPublisher[int]()
    flow = Flow.from_publisher(source).via(lambda: Flow.processor(lambda f: f, window=2))
    probe = Probe(flow)
    assert source.requested == 0
    probe.request(1)
    assert source.requested == 2
    probe.cancel()
    assert source.cancelled


def test_a_via_on_threads_runs_to_its_end() -> None:
    flow = Flow.range(1000).on(threads(1), 16).via(Hub).on(threads(1), 16)
    assert flow.to_list().result(20) == list(range(1000))


def test_a_factory_that_fails_or_makes_something_else_fails_the_stream() -> None:
    def broken() -> Any:
        raise OSError("no processor today")

    Probe(Flow.of(1).via(broken)).expect_error(OSError, "no processor today")
    Probe(Flow.of(1).via(lambda: 5)).expect_error(TypeError, r"which is no Processor")  # type: ignore[arg-type, return-value]


def test_a_run_that_is_stopped_drains_what_is_under_way() -> None:
    made: list[int] = []

    def noted(x: int) -> int:
        made.append(x)
        return x

    run = Flow.range(2**62).map(noted).via(lambda: Hub[int](8)).to_list().start()
    eventually(lambda: len(made) > 10)
    run.stop()
    assert run.result(10) == made


def test_pipe_reads_from_left_to_right() -> None:
    assert Flow.of(1, 2).pipe(lambda flow: flow.map(str)).to_list().result() == ["1", "2"]
    assert Flow.of(1, 2).pipe(lambda flow: flow.sum().result()) == 3


def test_checked_watches_a_publisher_right_above_it() -> None:
    class Careless:
        def subscribe(self, subscriber: Any) -> None:
            subscriber.on_subscribe(Probe[int]())
            subscriber.on_next(1)

    broken: list[Any] = []
    Probe(Flow.from_publisher(Careless()).checked(broken.append))
    assert [violation.rule for violation in broken] == ["1.1"]


def test_checked_watches_a_processor_right_above_it() -> None:
    class Eager(Hub[int]):
        def subscribe(self, subscriber: Any, /) -> None:
            super().subscribe(subscriber)
            subscriber.on_next(7)

    broken: list[Any] = []
    Probe(Flow.of(1).via(Eager).checked(broken.append))
    assert [violation.rule for violation in broken] == ["1.1"]


@pytest.mark.parametrize(
    ("wrong", "kind", "says"),
    [
        (lambda flow: flow.via(5), TypeError, r"via\(make_processor=5\)"),
        (lambda flow: flow.pipe(5), TypeError, r"pipe\(fn=5\)"),
        (lambda flow: flow.checked("shout"), ValueError, r"checked\(on_violation='shout'\)"),
    ],
)
def test_wrong_arguments_are_refused_at_once(wrong: Any, kind: type[Exception], says: str) -> None:
    with pytest.raises(kind, match=says):
        wrong(Flow.of(1))


# rsocket's classes.


def payloads(n: int, *, flagged: bool = True) -> Any:
    def generate() -> Iterator[tuple[Payload, bool]]:
        for i in range(n):
            yield Payload(b"%d" % i), flagged and i == n - 1

    return generate


def rsocket(publisher: Any) -> Flow[bytes]:
    return Flow.from_publisher(adapted(publisher)).map(lambda payload: bytes(payload.data))


@pytest.mark.parametrize("flagged", [True, False])
def test_a_local_stream_is_read_to_its_end(flagged: bool) -> None:
    flow = rsocket(StreamFromGenerator(payloads(3, flagged=flagged)))
    assert flow.to_list().result(10) == [b"0", b"1", b"2"]


def test_it_runs_on_the_loop_of_who_awaits_it() -> None:
    async def main() -> list[bytes]:
        async def generate() -> Any:
            for i in range(3):
                await asyncio.sleep(0)
                yield Payload(b"%d" % i), i == 2

        return await asyncio.wait_for(
            _awaited(rsocket(StreamFromAsyncGenerator(generate)).to_list()), 10
        )

    assert asyncio.run(main()) == [b"0", b"1", b"2"]


async def _awaited(run: Any) -> Any:
    return await run


def test_no_more_is_pulled_than_was_asked_for() -> None:
    pulled: list[int] = []

    def generate() -> Iterator[tuple[Payload, bool]]:
        for i in range(100):
            pulled.append(i)
            yield Payload(b"%d" % i), False

    probe = Probe(rsocket(StreamFromGenerator(generate)))
    probe.request(2)
    probe.expect_next(b"0", b"1")
    probe.request(1)
    probe.expect_next(b"2")
    assert pulled == [0, 1, 2]
    probe.cancel()


def test_it_may_be_cancelled_at_any_time() -> None:
    for requests in (0, 1):
        probe = Probe(rsocket(StreamFromGenerator(payloads(100))))
        if requests:
            probe.request(1)
        probe.cancel()
    probe = Probe(rsocket(StreamFromGenerator(payloads(100))))
    probe.request(1)
    probe.expect_next(b"0")
    probe.cancel()


def test_ends_without_elements_are_passed_on_once() -> None:
    assert rsocket(EmptyStream()).to_list().result(10) == []
    with pytest.raises(OSError, match="gone"):
        rsocket(ErrorStream(OSError("gone"))).to_list().result(10)


def test_a_generator_that_raises_fails_the_stream() -> None:
    def generate() -> Iterator[tuple[Payload, bool]]:
        yield Payload(b"0"), False
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        rsocket(StreamFromGenerator(generate)).to_list().result(10)


def test_their_subscribers_take_a_flow() -> None:
    signals: list[Any] = []
    subscriber = DefaultSubscriber(
        on_next=lambda value, is_complete: signals.append((value, is_complete)),
        on_complete=lambda: signals.append("complete"),
        on_subscribe=lambda subscription: subscription.request(UNBOUNDED),
    )
    Flow.of(1, 2).subscribe(subscriber)
    assert signals == [(1, False), (2, False), "complete"]


def test_what_conforms_is_left_as_it_is() -> None:
    source = ManualPublisher[int]()
    assert adapted(source) is source


class NetworkStream:
    """As a stream of rsocket's from the network behaves, without a network."""

    __module__ = "rsocket.handlers.made_up"

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.initial = 2**31 - 1

    def initial_request_n(self, n: int) -> NetworkStream:
        self.initial = n
        return self

    def subscribe(self, subscriber: Any) -> None:
        self.subscriber = subscriber
        subscriber.on_subscribe(self)
        self.calls.append(("subscribe", self.initial))

    def request(self, n: int) -> None:
        self.calls.append(("request", n))

    def cancel(self) -> None:
        self.calls.append("cancel")


def test_a_stream_from_the_network_is_told_how_many_to_send_first() -> None:
    async def main() -> None:
        stream = NetworkStream()
        probe = Probe[Any]()
        adapted(stream).subscribe(probe)  # type: ignore[arg-type]
        await asyncio.sleep(0)
        assert stream.calls == []
        probe.request(3)
        await asyncio.sleep(0)
        probe.request(2**40)
        for _ in range(3):
            await asyncio.sleep(0)
        assert stream.calls[:2] == [("subscribe", 3), ("request", 2**31 - 1)]
        stream.subscriber.on_next(Payload(b"x"), is_complete=True)
        stream.subscriber.on_complete()
        assert probe.elements == [Payload(b"x")]
        assert probe.completed

    asyncio.run(main())
