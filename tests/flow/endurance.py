"""Random flows with failures, cancels and slow consumers, for as long as you like.

python -m tests.flow.endurance [seconds] [seed]

Every few seconds all is let come to rest, and nothing may be left then: no pump or source, no
thread, task or file, and no more memory than at the first rest.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import CancelledError
from dataclasses import replace
from pathlib import Path
from typing import Any

import penstock
from penstock import Flow, Run
from penstock.runtime._inlet import Inlet
from penstock.runtime._pump import Pump
from tests.flow.oracle import Boom, Description, SourceRun, Tools
from tests.flow.strategies import ELSEWHERE, HERE, SOURCES, build, chooser, describe, failing, has
from tests.flow.trial import WAYS, Case, stepped, whole

__all__ = ["Endurance"]

WORKERS = 3
PATIENCE = 40.0
"""So many seconds one flow may take before it counts as stalled."""
REST = 10.0
"""So many seconds all is under way between two rests."""
GROWTH = 20_000
"""So many blocks of memory more may be in use at the last rest than at the first: what is
cached. What the process holds grows with them, and some more: freed memory comes in pieces."""
MOST_GROWTH = 128 * 2**20
"""So many bytes more may the process hold, whatever for."""
EVERYWHERE = tuple(op for op in (*HERE, *ELSEWHERE * 3) if op != "buffer")
ALL_SOURCES = (*SOURCES, "async")
ENDLESS = 10**9
LONG = 20_000
"""So many elements where nobody can break in while they are dropped."""
WALLS = ("share", "replay", "via", "checked", "group_by", "window", "race")
"""What a cancel gets past only when its own turn comes on that thread."""
EXPECTED = (Boom, CancelledError, asyncio.CancelledError, OverflowError)


class Endurance:
    """Several threads that run one random flow after another, and who watches them."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.counts: Counter[str] = Counter()
        self.failures: list[str] = []
        self.dropped: list[str] = []
        self.under_way: dict[int, tuple[float, str, Run[Any] | None]] = {}
        self._resting = threading.Event()
        self._over = threading.Event()

    def go(self, seconds: float, say: Callable[[str], object] = lambda text: None) -> None:
        """Do it all; raises `AssertionError` with everything that went wrong."""
        before = penstock.on_dropped_error
        penstock.on_dropped_error = self._drop  # type: ignore[assignment]
        end = time.monotonic() + seconds
        first: tuple[int, int] | None = None
        files = _files()
        try:
            round_ = 0
            while time.monotonic() < end and not self.failures:
                self._work(min(REST, end - time.monotonic()), round_)
                round_ += 1
                if self.failures:
                    break
                self._at_rest(files)
                first = first or (_blocks(), _memory())
                say(f"{sum(self.counts.values())} flows, {_memory() / 2**20:.0f} MB, rest {round_}")
        finally:
            penstock.on_dropped_error = before
        if not self.failures and first is not None:
            blocks, size = _blocks() - first[0], _memory() - first[1]
            if blocks > GROWTH or size > MOST_GROWTH:
                grown = f"{blocks} blocks, {size / 2**20:.0f} MB"
                self.failures.append(f"{grown} more than at the first rest")
        assert not self.failures, "\n".join([f"seed {self.seed}", *self.failures[:5]])
        assert not self.dropped, self.dropped[:5]

    def _drop(self, error: BaseException, where: str) -> None:
        # A loop may close while a stream that was cancelled still has a drain elsewhere.
        if not isinstance(error, EXPECTED) and "has to end before it does" not in str(error):
            self.dropped.append(f"{error!r} in {where}")

    # The flows.

    def _work(self, seconds: float, round_: int) -> None:
        self._resting.clear()
        threads = [
            threading.Thread(target=self._worker, args=(round_ * WORKERS + i,), daemon=True)
            for i in range(WORKERS)
        ]
        for thread in threads:
            thread.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end and not self.failures:
            self._over.wait(0.2)
            self._watch()
        self._resting.set()
        for thread in threads:
            while thread.is_alive() and not self.failures:
                thread.join(0.2)
                self._watch()

    def _watch(self) -> None:
        """Say what stalls, and where it waits."""
        for began, what, run in list(self.under_way.values()):
            if time.monotonic() - began > PATIENCE:
                explained = "" if run is None else run.explain()
                sys.stderr.write(f"stalled: {what}\n{explained}\n")
                faulthandler.dump_traceback(all_threads=True)
                self.failures.append(f"stalled: {what}\n{explained}")

    def _worker(self, number: int) -> None:
        draw = random.Random(f"{self.seed} {number}")
        while not self._resting.is_set() and not self.failures:
            action = draw.choice(ACTIONS)
            choose = chooser(draw.randrange(2**32))
            description = describe(choose, EVERYWHERE, ALL_SOURCES)
            what = f"{action.__name__}: {description}"
            self._note(what)
            try:
                action(self, description, choose)
            except BaseException as error:  # noqa: BLE001 - all goes into the report
                self.failures.append(f"{what}: {error!r}")
            self.counts[action.__name__] += 1
            self.under_way.pop(threading.get_ident(), None)

    def _note(self, what: str, run: Run[Any] | None = None) -> None:
        self.under_way[threading.get_ident()] = time.monotonic(), what, run

    def compared(self, description: Description, choose: Any) -> None:
        case = Case(description, failing(description, choose), stepwise=False)
        whole(case, lambda: WAYS[choose(list(WAYS))](case))

    def stepped(self, description: Description, choose: Any) -> None:
        case = Case(description, failing(description, choose), stepwise=True)
        steps = [choose((1, 2, 7, 64)) for _ in range(choose(range(6)))]
        stepped(case, [*steps, *choose(([], [-1], [0]))], elsewhere=True)

    def cancelled(self, description: Description, choose: Any) -> None:
        run = self._endless(description).count()
        run.start()
        self._note(f"cancelled: {description}", run)
        self._pause(choose)
        run.cancel()
        _ends(lambda: run.result(PATIENCE * 2))

    def stopped(self, description: Description, choose: Any) -> None:
        run = self._endless(description).take(5000).count()
        run.start()
        self._note(f"stopped: {description}", run)
        self._pause(choose)
        run.stop()
        self._pause(choose)
        run.cancel()  # what repeats or retries may go on for ever
        _ends(lambda: run.result(PATIENCE * 2))

    def task_cancelled(self, description: Description, choose: Any) -> None:
        async def main() -> None:
            run = self._endless(description, LONG).count()
            self._note(f"task_cancelled: {description}", run)

            async def awaited() -> None:
                await run

            task = asyncio.ensure_future(awaited())
            for _ in range(choose(range(20))):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            run.cancel()  # the task may have been cancelled before it began
            if not task.cancelled() and not isinstance(task.exception(), (*EXPECTED, type(None))):
                raise AssertionError(task.exception())

        asyncio.run(main())

    def left_async(self, description: Description, choose: Any) -> None:
        flow = self._endless(description, LONG)
        most = choose(range(1, 40))

        async def main() -> None:
            elements = aiter(flow)
            try:
                async with asyncio.timeout(0.05):
                    async with aiter(Flow.from_async_iterable(elements).enumerate()) as counted:
                        async for i in counted:
                            if i[0] == most:
                                break
            except TimeoutError:
                pass
            finally:
                await elements.aclose()

        _ends(lambda: asyncio.run(main()))

    def slow(self, description: Description, choose: Any) -> None:
        pause = threading.Event()
        run = build(description, Tools()).take(40).for_each(lambda x: pause.wait(0.0005) and None)
        self._note(f"slow: {description}", run)
        _ends(lambda: run.result(PATIENCE * 2))

    def _endless(self, description: Description, n: int = ENDLESS) -> Flow[Any]:
        if has(description, WALLS):
            n = LONG
        return build(replace(description, source="function", n=n), Tools())

    def _pause(self, choose: Any) -> None:
        self._over.wait(choose((0, 0, 0.0005, 0.002, 0.01)))

    # What is left of them.

    def _at_rest(self, files: int) -> None:
        deadline = time.monotonic() + 15
        while (left := _left()) and time.monotonic() < deadline:
            self._over.wait(0.1)
        if left:
            faulthandler.dump_traceback(all_threads=True)
            self.failures.append("\n".join([f"left behind: {left}", *_pumps()]))
        more = _files() - files
        if more > 0:
            self.failures.append(f"{more} files more are open than at the beginning")


ACTIONS: tuple[Callable[[Endurance, Description, Any], None], ...] = (
    Endurance.compared,
    Endurance.stepped,
    Endurance.cancelled,
    Endurance.stopped,
    Endurance.task_cancelled,
    Endurance.left_async,
    Endurance.slow,
)


def _ends(run: Callable[[], object]) -> None:
    try:
        run()
    except EXPECTED:
        return


def _left() -> dict[str, int]:
    """Return what is still there of flows that are over."""
    gc.collect()
    kinds = (Pump, Inlet, SourceRun, asyncio.Task)
    found = Counter(type(one).__name__ for one in gc.get_objects() if isinstance(one, kinds))
    names = ("penstock", "random-flows")
    found.update(t.name for t in threading.enumerate() if t.name.startswith(names))
    return dict(found)


def _pumps() -> list[str]:
    """Return what there is to say of the segments that are still there."""
    return [
        f"  {one.origin.chain()} in {[stage.op.name for stage in one.nodes]}: idle {one.idle}, "
        f"halted {one.halted}, requested {one.requested}, emitted {one.emitted}, "
        f"on {getattr(one.lease, 'name', None)}, subscriber {type(one.subscriber).__name__}, "
        f"inlets {[(type(i).__name__, getattr(i, 'closed', '')) for i in one.inlets]}"
        for one in gc.get_objects()
        if isinstance(one, Pump)
    ]


def _files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


def _blocks() -> int:
    """Return how many blocks of memory Python's objects have."""
    gc.collect()
    return sys.getallocatedblocks()


def _memory() -> int:
    """Return how many bytes are resident; 0 where nobody can say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Run it from the command line."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 600.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    endurance = Endurance(seed)
    print(f"seed {seed}, {seconds:.0f} s", flush=True)
    endurance.go(seconds, lambda text: print(text, flush=True))
    print(dict(endurance.counts))


if __name__ == "__main__":
    main()
