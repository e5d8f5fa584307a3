"""Writes the source of a segment's loop."""

from __future__ import annotations

import re
from typing import Final

from penstock.runtime._forms import HEAD, SINK, Form
from penstock.runtime._stage import Stage

__all__ = ["Writer"]

LEAVE: Final = "if pump.halted and pump.leave(): return"
"""A stop that was asked for raises Finished in `leave`; a cancel returns."""


class Writer:
    """Writes the source of one shape, and notes whose line is whose."""

    def __init__(
        self, stages: tuple[Stage, ...], form: Form, *, awaits: bool, unchecked: bool
    ) -> None:
        self.stages = stages
        self.form = form
        self.signals = form in ("emit", "feed")
        self.awaits = awaits
        self.unchecked = unchecked
        self.lines: list[tuple[int, str, int]] = []  # indentation, text, owner
        self.inner: list[str] = []  # the iterators of the loops that are open
        self.flushing = False
        self.uncounted = False
        # A stage that swallows leaves nothing to signal inside the loop, so nothing there
        # looks whether to stop; unless it finishes by itself.
        opens = any(stage.opens for stage in stages)
        self.swallowed = any(stage.swallows for stage in stages)
        self.sliced = self.swallowed and not opens
        self.stoppers = [i for i, s in enumerate(stages) if "finish" in " ".join(s.body + s.after)]
        self.flushers = [i for i, s in enumerate(stages) if s.flush]

    def add(self, depth: int, text: str, owner: int = HEAD) -> None:
        self.lines.append((depth, text, owner))

    def written(self) -> tuple[str, tuple[int, ...]]:
        parameters = ["pump", "head", "breathe", "on_next", "gate_all", "gate", "arrived"]
        for i, stage in enumerate(self.stages):
            parameters += [f"{name}_{i}" for name in stage.parameters]
        keyword = "async def" if self.awaits else "def"
        self.add(0, f"{keyword} segment({', '.join(parameters)}):")
        self._prologue()
        self.add(1, "try:")
        if self.signals:
            self.add(2, "r = more(0)")
            self._wait(2)
            self.add(2, LEAVE)
        self._main_loop()
        self.add(1, "except Finished: pass")
        if self.awaits:
            self.add(1, "except CancelledError:")
            self.add(2, "if not pump.quit(): raise")
        if self.signals:
            self.add(1, "pump.emitted += e; r = e = 0")
        self._flushes()
        if self.signals and self.flushers:
            self.add(1, "pump.emitted += e")
        if self.form == "result" and self.stages and self._results_in_nothing(self.stages[-1]):
            self.add(1, "pump.settle(None)", SINK)
        if self.form == "iterate":
            self._annotated()
        text = "".join(f"{'    ' * depth}{line}\n" for depth, line, _ in self.lines)
        return text, (HEAD, *(owner for _, _, owner in self.lines))

    def _prologue(self) -> None:
        if self.signals:
            self.add(1, "more = pump.more; ended = head.ended; e = 0")
        if self.awaits:
            self.add(1, "wait = pump.wait")
        else:
            self.add(1, "take = head.next")
        if self.form == "iterate":
            self.add(1, "root = pump.root")
        if self.stoppers and self.flushers:
            self.add(1, "stopped = -1")
        for i, stage in enumerate(self.stages):
            for line in stage.setup:
                self.add(1, self._local(line, i), i)

    def _main_loop(self) -> None:
        if self.awaits:
            self.add(2, "turn = 0")
            self.add(2, "async for x in head:")
            self.add(3, "turn += 1")
            self.add(3, "if turn == 256: turn = 0; await pump.breathe()")
            self._checked(3)
            self._stages(0, 3)
            if self.sliced:
                self.add(3, LEAVE)
            return
        self.add(2, "while True:")
        if self.signals:
            self.add(3, "r = more(e); e = 0")
        self.add(3, "batch = take()")
        self.add(3, "if batch is None: break")
        self.add(3, "if batch is EMPTY:")
        if self.form == "iterate":
            self.add(4, "raise RuntimeError('a head that may be idle cannot be iterated')")
        else:
            self.add(4, "yield INPUT")
            self.add(4, LEAVE)
            self.add(4, "continue")
        if self.form == "feed" and not self.stages and not self.unchecked:
            self._whole_chunks()
        if self.form == "emit" and all(map(_gives_one_for_one, self.stages)):
            self._uncounted()
        self.add(3, "for x in batch:")
        self._checked(4)
        self._stages(0, 4)
        if self.form != "iterate":
            if self.sliced or self.form == "result":
                self.add(3, LEAVE)
            self.add(3, "if breathe: yield AGAIN")
            self.add(3, f"if breathe and {LEAVE[3:]}")

    def _whole_chunks(self) -> None:
        """Hand on what is there already, such as a range or an inlet's batch, in one go."""
        self.add(3, "while whole(batch):")
        self.add(4, "chunk = list(islice(batch, min(r - e, SLICE)))")
        self.add(4, "gate_all(chunk)", SINK)
        self.add(4, "if gate.idle: arrived()")
        self.add(4, "e += len(chunk)")
        self._demanded(4)
        self.add(4, LEAVE)

    def _uncounted(self) -> None:
        """Where the length is known and all of it is demanded, nothing is counted."""
        self.uncounted = True
        self.add(3, "n = left(batch)")
        self.add(3, "if 0 <= n < r:")
        self.add(4, "for x in batch:")
        self._checked(5)
        self._stages(0, 5)
        self.add(4, "e = n")
        self.add(4, "if breathe: yield AGAIN")
        self.add(4, f"if breathe and {LEAVE[3:]}")
        self.add(4, "continue")
        self.uncounted = False

    def _checked(self, depth: int) -> None:
        if self.unchecked:
            self.add(depth, "if x is None: raise pump.none_made(-1)")

    def _stages(self, first: int, depth: int, level: int | None = None) -> None:
        """Write the stages from `first` on, and what becomes of the element then."""
        level = first if level is None else level
        guard = self._guard(first)
        if guard is not None:
            if guard > first:
                self.add(depth, "try:")
                for i in range(first, guard):
                    self._body(i, depth + 1, level)
                self.add(depth, "except Finished: raise")
                self.add(depth, "except Exception as error:")
                for line in self.stages[guard].rescue:
                    self._line(line, guard, depth + 1, level)
            self._body(guard, depth, level)
            self._stages(guard + 1, depth, level)
            return
        for i in range(first, len(self.stages)):
            stage = self.stages[i]
            self._body(i, depth, level)
            if stage.opens:
                self.inner.append(f"inner_{i}")
                if self.flushing and self.signals:
                    self._demanded(depth + 1)
                self._stages(i + 1, depth + 1)
                self.inner.pop()
                self._after(level, i, depth)
                if self.form == "iterate" or self.swallowed:
                    return
                self._leave(depth)
                return
            if stage.swallows:
                self._after(level, i, depth)
                if self.form == "iterate":
                    self._looked_up(depth)
                elif not self.sliced:
                    self._leave(depth)
                return
        self._tail(level, depth)

    def _guard(self, first: int) -> int | None:
        """Return the next stage that guards those above it, unless a loop opens before."""
        for i in range(first, len(self.stages)):
            if self.stages[i].rescue:
                return i
            if self.stages[i].opens or self.stages[i].swallows:
                return None
        return None

    def _tail(self, level: int, depth: int) -> None:
        if self.form == "iterate":
            self.add(depth, "yield x", SINK)
            self._after(level, len(self.stages) - 1, depth)
            return
        if self.form == "result":
            self.add(depth, "pump.settle(x)", SINK)
            self._after(level, len(self.stages) - 1, depth)
            return
        self.add(depth, "on_next(x)", SINK)
        if self.form == "feed":
            self.add(depth, "if gate.idle: arrived()")
        if self.uncounted:
            self.add(depth, LEAVE)
            return
        self.add(depth, "e += 1")
        self._after(level, len(self.stages) - 1, depth)
        if not self.flushing:
            self._demanded(depth)
        self._leave(depth)

    def _demanded(self, depth: int) -> None:
        self.add(depth, "if e == r:")
        self.add(depth + 1, "r = more(e); e = 0")
        self._wait(depth + 1)

    def _wait(self, depth: int) -> None:
        wait = "await wait()" if self.awaits else "yield DEMAND"
        if self.flushing:
            # Whoever was told to stop has demand for one that nobody asked for.
            self.add(depth, "while not r or pump.halted:")
            self.add(depth + 1, f"if not pump.halted: {wait}")
            self._leave(depth + 1)
        else:
            self.add(depth, "while not r:")
            over = "".join(f" and sure({inner})" for inner in self.inner)
            self.add(depth + 1, f"if ended(){over}: raise Finished")
            self.add(depth + 1, wait)
        self.add(depth + 1, "r = more(0)")

    @staticmethod
    def _results_in_nothing(stage: Stage) -> bool:
        """Return whether None is the result of a run that ends with this stage."""
        return stage.swallows and not stage.flush

    def _looked_up(self, depth: int) -> None:
        """Let a generator that yields nothing see that nobody waits for it any more."""
        if not self.flushing:
            self.add(depth, "if root.halted: raise Finished")

    def _leave(self, depth: int) -> None:
        if not self.flushing:
            self.add(depth, LEAVE)
            return
        # The source has ended already: to stop it changes nothing, only a cancel does.
        self.add(depth, "try:")
        self.add(depth + 1, LEAVE)
        self.add(depth, "except Finished: pass")

    def _flushes(self) -> None:
        # What is flushed waits for demand before it is made, so that the last one of it is
        # followed by the end without any more demand (R.4).
        self.flushing = True
        if self.flushers and self.signals:
            self._leave(1)
        for i in self.flushers:
            stage = self.stages[i]
            before = [s for s in self.stoppers if s > i]
            depth = 1
            if before:
                self.add(1, f"if stopped < {i}:")
                depth = 2
            self.add(depth, "try:")
            *lines, last = stage.flush
            for line in lines:
                self.add(depth + 1, self._local(line, i), i)
            self.add(depth + 1, f"for x in {self._local(last, i)}:", i)
            if stage.swallows and (self.form != "result" or i < len(self.stages) - 1):
                self._line("made", i, depth + 2, i)  # as a result, None will do
            if self.signals:
                self._demanded(depth + 2)
            self._stages(i + 1, depth + 2)
            self.add(depth, "except Finished: pass")

    def _annotated(self) -> None:
        """Put a `try` around all of a plain generator: nobody else is there to note errors."""
        head, *rest = self.lines
        self.lines = [head, (1, "try:", HEAD)]
        self.lines += [(depth + 1, text, owner) for depth, text, owner in rest]
        self.add(1, "except Exception as error:")
        self.add(2, "pump.annotate(error)")
        self.add(2, "raise")
        self.add(1, "finally:")
        self.add(2, "head.close()")

    def _body(self, i: int, depth: int, level: int) -> None:
        for line in self.stages[i].body:
            self._line(line, i, depth, level)

    def _after(self, level: int, last: int, depth: int) -> None:
        """Write what the stages of this loop do once an element has passed."""
        for i in range(level, last + 1):
            for line in self.stages[i].after:
                self._line(line, i, depth, i)

    def _line(self, line: str, i: int, depth: int, level: int) -> None:
        text = self._local(line, i)
        indent = len(text) - len(text.lstrip())
        depth, text = depth + indent // 4, text.lstrip()
        condition, _, verb = text.rpartition(" ")
        if text == "made":
            self.add(depth, "if x is None: raise pump.none_made(" + f"{i})", i)
        elif verb in ("skip", "finish"):
            if condition:
                self.add(depth, condition, i)
                depth += 1
            if verb == "finish":
                if self.flushers:
                    self.add(depth, f"stopped = {i}", i)
                self.add(depth, "raise Finished", i)
            else:
                # What an earlier stage wants done after each element comes before the next.
                self._after(level, i - 1, depth)
                # Nothing else looks whether to stop while all elements are dropped.
                if self.form == "iterate":
                    self._looked_up(depth)
                elif not self.sliced and not self.awaits:
                    self.add(depth, LEAVE)
                self.add(depth, "continue", i)
        else:
            self.add(depth, text, i)

    @staticmethod
    def _local(line: str, i: int) -> str:
        return re.sub(r"@([a-z]\w*)", rf"\1_{i}", line)


def _gives_one_for_one(stage: Stage) -> bool:
    if stage.opens or stage.after or stage.rescue or stage.flush or stage.swallows:
        return False
    words = " ".join(stage.body).replace(":", " ").split()
    return not {"skip", "finish", "continue"} & set(words)
