"""The same trouble again and again is one line in the log, with how often it came."""

import logging
import time
from collections.abc import Callable

_WINDOW_S = 60.0
_MOST = 100


class Repeats:
    """Decides which records of a log are written. One per handler, under that handler's lock."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._known: dict[tuple[str, str, str], tuple[float, int]] = {}
        """By trouble: when it was last written, and how often it came since."""

    def pass_on(self, record: logging.LogRecord) -> bool:
        """Whether it is to be written; a later one says how many were left out."""
        if record.levelno < logging.WARNING:
            return True
        what = _say_error(record)
        key, now = (record.name, record.getMessage(), what), self._monotonic()
        written, left_out = self._known.pop(key, (now - _WINDOW_S, 0))
        if now - written < _WINDOW_S:
            self._known[key] = (written, left_out + 1)
            return False
        if left_out:
            since = (
                "in the last minute" if now - written < 2 * _WINDOW_S else f"in {round((now - written) / 60)} minutes"
            )
            record.msg, record.args = f"{key[1]} ({left_out} more times {since})", None
        self._known[key] = (now, 0)
        if len(self._known) > _MOST:
            del self._known[next(iter(self._known))]
        return True

    def left_out(self) -> list[str]:
        """What was left out and nobody has said yet: for the end of the log."""
        return [f"{message} ({number} more times)" for (_, message, _), (_, number) in self._known.items() if number]


def _say_error(record: logging.LogRecord) -> str:
    error = record.exc_info[1] if record.exc_info else None
    return "" if error is None else f"{type(error).__name__}: {error}"
