"""What tests of threads share: waiting with a deadline, and programs run for their end."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

from tests.repo.source import SRC

DEADLINE = 10.0


def eventually(happened: Callable[[], object], what: str = "it") -> None:
    """Poll until `happened`, or fail."""
    deadline = time.monotonic() + DEADLINE
    while not happened():
        assert time.monotonic() < deadline, f"{what} did not come about in {DEADLINE} s"
        time.sleep(0.001)


def program(code: str) -> subprocess.Popen[str]:
    """Start `code` in an interpreter of its own, where warnings are errors."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-W", "ignore:.*fork:DeprecationWarning", "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Return how the program ended and what it wrote; it has to end by the deadline."""
    try:
        out, err = process.communicate(timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return process.returncode, out, err


def ends_cleanly(code: str) -> str:
    """Run `code`; it must end by itself and complain of nothing. Return what it printed."""
    status, out, err = ended(program(code))
    assert (status, err) == (0, "")
    return out
