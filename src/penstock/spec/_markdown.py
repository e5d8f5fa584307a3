"""The standard as one page of Markdown: docs/standard.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from penstock.spec._load import standard
from penstock.spec._model import Rule, Section

__all__ = ["markdown"]

_INTRO = """\
<!-- Made from src/penstock/spec/rules.toml by `python -m penstock.spec > docs/standard.md`;
     change that file, not this one. -->

# The standard

Reactive Streams is a contract for streams in which the receiver sets the pace. This page is that
contract for Python: {standard} rules, numbered as in version 1.0 of the standard for the JVM, and
{recommended} recommended ones. `penstock spec 3.9` shows a rule in the terminal.

Four roles take part: a **Publisher** sends elements to a **Subscriber** through a
**Subscription**, and a **Processor** is both of the former at once. The signals of one
subscription are, in this order,

```text
on_subscribe on_next* (on_error | on_complete)?
```

that is: `on_subscribe` always, then at most as many elements as were requested, then one
terminal signal if the stream ends before it is cancelled. All methods return None, since what a
call brings about comes back as a signal. So each side may do its work right there, or on a thread,
loop or host of its own.

**The bound.** A Subscriber that has requested P elements and has received N will receive at most
P - N more, whatever the source is. So it knows, and sets, the size of every buffer it needs; and a
source that can't be slowed, such as a clock, has to buffer within a bound or drop.

**Levels.** MUST, SHOULD and MAY are those of RFC 2119, which also calls SHOULD "recommended"; a
rule that says both MUST and MAY is listed as MUST. The conformance kit reports a broken MUST or
SHOULD, and of a MAY what it has seen. RECOMMENDED marks the rules R.\\*, which go beyond the
standard.
"""

_OVERLAPS = """\
Some faults break several rules. So that one fault makes one report, breaches of the rules in the
first table are always reported as the other; the second says where two rules meet.
"""


def markdown() -> str:
    """Return the page, the same for the same data. Raises nothing."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    data = standard()
    rules = tuple(data.rules.values())
    recommended = sum(r.level == "RECOMMENDED" for r in rules)
    yield _INTRO.format(standard=len(rules) - recommended, recommended=recommended)
    yield from _contents(data.sections.values(), rules)
    for section in data.sections.values():
        yield f'<a id="{section.id}"></a>\n\n## {section.id} {section.title}\n\n{section.about}\n'
        for rule in rules:
            if rule.section == section.id:
                yield from _rule(rule)
    yield '<a id="glossary"></a>\n\n## Glossary\n'
    for term in data.glossary.values():
        yield f'- <a id="{term.name.replace(" ", "-")}"></a>**{term.name}**: {term.meaning}'
    yield '\n<a id="jvm"></a>\n\n## From the JVM to Python\n'
    yield from _table(
        ("in the standard for the JVM", "in Python", "rules"),
        ((t.jvm, t.python, ", ".join(map(_link, t.rules))) for t in data.translations),
    )
    yield f'<a id="overlaps"></a>\n\n## Overlaps\n\n{_OVERLAPS}'
    yield from _table(
        ("a breach of", "is reported as"),
        ((_named(r), _named(data.rules[r.reported_as])) for r in rules if r.reported_as),
    )
    yield from _table(
        ("rule", "where it meets another"),
        ((_link(r.id), r.overlap) for r in rules if r.overlap),
    )


def _contents(sections: Iterable[Section], rules: tuple[Rule, ...]) -> Iterator[str]:
    yield "## Contents\n"
    for section in sections:
        yield f"- [{section.id} {section.title}](#{section.id})"
        for rule in rules:
            if rule.section == section.id:
                yield f"    - {_named(rule)}: {rule.level}"
    yield "- [Glossary](#glossary)"
    yield "- [From the JVM to Python](#jvm)"
    yield "- [Overlaps](#overlaps)\n"


def _rule(rule: Rule) -> Iterator[str]:
    yield f'<a id="{rule.id}"></a>\n\n### {rule.id} {rule.title}\n'
    yield f"*{rule.level}; binds: {', '.join(rule.roles)}*\n"
    yield f"> {rule.rule}\n"
    yield f"- **Why:** {rule.intent}"
    if rule.unobservable:
        yield f"- **Not checked:** {rule.unobservable}"
    else:
        yield f"- **Checked:** {rule.check}"
    yield f"- **{'Note' if rule.level == 'MAY' else 'If it fails'}:** {rule.advice}"
    if rule.overlap:
        yield f"- **Overlap:** {rule.overlap}"
    yield ""


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield _row(head)
    yield _row("---" for _ in head)
    yield from map(_row, rows)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _named(rule: Rule) -> str:
    return f"[{rule.id} {rule.title}](#{rule.id})"


def _link(rule_id: str) -> str:
    return f"[{rule_id}](#{rule_id})"
