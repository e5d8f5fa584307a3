"""What the tests of `examples/flow` share: their path, and how the programs are run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples" / "flow"
SRC = EXAMPLES.parents[1] / "src"
DEADLINE = 30.0

sys.path.insert(0, str(EXAMPLES))


def run_program(name: str) -> str:
    """Run an example as a user does. It must end well and complain of nothing."""
    with started(name) as process:
        out, err = communicate(process)
    assert (process.returncode, err) == (0, "")
    return out


def interrupt_program(name: str) -> str:
    """Press Ctrl-C once it has printed a line: it must end without a traceback."""
    with started(name) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        out, err = communicate(process)
    assert (process.returncode, err) == (0, "")
    return first + out


def started(name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-u", "-W", "error", str(EXAMPLES / name)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SRC)},
    )


def communicate(process: subprocess.Popen[str]) -> tuple[str, str]:
    try:
        return process.communicate(timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
