"""The log of the app itself: a few files in the data folder, the oldest of which goes. No secrets are written there."""

import faulthandler
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from copy import copy
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, TextIO

from app.keeping.repeats import Repeats

FOLDER = "logs"
FILE = "dayhand.log"
_FATAL = "fatal.log"
_SIZE = 1_000_000
_KEPT = 4
"""Older files beside the one that is written."""
_FORM = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_CHATTY = 2_000
"""Letters of one message; a traceback is not cut."""


def log_file(folder: Path) -> Path:
    return folder / FOLDER / FILE


@contextmanager
def keep_log(folder: Path, *, echo: bool = False, size: int = _SIZE) -> Iterator[Path]:
    """While this holds, what the app has to tell its makers goes into the log; with `echo`, warnings to stderr too.

    A folder that cannot be written to costs the log and nothing else.
    """
    path, root = log_file(folder), logging.getLogger()
    before = root.level
    with ExitStack() as stack:
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = _Private(path, maxBytes=size, backupCount=_KEPT, encoding="utf-8")
            file.repeats = Repeats()
            _add(stack, root, file, logging.INFO)
            _note_fatal(stack, path.with_name(_FATAL))
        except OSError as error:
            sys.stderr.write(f"No log is kept in {path.parent}: {error.strerror}.\n")
            echo = True
        if echo and sys.stderr is not None:
            _add(stack, root, _Echo(), logging.WARNING)
        root.setLevel(logging.INFO)
        try:
            yield path
        finally:
            root.setLevel(before)


class _Echo(logging.StreamHandler[TextIO]):
    """For whoever sits at the terminal: sentences; the log has the rest."""

    def __init__(self) -> None:
        super().__init__()
        self._repeats = Repeats()

    def emit(self, record: logging.LogRecord) -> None:
        copied = copy(record)
        copied.exc_info = copied.exc_text = None
        if self._repeats.pass_on(copied):
            super().emit(copied)


class _Private(RotatingFileHandler):
    """For this person only. What others' libraries chat about is left out."""

    repeats: Repeats

    def filter(self, record: logging.LogRecord) -> bool:
        ours = record.name.partition(".")[0] in ("app", "scheduler")
        return bool(super().filter(record)) and (ours or record.levelno >= logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        copied = copy(record)
        if self.repeats.pass_on(copied):
            super().emit(copied)

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if record.exc_info is None and len(text) > _CHATTY:
            text = f"{text[:_CHATTY]} …"
        return text

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  the library's name
        """A full disk is told by those who need it."""

    def close(self) -> None:
        for sentence in self.repeats.left_out():
            super().emit(logging.LogRecord("app", logging.WARNING, "", 0, sentence, None, None))
        self.repeats = Repeats()
        with suppress(OSError):  # as above: what could not be written cannot be written now
            super().close()

    def _open(self) -> TextIOWrapper:
        def private(path: str, flags: int) -> int:
            return os.open(path, flags, 0o600)

        return open(self.baseFilename, "a", encoding="utf-8", errors="backslashreplace", opener=private)


def _add(stack: ExitStack, root: logging.Logger, handler: logging.Handler, level: int) -> None:
    handler.setLevel(level)
    handler.setFormatter(logging.Formatter(_FORM))
    root.addHandler(handler)

    def remove() -> None:
        root.removeHandler(handler)
        handler.close()

    stack.callback(remove)


def _note_fatal(stack: ExitStack, path: Path) -> None:
    """Where the process was when it ended in a way that Python cannot tell."""
    if faulthandler.is_enabled():  # somebody else looks already
        return
    file: IO[str] = stack.enter_context(path.open("a", encoding="utf-8"))
    path.chmod(0o600)
    faulthandler.enable(file)
    stack.callback(faulthandler.disable)
