"""Group: the part of a flow that has one key."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from penstock.flow._flow import Flow
from penstock.runtime._group import GroupOrigin
from penstock.runtime._node import Node

__all__ = ["Group", "group_of", "piece_of"]

K = TypeVar("K")
T = TypeVar("T")


class Group(Flow[T], Generic[K, T]):
    """The elements of one key, as a flow. It can be subscribed to once.

    A second subscriber gets `on_error` with a `RuntimeError`.
    """

    __slots__ = ("key",)

    key: K
    """What `group_by` called the elements."""


def group_of(key: Any, op: GroupOrigin, node: Node) -> Group[Any, Any]:
    """Return the flow of one group of `node`."""
    group: Group[Any, Any] = _fill(Group(), op, node)
    group.key = key
    return group


def piece_of(key: Any, op: GroupOrigin, node: Node) -> Flow[Any]:  # noqa: ARG001 - as `group_of`
    """Return the flow of one window of `node`."""
    flow: Flow[Any] = _fill(Flow(), op, node)
    return flow


def _fill(flow: Any, op: GroupOrigin, node: Node) -> Any:
    flow.op = op
    flow.up = None
    flow.arguments = ()
    flow.place = node.place
    flow.boundary = node.boundary
    flow.depth = 0
    return flow
