"""What holds for the whole run: no thread, child process or temporary file outlives it."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from weakref import WeakKeyDictionary

import pytest

GRACE = 5.0
"""How many seconds what a test started may take to end after the last test."""

_threads_first_seen: WeakKeyDictionary[threading.Thread, str] = WeakKeyDictionary()


def pytest_runtest_logfinish(nodeid: str) -> None:
    for thread in threading.enumerate():
        _threads_first_seen.setdefault(thread, nodeid)


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fail the run, naming the culprits, if something stays. Set up first, so torn down last."""
    tmp_path_factory.getbasetemp()  # pytest's own folder, which pytest removes itself
    threads_before = set(threading.enumerate())
    children_before = _children().keys()
    scratch = tempfile.mkdtemp(prefix="penstock-tests-")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", scratch)
        patch.setattr(tempfile, "tempdir", scratch)
        yield

    def left() -> list[str]:
        return [
            *(_place(t) for t in threading.enumerate() if t not in threads_before),
            *(text for pid, text in _children().items() if pid not in children_before),
            *(f"temporary {path}" for path in sorted(Path(scratch).iterdir())),
        ]

    deadline = time.monotonic() + GRACE
    while (culprits := left()) and time.monotonic() < deadline:
        time.sleep(0.02)
    shutil.rmtree(scratch)
    if culprits:
        pytest.fail("left behind by the tests:\n" + "\n".join(culprits), pytrace=False)


def _place(thread: threading.Thread) -> str:
    frame = sys._current_frames().get(thread.ident or 0)
    stack = "".join(traceback.format_stack(frame)[-3:]) if frame else ""
    first = _threads_first_seen.get(thread, "the last test")
    return f"thread {thread.name!r}, first seen after {first}, now at\n{stack}"


def _children() -> dict[int, str]:
    """This process's children, unreaped ones included: their ids, and what to call them.

    Read from /proc, so only Linux has any to show.
    """
    found: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            _, _, status = (folder / "stat").read_text().rpartition(")")
            command = (folder / "cmdline").read_text().replace("\0", " ")
        except OSError:  # it ended while we looked
            continue
        state, parent = status.split()[:2]
        if int(parent) == os.getpid():
            found[int(folder.name)] = f"process {folder.name} ({state}) {command}"
    return found
