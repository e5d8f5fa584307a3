"""Runs one flow in every form that a segment has, and checks that all of them agree."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from penstock import UNBOUNDED, Flow, Publisher
from penstock.runtime._iterating import iterate
from penstock.runtime._wiring import Wiring
from penstock.tck import Environment, verify_publisher
from penstock.testing import Probe


def endless() -> Flow[int]:
    return Flow.from_iterable(itertools.count)


def numbers(n: int) -> Flow[int]:
    """So many numbers, as the kit asks for them."""
    return endless() if n == UNBOUNDED else Flow.range(n)


def _outcome(run: Callable[[], list[Any]]) -> tuple[str, Any]:
    try:
        return "elements", run()
    except Exception as error:  # noqa: BLE001 - compared below
        return "error", (type(error), str(error))


def stepwise(flow: Publisher[Any]) -> list[Any]:
    """The elements, asked for one by one; raises the stream's error."""
    probe: Probe[Any] = Probe(flow)
    while probe.error is None and not probe.completed:
        had = len(probe.elements)
        probe.request(1)
        assert len(probe.elements) - had <= 1
    if probe.error is not None:
        raise probe.error
    return probe.elements


def at_once(flow: Publisher[Any]) -> list[Any]:
    probe: Probe[Any] = Probe(flow)
    probe.request(UNBOUNDED)
    if probe.error is not None:
        raise probe.error
    assert probe.completed
    return probe.elements


def iterated(flow: Flow[Any]) -> list[Any]:
    """The elements of the plain generator; the flow has to have one."""
    assert flow.depth > 0
    return list(iterate(flow, Wiring()))


def everywhere(flow: Flow[Any]) -> list[Any]:
    """The elements of a flow that runs on its caller's thread, the same in all forms."""
    forms: dict[str, Callable[[], list[Any]]] = {
        "result": lambda: flow.to_list().result(),
        "stepwise": lambda: stepwise(flow),
        "at once": lambda: at_once(flow),
        # Behind a junction that subscribes: an inlet of ours takes what the flow emits.
        "fed": lambda: Flow.defer(lambda: flow).take_until(Flow.never()).to_list().result(),
    }
    if flow.depth:
        forms["iterated"] = lambda: iterated(flow)
    outcomes = {name: _outcome(run) for name, run in forms.items()}
    first = outcomes["result"]
    assert all(outcome == first for outcome in outcomes.values()), outcomes
    if first[0] == "error":
        flow.to_list().result()
    return first[1]


def assert_conforms(create: Callable[[int], Publisher[Any]]) -> None:
    report = verify_publisher(create, environment=Environment.from_env(Environment(quiet=0.02)))
    assert not report.broken, str(report)
