"""The classes that pytest users subclass: each check is a method of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from penstock.api import Processor, Publisher, Subscriber
from penstock.tck._spec_methods import made
from penstock.tck._steps import Given
from penstock.tck._verification_base import Verification
from penstock.tck._whitebox_probe import WhiteboxProbe

__all__ = [
    "ProcessorVerification",
    "PublisherVerification",
    "SubscriberBlackboxVerification",
    "SubscriberWhiteboxVerification",
]

_SIGNALS = ("on_subscribe", "on_next", "on_error", "on_complete")


class PublisherVerification(Verification, side="publisher"):
    """All checks of a Publisher, as pytest tests. Subclass it and say how to make one.

    Knobs are class attributes. A broken rule fails its test; a check that can't be decided
    is skipped and says why.
    """

    @abstractmethod
    def create_publisher(self, elements: int) -> Publisher[Any]:
        """Make a Publisher of so many elements; `penstock.UNBOUNDED` means without an end."""

    def create_failed_publisher(self) -> Publisher[Any] | None:
        """Make a Publisher that signals an error and nothing else; None if there is none."""
        return None

    def _kit_given(self) -> Given:
        def create(elements: int) -> Publisher[Any]:
            __tracebackhide__ = True
            call = f"create_publisher({elements})"
            return made(self.create_publisher(elements), call, "subscribe")

        return Given(create, failed=self.create_failed_publisher)


class _SubscriberVerification(Verification):
    """What the two classes for Subscribers have in common."""

    def create_element(self, i: int) -> Any:
        """Make the i-th element to feed it; by default that is `i` itself."""
        return i

    def trigger_request(self, subscriber: Any) -> None:
        """Have it request at least one element; override this if it doesn't by itself."""

    def shut_down(self, subscriber: Any) -> None:
        """End the use of it, which then has to cancel its subscription (rule 2.6)."""

    def _kit_given_with(self, create: Callable[..., Any]) -> Given:
        def make(*probe: Any) -> Any:
            __tracebackhide__ = True
            return made(create(*probe), "create_subscriber", *_SIGNALS)

        return Given(
            make,
            trigger=self._kit_if_overridden("trigger_request"),
            element=self.create_element,
            shut_down=self._kit_if_overridden("shut_down"),
        )

    def _kit_if_overridden(self, hook: str) -> Callable[[Any], object] | None:
        ours = getattr(_SubscriberVerification, hook)
        return None if getattr(type(self), hook) is ours else getattr(self, hook)


class SubscriberBlackboxVerification(_SubscriberVerification, side="subscriber"):
    """The checks of a Subscriber that see it from outside, as pytest tests.

    Subclass it and say how to make one. Broken rules fail their tests; checks that can't be
    decided are skipped and say why.
    """

    @abstractmethod
    def create_subscriber(self) -> Subscriber[Any]:
        """Make a Subscriber."""

    def _kit_given(self) -> Given:
        return self._kit_given_with(self.create_subscriber)


class SubscriberWhiteboxVerification(_SubscriberVerification, side="whitebox"):
    """The checks of a Subscriber that are told what happens inside it, as pytest tests.

    Subclass it and say how to make one. Broken rules fail their tests; checks that can't be
    decided are skipped and say why.
    """

    @abstractmethod
    def create_subscriber(self, probe: WhiteboxProbe[Any]) -> Subscriber[Any]:
        """Make a Subscriber that tells `probe` of each signal, where it has dealt with it."""

    def _kit_given(self) -> Given:
        return self._kit_given_with(self.create_subscriber)


class ProcessorVerification(Verification, side="processor"):
    """All checks of a Processor, as a Publisher and a Subscriber too, as pytest tests.

    Subclass it and say how to make one. Broken rules fail their tests; checks that can't be
    decided are skipped and say why.
    """

    @abstractmethod
    def create_processor(self, buffer_size: int) -> Processor[Any, Any]:
        """Make a Processor that asks at most so many elements ahead of demand.

        It has to send one element for each that it receives.
        """

    def create_element(self, i: int) -> Any:
        """Make the i-th element to feed it; by default that is `i` itself."""
        return i

    def _kit_given(self) -> Given:
        def create(buffer_size: int) -> Processor[Any, Any]:
            __tracebackhide__ = True
            call = f"create_processor({buffer_size})"
            return made(self.create_processor(buffer_size), call, "subscribe", *_SIGNALS)

        return Given(create, element=self.create_element)
