"""The four interfaces of the standard, as protocols.

Each can be inherited from (a class that forgets a method cannot be instantiated) or
merely matched: any object that has the methods is accepted wherever one is asked for,
whatever its parameters are called and however many further ones it gives defaults to.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Final, Protocol, TypeVar, runtime_checkable

__all__ = ["UNBOUNDED", "Processor", "Publisher", "Subscriber", "Subscription"]

T_contra = TypeVar("T_contra", contravariant=True)
T_co = TypeVar("T_co", covariant=True)
R_co = TypeVar("R_co", covariant=True)

UNBOUNDED: Final = 2**63 - 1
"""Demand without an end (rule 3.17): a publisher may stop counting here."""


@runtime_checkable
class Subscription(Protocol):
    """What ties one Subscriber to one Publisher, and carries demand upstream.

    Neither method ever raises; both are no-ops once the subscription is over.
    """

    __slots__ = ()  # here and below: a class with slots may inherit and have no __dict__

    @abstractmethod
    def request(self, n: int, /) -> None:
        """Ask for `n` more elements (rule 3.8); requests add up.

        An `n` that is no int or is less than 1 is answered with `on_error(ValueError)`
        that names rule 3.9. Raises nothing.
        """

    @abstractmethod
    def cancel(self) -> None:
        """Ask the Publisher to stop, soon; any thread may call this, any number of times.

        Elements already on their way may still arrive (rule 2.8). Raises nothing.
        """


@runtime_checkable
class Subscriber(Protocol[T_contra]):
    """Receives `on_subscribe on_next* (on_error | on_complete)?`, one signal at a time."""

    __slots__ = ()

    @abstractmethod
    def on_subscribe(self, subscription: Subscription, /) -> None:
        """Take the subscription; nothing arrives before something is requested from it.

        Raises `TypeError` for None, and nothing else.
        """

    @abstractmethod
    def on_next(self, element: T_contra, /) -> None:
        """Take one element, at most as many as were requested.

        Raises `TypeError` for None, and nothing else.
        """

    @abstractmethod
    def on_error(self, error: Exception, /) -> None:
        """Learn that the stream failed; no signal follows.

        Raises `TypeError` for None, and nothing else.
        """

    @abstractmethod
    def on_complete(self) -> None:
        """Learn that the stream ended well; no signal follows. Raises nothing."""


@runtime_checkable
class Publisher(Protocol[T_co]):
    """A source of elements that never sends more of them than were requested."""

    __slots__ = ()

    @abstractmethod
    def subscribe(self, subscriber: Subscriber[T_co], /) -> None:
        """Connect `subscriber`: its first signal is `on_subscribe`, also if it is rejected.

        Raises `TypeError` for None; any other failure arrives as `on_error`.
        """


@runtime_checkable
class Processor(Subscriber[T_contra], Publisher[R_co], Protocol[T_contra, R_co]):
    """A stage: a Subscriber of what comes in and a Publisher of what goes out.

    It keeps the contracts of both (rule 4.1).
    """

    __slots__ = ()
