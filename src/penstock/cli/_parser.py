"""The command line's grammar."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn, Protocol

from penstock._version import __version__
from penstock.cli._errors import UsageError

__all__ = ["COMMANDS", "Subcommands", "build_parser"]

COMMANDS = {"spec": "penstock.cli.spec", "tck": "penstock.cli.tck"}
"""Each command's module. It has `add_parser(subcommands: Subcommands) -> None`, which sets
`handler` to a function from the parsed arguments to an exit status."""

_EPILOG = """\
exit status:
  0    fine
  1    a rule of level MUST is broken
  2    the command could not run: wrong usage, or an error (two lines say which)
  130  interrupted
  141  whoever read the output has left
"""


class Subcommands(Protocol):
    """What a command's `add_parser` adds itself to."""

    def add_parser(self, name: str, **options: Any) -> argparse.ArgumentParser:
        """Return the parser of the new command `name`; `options` are ArgumentParser's."""
        ...


class _Parser(argparse.ArgumentParser):
    """A parser that raises its complaints, and takes --debug on either side of a command."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.add_argument(
            "--debug",
            action="store_true",
            default=argparse.SUPPRESS,
            help="show the Python traceback of an error",
        )

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, f"see `{self.prog} --help`")


def build_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser for `arguments`; only the command that they name is imported."""
    parser = _Parser(
        prog="penstock",
        description="Reactive Streams for Python: its rules, and the kit that checks them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"penstock {__version__}")
    subcommands: Subcommands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True
    )
    for name in _commands_needed(arguments):
        import_module(COMMANDS[name]).add_parser(subcommands)
    return parser


def _commands_needed(arguments: Sequence[str]) -> list[str]:
    named = next((word for word in arguments if not word.startswith("-")), None)
    if named in COMMANDS:
        return [named]
    return [] if "--version" in arguments else list(COMMANDS)
