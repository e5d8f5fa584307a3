"""Operators that depend on time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock.flow._base import Base, source
from penstock.flow._check import count
from penstock.flow._check import seconds as seconds_
from penstock.flow._overflow import Overflow
from penstock.flow._pressure import overflow_
from penstock.runtime._boundary import WINDOW
from penstock.runtime._chunk_within import CHUNK_WITHIN
from penstock.runtime._delay import DELAY
from penstock.runtime._settling import DEBOUNCE, SAMPLE
from penstock.runtime._stage import Stage
from penstock.runtime._ticks import INTERVAL, TIMER
from penstock.runtime._timeout import TIMEOUT

if TYPE_CHECKING:
    from penstock.flow._flow import Flow

__all__ = ["Time"]

T_co = TypeVar("T_co", covariant=True)
S = TypeVar("S")

THROTTLE = Stage(
    "throttle",
    ("seconds",),
    setup=("@now = pump.wiring.clock.now", "@until = float('-inf')"),
    body=("@at = @now()", "if @at < @until: skip", "@until = @at + @seconds"),
)
TIMESTAMP = Stage("timestamp", setup=("@now = pump.wiring.clock.now",), body=("x = (@now(), x)",))


class Time(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that depend on time."""

    __slots__ = ()

    @staticmethod
    def interval(period: float, *, overflow: Overflow = Overflow.LATEST) -> Flow[int]:
        """Count the periods from the subscription on: 0 after the first `period` seconds, then 1.

        A clock can't be slowed. One tick at most waits to be asked for; what happens to the
        next one then, says `overflow`. By default it takes the place of the one that waits,
        so that there is no other tick than the latest, and the gap shows in the numbers.

        Emits when a period is over and there is demand, or demand comes and a tick waits.
        Requests nothing: it is a source.
        Completes never.
        Cancels, when downstream cancels, its timer.

        Raises `TypeError` or `ValueError` if `period` is no number above 0 or `overflow` no
        `Overflow`. With `Overflow.ERROR` the stream fails with an `OverflowError` if a tick
        comes while another one waits.

        >>> with VirtualClock() as clock:
        ...     probe = Probe(Flow.interval(60))
        ...     probe.request(2)
        ...     clock.advance(150)
        >>> probe.elements
        [0, 1]
        """
        period = seconds_("interval", "period", period)
        return source(INTERVAL, period, overflow_("interval", overflow), iterable=False)

    @staticmethod
    def timer(delay: float, value: Any = 0) -> Flow[Any]:
        """Give `value`, once, `delay` seconds after the subscription.

        Emits when the time is over and there is demand.
        Requests nothing: it is a source.
        Completes with its element.
        Cancels, when downstream cancels, its timer.

        Raises `TypeError` or `ValueError` if `delay` is no number of at least 0, or `value`
        None.

        >>> with VirtualClock() as clock:
        ...     probe = Probe(Flow.timer(5, "tea"))
        ...     probe.request(1)
        ...     clock.advance(5)
        >>> probe.elements
        ['tea']
        """
        delay = seconds_("timer", "delay", delay, zero=True)
        if value is None:
            raise TypeError("timer(value=None): None is never an element (rule 2.13)")
        return source(TIMER, delay, value, iterable=False)

    def delay(self, seconds: float, window: int = WINDOW) -> Flow[T_co]:
        """Give each element `seconds` later than it came. An error is not held up.

        Emits when an element has been here for `seconds` and there is demand.
        Requests `window` at the first demand, and keeps so many under way or waiting: no more
            than `window` elements pass in any `seconds`.
        Completes when upstream has completed and the last element was given.
        Cancels when downstream cancels.

        Raises `TypeError` or `ValueError` if `seconds` is no number of at least 0, or `window`
        no int of at least 1.

        >>> with VirtualClock() as clock:
        ...     probe = Probe(Flow.of("a", "b").delay(3))
        ...     probe.request(2)
        ...     clock.advance(2)
        ...     early = probe.elements
        ...     clock.advance(1)
        >>> early, probe.elements
        ([], ['a', 'b'])
        """
        time = seconds_("delay", "seconds", seconds, zero=True)
        window = count("delay", "window", window)
        return self._junction(DELAY, time, window, inputs=(None,))

    def debounce(self, seconds: float) -> Flow[T_co]:
        """Give an element once no other one has followed it for `seconds`.

        One such element waits for demand at most; the next one takes its place, and it is
        dropped and counted. Others that are soon followed by one are not meant to be given.

        Emits when `seconds` have passed since the latest element, and there is demand.
        Requests all there is, at the first demand.
        Completes when upstream has completed, and the latest element, which then waits for
            no other, was given.
        Cancels when downstream cancels.

        Raises `TypeError` or `ValueError` if `seconds` is no number above 0.

        >>> with VirtualClock() as clock:
        ...     probe = Probe(Flow.of("p", "pe", "pen").debounce(0.3))
        ...     probe.request(2)
        >>> probe.elements
        ['pen']
        """
        return self._junction(DEBOUNCE, seconds_("debounce", "seconds", seconds), inputs=(None,))

    def sample(self, period: float) -> Flow[T_co]:
        """Give the latest element of each `period`; nothing for one without any.

        The first period begins with the first demand. One element waits for demand at most;
        that of the next period takes its place, and it is dropped and counted.

        Emits when a period ends in which an element came, and there is demand.
        Requests all there is, at the first demand.
        Completes when upstream has completed, and the latest element was given.
        Cancels when downstream cancels.

        Raises `TypeError` or `ValueError` if `period` is no number above 0.

        >>> with VirtualClock() as clock:
        ...     probe = Probe(Flow.interval(1).sample(10))
        ...     probe.request(2)
        ...     clock.advance(25)
        >>> probe.elements
        [8, 18]
        """
        return self._junction(SAMPLE, seconds_("sample", "period", period), inputs=(None,))

    def throttle(self, seconds: float) -> Flow[T_co]:
        """Give the first element of each period of `seconds`, and drop the others.

        A period begins with the element that is given. So the next one that is given comes at
        least `seconds` later.

        Emits when an element comes in at least `seconds` after the one given before.
        Requests when there is demand, and for each element that it drops one more.
        Completes when upstream completes.
        Cancels when downstream cancels.

        Raises `TypeError` or `ValueError` if `seconds` is no number above 0.

        >>> with VirtualClock() as clock:
        ...     probe = Probe(Flow.interval(1).throttle(10))
        ...     probe.request(3)
        ...     clock.advance(25)
        >>> probe.elements
        [0, 10, 20]
        """
        return self._stage(THROTTLE, seconds_("throttle", "seconds", seconds))

    def timeout(self, seconds: float) -> Flow[T_co]:
        """Fail if an element that was asked for takes longer than `seconds`.

        The first one as well. While there is no demand, no time counts.

        Emits when an element comes in.
        Requests when there is demand, as much, but at most 1024 at a time.
        Completes when upstream completes.
        Cancels when downstream cancels or the time is over.

        Raises `TypeError` or `ValueError` if `seconds` is no number above 0. The stream fails
        with a `TimeoutError`.

        >>> with VirtualClock() as clock:
        ...     probe = Probe(Flow.never().timeout(5))
        ...     probe.request(1)
        ...     clock.advance(5)
        >>> type(probe.error)
        <class 'TimeoutError'>
        """
        return self._junction(TIMEOUT, seconds_("timeout", "seconds", seconds), inputs=(None,))

    def timestamp(self) -> Flow[tuple[float, T_co]]:
        """Give `(time, element)` for each element: the clock's seconds when it passed.

        Emits when an element comes in.
        Requests when there is demand, as much.
        Completes when upstream completes.
        Cancels when downstream cancels.

        >>> with VirtualClock() as clock:
        ...     clock.advance(7.5)
        ...     print(Flow.of("a").timestamp().to_list().result())
        [(7.5, 'a')]
        """
        return self._stage(TIMESTAMP)

    def _chunk_within(self, size: int, within: float) -> Flow[list[T_co]]:
        """Return `chunk(size, within)`, whose arguments are checked; for `chunk` itself."""
        return self._junction(CHUNK_WITHIN, size, within, inputs=(None,), up=3)
