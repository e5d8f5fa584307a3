"""Flows moved to each of the resources, where the next operator runs."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import Flow, event_loop, threads

RESOURCES = {"caller": lambda: None, "threads": lambda: threads(1), "event loop": event_loop}
on_each_resource = pytest.mark.parametrize("resource", RESOURCES)


def moved(flow: Flow[Any], resource: str) -> Flow[Any]:
    """Return the flow as it is, or moved to the resource, where the next operator runs."""
    where = RESOURCES[resource]()
    return flow if where is None else flow.on(where)
