"""`penstock tck`: run the conformance kit on an implementation."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import penstock.tck
from penstock.api import UNBOUNDED
from penstock.cli._errors import UsageError
from penstock.cli._load import load
from penstock.cli._parser import Subcommands

if TYPE_CHECKING:
    from penstock.tck._check import Check, Side
    from penstock.tck._environment import Environment

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  penstock tck publisher shop.stock:StockPublisher
  penstock tck publisher shop.stock:make --failed shop.stock:make_failed --html report.html
  penstock tck subscriber shop.till:Till --trigger shop.till:ask --knob stochastic=no
  penstock tck processor shop.mix:Mixer --knob buffer_size=1 --stretch 3

FACTORY and FUNCTION are written package.module:name; the current directory is importable.
The environment variables PENSTOCK_TCK_TIMEOUT, _QUIET and _STRETCH do what the options do.
"""

# What each kind's factory is called with, and its help.
_KINDS: dict[Side, tuple[tuple[str, ...], str]] = {
    "publisher": (("elements",), "a Publisher; FACTORY(elements) makes one"),
    "subscriber": ((), "a Subscriber, seen from outside; FACTORY() makes one"),
    "whitebox": (("probe",), "a Subscriber that tells a probe; FACTORY(probe) makes one"),
    "processor": (("buffer_size",), "a Processor; FACTORY(buffer_size) makes one"),
}

# The options that name a function, for which kinds they are, and what they are called with.
_HOOKS: dict[str, tuple[tuple[Side, ...], tuple[str, ...], str]] = {
    "failed": (("publisher",), (), "FUNCTION() makes a Publisher that only fails"),
    "trigger": (
        ("subscriber", "whitebox"),
        ("subscriber",),
        "FUNCTION(subscriber) has it request at least one element",
    ),
    "shut_down": (
        ("subscriber", "whitebox"),
        ("subscriber",),
        "FUNCTION(subscriber) ends the use of it",
    ),
    "element": (
        ("subscriber", "whitebox", "processor"),
        ("i",),
        "FUNCTION(i) makes the i-th element to feed it (default: i)",
    ),
}


_WORDS = {"yes": True, "no": False, "true": True, "false": False, "unbounded": UNBOUNDED}

_TIMES = {
    "timeout": "how many seconds an expected signal may take",
    "quiet": "how many seconds of silence prove that nothing comes",
    "stretch": "by what to multiply all times, on a slow machine",
}


def add_parser(subparsers: Subcommands) -> None:
    """Add the command `tck`, whose `handler` is `run`. Raises nothing."""
    options: dict[str, Any] = {"formatter_class": argparse.RawDescriptionHelpFormatter}
    parser = subparsers.add_parser(
        "tck",
        help="check an implementation against the rules",
        description="Check an implementation against all rules; exits with 1 if it breaks "
        "one of level MUST.",
        epilog=_EXAMPLES,
        **options,
    )
    kinds = parser.add_subparsers(title="what to check", metavar="KIND", required=True)
    for kind, (_, told) in _KINDS.items():
        sub = kinds.add_parser(kind, help=told, description=f"Check {told}.")
        sub.add_argument("factory", metavar="FACTORY", help="as in package.module:name")
        for hook, (whose, _, what) in _HOOKS.items():
            if kind in whose:
                sub.add_argument(f"--{hook.replace('_', '-')}", metavar="FUNCTION", help=what)
        sub.add_argument(
            "--knob",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="what the kit may expect, as in multicast=yes or max_elements=10; repeatable",
        )
        for time in ("timeout", "quiet", "stretch"):
            sub.add_argument(f"--{time}", type=float, metavar="N", help=_TIMES[time])
        sub.add_argument("--json", action="store_true", help="print JSON")
        sub.add_argument("--html", type=Path, metavar="FILE", help="write a web page as well")
        sub.set_defaults(handler=run, kind=kind)


def run(args: argparse.Namespace) -> int:
    """Verify what `args` name, print the report, and return 1 if a MUST is broken, else 0.

    Raises `UsageError` for what can't be found or understood, and `BrokenPipeError` if
    nobody reads the output.
    """
    from penstock.tck._steps import Given
    from penstock.tck._verify import verify

    given = Given(
        load(args.factory, _KINDS[args.kind][0]),
        **{
            hook: load(target, arguments)
            for hook, (_, arguments, _) in _HOOKS.items()
            if (target := getattr(args, hook, None)) is not None
        },
    )
    environment, knobs = _environment(args), _knobs(args.knob)
    if args.html is not None and not args.html.absolute().parent.is_dir():
        raise UsageError(f"--html {args.html}: there is no such folder", "make it first")
    with _progress() as show:
        try:
            report = verify(args.kind, given, environment, knobs, show)
        except Exception as error:  # what the author's functions raise, and nothing else
            raise UsageError(
                f"{args.factory} can't be verified: {type(error).__name__}: {error}",
                f"{_origin(error)}; --debug shows the traceback",
            ) from error
    report = replace(report, subject=args.factory)
    if args.html is not None:
        args.html.write_text(report.to_html(), encoding="utf-8")
    print(report.to_json() if args.json else report)
    return 1 if report.broken_must else 0


def _environment(args: argparse.Namespace) -> Environment:
    from penstock.tck._environment import Environment

    given = {name: getattr(args, name) for name in ("timeout", "quiet")}
    try:
        base = Environment.from_env()
        if args.stretch is not None:
            base = base.stretched(args.stretch)
        return replace(base, **{name: time for name, time in given.items() if time is not None})
    except ValueError as error:
        raise UsageError(str(error), "all times are numbers above 0") from error


def _knobs(words: Sequence[str]) -> dict[str, object]:
    from penstock.tck._knobs import Knobs

    given: dict[str, object] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"--knob {word}: there is no value", f"write it --knob {name}=yes")
        given[name.strip().replace("-", "_")] = _value(value.strip().lower())
    try:
        Knobs.of(given)
    except (TypeError, ValueError) as error:
        told, _, remedy = str(error).partition("; ")
        raise UsageError(
            f"--knob: {told}", remedy or f"knobs: {', '.join(Knobs.names())}"
        ) from None
    return given


def _value(word: str) -> object:
    if word in _WORDS:
        return _WORDS[word]
    try:
        return int(word)
    except ValueError:
        raise UsageError(
            f"--knob: {word!r} is no value of a knob", f"give a number or {', '.join(_WORDS)}"
        ) from None


def _origin(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    if Path(last.filename).parent == Path(penstock.tck.__file__).parent:
        return "mend what the factory returns"
    return f"it comes from line {last.lineno} of {last.filename}"


@contextmanager
def _progress() -> Generator[Callable[[Check, int, int], None] | None]:
    """Yield what shows on a terminal which check is running, on one line that goes away."""
    if not sys.stderr.isatty():
        yield None
        return

    def show(check: Check, number: int, of: int) -> None:
        print(f"\r\x1b[K[{number}/{of}] {check.name}", end="", file=sys.stderr, flush=True)

    try:
        yield show
    finally:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
