"""Deliberately wrong implementations, and correct ones, with the verdicts they must get."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from penstock.tck import (
    Environment,
    Report,
    verify_processor,
    verify_publisher,
    verify_subscriber,
    verify_subscriber_whitebox,
)

Kind = Literal["publisher", "subscriber", "whitebox", "processor"]

VERIFY: dict[Kind, Callable[..., Report]] = {
    "publisher": verify_publisher,
    "subscriber": verify_subscriber,
    "whitebox": verify_subscriber_whitebox,
    "processor": verify_processor,
}


@dataclass(frozen=True)
class Case:
    """One implementation: `must` are the rules it has to be caught with, `may` those that
    the one defect may cascade into; a correct one has neither."""

    name: str
    kind: Kind
    defect: str
    create: Callable[..., Any]
    must: frozenset[str]
    may: frozenset[str]
    options: dict[str, Any]

    def verify(self, environment: Environment | None = None) -> Report:
        return VERIFY[self.kind](self.create, environment=environment, **self.options)


CASES: list[Case] = []


def case(
    kind: Kind, defect: str = "", *, must: str = "", may: str = "", **options: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a factory as a case.

    `must` and `may` list rule ids separated by blanks; `options` are passed to `verify_…`
    (failed=, trigger=, shut_down=, multicast=True, …). No `must`: it is a correct control.
    """

    def register(create: Callable[..., Any]) -> Callable[..., Any]:
        name = create.__name__
        assert all(name != other.name for other in CASES), f"two cases named {name}"
        rules = frozenset(must.split()), frozenset(may.split())
        CASES.append(Case(name, kind, defect, create, *rules, dict(options)))
        return create

    return register
