"""Unexpected errors in the app itself: logged, and shown once in a dialog, never in a flood of them."""

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, QSize, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.theme.tokens import Space, TextStyle
from app.widgets.details_view import make_label
from app.widgets.fit_to_screen import fit_to_screen
from app.window.feedback import make_button, make_heading
from scheduler import __version__

log = logging.getLogger(__name__)

_MIN_PAUSE_S = 60.0
"""After one dialog before another may open."""
_SIZE = QSize(620, 380)
_MAX_LOGGED = 500
"""Per start of the app."""


class CrashDialog(QDialog):
    def __init__(self, report: str, log_file: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._log_file = log_file
        self.setWindowTitle(self.tr("Dayhand ran into a problem"))
        fit_to_screen(self, _SIZE)
        self.message = make_label(
            self.tr(
                "Something in this window went wrong; your workflows keep running. "
                "If it happens again, please report it with these details."
            )
        )
        self.details = QPlainTextEdit(f"Dayhand {__version__}\n\n{report}")
        self.details.setReadOnly(True)
        self.details.setTabChangesFocus(True)
        self.details.setProperty("field", "true")
        self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.details.setAccessibleName(self.tr("Details"))
        self.repeats_label = make_label("", "muted")
        self.repeats_label.hide()
        self.copy_button = make_button(self.tr("&Copy details"))
        self.open_log_button = make_button(self.tr("&Open log"))
        self.close_button = make_button(self.tr("Close"), importance="primary")
        self.close_button.setDefault(True)
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        row.addWidget(self.copy_button)
        row.addWidget(self.open_log_button)
        row.addStretch(1)
        row.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(make_heading(self.windowTitle(), TextStyle.TITLE))
        for part in (self.message, self.details, self.repeats_label, make_label(str(log_file), "muted")):
            layout.addWidget(part)
        layout.addLayout(row)
        self.copy_button.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.details.toPlainText()))
        self.open_log_button.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._log_file))))
        self.close_button.clicked.connect(self.accept)
        self.close_button.setFocus()

    def show_repeats(self, number: int) -> None:
        once = self.tr("It happened once more; see the log.")
        often = self.tr("It happened {number} more times; see the log.")
        self.repeats_label.setText(once if number == 1 else often.format(number=number))
        self.repeats_label.show()


class CrashReporter(QObject):
    """Handles uncaught exceptions of any thread. Only those of the GUI thread are shown: others report their own."""

    _happened = Signal(str, str)

    def __init__(
        self,
        log_file: Path,
        window: Callable[[], QWidget | None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._log_file, self._window, self._clock = log_file, window, clock
        self._logged = 0
        self._repeats = 0
        self._shown_sources: set[str] = set()
        self._closed_at: float | None = None
        self.dialog: CrashDialog | None = None
        self._previous_hooks = (sys.excepthook, threading.excepthook)
        self._happened.connect(self._show, Qt.ConnectionType.QueuedConnection)
        sys.excepthook = self._handle_exception
        threading.excepthook = self._handle_thread_exception

    def close(self) -> None:
        sys.excepthook, threading.excepthook = self._previous_hooks
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None

    def _handle_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not isinstance(error, Exception):
            self._previous_hooks[0](kind, error, trace)
            return
        self._log("In the window", error)
        report = "".join(traceback.format_exception(kind, error, trace))
        if threading.current_thread() is threading.main_thread():
            self._happened.emit(_source(error), report)

    def _handle_thread_exception(self, arguments: threading.ExceptHookArgs) -> None:
        error = arguments.exc_value
        if isinstance(error, Exception):
            self._log(f"In the thread {arguments.thread.name if arguments.thread else 'that has ended'}", error)

    def _log(self, where: str, error: Exception) -> None:
        """An error while painting comes many times a second; it must not fill the disk."""
        self._logged += 1
        if self._logged <= _MAX_LOGGED:
            log.error("%s: unexpected error", where, exc_info=error)
        if self._logged == _MAX_LOGGED:
            log.error("Further errors are not logged until Dayhand is restarted")

    @Slot(str, str)
    def _show(self, source: str, report: str) -> None:
        """One dialog at a time, none soon after another, and each error once."""
        if self.dialog is not None:
            self._repeats += 1
            self.dialog.show_repeats(self._repeats)
            return
        if source in self._shown_sources or (
            self._closed_at is not None and self._clock() - self._closed_at < _MIN_PAUSE_S
        ):
            return
        self._shown_sources.add(source)
        self._repeats = 0
        self.dialog = CrashDialog(report, self._log_file, self._window())
        self.dialog.finished.connect(self._forget)
        self.dialog.show()

    @Slot()
    def _forget(self) -> None:
        self._closed_at = self._clock()
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None


def _source(error: Exception) -> str:
    """Identifies an error: its type, file and line."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return f"{type(error).__name__} {[(frame.filename, frame.lineno) for frame in last]}"
