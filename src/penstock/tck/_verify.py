"""Verifying an implementation without pytest."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable
from typing import Any

from penstock.api import Processor, Publisher, Subscriber
from penstock.tck._check import Check, Side
from penstock.tck._environment import Environment
from penstock.tck._knobs import Knobs
from penstock.tck._report import Report
from penstock.tck._run import History, run_check
from penstock.tck._steps import Given, steps
from penstock.tck._verdict import Outcome
from penstock.tck._whitebox_probe import WhiteboxProbe

__all__ = [
    "verify",
    "verify_processor",
    "verify_publisher",
    "verify_subscriber",
    "verify_subscriber_whitebox",
]


def verify_publisher(
    create: Callable[[int], Publisher[Any]],
    *,
    failed: Callable[[], Publisher[Any] | None] | None = None,
    environment: Environment | None = None,
    **knobs: object,
) -> Report:
    """Run all checks of a Publisher and return what they found.

    `create(elements)` makes a Publisher of so many elements, without an end if it is
    `penstock.UNBOUNDED`; `failed()` makes one that signals an error and nothing else.
    Knobs are those of `PublisherVerification`; without an `environment`, the defaults count
    as the environment variables change them.

    Raises `TypeError` for an unknown knob, `ValueError` for a wrong one, and what the
    factories raise.
    """
    return verify("publisher", Given(create, failed=failed), environment, knobs)


def verify_subscriber(
    create: Callable[[], Subscriber[Any]],
    *,
    trigger: Callable[[Any], object] | None = None,
    element: Callable[[int], Any] | None = None,
    shut_down: Callable[[Any], object] | None = None,
    environment: Environment | None = None,
    **knobs: object,
) -> Report:
    """Run the checks of a Subscriber that see it from outside, and return what they found.

    `create()` makes a Subscriber, `element(i)` what it is fed (default: `i` itself);
    `trigger(subscriber)` has one request that doesn't by itself; `shut_down(subscriber)`
    ends its use. Raises what `verify_publisher` raises.
    """
    given = Given(create, trigger=trigger, element=element, shut_down=shut_down)
    return verify("subscriber", given, environment, knobs)


def verify_subscriber_whitebox(
    create: Callable[[WhiteboxProbe[Any]], Subscriber[Any]],
    *,
    trigger: Callable[[Any], object] | None = None,
    element: Callable[[int], Any] | None = None,
    shut_down: Callable[[Any], object] | None = None,
    environment: Environment | None = None,
    **knobs: object,
) -> Report:
    """Run the checks of a Subscriber that look inside it, and return what they found.

    `create(probe)` makes a Subscriber that tells the probe of each signal, where it has
    dealt with it; the puppet that it gives the probe has it request, unless there is a
    `trigger`. All else is as for `verify_subscriber`.
    """
    given = Given(create, trigger=trigger, element=element, shut_down=shut_down)
    return verify("whitebox", given, environment, knobs)


def verify_processor(
    create: Callable[[int], Processor[Any, Any]],
    *,
    element: Callable[[int], Any] | None = None,
    environment: Environment | None = None,
    **knobs: object,
) -> Report:
    """Run all checks of a Processor, as a Subscriber and as a Publisher too.

    `create(buffer_size)` makes a Processor that asks at most so many elements ahead and
    sends one element for each that it gets; `element(i)` makes what it is fed. Raises what
    `verify_publisher` raises.
    """
    return verify("processor", Given(create, element=element), environment, knobs)


def verify(
    side: Side,
    given: Given,
    environment: Environment | None,
    knobs: dict[str, object],
    before: Callable[[Check, int, int], None] | None = None,
) -> Report:
    """Run all checks of `side`; `before(check, number, of)` is called before each."""
    checked = Knobs.of(knobs)
    environment = Environment.from_env() if environment is None else environment
    plan = steps(side, given, environment, checked)
    history = History()
    outcomes: list[Outcome] = []
    began = time.monotonic()
    for number, (check, make_trial) in enumerate(plan, 1):
        if before is not None:
            before(check, number, len(plan))
        outcomes += run_check(check, make_trial, history)
    return Report(name_of(given.create), side, tuple(outcomes), time.monotonic() - began)


def name_of(create: Callable[..., Any]) -> str:
    """Return what to call what this factory makes."""
    while isinstance(create, functools.partial):
        create = create.func
    function = inspect.unwrap(create)
    name = getattr(function, "__qualname__", type(function).__qualname__)
    name = name.rpartition("<locals>.")[2]
    code = getattr(function, "__code__", None)
    if name == "<lambda>" and code is not None:
        return f"the lambda in line {code.co_firstlineno}"
    return name
