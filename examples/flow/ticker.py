"""Shows ticks that nobody can slow down on displays that are slower.

    python examples/flow/ticker.py

50 ticks come, one each 20 ms; a display takes 127 ms for each that it shows. Up to three wait for
it. What happens to the next one, says a policy; each has a ticker and a display of its own here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from penstock import Flow, Overflow

TICKS, EVERY, SHOW = 50, 0.02, 0.127  # seconds; a tick and a display never coincide


class Ticks(NamedTuple):
    """One tick, or several that were made one."""

    first: int
    last: int

    def and_then(self, later: Ticks) -> Ticks:
        """Return what stands for both."""
        return Ticks(self.first, later.last)

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


class Shown(NamedTuple):
    """What a display has shown, and how its flow ended."""

    ticks: list[Ticks]
    dropped: int
    error: Exception | None


POLICIES: dict[str, Callable[[Flow[Ticks]], Flow[Ticks]]] = {
    "ERROR": lambda ticks: ticks.buffer(3, Overflow.ERROR),  # nothing may be lost: so fail
    "DROP_NEWEST": lambda ticks: ticks.buffer(3, Overflow.DROP_NEWEST),  # first come
    "DROP_OLDEST": lambda ticks: ticks.buffer(3, Overflow.DROP_OLDEST),  # the last three
    "LATEST": lambda ticks: ticks.buffer(3, Overflow.LATEST),  # begin again with the new one
    "latest()": lambda ticks: ticks.latest(),  # one waits: the newest
    "conflate()": lambda ticks: ticks.conflate(Ticks.and_then),  # one waits, made of all
}


async def display(policy: Callable[[Flow[Ticks]], Flow[Ticks]]) -> Shown:
    """Show ticks, each for a while, until there are no more or the flow fails."""
    shown: list[Ticks] = []
    ticks = Flow.interval(EVERY).take(TICKS).map(lambda n: Ticks(n, n))
    run = policy(ticks).at_most(1, per=SHOW).for_each(shown.append)
    error: Exception | None = None
    try:
        await run
    except OverflowError as overflow:
        error = overflow
    return Shown(shown, sum(edge.dropped for edge in run.stats().edges), error)


async def main() -> dict[str, Shown]:
    """Run all displays at the same time, and print what each has shown."""
    print(f"{TICKS} ticks, 0 to {TICKS - 1}:\n")
    displays = [display(policy) for policy in POLICIES.values()]
    shown = dict(zip(POLICIES, await asyncio.gather(*displays), strict=True))
    for name, (ticks, dropped, error) in shown.items():
        print(f"{name:12} {' '.join(map(str, ticks))}")
        print(f"{'':12} {error or f'{len(ticks)} shown, {dropped} dropped'}\n")
    return shown


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
