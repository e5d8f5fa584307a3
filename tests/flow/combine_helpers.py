"""What the tests of bringing flows together share: inputs that the test pushes into."""

from __future__ import annotations

from typing import Any

from penstock.testing import ManualPublisher


def manual(n: int) -> list[ManualPublisher[Any]]:
    return [ManualPublisher(name=f"input {i}") for i in range(n)]
