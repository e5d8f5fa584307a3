"""A flow description: a source, and the operators behind it."""

from __future__ import annotations

from dataclasses import dataclass


class Boom(Exception):  # noqa: N818 - raised on purpose
    """What an instrumented function raises."""


@dataclass(frozen=True)
class Step:
    """One operator: its name, its numbers, and the descriptions of its other inputs."""

    op: str
    n: int = 1
    others: tuple[Description, ...] = ()
    kind: str = ""


@dataclass(frozen=True)
class Description:
    """A source of `n` elements, 0 to n - 1, and the operators behind it."""

    source: str
    n: int
    steps: tuple[Step, ...]
    name: str = ""
    """Put before the names of its functions, so that they are unlike those of other inputs."""

    def __str__(self) -> str:
        inner = "".join(
            f".{s.op}({', '.join([str(s.n), *([s.kind] if s.kind else []), *map(str, s.others)])})"
            for s in self.steps
        )
        return f"{self.source}({self.n}){inner}"
