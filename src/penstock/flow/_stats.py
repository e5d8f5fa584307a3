"""What a run looks like right now: each edge's demand, what waits on it, who waits for whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from penstock.api import UNBOUNDED
from penstock.runtime._compile import DEMAND, INPUT
from penstock.runtime._inlet import Inlet
from penstock.runtime._pump import OVER, Pump
from penstock.runtime._wiring import is_source

__all__ = ["Edge", "Stats", "explained", "snapshot"]

Joint = tuple[Pump, Inlet | None]


class Edge(NamedTuple):
    """What one segment hands to the next, or to the subscriber."""

    upstream: str
    """The segment that emits: its operators."""
    downstream: str
    """What it emits to: the operator that begins the next segment, or the subscriber."""
    resource: str
    """What runs the segment that emits."""
    requested: int
    """How many elements were requested in all; `UNBOUNDED` if it stopped counting."""
    delivered: int
    """How many were delivered; while it runs, up to 1024 fewer than it is."""
    buffered: int
    """How many wait on the far side."""
    window: int | None
    """How many may be under way or wait; None where nothing is buffered."""
    high: int
    """The most that were seen to wait."""
    dropped: int
    """How many a policy dropped, or an error that overtook them."""
    rate: float
    """Elements a second since the snapshot before, or since the run began."""
    state: str
    """`running`, `waits for demand`, `waits for input` or `over`."""


class Stats(NamedTuple):
    """A snapshot of a run."""

    seconds: float
    """Since the run began."""
    edges: tuple[Edge, ...]
    """From the last one, at the terminal, upstream."""


_STATES = {DEMAND: "waits for demand", INPUT: "waits for input", OVER: "over"}


def snapshot(edges: Sequence[Joint], seconds: float, before: dict[int, int], since: float) -> Stats:
    """Return the edges as they are; `before` has what each had delivered `since` ago."""
    found = (_edge(pump, inlet, before.get(id(pump), 0), since) for pump, inlet in edges)
    return Stats(seconds, tuple(found))


def _edge(pump: Pump, inlet: Inlet | None, before: int, since: float) -> Edge:
    buffered, window, high, dropped = 0, None, 0, getattr(pump.head, "dropped", 0)
    downstream = "the subscriber"
    if inlet is not None:
        buffered, window = len(inlet.buffer), inlet.window
        high = max(inlet.high, buffered)
        if (waiting := getattr(inlet, "waiting", None)) is not None:
            window, high = waiting.size, max(waiting.high, buffered)
        downstream = inlet.pump.origin.op.name
        dropped += inlet.dropped
    delivered = pump.emitted
    return Edge(
        name_of(pump),
        downstream,
        "whatever thread signals" if pump.lease is None else pump.lease.name,
        pump.requested,
        delivered,
        buffered,
        window,
        high,
        dropped,
        (delivered - before) / since if since > 0 else 0.0,
        _STATES.get(pump.idle, "running"),
    )


def name_of(pump: Pump) -> str:
    """Return what to call a segment: its operators."""
    return ".".join([pump.origin.op.name, *(node.op.name for node in pump.nodes)])


def explained(edges: Sequence[Joint], stats: Stats) -> str:
    """Return the edges as text, and of a stalled run, where it is stalled."""
    lines = [_line(edge) for edge in stats.edges]
    reason = _stall(edges)
    return "\n".join([*lines, reason] if reason else lines)


def _line(edge: Edge) -> str:
    requested = "all" if edge.requested == UNBOUNDED else str(edge.requested)
    text = f"{edge.upstream} → {edge.downstream}: requested {requested}, delivered {edge.delivered}"
    if edge.window is not None:
        text += f", buffered {edge.buffered} of {edge.window} (at most {edge.high})"
    if edge.dropped:
        text += f", dropped {edge.dropped}"
    return f"{text}; {edge.state}, on {edge.resource}"


def _stall(edges: Sequence[Joint]) -> str:
    """Return the sentence that says where a run is stalled, if no segment of it can go on."""
    alive = [(pump, inlet) for pump, inlet in edges if not pump.over]
    if not alive:
        return "the run is over"
    if any(pump.idle not in (DEMAND, INPUT) for pump, _ in alive):
        return ""
    for pump, _ in alive:
        tell = getattr(pump.head, "waits_for", None)
        if pump.idle == INPUT and tell is not None and (reason := tell()):
            return f"waiting: in {name_of(pump)}, {reason}"
    # The first one from the end that waits for demand holds all that is upstream of it.
    for pump, inlet in alive:
        if pump.idle == DEMAND:
            who = "the subscriber requests nothing"
            if inlet is not None:
                who = f"{name_of(inlet.pump)} requests nothing"
                if len(inlet.buffer) >= inlet.window:
                    who = f"{name_of(inlet.pump)} has a full window of {inlet.window}"
            return f"stalled: {name_of(pump)} has a demand of 0, because {who}"
    sources = [pump for pump, _ in alive if is_source(pump)]
    names = ", ".join(name_of(pump) for pump in sources or [pump for pump, _ in alive])
    return f"waiting: {names} has nothing to give yet"
