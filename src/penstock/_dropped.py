"""Where an error goes that has no Subscriber left to go to."""

from __future__ import annotations

import logging

__all__ = ["log_dropped_error"]

_logger = logging.getLogger("penstock")


def log_dropped_error(error: BaseException, where: str) -> None:
    """Log `error`, which `where` could deliver to nobody. Raises nothing.

    The default of `penstock.on_dropped_error`; assign another function of these two
    arguments to that name to hear of dropped errors yourself.
    """
    _logger.error("dropped error in %s: %r", where, error, exc_info=error)
