"""The app's own logs: rotated files in the data folder, with repeated warnings throttled and no secrets.

Decisions about planned times have a file of their own: a job that runs every 10 seconds writes thousands of lines a
day, which would rotate the few messages of the app away.
"""

import faulthandler
import logging
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from copy import copy
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, TextIO

FOLDER = "logs"
FILE = "dayhand.log"
DECISIONS_FILE = "decisions.log"
"""One JSON object per line."""
DECISIONS_LOGGER = "scheduler.decisions"
_FATAL = "fatal.log"
_MAX_FILE_BYTES = 1_000_000
_MAX_DECISIONS_BYTES = 4_000_000
OLD_FILES = 4
"""How many rotated files are kept of each log, as .1 to .4."""
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_MAX_MESSAGE_CHARS = 2_000
"""Of a message without a traceback."""
_THROTTLE_S = 60.0
_MAX_KNOWN = 100
"""Warnings that are remembered to recognize repeats."""


def log_path(folder: Path) -> Path:
    return folder / FOLDER / FILE


def decisions_path(folder: Path) -> Path:
    return folder / FOLDER / DECISIONS_FILE


@contextmanager
def open_log(folder: Path, *, echo: bool = False, max_bytes: int = _MAX_FILE_BYTES) -> Iterator[Path]:
    """Log to the file for the duration; with `echo`, warnings also go to stderr.

    If the folder cannot be written to, only the log is lost.
    """
    path, root = log_path(folder), logging.getLogger()
    before = root.level
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = _PrivateFileHandler(path, maxBytes=max_bytes, backupCount=OLD_FILES, encoding="utf-8")
            file.repeats = RepeatFilter()
            _add(stack, root, file, logging.INFO)
            _log_decisions(stack, decisions_path(folder))
            _log_fatal_errors(stack, path.with_name(_FATAL))
        except OSError as error:
            sys.stderr.write(f"The log in {path.parent} could not be opened: {error.strerror}.\n")
            echo = True
        if echo and sys.stderr is not None:
            _add(stack, root, _StderrHandler(), logging.WARNING)
        root.setLevel(logging.INFO)
        try:
            yield path
        finally:
            root.setLevel(before)


class RepeatFilter:
    """Drops repeated warnings and counts them. One per handler, under that handler's lock."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._known: dict[tuple[str, str, str], tuple[float, int]] = {}
        """By warning: when it was last written, and how often it was dropped since."""

    def should_write(self, record: logging.LogRecord) -> bool:
        """Whether to write the record; the number of dropped repeats is added to its message."""
        if record.levelno < logging.WARNING:
            return True
        error = _describe_error(record)
        key, now = (record.name, record.getMessage(), error), self._monotonic()
        written, dropped = self._known.pop(key, (now - _THROTTLE_S, 0))
        if now - written < _THROTTLE_S:
            self._known[key] = (written, dropped + 1)
            return False
        if dropped:
            since = (
                "in the last minute" if now - written < 2 * _THROTTLE_S else f"in {round((now - written) / 60)} minutes"
            )
            record.msg, record.args = f"{key[1]} ({dropped} more times {since})", None
        self._known[key] = (now, 0)
        if len(self._known) > _MAX_KNOWN:
            del self._known[next(iter(self._known))]
        return True

    def dropped_messages(self) -> list[str]:
        """Dropped warnings that no later record has counted, for the end of the log."""
        return [f"{message} ({number} more times)" for (_, message, _), (_, number) in self._known.items() if number]


class _StderrHandler(logging.StreamHandler[TextIO]):
    """Prints messages without tracebacks, which are in the file."""

    def __init__(self) -> None:
        super().__init__()
        self._repeats = RepeatFilter()

    def emit(self, record: logging.LogRecord) -> None:
        copied = copy(record)
        copied.exc_info = copied.exc_text = None
        if self._repeats.should_write(copied):
            super().emit(copied)


class _PrivateFileHandler(RotatingFileHandler):
    """Readable only by the user; ignores libraries below warnings."""

    repeats: RepeatFilter

    def filter(self, record: logging.LogRecord) -> bool:
        is_own = record.name.partition(".")[0] in ("app", "scheduler")
        return bool(super().filter(record)) and (is_own or record.levelno >= logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        copied = copy(record)
        if self.repeats.should_write(copied):
            super().emit(copied)

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if record.exc_info is None and len(text) > _MAX_MESSAGE_CHARS:
            text = f"{text[:_MAX_MESSAGE_CHARS]} …"
        return text

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  the library's name
        """A full disk is reported elsewhere."""

    def close(self) -> None:
        for sentence in self.repeats.dropped_messages():
            super().emit(logging.LogRecord("app", logging.WARNING, "", 0, sentence, None, None))
        self.repeats = RepeatFilter()
        with suppress(OSError):  # as above
            super().close()

    def _open(self) -> TextIOWrapper:
        def open_private(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        return open(self.baseFilename, "a", encoding="utf-8", errors="backslashreplace", opener=open_private)


class _DecisionsHandler(_PrivateFileHandler):
    """Writes the lines of a message as they are; readers parse them."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_MAX_DECISIONS_BYTES, backupCount=OLD_FILES, encoding="utf-8")
        self.repeats = RepeatFilter()
        self._end_torn_line(path)

    def shouldRollover(self, _record: logging.LogRecord) -> bool:  # noqa: N802  the library's name
        """The library formats the record to know its length; the file may be a little longer instead."""
        return self.stream is not None and self.stream.tell() >= self.maxBytes

    def format(self, record: logging.LogRecord) -> str:
        return record.getMessage()

    def rotate(self, source: str, dest: str) -> None:
        """Windows does not rename a file that somebody reads: it grows until the next try."""
        with suppress(OSError):
            super().rotate(source, dest)

    def _end_torn_line(self, path: Path) -> None:
        """If the last process was killed in the middle of a line, the next one must not continue it."""
        with path.open("rb") as written:
            if written.seek(0, os.SEEK_END) == 0:
                return
            written.seek(-1, os.SEEK_END)
            is_whole = written.read() == b"\n"
        if not is_whole and self.stream is not None:
            self.stream.write("\n")


def _log_decisions(stack: ExitStack, path: Path) -> None:
    """They go to their own file only."""
    logger = logging.getLogger(DECISIONS_LOGGER)
    _add(stack, logger, _DecisionsHandler(path), logging.INFO)
    stack.callback(setattr, logger, "propagate", logger.propagate)
    logger.propagate = False


def _add(stack: ExitStack, root: logging.Logger, handler: logging.Handler, level: int) -> None:
    handler.setLevel(level)
    handler.setFormatter(logging.Formatter(_FORMAT))
    root.addHandler(handler)

    def remove() -> None:
        root.removeHandler(handler)
        handler.close()

    stack.callback(remove)


def _log_fatal_errors(stack: ExitStack, path: Path) -> None:
    """Write the stack of a crash that Python cannot report itself, such as a segmentation fault."""
    if faulthandler.is_enabled():  # already in use, as in tests
        return
    file: IO[str] = stack.enter_context(path.open("a", encoding="utf-8"))
    path.chmod(0o600)
    faulthandler.enable(file)
    stack.callback(faulthandler.disable)


def _describe_error(record: logging.LogRecord) -> str:
    error = record.exc_info[1] if record.exc_info else None
    return "" if error is None else f"{type(error).__name__}: {error}"
