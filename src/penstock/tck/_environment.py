"""How long the kit waits: for what must come, and for what must not."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields, replace
from math import isfinite

__all__ = ["Environment"]

_PREFIX = "PENSTOCK_TCK_"


@dataclass(frozen=True)
class Environment:
    """The times of a verification, in seconds.

    Waits for something that must happen end when it happens, so a long `timeout` costs
    time only where a rule is broken. Waits for something that must not happen always
    take `quiet`, so that one is kept short.

    Raises `ValueError` for a time that is not positive.
    """

    timeout: float = 1.0
    """How long an expected signal may take, counted anew from each signal."""
    quiet: float = 0.05
    """How long it must stay silent before the kit believes that nothing more comes."""
    prompt: float = 0.1
    """How long a call may take that must return without waiting (best of three)."""
    gc_timeout: float = 1.0
    """How long a Publisher may take to let go of a cancelled Subscriber."""
    dwell: float = 0.002
    """How long the kit stays inside a signal, for a second one to run into it."""
    grace: float = 0.5
    """How long a hanging call may exceed `timeout` before the check is given up."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (isinstance(value, int | float) and isfinite(value) and value > 0):
                raise ValueError(
                    f"Environment({field.name}={value!r}): give a number of seconds above 0"
                )

    def stretched(self, factor: float) -> Environment:
        """Return an Environment with all times multiplied by `factor`."""
        if not (isfinite(factor) and factor > 0):
            raise ValueError(f"stretched({factor!r}): give a factor above 0")
        return replace(self, **{f.name: getattr(self, f.name) * factor for f in fields(self)})

    @classmethod
    def from_env(cls, base: Environment | None = None) -> Environment:
        """Return `base`, or the defaults, as the environment variables change it.

        `PENSTOCK_TCK_TIMEOUT`, `PENSTOCK_TCK_QUIET` and so on replace one time each;
        `PENSTOCK_TCK_STRETCH` multiplies those that were not replaced. Raises `ValueError`
        naming the variable if one holds no positive number.
        """
        result = cls() if base is None else base
        stretch = _read("STRETCH")
        if stretch is not None:
            result = result.stretched(stretch)
        given = {f.name: _read(f.name.upper()) for f in fields(cls)}
        return replace(result, **{k: v for k, v in given.items() if v is not None})


def _read(name: str) -> float | None:
    text = os.environ.get(_PREFIX + name, "").strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not (isfinite(value) and value > 0):
        raise ValueError(f"{_PREFIX}{name}={text!r}: give a number above 0")
    return value
