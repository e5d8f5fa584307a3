"""Hub: elements are pushed in, and every subscriber gets them."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from typing import Any

import pytest

from penstock import UNBOUNDED, Flow, threads
from penstock.flow._hub import Hub
from penstock.tck import verify_processor
from penstock.testing import ManualPublisher, Probe


def test_it_keeps_all_rules() -> None:
    report = verify_processor(Hub, multicast=True, keep_alive=True)
    assert not report.broken, report


def test_one_that_ends_with_its_last_subscriber_keeps_all_rules() -> None:
    report = verify_processor(lambda n: Hub[Any](n, keep_alive=False), multicast=True)
    assert not report.broken, report


def test_all_get_what_is_pushed_and_who_comes_later_what_is_left() -> None:
    hub = Hub[int](4)
    assert hub.push(1)
    one, two = Probe(hub), Probe(hub)
    one.request(9)
    two.request(1)
    assert hub.push(2)
    late = Probe(hub)
    late.request(9)
    assert (one.elements, two.elements, late.elements) == ([1, 2], [1], [2])


def test_it_refuses_what_it_has_no_room_for() -> None:
    hub = Hub[int](2)
    assert [hub.push(i) for i in range(3)] == [True, True, False]
    probe = Probe(hub)
    probe.request(1)
    assert [hub.push(i) for i in (3, 4)] == [True, False]
    probe.request(9)
    assert probe.elements == [0, 1, 3]


def test_one_slow_subscriber_holds_it_up_unless_it_is_to_skip() -> None:
    for policy, taken in (("wait", 2), ("skip", 5)):
        hub = Hub[int](2, policy=policy)  # type: ignore[arg-type]
        slow, fast = Probe(hub), Probe(hub)
        fast.request(UNBOUNDED)
        assert sum(hub.push(i) for i in range(5)) == taken
        assert len(fast.elements) == taken
        slow.request(9)
        assert slow.elements == [taken - 2, taken - 1]


def test_a_slow_subscriber_can_be_dropped() -> None:
    hub = Hub[int](2, policy="drop")
    slow, fast = Probe(hub), Probe(hub)
    fast.request(UNBOUNDED)
    for i in range(5):
        assert hub.push(i)
    slow.expect_error(RuntimeError, "dropped this subscriber")
    assert fast.elements == [0, 1, 2, 3, 4]


def test_after_the_end_the_rest_is_delivered_then_the_end() -> None:
    hub = Hub[int]()
    hub.push(1)
    hub.complete()
    assert not hub.push(2)
    probe = Probe(hub)
    assert not probe.completed
    probe.request(1)
    assert probe.elements == [1]
    assert probe.completed
    Probe(hub).expect_complete()


def test_an_error_is_told_to_all_and_to_who_comes_later() -> None:
    hub = Hub[int]()
    probe = Probe(hub)
    hub.error(OSError("gone"))
    probe.expect_error(OSError)
    Probe(hub).expect_error(OSError)
    assert not hub.push(1)


def test_it_feeds_a_flow_and_is_fed_by_one() -> None:
    hub = Hub[int]()
    probe = Probe(hub.flow.map(str))
    probe.request(9)
    Flow.of(1, 2).subscribe(hub)
    assert probe.elements == ["1", "2"]
    assert probe.completed


def test_it_asks_its_upstream_for_what_it_has_room_for() -> None:
    source, hub = ManualPublisher[int](), Hub[int](4)
    source.subscribe(hub)
    probe = Probe(hub)
    assert source.requested == 0
    probe.request(1)
    assert source.requested == 4
    assert not hub.push(0)  # the room is taken
    source.emit(1)
    probe.expect_next(1)


def test_without_keep_alive_the_last_one_ends_it() -> None:
    source, hub = ManualPublisher[int](), Hub[int](4, keep_alive=False)
    source.subscribe(hub)
    Probe(hub).cancel()
    assert source.cancelled
    assert not hub.push(1)
    Probe(hub).expect_error(RuntimeError, "last subscriber left")


def test_a_subscriber_may_push_from_inside() -> None:
    hub = Hub[int]()
    seen: list[int] = []

    def again(x: int) -> int:
        if x < 5:
            assert hub.push(x + 1)
        seen.append(x)
        return x

    probe = Probe(hub.flow.map(again))
    probe.request(9)
    hub.push(0)
    assert probe.elements == [0, 1, 2, 3, 4, 5]


def test_many_threads_push_and_all_get_the_same_in_the_same_order() -> None:
    hub = Hub[tuple[int, int]](64)
    pool = threads(2)
    probes = [Probe(hub), Probe(hub.flow.on(pool))]
    for probe in probes:
        probe.request(UNBOUNDED)

    def work(who: int) -> None:
        for i in range(500):
            while not hub.push((who, i)):
                pass

    workers = [threading.Thread(target=work, args=(who,)) for who in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    hub.complete()
    got = [probe.next() for probe in probes for _ in range(1500)]
    assert got[:1500] == got[1500:]
    for who in range(3):
        assert [i for w, i in got[:1500] if w == who] == list(range(500))
    for probe in probes:
        probe.expect_complete()


# send


def test_send_waits_for_room() -> None:
    async def main() -> list[int]:
        hub = Hub[int](2)
        probe = Probe(hub)
        sender = asyncio.create_task(_send(hub, range(5)))
        for i in range(1, 6):
            await _settle()
            assert not sender.done() or i > 3
            probe.request(1)
        await asyncio.wait_for(sender, 10)
        return probe.elements

    assert asyncio.run(main()) == [0, 1, 2, 3, 4]


def test_a_send_that_is_cancelled_sends_nothing_and_lets_another_through() -> None:
    async def main() -> list[str]:
        hub = Hub[str](1)
        hub.push("first")
        probe = Probe(hub)
        cancelled = asyncio.create_task(hub.send("cancelled"))
        other = asyncio.create_task(hub.send("other"))
        await _settle()
        probe.request(1)  # makes room for the first that waits, which is cancelled right then
        cancelled.cancel()
        await asyncio.wait_for(other, 10)
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        probe.request(9)
        return probe.elements

    assert asyncio.run(main()) == ["first", "other"]


def test_who_waits_to_send_hears_that_the_hub_is_over() -> None:
    async def main() -> None:
        hub = Hub[int](1)
        hub.push(1)
        sender = asyncio.create_task(hub.send(2))
        await _settle()
        hub.complete()
        with pytest.raises(RuntimeError, match=r"Hub\(1\), test_hub.py:\d+ is over"):
            await sender

    asyncio.run(main())


def test_many_senders_on_several_loops_all_get_through() -> None:
    hub = Hub[int](3)
    probe = Probe(hub.flow.on(threads(1), 2))
    probe.request(UNBOUNDED)

    async def all_of_them(first: int) -> None:
        await asyncio.gather(
            *[_send(hub, range(first + i, first + i + 20)) for i in range(0, 100, 20)]
        )

    workers = [threading.Thread(target=asyncio.run, args=(all_of_them(k),)) for k in (0, 100)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(30)
    hub.complete()
    assert sorted(probe.next() for _ in range(200)) == list(range(200))


async def _send(hub: Hub[int], elements: Any) -> None:
    for element in elements:
        await hub.send(element)


async def _settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


# Refusals.


def test_none_is_no_element_and_an_error_is_an_exception() -> None:
    hub = Hub[Any]()
    with pytest.raises(TypeError, match="None"):
        hub.push(None)
    with pytest.raises(TypeError, match="None"):
        asyncio.run(hub.send(None))
    with pytest.raises(TypeError, match="give an Exception"):
        hub.error("oops")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("how", "kind"),
    [({"buffer": 0}, ValueError), ({"buffer": 1.5}, TypeError), ({"policy": "x"}, ValueError)],
)
def test_wrong_arguments_are_refused_at_once(how: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind, match=r"Hub\("):
        Hub[int](**how)


def test_whoever_left_is_let_go() -> None:
    hub = Hub[int]()
    probe = Probe(hub)
    probe.request(1)
    hub.push(1)
    probe.cancel()
    gone = weakref.ref(probe)
    del probe
    gc.collect()
    assert gone() is None


def test_who_comes_and_goes_while_nothing_happens_leaves_nothing_behind() -> None:
    hub = Hub[int]()
    for _ in range(50):
        probe = Probe[int](hub)
        probe.request(1)
        probe.cancel()
    assert not hub._ring.hungry
    assert not hub._ring.at
    assert not hub._ring.subscribers


def test_ten_thousand_subscribers_all_get_it_and_may_leave() -> None:
    hub = Hub[int](4)
    taken: list[int] = []

    class Counts:
        def on_subscribe(self, subscription: Any, /) -> None:
            self.subscription = subscription
            subscription.request(UNBOUNDED)

        def on_next(self, element: int, /) -> None:
            taken.append(element)

        def on_error(self, error: Exception, /) -> None:
            raise AssertionError(error)

        def on_complete(self) -> None:
            raise AssertionError

    all_of_them = [Counts() for _ in range(10_000)]
    for one in all_of_them:
        hub.subscribe(one)
    assert hub.push(1)
    assert hub.push(2)
    assert taken == [1] * 10_000 + [2] * 10_000
    for one in all_of_them:
        one.subscription.cancel()
    assert not hub._ring.subscribers
