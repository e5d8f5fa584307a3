"""Follows a file that another thread appends to, from an event loop.

    python examples/flow/tail.py

Files are read on a thread, since reading blocks; lines are used on the event loop. A line is read
when it is asked for, so a reader that is slow falls behind in the file and not in memory.
"""

from __future__ import annotations

import asyncio
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from penstock import Flow, threads

LOOKS = 0.05  # seconds from one look at the file to the next


def tail(path: Path, every: float = LOOKS) -> Flow[str]:
    """Give the lines of a file, those that are there and those to come; it never ends."""

    def lines(file: TextIO) -> Flow[str]:
        # Ticks that nobody waits for are dropped: no look piles up behind a slow reader.
        return Flow.interval(every).map(lambda _: whole_lines(file)).flatten()

    return Flow.using(path.open, lines, lambda file: file.close()).subscribe_on(
        threads(1, name="reader")
    )


def whole_lines(file: TextIO) -> Iterator[str]:
    """Read on up to the end of the last line that is complete."""
    while True:
        begin = file.tell()
        line = file.readline()
        if not line.endswith("\n"):
            file.seek(begin)  # the rest of it has not been written yet
            return
        yield line.rstrip("\n")


def write_log(path: Path, lines: int, stop: threading.Event) -> None:
    """Append lines, each in two halves, as if somebody else were at work."""
    with path.open("a", buffering=1) as file:
        for n in range(1, lines + 1):
            file.write(f"order {n} ")
            file.flush()
            if stop.wait(0.03):
                return
            file.write("is late\n" if n % 4 == 0 else "is on its way\n")
        file.write("closed for today\n")


async def follow(path: Path) -> list[str]:
    """Print the lines until the log says that it is over, and return those of late orders."""
    late: list[str] = []
    async for line in tail(path).take_while(lambda line: not line.startswith("closed")):
        print(f"  {line}")
        if "late" in line:
            late.append(line)
    return late


async def main() -> None:
    """Have a file written and follow it: to its end, then for as long as one likes."""
    with tempfile.TemporaryDirectory() as folder:
        path, stop = Path(folder, "orders.log"), threading.Event()
        path.touch()
        writer = threading.Thread(target=write_log, args=(path, 12, stop), name="writer")
        writer.start()
        try:
            print("To its end:")
            print(f"{len(await follow(path))} orders are late")

            print("Until we have seen enough:")
            late = tail(path).filter(lambda line: "late" in line)
            run = late.for_each(lambda line: print(f"  {line}"))
            asyncio.get_running_loop().call_later(0.2, run.stop)
            await run
            print(run.explain())
        finally:
            stop.set()
            writer.join()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(main())
