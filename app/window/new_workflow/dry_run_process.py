"""Runs `dayhand try` in its own process, which can be cancelled at any time."""

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QProcess, QProcessEnvironment, QTimer, Signal

from app.i18n.translate import translate_text
from app.platform.autostart import program_command
from scheduler.user_text import unpack

_CLEANUP_MS = 5_000
"""Time for a cancelled process to clean up before it is killed."""


class DryRunProcess(QObject):
    """One at a time: starting another cancels the one before."""

    progress = Signal(str)
    """Progress, in words."""
    ended = Signal(object)
    """The output of `dayhand try --json`."""
    failed = Signal(str)
    """The reason."""

    def __init__(self, folder: Path, parent: QObject | None = None) -> None:
        """`folder` is the data folder with the connections to use."""
        super().__init__(parent)
        self._folder = folder
        self._process: QProcess | None = None
        self._source_dir: TemporaryDirectory[str] | None = None

    def start(self, path: Path, source: str | None = None, *, days: int = 0) -> None:
        """Run the file as it is now, or `source` under its name."""
        self.cancel()
        if source is not None:
            self._source_dir = TemporaryDirectory(prefix="dayhand-try-")
            path = Path(self._source_dir.name) / path.name
            path.write_text(source, encoding="utf-8")
        process = self._process = QProcess(QCoreApplication.instance())
        program, *arguments = program_command()
        options = ["try", str(path), "--json", "--data-dir", str(self._folder)]
        process.setProgram(program)
        process.setArguments([*arguments, *options, *(["--days", str(days)] if days else [])])
        process.setProcessEnvironment(_make_environment())
        process.readyReadStandardError.connect(self._report_progress)
        process.finished.connect(self._finish)
        process.errorOccurred.connect(self._fail)
        process.start()

    def cancel(self) -> None:
        """Stop the process; it may clean up, then it is killed."""
        process, self._process = self._process, None
        if process is not None:
            process.disconnect(self)
            process.finished.connect(process.deleteLater)
            if sys.platform == "win32":  # there is no terminate for a console process
                process.kill()
            process.terminate()
            QTimer.singleShot(_CLEANUP_MS, process, process.kill)
        self._remove_source()

    def _report_progress(self) -> None:
        if self._process is not None:
            lines = bytes(self._process.readAllStandardError().data()).decode(errors="replace").splitlines()
            if lines and lines[-1].strip():
                self.progress.emit(translate_text(unpack(lines[-1].strip()) or ""))

    def _finish(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        output = bytes(process.readAllStandardOutput().data()).decode(errors="replace")
        process.deleteLater()
        self._remove_source()
        answer = _parse_output(output)
        if "steps" in answer:
            self.ended.emit(answer)
        else:
            known = unpack(answer.get("error", {}).get("text")) or ""
            self.failed.emit(translate_text(known) or self.tr("The test run ended without a result. Try again."))

    def _fail(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart and self._process is not None:
            self._process.deleteLater()
            self._process = None
            self._remove_source()
            self.failed.emit(self.tr("The test run could not be started. Try again."))

    def _remove_source(self) -> None:
        folder, self._source_dir = self._source_dir, None
        if folder is not None:
            folder.cleanup()


def _parse_output(output: str) -> dict[str, Any]:
    with suppress(ValueError, IndexError):
        answer = json.loads(output.splitlines()[-1])
        if isinstance(answer, dict):
            return answer
    return {}


def _make_environment() -> QProcessEnvironment:
    """When running from source, use the same source."""
    environment = QProcessEnvironment.systemEnvironment()
    if not getattr(sys, "frozen", False):
        environment.insert("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    return environment
