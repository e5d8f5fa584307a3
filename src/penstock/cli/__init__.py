"""The `penstock` command."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

from penstock.cli._errors import UsageError
from penstock.cli._parser import build_parser

__all__ = ["main"]

_COULD_NOT_RUN = 2
_INTERRUPTED = 130
_OUTPUT_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` (by default the process's arguments) spells.

    Returns the exit status; `penstock --help` lists them. Raises nothing.
    """
    arguments = sys.argv[1:] if argv is None else argv
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("penstock: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has left (`penstock spec | head`). The interpreter
        # flushes once more at exit, and would complain then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _OUTPUT_CLOSED
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a command's last resort
        return _tell(error, debug="--debug" in arguments)
    return status


def _run(arguments: Sequence[str]) -> int:
    try:
        parsed = build_parser(arguments).parse_args(arguments)
    except SystemExit:  # how argparse ends --help and --version, all that it ends itself
        return 0
    status: int = parsed.handler(parsed)
    return status


def _tell(error: BaseException, *, debug: bool) -> int:
    if debug:
        traceback.print_exception(error)
    if isinstance(error, UsageError):
        message, remedy = error.message, error.remedy
    else:
        message = f"{type(error).__name__}: {error}"
        remedy = "run it again with --debug for the traceback"
    print(f"penstock: {message}\n  {remedy}", file=sys.stderr)
    return _COULD_NOT_RUN
