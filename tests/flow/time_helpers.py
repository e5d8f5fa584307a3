"""What the tests of time share: a source that the test pushes into."""

from __future__ import annotations

from typing import Any

from penstock import Flow


class Source:
    """A source that the test pushes into."""

    def __init__(self) -> None:
        self.flow: Flow[Any] = Flow.create(self._begin)

    def _begin(self, emitter: Any) -> None:
        self.push = emitter.push
        self.complete = emitter.complete
        self.error = emitter.error
