"""The default of `penstock.on_dropped_error` tells all it knows, and raises nothing."""

from __future__ import annotations

import logging

import pytest

import penstock


class UnshowableError(Exception):
    def __repr__(self) -> str:
        raise ValueError("no repr")

    __str__ = __repr__


def test_it_is_logged_with_its_place_and_traceback(caplog: pytest.LogCaptureFixture) -> None:
    def fails() -> None:
        raise OSError("disk full")

    try:
        fails()
    except OSError as error:
        penstock.on_dropped_error(error, "map(parse)")
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("penstock", logging.ERROR)
    assert record.getMessage() == "dropped error in map(parse): OSError('disk full')"
    assert "in fails" in caplog.text


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), GeneratorExit()])
def test_any_exception_can_be_dropped(
    caplog: pytest.LogCaptureFixture, error: BaseException
) -> None:
    penstock.on_dropped_error(error, "here")
    assert caplog.messages == [f"dropped error in here: {error!r}"]


def test_an_error_that_cannot_be_shown_is_still_logged(caplog: pytest.LogCaptureFixture) -> None:
    penstock.on_dropped_error(UnshowableError(), "a % sign")
    assert caplog.messages == [
        "dropped error in a % sign: <UnshowableError whose repr raised ValueError>"
    ]


def test_a_handler_that_raises_does_not_reach_the_stream(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise RuntimeError("log server is down")

    monkeypatch.setattr(logging.getLogger("penstock"), "handlers", [Broken()])
    penstock.on_dropped_error(OSError("disk full"), "here")
    told = capsys.readouterr().err
    assert "OSError: disk full" in told
    assert "RuntimeError: log server is down" in told
