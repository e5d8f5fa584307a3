"""The checks that see a Subscriber from outside, for one that tells what happens inside it.

Where those have it request or cancel, its puppet is told to, so that they see more here.
"""

from __future__ import annotations

from penstock.tck._check import Check, check, checks_of
from penstock.tck._whitebox_trial import WhiteboxTrial

__all__ = ["REQUESTS", "RETURNS"]

_RULE = len("spec_2_01_")


def _inside(name: str) -> str:
    return f"{name[:_RULE]}whitebox_{name[_RULE:]}"


def _also_for_whitebox(outside: Check) -> None:
    def body(trial: WhiteboxTrial) -> str | None:
        return outside.body(trial)

    body.__name__ = _inside(outside.name)
    body.__doc__ = outside.does
    needs = " ".join(map(_inside, outside.needs))
    check("whitebox", needs=needs, stochastic=outside.stochastic)(body)


for _check in checks_of("subscriber"):
    _also_for_whitebox(_check)

RETURNS = _inside("spec_2_02_signals_return")
REQUESTS = _inside("spec_2_01_requests_what_it_receives")
