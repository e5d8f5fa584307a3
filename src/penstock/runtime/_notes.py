"""Say on an error which stage raised it, and where that stage was declared."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from penstock.runtime._compile import Shape

if TYPE_CHECKING:
    from penstock.runtime._node import Node

__all__ = ["none_made", "note", "owner_of"]


def owner_of(error: BaseException, code: object, shape: Shape) -> int | None:
    """Return whose line of the loop `error` came through: a stage's number, HEAD or SINK.

    None if it came through no line of it.
    """
    line = _line(error.__traceback__, code)
    cause = error.__cause__
    if line is None and isinstance(error, RuntimeError) and isinstance(cause, StopIteration):
        # PEP 479: if the loop itself let it out, its frame is on the original's traceback only.
        line = _line(cause.__traceback__, code)
    return None if line is None else shape.owners[line]


def _line(trace: TracebackType | None, code: object) -> int | None:
    while trace is not None:
        if trace.tb_frame.f_code is code:
            return trace.tb_lineno
        trace = trace.tb_next
    return None


def note(error: BaseException, node: Node) -> None:
    """Note on `error` that it was raised in `node`, once."""
    text = f"in {node.described()}"
    if text not in getattr(error, "__notes__", ()):
        error.add_note(text)


def none_made(node: Node, remedy: str) -> TypeError:
    """Return the error for a None that `node` made."""
    return TypeError(
        f"{node.described()} made None, and None is never an element (rule 2.13){remedy}"
    )
