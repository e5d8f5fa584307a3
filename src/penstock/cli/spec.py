"""`penstock spec`: the rules of the standard, in the terminal or as JSON."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import get_args

from penstock.cli._errors import UsageError
from penstock.cli._parser import Subcommands
from penstock.spec import GLOSSARY, RULES, Level, Role, Rule, Term, UnknownRule, rule, select
from penstock.spec._load import standard

__all__ = ["add_parser", "run"]

_EXAMPLES = """\
examples:
  penstock spec                                 list all rules
  penstock spec 3.9 R.10                        show two of them in full
  penstock spec --role subscriber --level MUST  list those that a Subscriber must keep
  penstock spec glossary                        what the words mean
"""


def add_parser(subparsers: Subcommands) -> None:
    """Add the command `spec`, whose `handler` is `run`. Raises nothing."""
    parser = subparsers.add_parser(
        "spec",
        help="show the rules of the standard",
        description="Show the rules of the standard: what holds, why, and how it is checked.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("ids", nargs="*", metavar="ID", help="a rule such as 3.9, or 'glossary'")
    parser.add_argument(
        "--role", type=str.lower, choices=get_args(Role), help="only rules that bind this role"
    )
    parser.add_argument(
        "--level", type=str.upper, choices=get_args(Level), help="only rules of this level"
    )
    parser.add_argument("--json", action="store_true", help="print JSON: a list of objects")
    parser.set_defaults(handler=run)


def run(args: argparse.Namespace) -> int:
    """Print the rules and terms that `args` ask for, and return 0.

    Raises `UsageError` for an unknown id, and `BrokenPipeError` if nobody reads the output.
    """
    found = _found(args.ids, select(role=args.role, level=args.level))
    if args.json:
        print(json.dumps([asdict(item) for item in found], indent=2))
    elif found:
        print("\n".join(_Page().lines(found, in_full=bool(args.ids))))
    else:
        print("penstock: no rule is like that", file=sys.stderr)
    return 0


def _found(ids: Sequence[str], among: Sequence[Rule]) -> list[Rule | Term]:
    if not ids:
        return list(among)
    found: list[Rule | Term] = []
    for asked in ids:
        if asked.lower() == "glossary":
            found += GLOSSARY.values()
        elif (one := _rule(asked)) in among:
            found.append(one)
    return found


def _rule(asked: str) -> Rule:
    try:
        return rule(asked)
    except UnknownRule as unknown:
        near = ", ".join(unknown.nearest)
        remedy = f"nearest: {near}" if near else "ids look like 3.9 or R.2: see `penstock spec`"
        raise UsageError(f"there is no rule {asked!r}", remedy) from None


class _Page:
    """Lays rules and terms out for the terminal at hand."""

    def __init__(self) -> None:
        # Lines of more than 100 letters are hard to read, however wide the window is.
        self.width = max(40, min(100, shutil.get_terminal_size((80, 24)).columns))
        self.has_bold = sys.stdout.isatty() and not os.environ.get("NO_COLOR")

    def lines(self, items: Iterable[Rule | Term], *, in_full: bool) -> Iterator[str]:
        section = ""
        for number, item in enumerate(items):
            if isinstance(item, Term):
                yield from self.wrap(self.bold(item.name), "  ", item.meaning, indent=4)
            elif in_full:
                if number:
                    yield ""
                yield from self.in_full(item)
            else:
                if item.section != section:
                    if section:
                        yield ""
                    section = item.section
                    yield self.bold(f"{section} {standard().sections[section].title}")
                yield from self.wrap(
                    "", f"  {item.id:<5} {item.level:<11}  ", item.title, indent=21
                )

    def in_full(self, item: Rule) -> Iterator[str]:
        yield self.bold(f"{item.id}  {item.title}")
        yield f"{item.level}, binds: {', '.join(item.roles)}"
        yield ""
        yield from self.wrap("", "", item.rule, indent=0)
        yield ""
        reported = RULES[item.reported_as] if item.reported_as else None
        for label, text in (
            ("why", item.intent),
            ("checked", item.check),
            ("not checked", item.unobservable),
            ("note" if item.level == "MAY" else "if it fails", item.advice),
            ("overlap", item.overlap),
            ("reported as", reported and f"{reported.id} {reported.title}"),
        ):
            if text:
                yield from self.wrap(self.bold(f"{label:>11}"), "  ", text, indent=13)

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.has_bold else text

    def wrap(self, head: str, gap: str, text: str, *, indent: int) -> list[str]:
        """Return `head`, `gap` and `text` as lines; all but the first are indented."""
        # textwrap would count the letters that switch bold on and off: it gets blanks instead.
        blank = " " * (len(head) - len(self.bold("")) if head else 0) + gap
        lines = textwrap.wrap(
            text,
            self.width,
            initial_indent=blank,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return [head + gap + lines[0][len(blank) :], *lines[1:]]
