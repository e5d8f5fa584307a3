"""The example that follows a file."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import pytest
from flow_helpers import EXAMPLES  # noqa: F401 - puts the examples on the path
from standard_helpers import wait_until

import tail  # isort: skip

EVERY = 0.005


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "log"
    made.touch()
    return made


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> list[TextIO]:
    """The files that were opened to be read."""
    opened: list[TextIO] = []
    really = Path.open

    def opening(self: Path, *args: str) -> TextIO:
        file: TextIO = really(self, *args)  # type: ignore[call-overload]
        if not args:
            opened.append(file)
        return file

    monkeypatch.setattr(Path, "open", opening)
    return opened


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def test_it_gives_lines_as_they_come(path: Path) -> None:
    async def main() -> list[str]:
        append(path, "there before\n")
        lines: list[str] = []
        async for line in tail.tail(path, EVERY):
            lines.append(line)
            if len(lines) == 4:
                break
            append(path, f"after {line}\n")
        return lines

    assert asyncio.run(main())[:3] == [
        "there before",
        "after there before",
        "after after there before",
    ]


def test_it_gives_no_line_before_its_end(path: Path) -> None:
    with path.open() as file:
        append(path, "one\ntw")
        assert list(tail.whole_lines(file)) == ["one"]
        append(path, "o\n")
        assert list(tail.whole_lines(file)) == ["two"]
        assert list(tail.whole_lines(file)) == []


def test_it_reads_on_a_thread_and_is_used_on_the_loop(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers: set[str] = set()
    really = tail.whole_lines

    def noted(file: TextIO) -> Iterator[str]:
        readers.add(threading.current_thread().name)
        return really(file)

    monkeypatch.setattr(tail, "whole_lines", noted)
    append(path, "on the loop\n")
    users: list[threading.Thread] = []

    async def main() -> None:
        await (
            tail.tail(path, EVERY)
            .take(1)
            .for_each(lambda _: users.append(threading.current_thread()))
        )
        async for _ in tail.tail(path, EVERY):
            users.append(threading.current_thread())
            break

    asyncio.run(main())
    assert {name.partition("-")[0] for name in readers} == {"reader"}
    assert users[1] is threading.main_thread()


def test_leaving_it_closes_the_file(path: Path, files: list[TextIO]) -> None:
    async def main() -> None:
        append(path, "enough\n")
        async for _ in tail.tail(path, EVERY):
            break

    asyncio.run(main())
    wait_until(lambda: files and files[0].closed, "the file is closed")


def test_stopping_it_completes_the_run_and_closes_the_file(path: Path, files: list[TextIO]) -> None:
    run = tail.tail(path, EVERY).count().start()
    wait_until(lambda: files, "the file is open")
    run.stop()
    assert run.result(20) == 0
    assert files[0].closed


def test_cancelling_the_task_closes_the_file(path: Path, files: list[TextIO]) -> None:
    async def main() -> None:
        append(path, "first\n")
        came = asyncio.Event()
        loop = asyncio.get_running_loop()
        run = tail.tail(path, EVERY).for_each(lambda _: loop.call_soon_threadsafe(came.set))

        async def driven() -> None:
            await run

        task = asyncio.create_task(driven())
        await came.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert files[0].closed

    asyncio.run(main())
