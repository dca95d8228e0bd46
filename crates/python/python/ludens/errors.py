"""What can go wrong. Everything here is a `LudensError`; wrong arguments are the usual `ValueError`, `TypeError` and `IndexError`."""

from __future__ import annotations

from typing import Optional

__all__ = ["IllegalAction", "LimitError", "LudensError", "RulesError"]


class LudensError(Exception):
    """Something could not be done; the message says why, and the way out where there is one."""


class RulesError(LudensError, ValueError):
    """Rules that cannot be read or played. `line` and `column` are the place in the text, counted from 1, where it is known.

    >>> try:
    ...     ludens.load("(role me)\\n(legal me")
    ... except ludens.RulesError as error:
    ...     print(error.line, error.column)
    2 1
    """

    def __init__(self, message: str, line: Optional[int] = None, column: Optional[int] = None) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


class IllegalAction(LudensError, ValueError):
    """An action that is not legal where it was chosen. Nothing has changed."""


class LimitError(LudensError, RuntimeError):
    """The engine came to a limit on work, memory or depth, as rules can make it do."""
