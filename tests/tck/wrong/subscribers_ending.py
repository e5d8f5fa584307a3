"""Wrong Subscribers: calls in and after terminal signals, and second subscriptions."""

from __future__ import annotations

from typing import Any

from penstock import Subscription
from tests.tck.wrong._sub_base import Lane, OnCommand, OneByOne, hang, spawn
from tests.tck.wrong.registry import case


def _shut_down(subscriber: Any) -> None:
    subscriber.stop()


# 2.3: calls inside a terminal signal.


@case("subscriber", "requests one more in on_complete", must="2.3")
def sub_requests_in_on_complete() -> Any:
    class Wrong(OneByOne):
        def on_complete(self) -> None:
            self.ask(1)
            self.finish()

    return Wrong()


@case("subscriber", "requests one more in on_error, to try again", must="2.3")
def sub_requests_in_on_error() -> Any:
    class Wrong(OneByOne):
        def on_error(self, error: Exception) -> None:
            if error is None:
                raise TypeError("on_error(None)")
            self.ask(1)
            self.finish()

    return Wrong()


@case("subscriber", "cancels in on_complete", must="2.3")
def sub_cancels_in_on_complete() -> Any:
    class Wrong(OneByOne):
        def on_complete(self) -> None:
            self.stop()

    return Wrong()


@case("subscriber", "cancels in on_error", must="2.3")
def sub_cancels_in_on_error() -> Any:
    class Wrong(OneByOne):
        def on_error(self, error: Exception) -> None:
            if error is None:
                raise TypeError("on_error(None)")
            self.stop()

    return Wrong()


@case("subscriber", "cancels in on_complete, if there were elements", must="2.3")
def sub_cancels_in_on_complete_after_elements() -> Any:
    class Wrong(OneByOne):
        def on_complete(self) -> None:
            if self.taken:
                self.stop()
            else:
                self.finish()

    return Wrong()


@case("subscriber", "cancels in on_error, if there were elements", must="2.3")
def sub_cancels_in_on_error_after_elements() -> Any:
    class Wrong(OneByOne):
        def on_error(self, error: Exception) -> None:
            if error is None:
                raise TypeError("on_error(None)")
            if self.taken:
                self.stop()
            else:
                self.finish()

    return Wrong()


# 2.4: calls after it.


@case("subscriber", "requests from a timer 10 ms after on_complete", must="2.4")
def sub_requests_after_on_complete() -> Any:
    class Wrong(OneByOne):
        def on_complete(self) -> None:
            self.over = True
            spawn(lambda: self.ask(1), after=0.01)

    return Wrong()


@case("subscriber", "requests from a timer 10 ms after on_error", must="2.4")
def sub_requests_after_on_error() -> Any:
    class Wrong(OneByOne):
        def on_error(self, error: Exception) -> None:
            if error is None:
                raise TypeError("on_error(None)")
            self.over = True
            spawn(lambda: self.ask(1), after=0.01)

    return Wrong()


@case("subscriber", "requests on a timer, which on_error does not stop", must="2.4")
def sub_with_a_timer_that_on_error_forgets() -> Any:
    class Wrong(OneByOne):
        def __init__(self) -> None:
            super().__init__()
            self.timer = Lane()

        def ask(self, n: int) -> None:
            self.timer.put(lambda: self.ask_in_a_while(n))

        def ask_in_a_while(self, n: int) -> None:
            hang(0.005)
            super().ask(n)

        def on_error(self, error: Exception) -> None:
            if error is None:
                raise TypeError("on_error(None)")
            self.over = True
            self.ask(1)

    return Wrong()


@case(
    "subscriber",
    "keeps its subscription after the end, and requests from it on command",
    must="2.4",
    trigger=lambda subscriber: subscriber.more(),
)
def sub_heeds_its_trigger_after_the_end() -> Any:
    class Wrong(OnCommand):
        def finish(self) -> None:
            self.over = True

    return Wrong()


# 2.5: a second subscription.


def _none_is_wrong(subscription: object) -> None:
    if subscription is None:
        raise TypeError("on_subscribe(None)")


@case("subscriber", "a second subscription replaces the first", must="2.5")
def sub_replaces_its_subscription() -> Any:
    class Wrong(OneByOne):
        def on_subscribe(self, subscription: Subscription) -> None:
            _none_is_wrong(subscription)
            self.subscription = subscription
            self.start()

    return Wrong()


@case("subscriber", "uses both subscriptions", must="2.5")
def sub_uses_both_subscriptions() -> Any:
    class Wrong(OneByOne):
        def __init__(self) -> None:
            super().__init__()
            self.all: list[Subscription] = []

        def on_subscribe(self, subscription: Subscription) -> None:
            _none_is_wrong(subscription)
            self.all.append(subscription)
            subscription.request(1)

        def ask(self, n: int) -> None:
            for subscription in self.all.copy():
                subscription.request(n)

        def stop(self) -> None:
            self.over = True
            for subscription in self.all.copy():
                subscription.cancel()

        def finish(self) -> None:
            super().finish()
            self.all.clear()

    return Wrong()


@case("subscriber", "ignores a second subscription instead of cancelling it", must="2.5")
def sub_ignores_a_second_subscription() -> Any:
    class Wrong(OneByOne):
        def on_subscribe(self, subscription: Subscription) -> None:
            _none_is_wrong(subscription)
            if self.subscription is None:
                super().on_subscribe(subscription)

    return Wrong()


@case(
    "subscriber", "given a second subscription, cancels the first and goes over to it", must="2.5"
)
def sub_cancels_the_first_instead() -> Any:
    class Wrong(OneByOne):
        def on_subscribe(self, subscription: Subscription) -> None:
            _none_is_wrong(subscription)
            first, self.subscription = self.subscription, subscription
            if first is not None:
                first.cancel()
            self.start()

    return Wrong()


@case("subscriber", "given a second subscription, cancels both", must="2.5")
def sub_cancels_both_subscriptions() -> Any:
    class Wrong(OneByOne):
        def on_subscribe(self, subscription: Subscription) -> None:
            _none_is_wrong(subscription)
            if self.subscription is None:
                super().on_subscribe(subscription)
            else:
                subscription.cancel()
                self.stop()

    return Wrong()


@case("subscriber", "requests from a second subscription before it cancels it", must="2.5")
def sub_requests_before_it_refuses() -> Any:
    class Wrong(OneByOne):
        def on_subscribe(self, subscription: Subscription) -> None:
            if self.subscription is not None:
                subscription.request(1)
            super().on_subscribe(subscription)

    return Wrong()


@case("subscriber", "raises when it is given a second subscription", must="2.13", may="2.5")
def sub_raises_on_a_second_subscription() -> Any:
    class Wrong(OneByOne):
        def on_subscribe(self, subscription: Subscription) -> None:
            _none_is_wrong(subscription)
            if self.subscription is not None:
                raise RuntimeError("this subscriber is subscribed already")
            super().on_subscribe(subscription)

    return Wrong()
