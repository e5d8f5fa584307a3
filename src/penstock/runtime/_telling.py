"""Tells a subscriber how a stream ended, and everybody else what no subscriber can be told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import penstock
from penstock.api import Subscriber

if TYPE_CHECKING:
    from penstock.runtime._wiring import Wiring

__all__ = ["drop", "refusal", "tell"]

FAULT = "a Subscriber, which must not raise (rule 2.13)"


def tell(subscriber: Subscriber[Any], error: Exception | None, wiring: Wiring) -> None:
    """Signal the end, which may be an error; report a subscriber that raises."""
    try:
        if error is None:
            subscriber.on_complete()
        else:
            subscriber.on_error(error)
    except Exception as fault:  # noqa: BLE001 - rule 2.13
        drop(fault, FAULT)
    except BaseException as fault:
        # The run that is driven hears of it, or else whoever called us.
        if not wiring.interrupted(fault):
            raise


def drop(error: BaseException, where: str) -> None:
    """Report an error that no subscriber is left to hear of."""
    penstock.on_dropped_error(error, where)


def refusal(n: object) -> ValueError:
    """Return the error that answers a request for `n`."""
    # The repr of anything else is user code.
    shown = f"{n!r}" if isinstance(n, int | float | str) else f"a {type(n).__name__}"
    return ValueError(f"rule 3.9: request({shown}) is refused; ask for an int of at least 1")
