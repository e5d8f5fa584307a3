"""A Subscriber that a test drives by hand."""

from __future__ import annotations

import re
from collections import deque
from typing import Any, Generic, NoReturn, TypeVar, overload

from penstock.api import Publisher, Subscription
from penstock.testing._log import SignalLog, brief
from penstock.testing._party import Party, amount, is_valid_request

__all__ = ["Probe"]

T = TypeVar("T")
E = TypeVar("E", bound=Exception)


class Probe(Party, Generic[T]):
    """A Subscriber that requests only when told to, and can be asked what it received.

    It keeps all rules of a Subscriber that the test does not break by what it requests.
    Signals may come from any thread; each `expect_…` waits up to `timeout` seconds for the
    next signal that has not been looked at yet and raises `AssertionError`, with the log
    of all signals, if it is another one or none.

        probe = Probe(publisher)
        probe.expect_nothing()  # nothing was requested
        probe.request(2)
        probe.expect_next("a", "b")
        probe.expect_complete()

    It takes what comes: to have every rule judged too, probe `penstock.checked(publisher)`.
    On an event loop's thread, wait in `await asyncio.to_thread(probe.expect_next, "a")`, so
    that the loop can go on.
    """

    def __init__(
        self,
        publisher: Publisher[T] | None = None,
        *,
        timeout: float = 1.0,
        quiet: float = 0.1,
        name: str = "probe",
        log: SignalLog | None = None,
    ) -> None:
        """Make a probe, and subscribe it to `publisher` if one is given.

        `timeout` is how many seconds to wait for what is expected, `quiet` for what is
        not; several parties may share a `log`. Raises what `publisher.subscribe` raises.
        """
        super().__init__(timeout=timeout, quiet=quiet, name=name, log=log)
        self._pending: deque[tuple[str, Any]] = deque()
        self._elements: list[T] = []
        self._subscription: Subscription | None = None
        self._requested: int = 0
        self._ended: tuple[str, Exception | None] | None = None
        self._cancelled = False
        if publisher is not None:
            publisher.subscribe(self)

    # The four signals.

    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Keep the subscription; cancel it if there is one already (rule 2.5).

        Raises `TypeError` for None.
        """
        if subscription is None:  # pyright: ignore[reportUnnecessaryComparison]
            self._refuse("on_subscribe(None): a Publisher must pass a Subscription (rule 2.13)")
        with self._news:
            second = self._subscription is not None
            self.log.add(self.name, "a second on_subscribe" if second else "on_subscribe")
            if not second:
                self._subscription = subscription
                self._news.notify_all()
        if second:
            subscription.cancel()

    def on_next(self, element: T, /) -> None:
        """Keep the element for `next` and `elements`. Raises `TypeError` for None."""
        if element is None:
            self._refuse("on_next(None): None is never an element (rule 2.13)")
        self.log.add(self.name, f"on_next({brief(element)})")
        with self._news:
            self._elements.append(element)
            self._pending.append(("on_next", element))
            self._news.notify_all()

    def on_error(self, error: Exception, /) -> None:
        """Keep the error for `expect_error`. Raises `TypeError` for None."""
        if error is None:  # pyright: ignore[reportUnnecessaryComparison]
            self._refuse("on_error(None): a Publisher must pass an exception (rule 2.13)")
        self.log.add(self.name, f"on_error({brief(error)})")
        self._end("on_error", error)

    def on_complete(self) -> None:
        """Note the end for `expect_complete`."""
        self.log.add(self.name, "on_complete")
        self._end("on_complete", None)

    def _end(self, signal: str, error: Exception | None) -> None:
        with self._news:
            self._ended = self._ended or (signal, error)
            self._pending.append((signal, error))
            self._news.notify_all()

    def _refuse(self, why: str) -> NoReturn:
        self.log.add(self.name, f"raised TypeError: {why}")
        raise TypeError(why)

    # What the test sends upstream.

    def request(self, n: int = 1) -> None:
        """Request `n` more elements, whatever `n` is, so that a test may ask for 0 as well.

        Waits for the subscription; raises `AssertionError` if it does not come.
        """
        __tracebackhide__ = True
        subscription = self.expect_subscription()
        self.log.add(self.name, f"request({brief(n)})")
        if is_valid_request(n):
            with self._news:
                self._requested += n
        subscription.request(n)

    def cancel(self) -> None:
        """Cancel. Waits for the subscription; raises `AssertionError` if it does not come."""
        __tracebackhide__ = True
        subscription = self.expect_subscription()
        self.log.add(self.name, "cancel()")
        with self._news:
            self._cancelled = True
        subscription.cancel()

    # What the test can ask.

    @property
    def elements(self) -> list[T]:
        """All elements received so far, looked at or not."""
        with self._news:
            return self._elements.copy()

    @property
    def requested(self) -> int:
        """How many elements this probe has requested in all; what breaks 3.9 does not count."""
        return self._requested

    @property
    def subscription(self) -> Subscription | None:
        """The subscription, or None before `on_subscribe`."""
        return self._subscription

    @property
    def completed(self) -> bool:
        """Whether `on_complete` has come."""
        return self._ended is not None and self._ended[0] == "on_complete"

    @property
    def error(self) -> Exception | None:
        """The error of `on_error`, or None."""
        return None if self._ended is None else self._ended[1]

    def expect_subscription(self) -> Subscription:
        """Return the subscription as soon as it is there; `AssertionError` if it isn't."""
        __tracebackhide__ = True
        with self._news:
            self._wait(lambda: self._subscription is not None)
            if self._subscription is None:
                self._give_up("no on_subscribe")
            return self._subscription

    def next(self) -> T:
        """Return the next element that has not been looked at; nothing is requested.

        Raises `AssertionError` if the next signal is no element, or none comes.
        """
        __tracebackhide__ = True
        element: T = self._take("on_next", "on_next")
        return element

    def expect_next(self, *elements: T) -> None:
        """Check that exactly these elements come next, in this order."""
        __tracebackhide__ = True
        for expected in elements:
            shown = f"on_next({brief(expected)})"
            element = self._take("on_next", shown)
            if element is not expected and element != expected:
                self._fail(f"expected {shown}, got on_next({brief(element)})")

    def expect_complete(self) -> None:
        """Check that the next signal is `on_complete`."""
        __tracebackhide__ = True
        self._take("on_complete", "on_complete")

    @overload
    def expect_error(self, kind: None = None, match: str = "") -> Exception: ...

    @overload
    def expect_error(self, kind: type[E], match: str = "") -> E: ...

    def expect_error(self, kind: type[Exception] | None = None, match: str = "") -> Exception:
        """Check that the next signal is `on_error` and return the error.

        `kind` is the class it must have, `match` a regular expression to be found in its
        text.
        """
        __tracebackhide__ = True
        name = "" if kind is None else kind.__name__
        error: Exception = self._take("on_error", f"on_error({name})" if name else "on_error")
        if kind is not None and not isinstance(error, kind):
            self._fail(f"expected on_error({name}), got on_error({brief(error)})", error)
        if not re.search(match, str(error)):
            # In full: what does not match may be at its end.
            self._fail(f"expected an error that matches {match!r}, got {error!r}", error)
        return error

    def expect_nothing(self, within: float | None = None) -> None:
        """Check that no further signal comes within `within` seconds (default: `quiet`)."""
        __tracebackhide__ = True
        with self._news:
            self._wait(lambda: bool(self._pending), self.quiet if within is None else within)
            pending = list(self._pending)
        if pending:
            self._wrong("no signal", *pending[0])

    def _take(self, signal: str, shown: str) -> Any:
        """Return what the next signal carries if it is this one."""
        __tracebackhide__ = True
        with self._news:
            if not self._wait(lambda: bool(self._pending)):
                self._give_up(f"expected {shown}, got no signal")
            got, value = self._pending.popleft()
        if got != signal:
            self._wrong(shown, got, value)
        return value

    def _wrong(self, expected: str, got: str, value: Any) -> NoReturn:
        __tracebackhide__ = True
        shown = got if got == "on_complete" else f"{got}({brief(value)})"
        self._fail(f"expected {expected}, got {shown}", value if got == "on_error" else None)

    def _state(self) -> str:
        with self._news:
            if self._subscription is None:
                return "not subscribed"
            state = f"requested {amount(self._requested)}, received {len(self._elements)}"
            if self._ended is not None:
                return f"{state}, ended by {self._ended[0]}"
            if self._cancelled:
                return f"{state}, cancelled"
            return state if len(self._elements) < self._requested else f"{state}: no demand is left"
