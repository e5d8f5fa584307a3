"""Where in a code object another thread could make a difference: its switch points.

A thread shares attributes and containers with others, no locals. So a switch counts only
before an instruction that reads or writes an attribute, changes a container, or looks into
one. Each such place has a name (the attribute's, or that of what holds the container), so
that those which no two threads share can be told and left out.
"""

from __future__ import annotations

import dis
from types import CodeType

__all__ = ["ANY", "Access", "points_of"]

Access = tuple[str, bool]
"""What is touched, and whether it is changed."""

ANY = "*"
"""The name of what cannot be told by its name."""

CHANGING = frozenset(
    [
        "add",
        "append",
        "appendleft",
        "clear",
        "discard",
        "extend",
        "insert",
        "move_to_end",
        "pop",
        "popitem",
        "popleft",
        "put",
        "remove",
        "setdefault",
        "update",
    ]
)
LOOKING = frozenset(("all", "any", "bool", "iter", "len", "length_hint", "list", "sure", "tuple"))
TESTS = ("POP_JUMP", "UNARY_NOT", "TO_BOOL", "GET_ITER", "CONTAINS", "BINARY_SUBSCR", "GET_LEN")
SUBSCRIPTS = frozenset(("STORE_SUBSCR", "DELETE_SUBSCR", "BINARY_SLICE", "STORE_SLICE"))
BUFFER = {"on_next": "buffer", "gate_all": "buffer"}
"""What the generated loops call the methods of an inlet's buffer."""


def points_of(code: CodeType) -> dict[int, Access]:
    """Return what happens at which offset, for each switch point of `code`."""
    found: dict[int, Access] = {}
    instructions = [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "PRECALL")]
    for i, now in enumerate(instructions):
        before = instructions[i - 1] if i else now
        after = instructions[i + 1] if i + 1 < len(instructions) else now
        name = _name(now)
        if now.opname in ("LOAD_ATTR", "LOAD_METHOD"):
            if name in CHANGING:
                found[now.offset] = (_name(before) or ANY, True)
            elif _name(after) not in CHANGING or after.opname not in ("LOAD_ATTR", "LOAD_METHOD"):
                found[now.offset] = (name, False)
        elif now.opname in ("STORE_ATTR", "DELETE_ATTR"):
            found[now.offset] = (name, True)
        elif now.opname in SUBSCRIPTS:
            found[now.offset] = (_first_local(instructions, i) or ANY, True)
        elif now.opname.startswith(("LOAD_FAST", "LOAD_DEREF")):
            if name in BUFFER and code.co_filename.startswith("<penstock segment"):
                found[now.offset] = (BUFFER[name], True)
            elif after.opname.startswith(TESTS) or (
                after.opname.startswith("CALL") and _name(before) in LOOKING
            ):
                found[now.offset] = (name, False)
    return found


def _name(instruction: dis.Instruction) -> str:
    value = instruction.argval
    if isinstance(value, tuple) and value:  # newer Pythons load two locals at a time
        value = value[-1]
    return value if isinstance(value, str) else ""


def _first_local(instructions: list[dis.Instruction], i: int) -> str:
    """Return the first name loaded by the statement that `i` is in, as far as can be told."""
    line = instructions[i].positions and instructions[i].positions.lineno
    for one in instructions:
        if (
            one.positions
            and one.positions.lineno == line
            and one.opname.startswith(("LOAD_FAST", "LOAD_ATTR"))
        ):
            return _name(one)
    return ""
