"""What the tests of `map_async` share: calls that wait for the test, and its loop."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import pytest

from penstock import Flow, event_loop
from penstock.testing import Probe

both_orders = pytest.mark.parametrize("ordered", [True, False], ids=["ordered", "unordered"])


class Gate:
    """A coroutine function whose calls wait until the test lets them go. For one loop."""

    def __init__(self) -> None:
        self.begun: list[Any] = []
        self.cancelled: list[Any] = []
        self._waiting: dict[Any, asyncio.Future[Any]] = {}

    async def __call__(self, x: Any) -> Any:
        self.begun.append(x)
        self._waiting[x] = asyncio.get_running_loop().create_future()
        try:
            return await self._waiting[x]
        except asyncio.CancelledError:
            self.cancelled.append(x)
            raise

    async def let(self, x: Any, result: Any = None) -> None:
        waiting = self._waiting.pop(x)
        if isinstance(result, BaseException):
            waiting.set_exception(result)
        else:
            waiting.set_result(f"<{x}>" if result is None else result)
        await settled()


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def on_a_loop(test: Any) -> Any:
    """Run the test with a gate and a way to probe on its loop; it must leave no task."""

    def run(*args: Any, **kwargs: Any) -> None:
        async def main() -> None:
            loop = asyncio.get_running_loop()
            problems: list[Any] = []
            loop.set_exception_handler(lambda _, context: problems.append(context))
            await test(*args, **kwargs)
            await settled()
            assert asyncio.all_tasks() == {asyncio.current_task()}
            assert problems == []

        asyncio.run(main())

    run.__name__ = test.__name__
    run.pytestmark = getattr(test, "pytestmark", [])
    run.__signature__ = inspect.signature(test)
    return run


def probed(flow: Flow[Any]) -> Probe[Any]:
    """Return a probe of the flow, all of which runs on the running loop."""
    return Probe(flow.subscribe_on(event_loop()))
