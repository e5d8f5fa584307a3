"""The check in tests/conftest.py can fail: a run that leaves things behind is told so."""

from __future__ import annotations

from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"

LEAKY = """
import subprocess, sys, tempfile, threading

def test_leaves_a_thread():
    threading.Thread(target=threading.Event().wait, name="forgotten", daemon=True).start()

def test_leaves_a_process():
    global process  # it ends with this run, when its input closes
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

def test_leaves_a_folder():
    tempfile.mkdtemp(prefix="mislaid-")
"""

TIDY = """
import subprocess, sys, tempfile, threading

def test_is_tidy(tmp_path):
    thread = threading.Thread(target=threading.Event().wait, args=(0.2,))
    thread.start()
    subprocess.run([sys.executable, "-c", ""], check=True)
    with tempfile.TemporaryDirectory(dir=tmp_path):
        pass
"""


@pytest.fixture
def watched(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder of tests with our conftest, less patient."""
    source = CONFTEST.read_text()
    pytester.makeconftest(source.replace("GRACE = 5.0", "GRACE = 1.0"))
    return pytester


def test_what_is_left_behind_is_named(watched: pytest.Pytester):
    watched.makepyfile(test_leaky=LEAKY)
    result = watched.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.re_match_lines_random(
        [
            r"thread 'forgotten', first seen after test_leaky.py::test_leaves_a_thread, now at",
            r"process \d+ \(S\) .*input\(\)",
            r"temporary .*/mislaid-",
        ]
    )


def test_what_ends_soon_after_the_tests_is_not(watched: pytest.Pytester):
    watched.makepyfile(test_tidy=TIDY)
    watched.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)
