"""Subscribers whose fault only shows from inside: what they make of what they are told."""

from __future__ import annotations

from typing import Any, ClassVar

from penstock import Subscription
from tests.tck.wrong._sub_base import OneByOne, hang, pool
from tests.tck.wrong.control_whitebox import OnALaneWithAProbe, Puppet, WithAProbe
from tests.tck.wrong.registry import case

# 2.1: the puppet asks.


@case("whitebox", "told to request twice, it asks once", must="2.1")
def whitebox_asks_once_for_two_triggers(probe: Any) -> Any:
    class Wrong(WithAProbe):
        waiting = False

        def ask(self, n: int) -> None:
            if not self.waiting:
                self.waiting = True
                super().ask(n)

        def take(self, element: Any) -> None:
            self.waiting = False
            super().take(element)

    return Wrong(probe)


@case("whitebox", "told to request n, it asks for one", must="2.1")
def whitebox_asks_for_one_whatever_n(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def ask(self, n: int) -> None:
            super().ask(1)

    return Wrong(probe)


@case("whitebox", "never requests, whatever it is told", must="2.1")
def whitebox_never_requests(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def ask(self, n: int) -> None:
            pass

    return Wrong(probe)


# 2.3 to 2.8.


@case("whitebox", "cancels in on_complete", must="2.3")
def whitebox_cancels_in_on_complete(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def on_complete(self) -> None:
            self.stop()
            self.probe.register_on_complete()

    return Wrong(probe)


@case("whitebox", "a second subscription replaces the first", must="2.5")
def whitebox_replaces_its_subscription(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def on_subscribe(self, subscription: Subscription) -> None:
            if subscription is None:
                raise TypeError("on_subscribe(None)")
            first, self.subscription = self.subscription, subscription
            if first is None:
                self.start()

    return Wrong(probe)


@case("whitebox", "told to cancel, it only ignores what comes then", must="2.6")
def whitebox_does_not_cancel(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def stop(self) -> None:
            self.finish()

    return Wrong(probe)


@case("whitebox", "told to cancel, it waits for the next element to do so", must="2.6")
def whitebox_cancels_at_the_next_element(probe: Any) -> Any:
    class Wrong(WithAProbe):
        stopping = False

        def stop(self) -> None:
            self.stopping = True

        def take(self, element: Any) -> None:
            if self.stopping:
                super().stop()
            else:
                super().take(element)

    return Wrong(probe)


@case("whitebox", "carries out requests on a pool, so they overlap", must="2.7")
def whitebox_requests_on_a_pool(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def ask(self, n: int) -> None:
            pool().submit(self.ask_here, n)

        def ask_here(self, n: int) -> None:
            if not self.over:
                super().ask(n)

    return Wrong(probe)


@case("whitebox", "raises on elements that come after its cancel", must="2.8", may="2.13")
def whitebox_raises_after_its_cancel(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def on_next(self, element: Any) -> None:
            if element is not None and self.over:
                raise ValueError("write to closed file")
            super().on_next(element)

    return Wrong(probe)


# 2.9, 2.10: the end does not get through.


@case("whitebox", "on_complete is not passed on", must="2.9")
def whitebox_swallows_completion(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def on_complete(self) -> None:
            self.finish()

    return Wrong(probe)


@case("whitebox", "on_complete is not passed on if nothing was requested", must="2.9")
def whitebox_swallows_an_early_completion(probe: Any) -> Any:
    class Wrong(WithAProbe):
        asked = False

        def ask(self, n: int) -> None:
            self.asked = True
            super().ask(n)

        def on_complete(self) -> None:
            self.finish()
            if self.asked:
                self.probe.register_on_complete()

    return Wrong(probe)


@case("whitebox", "on_error is not passed on", must="2.10")
def whitebox_swallows_errors(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def on_error(self, error: Exception) -> None:
            OneByOne.on_error(self, error)

    return Wrong(probe)


@case("whitebox", "on_error is passed on only if there were elements", must="2.10")
def whitebox_swallows_an_early_error(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def on_error(self, error: Exception) -> None:
            OneByOne.on_error(self, error)
            if self.taken:
                self.probe.register_on_error(error)

    return Wrong(probe)


# 2.11: hand-overs that lose, repeat or mix up.


@case("whitebox", "works on elements in a pool of several threads, in any order", must="2.11")
def whitebox_reorders(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def take(self, element: Any) -> None:
            late = len(self.taken) % 2 == 0
            self.taken.append(element)
            pool().submit(self.work, element, 0.02 if late else 0.0)

        def work(self, element: Any, seconds: float) -> None:
            hang(seconds)
            self.probe.register_on_next(element)

    return Wrong(probe)


@case("whitebox", "its mailbox holds one element; more at a time overwrite it", must="2.11")
def whitebox_loses_elements_when_busy(probe: Any) -> Any:
    class Wrong(OnALaneWithAProbe):
        mailbox: Any = None

        def on_next(self, element: Any) -> None:
            if element is None:
                raise TypeError("on_next(None)")
            self.mailbox = element
            self.lane.put(self.work)

        def work(self) -> None:
            hang(0.005)
            element, self.mailbox = self.mailbox, None
            if element is not None and not self.over:
                self.take(element)

    return Wrong(probe)


@case("whitebox", "hands over an attribute: each job takes the latest element", must="2.11")
def whitebox_takes_the_latest_element(probe: Any) -> Any:
    class Wrong(OnALaneWithAProbe):
        latest: Any = None

        def on_next(self, element: Any) -> None:
            if element is None:
                raise TypeError("on_next(None)")
            self.latest = element
            self.lane.put(lambda: OneByOne.on_next(self, self.latest))

    return Wrong(probe)


@case("whitebox", "loses every third element", must="2.11")
def whitebox_loses_every_third_element(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def take(self, element: Any) -> None:
            self.taken.append(element)
            if len(self.taken) % 3:
                self.probe.register_on_next(element)

    return Wrong(probe)


@case("whitebox", "works on elements in pairs, the last one of an odd number never", must="2.11")
def whitebox_loses_the_odd_one_at_the_end(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def take(self, element: Any) -> None:
            self.taken.append(element)
            if len(self.taken) == 2:
                for taken in self.taken:
                    self.probe.register_on_next(taken)
                self.taken.clear()

    return Wrong(probe)


@case("whitebox", "works on the last element again when it is woken without a new one", must="2.11")
def whitebox_repeats_elements(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def take(self, element: Any) -> None:
            super().take(element)
            if len(self.taken) % 3 == 0:
                self.probe.register_on_next(element)

    return Wrong(probe)


@case(
    "whitebox", "completes while elements are still in its queue, which it then drops", must="2.11"
)
def whitebox_completes_ahead_of_its_queue(probe: Any) -> Any:
    class Wrong(OnALaneWithAProbe):
        def take(self, element: Any) -> None:
            hang(0.005)
            if not self.over:
                super().take(element)

        def on_complete(self) -> None:
            self.ended = True
            self.finish()

    return Wrong(probe)


@case(
    "whitebox",
    "asks for the next element before it takes this one, and that can come first",
    must="2.11",
)
def whitebox_asks_before_it_takes(probe: Any) -> Any:
    class Wrong(WithAProbe):
        told = False

        def ask(self, n: int) -> None:
            self.told = True
            super().ask(n)

        def take(self, element: Any) -> None:
            if self.told:
                self.told = False
                OneByOne.ask(self, 1)
            super().take(element)

    return Wrong(probe)


# 2.13, 2.2, 3.1.


@case("whitebox", "takes None for an element", must="2.13")
def whitebox_takes_none_for_an_element(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def on_next(self, element: Any) -> None:
            if not self.over:
                self.take(element)

    return Wrong(probe)


@case("whitebox", "checks for None on its own thread, where no caller hears of it", must="2.13")
def whitebox_checks_for_none_elsewhere(probe: Any) -> Any:
    class Wrong(OnALaneWithAProbe):
        def on_next(self, element: Any) -> None:
            self.lane.put(lambda: self.work(element))

        def work(self, element: Any) -> None:
            if element is not None and not self.over:
                self.take(element)

    return Wrong(probe)


@case("whitebox", "on_next never returns", must="2.2")
def whitebox_hangs_in_on_next(probe: Any) -> Any:
    class Wrong(WithAProbe):
        def take(self, element: Any) -> None:
            super().take(element)
            hang()

    return Wrong(probe)


class _SharesOneSubscription(WithAProbe):
    latest: ClassVar[Subscription | None] = None

    def start(self) -> None:
        type(self).latest = self.subscription
        self.probe.register_on_subscribe(Puppet(self))

    def ask(self, n: int) -> None:
        if self.subscription is not None and type(self).latest is not None:
            type(self).latest.request(n)


@case(
    "whitebox",
    "requests from a class attribute: the subscription of the newest",
    must="3.1",
    may="2.1",
)
def whitebox_shares_its_subscription(probe: Any) -> Any:
    return _SharesOneSubscription(probe)
