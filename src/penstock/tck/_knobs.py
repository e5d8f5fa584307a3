"""What the author of an implementation says of it, so that it is judged fairly."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields

from penstock.api import UNBOUNDED

__all__ = ["Knobs"]


@dataclass(frozen=True)
class Knobs:
    """What the kit may expect beyond the standard's minimum.

    Raises `ValueError` for a number below what makes sense.
    """

    max_elements: int = UNBOUNDED
    """The longest stream that the factory can make."""
    max_recursion_depth: int = 8
    """How deep `on_next` and `request` may call each other on one stack (rule 3.3)."""
    multicast: bool = False
    """Whether all Subscribers share one stream; R.1, R.2, R.3 and R.5 then hold."""
    keep_alive: bool = False
    """Whether a multicast Publisher goes on after its last Subscriber left (R.3)."""
    coordinated_emission: bool = False
    """Whether a multicast Publisher moves at the pace of its slowest Subscriber."""
    max_subscribers: int = UNBOUNDED
    """How many Subscribers it takes at the same time."""
    buffer_size: int = 16
    """What `create_processor` is given, and how far a Processor may ask ahead (R.6)."""
    stochastic: bool = True
    """Whether to run the checks that look for races by repetition."""
    knows_length: bool | None = None
    """Whether it knows its length, and so must complete without one more request (R.4);
    None: it is judged if an empty stream of it completes unasked."""

    def __post_init__(self) -> None:
        least = {"max_elements": 0, "max_recursion_depth": 1, "max_subscribers": 1}
        least["buffer_size"] = 1
        for name, bound in least.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < bound:
                raise ValueError(f"{name}={value!r}: give an int of at least {bound}")
        for name in ("multicast", "keep_alive", "coordinated_emission", "stochastic"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name}={getattr(self, name)!r}: give True or False")
        if self.knows_length not in (None, True, False):
            raise ValueError(f"knows_length={self.knows_length!r}: give True, False or None")

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of all knobs."""
        return tuple(f.name for f in fields(cls))

    @classmethod
    def of(cls, given: dict[str, object]) -> Knobs:
        """Make Knobs of keyword arguments; raises `TypeError` for a name that is none."""
        for name in given:
            if name not in cls.names():
                near = difflib.get_close_matches(name, cls.names(), 3, 0.4) or cls.names()
                raise TypeError(f"unknown knob {name!r}; did you mean {', '.join(near)}?")
        return cls(**given)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
