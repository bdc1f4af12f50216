"""A mistake of Dayhand's own in its window: written to the log, said once in a sentence, never in a storm."""

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

from app.look.theme import Space, Type
from app.widgets.details_view import make_text
from app.widgets.fitting import fit
from app.window.saying import make_button, make_heading
from scheduler import __version__

log = logging.getLogger(__name__)

_BETWEEN = 60.0
"""Seconds after a dialog in which no other comes."""
_SIZE = QSize(620, 380)
_MOST_NOTED = 500
"""So many are written to the log in one life of the app."""


class CrashDialog(QDialog):
    def __init__(self, told: str, log_file: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._log_file = log_file
        self.setWindowTitle(self.tr("Dayhand made a mistake"))
        fit(self, _SIZE)
        self.sentence = make_text(
            self.tr(
                "Something in this window did not work; your workflows go on. "
                "If it comes again, please report it with these details."
            )
        )
        self.details = QPlainTextEdit(f"Dayhand {__version__}\n\n{told}")
        self.details.setReadOnly(True)
        self.details.setTabChangesFocus(True)
        self.details.setProperty("field", "true")
        self.details.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.details.setAccessibleName(self.tr("Details"))
        self.more = make_text("", "muted")
        self.more.hide()
        self.copy = make_button(self.tr("&Copy the details"))
        self.open_log = make_button(self.tr("&Open the log"))
        self.close_button = make_button(self.tr("Close"), importance="primary")
        self.close_button.setDefault(True)
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        row.addWidget(self.copy)
        row.addWidget(self.open_log)
        row.addStretch(1)
        row.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(make_heading(self.windowTitle(), Type.TITLE))
        for part in (self.sentence, self.details, self.more, make_text(str(log_file), "muted")):
            layout.addWidget(part)
        layout.addLayout(row)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.details.toPlainText()))
        self.open_log.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._log_file))))
        self.close_button.clicked.connect(self.accept)
        self.close_button.setFocus()

    def count(self, number: int) -> None:
        once = self.tr("It happened once more since; the log has it.")
        often = self.tr("It happened {number} more times since; the log has them.")
        self.more.setText(once if number == 1 else often.format(number=number))
        self.more.show()


class Crashes(QObject):
    """Hears what nobody caught, in any thread. Only what happened in the GUI's is shown: others say it themselves."""

    _happened = Signal(str, str)

    def __init__(
        self,
        log_file: Path,
        window: Callable[[], QWidget | None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._log_file, self._window, self._clock = log_file, window, clock
        self._noted = 0
        self._unseen = 0
        self._seen: set[str] = set()
        self._closed: float | None = None
        self.dialog: CrashDialog | None = None
        self._before = (sys.excepthook, threading.excepthook)
        self._happened.connect(self._show, Qt.ConnectionType.QueuedConnection)
        sys.excepthook = self._hear
        threading.excepthook = self._hear_thread

    def close(self) -> None:
        sys.excepthook, threading.excepthook = self._before
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None

    def _hear(self, kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        if not isinstance(error, Exception):
            self._before[0](kind, error, where)
            return
        self._note("In the window", error)
        told = "".join(traceback.format_exception(kind, error, where))
        if threading.current_thread() is threading.main_thread():
            self._happened.emit(_place(error), told)

    def _hear_thread(self, arguments: threading.ExceptHookArgs) -> None:
        error = arguments.exc_value
        if isinstance(error, Exception):
            self._note(f"In the thread {arguments.thread.name if arguments.thread else 'that has ended'}", error)

    def _note(self, where: str, error: Exception) -> None:
        """A mistake in what is drawn comes many times a second; the log is not for filling disks."""
        self._noted += 1
        if self._noted <= _MOST_NOTED:
            log.error("%s something was not expected", where, exc_info=error)
        if self._noted == _MOST_NOTED:
            log.error("More than that is not written down until Dayhand is started again")

    @Slot(str, str)
    def _show(self, place: str, told: str) -> None:
        """One at a time, none soon after another, and each mistake once."""
        if self.dialog is not None:
            self._unseen += 1
            self.dialog.count(self._unseen)
            return
        if place in self._seen or (self._closed is not None and self._clock() - self._closed < _BETWEEN):
            return
        self._seen.add(place)
        self._unseen = 0
        self.dialog = CrashDialog(told, self._log_file, self._window())
        self.dialog.finished.connect(self._forget)
        self.dialog.show()

    @Slot()
    def _forget(self) -> None:
        self._closed = self._clock()
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None


def _place(error: Exception) -> str:
    """What makes it the same mistake."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return f"{type(error).__name__} {[(frame.filename, frame.lineno) for frame in last]}"
