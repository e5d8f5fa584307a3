"""Whole-stage code generation: the stages of a segment become one loop.

One shape (a sequence of stages, and what becomes of the elements) is compiled once. Its
source is kept for tracebacks and debuggers for as long as the shape is.
"""

from __future__ import annotations

import linecache
from collections import OrderedDict
from dataclasses import dataclass
from itertools import count
from threading import Lock
from types import CodeType
from typing import Final

from penstock.runtime._forms import AGAIN, DEMAND, EMPTY, HEAD, INPUT, SINK, Finished, Form
from penstock.runtime._stage import Stage
from penstock.runtime._writer import Writer

__all__ = [
    "AGAIN",
    "DEMAND",
    "EMPTY",
    "HEAD",
    "INPUT",
    "SINK",
    "Finished",
    "Form",
    "Shape",
    "shape_of",
]

MOST_SHAPES: Final = 256
"""How many shapes are kept; programs have dozens."""


@dataclass(frozen=True)
class Shape:
    """A compiled segment."""

    form: Form
    code: CodeType
    owners: tuple[int, ...]
    """Of each line, the number of the stage that it belongs to, or HEAD or SINK."""
    source: str
    sliced: bool
    """Whether the loop looks up between batches only, so that they must be short."""


_shapes: OrderedDict[tuple[object, ...], Shape] = OrderedDict()
_lock = Lock()
_numbers = count(1)


def shape_of(
    stages: tuple[Stage, ...], form: Form, *, awaits: bool = False, unchecked: bool = False
) -> Shape:
    """Return the compiled loop of `stages`; from the cache, if it was used lately.

    If it `awaits`, it is a coroutine over an async iterable. What is `unchecked` when it comes
    from the head may be None, which is an error.
    """
    key = (form, awaits, unchecked, stages)
    try:
        return _shapes[key]
    except KeyError:
        pass
    shape = _compile(stages, form, awaits=awaits, unchecked=unchecked)
    with _lock:
        _shapes[key] = shape
        while len(_shapes) > MOST_SHAPES:
            # First in, first out: a hit costs no bookkeeping, a shape in use is soon back.
            _, old = _shapes.popitem(last=False)
            linecache.cache.pop(old.code.co_filename, None)
    return shape


def _compile(stages: tuple[Stage, ...], form: Form, *, awaits: bool, unchecked: bool) -> Shape:
    writer = Writer(stages, form, awaits=awaits, unchecked=unchecked)
    text, owners = writer.written()
    chain = ".".join(stage.name for stage in stages[:8]) + ("…" if len(stages) > 8 else "")
    filename = f"<penstock segment {next(_numbers)}: {chain or 'no stage'}>"
    module = compile(text, filename, "exec", dont_inherit=True)
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    code = next(c for c in module.co_consts if isinstance(c, CodeType))
    return Shape(form, code, owners, text, writer.sliced)
