"""What a command raises when the caller can mend what is wrong."""

from __future__ import annotations

__all__ = ["UsageError"]


class UsageError(Exception):
    """The command can't run as it was called.

    The command line prints `message` and, on a second line, `remedy`, then exits with 2.
    """

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
