"""Shares one source between a fast consumer and one that gets stuck.

    python examples/flow/fan_out.py

The source is read once. What the fast one has got and the slow one hasn't is kept in a buffer of
8; a policy says what happens when it is full. The slow one sticks at its fourth element, is looked
at when nothing moves any more, and is let go.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Literal, NamedTuple

from penstock import Flow

ELEMENTS, BUFFER, STICKS_AT = 40, 8, 3
EVERY = 0.01  # seconds from one element to the next


class Outcome(NamedTuple):
    """How many elements were where, when the slow one was stuck and at the end."""

    read: int
    fast: int
    slow: int
    missed: list[int]
    """What the slow one had not got when all was over."""
    error: BaseException | None
    """Why it got no more."""


async def fan_out(policy: Literal["wait", "drop", "skip"]) -> Outcome:
    """Run two consumers on one source, print what is seen on the way, and return it."""
    read: list[int] = []
    fast: list[int] = []
    slow: list[int] = []
    let_go = asyncio.Event()

    async def slowly(element: int) -> None:
        if element >= STICKS_AT:
            await let_go.wait()
        slow.append(element)

    source = Flow.range(ELEMENTS).at_most(1, per=EVERY).tap(read.append)
    # `publish` and not `share`, so that nothing is read before both have subscribed.
    shared = source.publish(BUFFER, policy=policy)
    runs = shared.for_each(fast.append), shared.for_each(slowly)
    both = asyncio.gather(*runs, return_exceptions=True)
    await asyncio.sleep(0)  # now they have subscribed
    shared.connect()
    await Flow.timer(2 * ELEMENTS * EVERY).drain()  # a sleep, on the clock that the flows use

    now = len(read), len(fast), len(slow)
    print("  {} elements were read; the fast one has {}, the slow one {}".format(*now))
    if policy == "wait":
        for name, run in zip(("fast", "slow"), runs, strict=True):
            print(f"\n  explain() of the {name} one:")
            print("    " + run.explain().replace("\n", "\n    "))
        print()

    let_go.set()
    _, error = await both
    missed = sorted({*fast} - {*slow})
    misses = f"{len(missed)}, {missed[0]} to {missed[-1]}" if missed else "none"
    print(f"  in the end the fast one has {len(fast)}; the slow one misses {misses}")
    if error:
        print(f"  and was told: {error}")
    return Outcome(*now, missed, error)


async def main() -> None:
    """Show what each policy does."""
    print('"wait": nobody misses anything, so the fast one waits when the buffer is full')
    await fan_out("wait")
    print('\n"drop": who is too slow is dropped')
    await fan_out("drop")
    print('\n"skip": who is too slow goes on with what is left')
    await fan_out("skip")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
