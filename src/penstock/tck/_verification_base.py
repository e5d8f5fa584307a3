"""What the pytest classes have in common: knobs, times, and a method for each check."""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar
from weakref import WeakKeyDictionary

from penstock.tck._check import Check, Side
from penstock.tck._environment import Environment
from penstock.tck._knobs import Knobs
from penstock.tck._spec_methods import Findings, carry_out, checks_for
from penstock.tck._steps import Given, steps

__all__ = ["Verification", "findings_of"]


class Verification(ABC):
    """What the four classes have in common: knobs, times, and a method for each check."""

    environment: Environment = Environment()
    """The kit's waiting times, which the environment variables may change once more."""
    max_elements: int = Knobs.max_elements
    """The longest stream that the factory can make."""
    max_recursion_depth: int = Knobs.max_recursion_depth
    """How deep `on_next` and `request` may call each other on one stack (rule 3.3)."""
    multicast: bool = Knobs.multicast
    """Whether all Subscribers share one stream; R.1, R.2, R.3 and R.5 then hold."""
    keep_alive: bool = Knobs.keep_alive
    """Whether a multicast Publisher goes on after its last Subscriber left (R.3)."""
    coordinated_emission: bool = Knobs.coordinated_emission
    """Whether a multicast Publisher moves at the pace of its slowest Subscriber."""
    max_subscribers: int = Knobs.max_subscribers
    """How many Subscribers it takes at the same time."""
    buffer_size: int = Knobs.buffer_size
    """What `create_processor` is given, and how far a Processor may ask ahead (R.6)."""
    stochastic: bool = Knobs.stochastic
    """Whether to run the checks that look for races by repetition."""
    knows_length: bool | None = Knobs.knows_length
    """Whether it knows its length, and so must complete without one more request (R.4);
    None: it is judged if an empty stream of it completes unasked."""

    side: ClassVar[Side]
    """As what it is verified."""

    def __init_subclass__(cls, side: Side | None = None) -> None:
        """Check the knobs, so that a mistake is told where it is made.

        Raises `ValueError` for a wrong value and `TypeError` for a misspelt name.
        """
        super().__init_subclass__()
        if side is None:
            _check_names(cls)
            _check_values(cls)
        else:
            cls.side = side
            for check in checks_for(side):
                setattr(cls, check.name, cls._kit_method(check))

    # The prefix keeps these names apart from helpers that authors may have.

    @abstractmethod
    def _kit_given(self) -> Given: ...

    @classmethod
    def _kit_method(cls, check: Check) -> Callable[[Verification], None]:
        def method(self: Verification) -> None:
            __tracebackhide__ = True
            environment = Environment.from_env(self.environment)
            plan = steps(self.side, self._kit_given(), environment, _knobs(self))
            carry_out(check, dict(plan)[check], findings_of(self))

        method.__name__ = check.name
        method.__qualname__ = f"{cls.__qualname__}.{check.name}"
        method.__doc__ = check.does
        return method


_findings: WeakKeyDictionary[Verification, Findings] = WeakKeyDictionary()


def findings_of(verification: Verification) -> Findings:
    """Return what this instance has found; the plugin lets instances share it."""
    return _findings.setdefault(verification, Findings())


def _knobs(owner: Verification | type[Verification]) -> Knobs:
    return Knobs.of({name: getattr(owner, name) for name in Knobs.names()})


def _check_values(cls: type[Verification]) -> None:
    _knobs(cls)
    if not isinstance(cls.environment, Environment):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"{cls.__name__}.environment: give an Environment(timeout=…, …)")


_OURS = ("penstock.tck._verification", __name__)


def _check_names(cls: type[Verification]) -> None:
    """Raise `TypeError` for what looks like one of our names, misspelt.

    It would be ignored, and the author would wonder why nothing changes.
    """
    ours = next(base for base in cls.__mro__ if base.__module__ in _OURS)
    known = [name for name in dir(ours) if not name.startswith(("_", "spec_"))]
    for name in vars(cls):
        if name in known or name.startswith(("_", "spec_", "test")):
            continue
        near = difflib.get_close_matches(name, known, 1, 0.85)
        if near and near[0] not in vars(cls):
            raise TypeError(
                f"{cls.__name__}.{name}: is {near[0]} meant? "
                f"If not, name it _{name}, for the kit to leave it alone"
            )
