"""Processors that get the end wrong: errors, completion, cancelling, and late Subscribers."""

from __future__ import annotations

from functools import partial
from typing import Any

import penstock
from tests.tck.wrong._proc_audience import Audience
from tests.tck.wrong._proc_base import (
    COMPLETE,
    Elsewhere,
    End,
    Identity,
    Job,
    Line,
    tell,
)
from tests.tck.wrong._sub_base import hang
from tests.tck.wrong.registry import case

# 4.2, R.7: errors.


def _failed(end: End | None) -> bool:
    return end is not None and end[1] is not None


@case("processor", "errors wait behind elements that nobody demands", must="4.2", may="R.7")
def proc_delays_errors_behind_elements(buffer_size: int) -> Any:
    class Wrong(Identity):
        def may_end(self) -> bool:
            return not self.buffer

    return Wrong(buffer_size)


@case(
    "processor", "passes on an error when the next element is demanded", must="4.2", may="1.4 R.7"
)
def proc_delays_errors_until_demand(buffer_size: int) -> Any:
    class Wrong(Identity):
        def may_end(self) -> bool:
            if _failed(self.end) and self.line is not None and self.line.demand == 0:
                return False
            return super().may_end()

    return Wrong(buffer_size)


@case("processor", "logs errors, and lets its Subscribers wait", must="4.2", may="1.4 R.7")
def proc_swallows_errors(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_error(self, error: Exception) -> None:
            if error is None:
                raise TypeError("on_error(None)")
            self.up = None
            penstock.on_dropped_error(error, "upstream of a processor")

    return Wrong(buffer_size)


@case(
    "processor",
    "an error from upstream ends its stream as if all were well",
    must="4.2",
    may="1.4 R.7",
)
def proc_turns_errors_into_completion(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_error(self, error: Exception) -> None:
            if error is None:
                raise TypeError("on_error(None)")
            self.ended(COMPLETE)

    return Wrong(buffer_size)


@case("processor", "an error throws away what is demanded and on its way", must="R.7")
def proc_errors_overtake_demanded_elements(buffer_size: int) -> Any:
    class Wrong(Elsewhere):
        def wake(self) -> None:
            self.lane.put(lambda: hang(0.01))
            super().wake()

        def on_error(self, error: Exception) -> None:
            if error is None:
                raise TypeError("on_error(None)")
            with self.lock:
                self.buffer.clear()
            super().on_error(error)

    return Wrong(buffer_size)


@case(
    "processor", "forgets an error that comes before there is a Subscriber", must="1.4", may="4.2"
)
def proc_forgets_an_early_error(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_error(self, error: Exception) -> None:
            if error is not None and self.line is None:
                self.up = None
                return
            super().on_error(error)

    return Wrong(buffer_size)


@case(
    "processor",
    "tells only the first of its Subscribers that upstream failed",
    must="1.4",
    may="4.2",
    multicast=True,
    coordinated_emission=True,
)
def proc_tells_the_first_of_an_error(buffer_size: int) -> Any:
    class Wrong(Audience):
        def tell_all(self, subscribers: list[Any], end: End) -> None:
            super().tell_all(subscribers[:1] if _failed(end) else subscribers, end)

    return Wrong(buffer_size)


# 1.5, 1.7, R.4: completion.


@case("processor", "completes at once, and drops what is still in its buffer", must="1.5")
def proc_completes_ahead_of_its_buffer(buffer_size: int) -> Any:
    class Wrong(Identity):
        def may_end(self) -> bool:
            return True

        def next_signal(self) -> Job | None:
            line = self.line
            if line is not None and line.greeted and line.error is None and self.end == COMPLETE:
                self.buffer.clear()
            return super().next_signal()

    return Wrong(buffer_size)


@case(
    "processor",
    "completes at once, and goes on sending what is in its buffer",
    must="1.7",
    may="1.5",
)
def proc_completes_and_goes_on(buffer_size: int) -> Any:
    class Wrong(Identity):
        completed = False

        def next_signal(self) -> Job | None:
            line = self.line
            if line is None or not line.greeted or line.error is not None:
                return super().next_signal()
            if self.end == COMPLETE and not self.completed:
                self.completed = True
                return partial(tell, line.subscriber, COMPLETE)
            if self.completed and not self.buffer:
                self.close(COMPLETE)
                return None
            return super().next_signal()

    return Wrong(buffer_size)


@case("processor", "completes twice: when upstream does, and when its buffer is empty", must="1.7")
def proc_completes_twice(buffer_size: int) -> Any:
    class Wrong(Identity):
        def last_signal(self, end: End) -> Job:
            job = super().last_signal(end)

            def twice() -> None:
                job()
                if end == COMPLETE:
                    job()

            return twice

    return Wrong(buffer_size)


@case("processor", "completes when one more element is requested", must="R.4")
def proc_completes_late(buffer_size: int) -> Any:
    class Wrong(Identity):
        def may_end(self) -> bool:
            if self.end == COMPLETE and self.line is not None and self.line.demand == 0:
                return False
            return super().may_end()

    return Wrong(buffer_size)


@case("processor", "never completes", must="1.5")
def proc_never_completes(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_complete(self) -> None:
            self.up = None

    return Wrong(buffer_size)


@case("processor", "forgets a completion that comes before there is a Subscriber", must="1.5")
def proc_forgets_an_early_completion(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_complete(self) -> None:
            if self.line is None:
                self.up = None
            else:
                super().on_complete()

    return Wrong(buffer_size)


# R.6: cancelling.


@case("processor", "does not cancel upstream when its Subscriber cancels", must="R.6")
def proc_does_not_cancel_upstream(buffer_size: int) -> Any:
    class Wrong(Identity):
        def due_cancel(self) -> Job | None:
            return None

    return Wrong(buffer_size)


@case("processor", "cancels upstream when the next element comes", must="R.6")
def proc_cancels_upstream_at_the_next_element(buffer_size: int) -> Any:
    class Wrong(Identity):
        def due_cancel(self) -> Job | None:
            return None

        def on_next(self, element: Any) -> None:
            super().on_next(element)
            up = self.up
            if self.left is not None and up is not None:
                self.up = None
                up.cancel()

    return Wrong(buffer_size)


@case("processor", "cancels upstream only if it has already asked it for something", must="R.6")
def proc_cancels_upstream_only_after_demand(buffer_size: int) -> Any:
    class Wrong(Identity):
        def due_cancel(self) -> Job | None:
            return super().due_cancel() if self.wanted else None

    return Wrong(buffer_size)


@case(
    "processor",
    "cancels upstream when the first of its Subscribers leaves",
    must="R.6",
    may="3.8 R.1",
    multicast=True,
    coordinated_emission=True,
)
def proc_cancels_upstream_for_one(buffer_size: int) -> Any:
    class Wrong(Audience):
        gone = False

        def cancelled(self, line: Line) -> None:
            self.gone = True
            super().cancelled(line)

        def due_cancel(self) -> Job | None:
            up = self.up
            if self.gone and up is not None:
                self.up = None
                return up.cancel
            return super().due_cancel()

    return Wrong(buffer_size)


@case(
    "processor",
    "on_next raises on elements that come after its Subscriber left",
    must="R.6",
    may="2.8 2.13",
)
def proc_raises_on_elements_after_cancel(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_next(self, element: Any) -> None:
            if element is not None and self.left is not None:
                raise AttributeError("'NoneType' object has no attribute 'on_next'")
            super().on_next(element)

    return Wrong(buffer_size)


@case("processor", "on_next raises on elements that come before any demand", must="R.6", may="2.13")
def proc_raises_on_elements_before_demand(buffer_size: int) -> Any:
    class Wrong(Identity):
        def on_next(self, element: Any) -> None:
            if element is not None and not self.wanted and self.left is None:
                raise RuntimeError("nobody has asked for this")
            super().on_next(element)

    return Wrong(buffer_size)


@case("processor", "keeps its Subscriber after it has cancelled", must="3.13")
def proc_keeps_its_subscriber(buffer_size: int) -> Any:
    class Wrong(Identity):
        seen: Any = None

        def emit(self, subscriber: Any, line: Line) -> Job:
            self.seen = subscriber
            return super().emit(subscriber, line)

    return Wrong(buffer_size)


@case("processor", "keeps its Subscriber in its Subscription's closed line", must="3.13")
def proc_keeps_all_its_lines(buffer_size: int) -> Any:
    class Wrong(Identity):
        def __init__(self, window: int) -> None:
            super().__init__(window)
            self.seen: list[Any] = []

        def new_line(self, subscriber: Any) -> Line:
            self.seen.append(subscriber.on_next)
            return super().new_line(subscriber)

    return Wrong(buffer_size)
