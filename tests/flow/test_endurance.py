"""A minute of random flows; `PENSTOCK_ENDURANCE=600` makes it ten."""

from __future__ import annotations

import os

from tests.flow.endurance import Endurance

SECONDS = float(os.environ.get("PENSTOCK_ENDURANCE", "60"))
SEED = 7


def test_nothing_is_left_and_nothing_stalls() -> None:
    Endurance(SEED).go(SECONDS)
