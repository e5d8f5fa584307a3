"""Where an error goes that has no Subscriber left to go to."""

from __future__ import annotations

import logging
import traceback

__all__ = ["log_dropped_error"]

_logger = logging.getLogger("penstock")


def log_dropped_error(error: BaseException, where: str) -> None:
    """Log `error`, which `where` could deliver to nobody, with its traceback.

    The default of `penstock.on_dropped_error`; assign another function of these two
    arguments to that name to hear of dropped errors yourself. It is called on whatever
    thread drops the error, from inside `request` and `cancel` too, so it must not raise.
    This one raises nothing: what a log handler raises goes to standard error, with `error`.
    """
    try:
        # Made text here: a repr that fails inside a handler would lose the error.
        _logger.error("dropped error in %s: %s", where, _shown(error), exc_info=error)
    except Exception as failure:  # noqa: BLE001 - a handler's, and rules 3.15 and 3.16 hold
        traceback.print_exception(error)
        traceback.print_exception(failure)


def _shown(error: BaseException) -> str:
    try:
        return repr(error)
    except Exception as failure:  # noqa: BLE001 - the error itself is what matters
        return f"<{type(error).__name__} whose repr raised {type(failure).__name__}>"
