"""Wrong Subscribers: they leave without a word, and can't bear what comes then, or too soon."""

from __future__ import annotations

from typing import Any

from tests.tck.wrong._sub_base import Batches, OnCommand, OneByOne
from tests.tck.wrong.registry import case


def _shut_down(subscriber: Any) -> None:
    subscriber.stop()


# 2.6: not wanted any more.


@case("subscriber", "its shut_down forgets the subscription", must="2.6", shut_down=_shut_down)
def sub_shuts_down_without_cancel() -> Any:
    class Wrong(OneByOne):
        def stop(self) -> None:
            self.finish()

    return Wrong()


@case(
    "subscriber",
    "its shut_down waits for the next element to cancel",
    must="2.6",
    shut_down=_shut_down,
)
def sub_shuts_down_at_the_next_element() -> Any:
    class Wrong(OneByOne):
        stopping = False

        def stop(self) -> None:
            self.stopping = True

        def take(self, element: Any) -> None:
            if self.stopping:
                super().stop()
            else:
                super().take(element)

    return Wrong()


@case(
    "subscriber", "its shut_down cancels if it has had elements", must="2.6", shut_down=_shut_down
)
def sub_shuts_down_unnoticed_before_the_first_element() -> Any:
    class Wrong(OneByOne):
        def stop(self) -> None:
            if self.taken:
                super().stop()
            else:
                self.finish()

    return Wrong()


@case(
    "subscriber",
    "its shut_down cancels only before the first element",
    must="2.6",
    shut_down=_shut_down,
)
def sub_shuts_down_unnoticed_after_the_first_element() -> Any:
    class Wrong(OneByOne):
        def stop(self) -> None:
            if self.taken:
                self.finish()
            else:
                super().stop()

    return Wrong()


@case(
    "subscriber",
    "its shut_down cancels only if something is requested and still to come",
    must="2.6",
    shut_down=_shut_down,
    trigger=lambda subscriber: subscriber.more(),
)
def sub_shuts_down_unnoticed_while_idle() -> Any:
    class Wrong(OnCommand):
        waiting = 0

        def more(self) -> None:
            self.waiting += 1
            super().more()

        def take(self, element: Any) -> None:
            self.waiting -= 1
            super().take(element)

        def stop(self) -> None:
            if self.waiting:
                super().stop()
            else:
                self.finish()

    return Wrong()


# 2.8: elements after cancel.


@case("subscriber", "cancels after two of four and raises on the third", must="2.8", may="2.13")
def sub_raises_on_what_comes_after_its_cancel() -> Any:
    class Wrong(Batches):
        size = 4

        def on_next(self, element: Any) -> None:
            if element is None:
                raise TypeError("on_next(None)")
            if self.over:
                raise ValueError("I/O operation on closed file")
            self.taken.append(element)
            if len(self.taken) == 2:
                self.stop()

    return Wrong()


@case(
    "subscriber",
    "after its shut_down, on_next uses a subscription that is None",
    must="2.8",
    may="2.13",
    shut_down=_shut_down,
)
def sub_raises_on_what_comes_after_shut_down() -> Any:
    class Wrong(OneByOne):
        def on_next(self, element: Any) -> None:
            if element is None:
                raise TypeError("on_next(None)")
            self.taken.append(element)
            self.subscription.request(1)  # type: ignore[union-attr]

    return Wrong()


# 2.9, 2.10: an end that was not asked for.


@case(
    "subscriber", "works out an average in on_complete, also of no elements", must="2.9", may="2.13"
)
def sub_averages_nothing() -> Any:
    class Wrong(OneByOne):
        def on_complete(self) -> None:
            self.finish()
            self.average = sum(1 for _ in self.taken) / len(self.taken)

    return Wrong()


@case("subscriber", "on_error uses what only on_next sets", must="2.10", may="2.13")
def sub_fails_to_fail_before_the_first_element() -> Any:
    class Wrong(OneByOne):
        last: Any

        def take(self, element: Any) -> None:
            self.last = element
            super().take(element)

        def on_error(self, error: Exception) -> None:
            if error is None:
                raise TypeError("on_error(None)")
            self.finish()
            self.message = f"{error!r} after {self.last!r}"

    return Wrong()


@case(
    "subscriber",
    "on_complete wants that something was requested",
    must="2.9",
    may="2.13",
    trigger=lambda subscriber: subscriber.more(),
)
def sub_wants_a_request_before_completion() -> Any:
    class Wrong(OnCommand):
        asked = False

        def more(self) -> None:
            self.asked = True
            super().more()

        def on_complete(self) -> None:
            self.finish()
            if not self.asked:
                raise RuntimeError("completed, but nothing was requested")

    return Wrong()


@case(
    "subscriber",
    "on_error wants that something was requested",
    must="2.10",
    may="2.13",
    trigger=lambda subscriber: subscriber.more(),
)
def sub_wants_a_request_before_an_error() -> Any:
    class Wrong(OnCommand):
        asked = False

        def more(self) -> None:
            self.asked = True
            super().more()

        def on_error(self, error: Exception) -> None:
            if error is None:
                raise TypeError("on_error(None)")
            self.finish()
            if not self.asked:
                raise RuntimeError("failed, but nothing was requested")

    return Wrong()
