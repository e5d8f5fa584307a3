"""What the generated loops and those who run them agree on."""

from __future__ import annotations

from typing import Any, Final, Literal

__all__ = ["AGAIN", "DEMAND", "EMPTY", "HEAD", "INPUT", "SINK", "Finished", "Form"]

Form = Literal["emit", "feed", "result", "iterate"]
"""What becomes of an element at the end of the loop.

`emit`: it is signalled, under demand. `feed`: as `emit`, to an inlet of ours. `result`: it is
the result of a run. `iterate`: the loop is a plain generator that yields it.
"""

DEMAND: Final = 1
INPUT: Final = 2
AGAIN: Final = 3
"""Why a loop yields: for demand, for input, or to let others have a turn."""

EMPTY: Final[tuple[Any, ...]] = ()
"""What a head gives if there is nothing now, and there may be later."""

HEAD: Final = -1
SINK: Final = -2
"""Whose line it is, where it is no stage's."""


class Finished(Exception):  # noqa: N818 - it ends the loops of a segment, and is no error
    """Leaves all loops of a segment at once."""
