"""What the tests of a flow of each element share: the operators that make one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from penstock import Flow

Over = Callable[[Flow[Any], Callable[[Any], Any]], Flow[Any]]

OVERS: dict[str, Over] = {
    "flat_map": lambda flow, fn: flow.flat_map(fn),
    "concat_map": lambda flow, fn: flow.concat_map(fn),
    "switch_map": lambda flow, fn: flow.switch_map(fn),
    "flatten": lambda flow, fn: flow.map(fn).flatten(3),
}
ALL = pytest.mark.parametrize("over", OVERS.values(), ids=OVERS)
