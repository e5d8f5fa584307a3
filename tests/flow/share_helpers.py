"""What the tests of sharing share: flows to share."""

from __future__ import annotations

from typing import Any

from penstock import Flow
from penstock.testing import ManualPublisher


def numbers(n: int) -> Flow[int]:
    return Flow.range(n)


def shared(**how: Any) -> tuple[ManualPublisher[int], Flow[int]]:
    source = ManualPublisher[int]()
    return source, Flow.from_publisher(source).share(4, **how)
