"""What the tests of sources share: an async iterable that says when it was closed."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator

from penstock import UNBOUNDED


async def ticks(n: int, closed: list[bool] | None = None) -> AsyncIterator[int]:
    try:
        for i in itertools.count() if n == UNBOUNDED else range(n):
            yield i
    finally:
        if closed is not None:
            closed.append(True)
