"""The resources and the clock in a process that ends, is interrupted, or forks."""

from __future__ import annotations

import os
import signal
import sys

import pytest

from tests.waiting import ended, ends_cleanly, program

USED = """
import threading, time, os, sys
from penstock._clock import SYSTEM_CLOCK
from penstock.runtime._threads import threads
from penstock.runtime._event_loop import event_loop

lease, loop = threads(2).enter(), event_loop().enter()

def soon(fn):
    SYSTEM_CLOCK.call_at(SYSTEM_CLOCK.now(), fn)

def use():
    for schedule in (lease.schedule, loop.schedule, soon):
        done = threading.Event()
        schedule(done.set)
        assert done.wait(10)

def endless():
    started.set()
    while True:
        pass

use()
started = threading.Event()
"""


def test_idle_threads_do_not_hold_up_the_end():
    assert ends_cleanly(USED + "print('end')") == "end\n"


def test_neither_does_a_timer_that_is_armed():
    ends_cleanly(USED + "SYSTEM_CLOCK.call_at(SYSTEM_CLOCK.now() + 3600, print)")


@pytest.mark.parametrize("where", ["lease.schedule", "loop.schedule", "soon"])
def test_neither_does_one_that_is_busy_for_ever(where: str):
    ends_cleanly(USED + f"{where}(endless); started.wait(10)")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_ctrl_c_ends_a_program_whose_threads_are_busy():
    wait = "lease.schedule(endless); started.wait(10); print('ready', flush=True)\n"
    process = program(USED + wait + "threading.Event().wait()")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    status, _, err = ended(process)
    assert status == -signal.SIGINT
    assert err.splitlines()[-1] == "KeyboardInterrupt"
    assert "Fatal" not in err


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_starts_with_threads_of_its_own():
    code = """
gate, ran = threading.Event(), []
for _ in range(3):
    lease.schedule(lambda: (gate.wait(10), ran.append(os.getpid())))
timer = SYSTEM_CLOCK.call_at(SYSTEM_CLOCK.now() + 3600, print)
pid = os.fork()
if pid == 0:
    assert lease.counts() == (0, 0, 0)
    timer.cancel()
    loop.leave()
    loop = event_loop().enter()
    use()
    gate.set()
    use()
    assert ran == []  # what was scheduled in the parent runs there
    sys.exit(7)
assert os.waitpid(pid, 0)[1] >> 8 == 7
use_parents = lambda: len(ran) == 3
gate.set()
while not use_parents():
    time.sleep(0.001)
use()
"""
    ends_cleanly(USED + code)


def test_nobody_loads_asyncio_before_it_is_needed():
    code = "import sys\nfrom penstock.runtime import _event_loop, _threads\n"
    code += "_event_loop.event_loop(); assert 'asyncio' not in sys.modules"
    ends_cleanly(code)
