"""What tests of resources share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from penstock.runtime._resource import Lease
from tests.waiting import DEADLINE


class Thing:
    """Something that can be referred to weakly."""

    def __call__(self) -> None:
        pass


def run_on(lease: Lease, fn: Callable[[], Any]) -> Any:
    """Return what `fn` returns on the resource."""
    done = threading.Event()
    results: list[Any] = []

    def run() -> None:
        results.append(fn())
        done.set()

    lease.schedule(run)
    assert done.wait(DEADLINE)
    return results[0]
