from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock._version import __version__
from penstock.cli import _parser, main
from penstock.cli._errors import UsageError

SOURCES = Path(__file__).parents[2] / "src"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCES)}

# A command of its own for a process that a test starts; {body} is its handler's.
COMMAND = """
import signal, sys, threading, types
from penstock.cli import _parser, main

def handler(arguments):
    {body}

command = types.ModuleType("command")
command.add_parser = lambda commands: commands.add_parser("go").set_defaults(handler=handler)
sys.modules["command"] = command
_parser.COMMANDS = {{"go": "command"}}
sys.exit(main(["go"]))
"""

Handler = Callable[[argparse.Namespace], int]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[[Handler], None]:
    """Make `handler` the handler of the only command, `penstock go [--fast]`."""

    def install(handler: Handler) -> None:
        def add_parser(commands: _parser.Subcommands) -> None:
            parser = commands.add_parser("go", help="goes")
            parser.add_argument("--fast", action="store_true")
            parser.set_defaults(handler=handler)

        module = types.ModuleType("command")
        vars(module)["add_parser"] = add_parser
        monkeypatch.setitem(sys.modules, "command", module)
        monkeypatch.setattr(_parser, "COMMANDS", {"go": "command"})

    return install


def raising(error: BaseException) -> Handler:
    def handler(arguments: argparse.Namespace) -> int:
        raise error

    return handler


def test_the_handlers_status_is_the_exit_status(install):
    install(lambda arguments: 1 if arguments.fast else 0)
    assert main(["go"]) == 0
    assert main(["go", "--fast"]) == 1


def test_without_arguments_it_takes_the_processs_own(install, monkeypatch):
    install(lambda arguments: 7)
    monkeypatch.setattr(sys, "argv", ["penstock", "go"])
    assert main() == 7


def test_version_is_told_and_imports_no_command():
    code = (
        "import sys; from penstock.cli import main; status = main(['--version']);"
        "print(status, [name for name in sys.modules if name.startswith('penstock.')])"
    )
    told, imported = run(code).stdout.splitlines()
    assert told == f"penstock {__version__}"
    assert imported.startswith("0 ")
    for module in _parser.COMMANDS.values():
        assert module not in imported


def test_help_lists_the_commands_and_every_exit_status(install, capsys):
    install(lambda arguments: 0)
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert "go" in text
    assert "goes" in text
    for status in ("0 ", "1 ", "2 ", "130 ", "141 "):
        assert f"\n  {status}" in text


@pytest.mark.parametrize("arguments", [[], ["og"], ["go", "--slow"], ["go", "away"]], ids=" ".join)
def test_wrong_usage_is_told_in_two_lines(install, capsys, arguments):
    install(lambda arguments: 0)
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    told, remedy = printed.err.splitlines()
    assert told.startswith("penstock: ")
    assert remedy.startswith("  see `penstock")
    assert remedy.endswith("--help`")


def test_a_usage_error_is_told_with_its_remedy(install, capsys):
    install(raising(UsageError("no rule 3.99", "the nearest are 3.9 and 3.10")))
    assert main(["go"]) == 2
    assert capsys.readouterr().err == "penstock: no rule 3.99\n  the nearest are 3.9 and 3.10\n"


@pytest.mark.parametrize("error", [OSError("disk full"), SystemExit(0)], ids=repr)
def test_any_other_error_is_told_in_two_lines_and_never_taken_for_a_verdict(install, capsys, error):
    install(raising(error))
    assert main(["go"]) == 2
    told, remedy = capsys.readouterr().err.splitlines()
    assert told == f"penstock: {type(error).__name__}: {error}"
    assert "--debug" in remedy


@pytest.mark.parametrize("arguments", [["--debug", "go"], ["go", "--debug"]], ids=" ".join)
def test_debug_shows_the_traceback_on_either_side_of_the_command(install, capsys, arguments):
    install(raising(UsageError("wrong", "do it right")))
    assert main(arguments) == 2
    text = capsys.readouterr().err
    assert text.startswith("Traceback")
    assert text.endswith("penstock: wrong\n  do it right\n")


def test_an_interrupt_is_told_in_one_line(install, capsys):
    install(raising(KeyboardInterrupt()))
    assert main(["go"]) == 130
    assert capsys.readouterr().err == "penstock: interrupted\n"


def test_ctrl_c_ends_a_running_command_with_one_line():
    # A shell's background jobs, and what they start, ignore SIGINT unless told otherwise.
    body = (
        "signal.signal(signal.SIGINT, signal.default_int_handler);"
        "print('ready', flush=True); threading.Event().wait()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND.format(body=body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 130
    assert errors == "penstock: interrupted\n"


def test_a_reader_that_left_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        ended = subprocess.run(
            [sys.executable, "-c", COMMAND.format(body="print('unread' * 100_000)")],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            env=ENVIRONMENT,
            timeout=30,
            check=False,
        )
    assert ended.returncode == 141
    assert ended.stderr == ""


@pytest.mark.parametrize("module", ["penstock", "penstock.cli"])
def test_python_m_runs_the_command(module):
    ended = run("-m", module, "--version")
    assert ended.stdout == f"penstock {__version__}\n"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python on `arguments` (a lone one is code) and return what it printed."""
    options = arguments if len(arguments) > 1 else ("-c", *arguments)
    return subprocess.run(
        [sys.executable, *options],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
        timeout=60,
    )
