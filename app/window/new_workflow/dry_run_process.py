"""A trial of a script, as the command `dayhand try` makes it: in a process of its own that can be given up at once."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QProcess, QProcessEnvironment, QTimer, Signal

from app.life.command import own_command
from app.words.interpreting import interpret

_PATIENCE = 5_000
"""Milliseconds in which a trial that is given up takes down what it made."""


class Trial(QObject):
    """One at a time: starting another gives up the one before."""

    told = Signal(str)
    """How far it is."""
    ended = Signal(object)
    """What `dayhand try --json` says."""
    failed = Signal(str)
    """Why it could not be tried."""

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        """The folder has the connections that are read through."""
        super().__init__(parent)
        self._folder = folder
        self._process: QProcess | None = None
        self._written: TemporaryDirectory[str] | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def start(self, path: Path, source: str | None = None, *, days: int = 0) -> None:
        """The file as it is now, or that text under the file's name."""
        self.give_up()
        if source is not None:
            self._written = TemporaryDirectory(prefix="dayhand-try-")
            path = Path(self._written.name) / path.name
            path.write_text(source, encoding="utf-8")
        process = self._process = QProcess(QCoreApplication.instance())
        program, *arguments = own_command()
        wanted = ["try", str(path), "--json", "--data-dir", str(self._folder)]
        process.setProgram(program)
        process.setArguments([*arguments, *wanted, *(["--days", str(days)] if days else [])])
        process.setProcessEnvironment(_surroundings())
        process.readyReadStandardError.connect(self._tell)
        process.finished.connect(self._end)
        process.errorOccurred.connect(self._fail)
        process.start()

    def give_up(self) -> None:
        """Nobody waits for it any longer; it takes down what it made, or is ended."""
        process, self._process = self._process, None
        if process is not None:
            process.disconnect(self)
            process.finished.connect(process.deleteLater)
            if sys.platform == "win32":  # it could not be asked
                process.kill()
            process.terminate()
            QTimer.singleShot(_PATIENCE, process, process.kill)
        self._tidy()

    def _tell(self) -> None:
        if self._process is not None:
            lines = bytes(self._process.readAllStandardError().data()).decode(errors="replace").splitlines()
            if lines and lines[-1].strip():
                self.told.emit(lines[-1].strip())

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        written = bytes(process.readAllStandardOutput().data()).decode(errors="replace")
        process.deleteLater()
        self._tidy()
        answer = _read(written)
        if "steps" in answer:
            self.ended.emit(answer)
        else:
            known = answer.get("error", {}).get("message")
            self.failed.emit(interpret(known or "") or self.tr("The trial ended without an answer. Try it again."))

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            self._process.deleteLater()
            self._process = None
            self._tidy()
            self.failed.emit(self.tr("The trial could not be started. Try it again."))

    def _tidy(self) -> None:
        written, self._written = self._written, None
        if written is not None:
            written.cleanup()


def _read(written: str) -> dict[str, Any]:
    with suppress(ValueError, IndexError):
        answer = json.loads(written.splitlines()[-1])
        if isinstance(answer, dict):
            return answer
    return {}


def _surroundings() -> QProcessEnvironment:
    """From sources, the same ones."""
    found = QProcessEnvironment.systemEnvironment()
    if not getattr(sys, "frozen", False):
        found.insert("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    return found
