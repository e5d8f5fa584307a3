"""What an operator contributes to a segment's loop: a few template lines."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Stage"]


@dataclass(frozen=True, eq=False)
class Stage:
    """A fused operator, as lines of the loop in which the element is called `x`.

    In every line, `@name` is a local of this stage alone: a parameter or its own state.
    The lines run inside the loop over the elements, in the order of the stages:

    * `setup` once, before the first element;
    * `body` for each element. `skip` alone on a line drops the element (it may stand behind a
      condition: `if not @f(x): skip`); `finish` ends the stream (upstream is cancelled, the
      stages below are flushed). `made` alone on a line says that `x` is new and may be None,
      which is then an error that names the stage;
    * `opens`: the last line of `body` is `for x in @inner:`, and the stages below run in that
      loop;
    * `after` once the element has passed all stages below, or one of them dropped it;
    * `flush` when the stream ends well: lines that leave something to loop over in `x`'s
      place: the last one is an expression, whose items pass the stages below.

    With a `rescue`, the stages above, down from the last one that opens a loop, stand in a
    `try`; the `rescue` is the lines of its `except`, in which `error` is what was raised.
    """

    name: str
    parameters: tuple[str, ...] = ()
    setup: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    opens: bool = False
    after: tuple[str, ...] = ()
    flush: tuple[str, ...] = ()
    rescue: tuple[str, ...] = ()
    swallows: bool = False
    """No element passes on before the end: what follows runs on flushed ones only."""
    takes: str = ""
    """The parameter that says how many elements it takes to make one."""
