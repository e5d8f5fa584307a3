"""Operators that put other implementations in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock.api import Processor
from penstock.flow._base import Base, frame_of, fresh
from penstock.flow._check import callable_, count
from penstock.runtime._boundary import WINDOW
from penstock.runtime._via import CHECKED, VIA

if TYPE_CHECKING:
    from penstock._monitor import OnViolation
    from penstock.flow._flow import Flow

__all__ = ["Via"]

T_co = TypeVar("T_co", covariant=True)
R = TypeVar("R")
S = TypeVar("S")


class Via(Base[T_co], Generic[T_co]):
    """The methods of `Flow` that put other implementations in."""

    __slots__ = ()

    def via(self, make_processor: Callable[[], Processor[T_co, R]]) -> Flow[R]:
        """Let the elements pass through a Processor, of which each run makes one.

        Emits when the Processor does.
        Requests from the Processor as much as there is demand for, at most 1024 elements at a
            time; the Processor asks upstream for what it wants.
        Completes when the Processor completes.
        Cancels when downstream cancels; the Processor is to cancel upstream.

        Raises `TypeError` if `make_processor` can't be called. The stream fails with what it
        raises, and with `TypeError` if it returns no Processor.

        >>> Flow.of(1, 2).via(Hub).map(str).to_list().result()
        ['1', '2']
        """
        callable_("via", "make_processor", make_processor)
        return self._junction(VIA, make_processor, inputs=(None,))

    def pipe(self, fn: Callable[[Flow[T_co]], S]) -> S:
        """Return `fn(flow)`: operators of your own, read from left to right.

        Emits what `fn` makes of it.
        Requests what `fn` makes of it.
        Completes when what `fn` returned does.
        Cancels when what `fn` returned does.

        Raises `TypeError` if `fn` can't be called, and what `fn` raises, at once.

        >>> def doubled(flow):
        ...     return flow.map(lambda x: x * 2)
        >>> Flow.of(1, 2).pipe(doubled).to_list().result()
        [2, 4]
        """
        flow: Any = self
        return callable_("pipe", "fn", fn)(flow)  # type: ignore[no-any-return]

    def checked(self, on_violation: OnViolation = "log") -> Flow[T_co]:
        """Watch the signals here, and report every rule that is broken: see `penstock.checked`.

        It watches what is upstream of it: directly behind `from_publisher` or `via`, the
        Publisher or Processor itself. To have a Subscriber watched, subscribe
        `penstock.checked(subscriber)`.

        Emits when an element comes in.
        Requests when there is demand, as much, at most 1024 elements at a time.
        Completes when upstream completes.
        Cancels when downstream cancels.

        Raises `ValueError` if `on_violation` is not `"log"`, `"raise"` or a function.

        >>> class Careless:
        ...     def subscribe(self, subscriber):
        ...         subscriber.on_subscribe(Probe())
        ...         subscriber.on_next("nobody asked")
        >>> broken = []
        >>> probe = Probe(Flow.from_publisher(Careless()).checked(broken.append))
        >>> [violation.rule for violation in broken]
        ['1.1']
        """
        if on_violation not in ("log", "raise") and not callable(on_violation):
            raise ValueError(
                f'checked(on_violation={on_violation!r}): give "log", "raise" or a function'
            )
        return self._junction(CHECKED, on_violation, inputs=(None,))

    @staticmethod
    def processor(build: Callable[[Flow[S]], Flow[R]], *, window: int = WINDOW) -> Processor[S, R]:
        """Return operators as a Processor: `build(flow)` is what comes out of what goes in.

        `build` is called at once, with the flow of what upstream will send. The Processor is
        for one upstream and one Subscriber; either may be connected first. If `build` ends
        with `share`, several may subscribe.

        Emits when what `build` returned does.
        Requests from the first demand on, and is at most `window` elements ahead.
        Completes when what `build` returned does.
        Cancels when downstream cancels.

        Raises `TypeError` if `build` can't be called or returns no flow, `TypeError` or
        `ValueError` if `window` is no int of at least 1, and what `build` raises.

        >>> doubling = Flow.processor(lambda flow: flow.map(lambda x: x * 2))
        >>> probe = Probe(doubling)
        >>> probe.request(2)
        >>> Flow.of(1, 2).subscribe(doubling)
        >>> probe.elements
        [2, 4]
        """
        from penstock.flow._processor import ENTRANCE, Chain, Entrance

        callable_("processor", "build", build)
        entrance = Entrance()
        size = count("processor", "window", window)
        inside = fresh(ENTRANCE, (entrance, size), frame_of(1))
        flow = build(inside)
        if not isinstance(flow, Base):
            raise TypeError(f"processor(build): build returned {flow!r}, which is no Flow")
        chain: Any = Chain[Any, Any](entrance, flow)
        return chain  # type: ignore[no-any-return]
