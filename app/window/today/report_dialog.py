"""The report in the window: of the last days or weeks, as it is mailed, to read, copy or save."""

from datetime import UTC, datetime, time, timedelta
from pathlib import Path

from PySide6.QtCore import QMimeData, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QDialog, QHBoxLayout, QTextBrowser, QVBoxLayout, QWidget

from app.background import BackgroundTasks
from app.data.atomic_file import write_atomically
from app.report.content import ReportContent, describe_report
from app.report.html import write_html
from app.report.text import write_text
from app.session import Session
from app.theme.tokens import Space, Tone
from app.widgets.file_dialog import choose_save_path
from app.widgets.fit_to_screen import fit_to_screen
from app.window.feedback import StatusLine, make_button
from scheduler.timing.zones import find_zone

_DAYS = (1, 7, 30, 365)
_SIZE = (760, 640)


class ReportDialog(QDialog):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Report"))
        self._session = session
        self._background = BackgroundTasks(self)
        self._content: ReportContent | None = None
        self.span = QComboBox()
        self.span.setAccessibleName(self.tr("Time span"))
        words = (self.tr("Today"), self.tr("Last 7 days"), self.tr("Last 30 days"), self.tr("Last year"))
        for days, label in zip(_DAYS, words, strict=True):
            self.span.addItem(label, days)
        self.span.setCurrentIndex(1)
        self.span.activated.connect(self.refresh)
        self.page = QTextBrowser()
        self.page.setAccessibleName(self.tr("Report"))
        self.page.setOpenLinks(False)
        self.copy_button = make_button(self.tr("&Copy"))
        self.copy_button.clicked.connect(self._copy)
        self.save_button = make_button(self.tr("&Save…"))
        self.save_button.clicked.connect(self._save)
        self.close_button = make_button(self.tr("Close"))
        self.close_button.clicked.connect(self.accept)
        self.status_line = StatusLine()
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.span)
        top.addStretch(1)
        bottom.addWidget(self.status_line)
        bottom.addStretch(1)
        for button in (self.copy_button, self.save_button, self.close_button):
            bottom.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setSpacing(Space.SMALL)
        layout.addLayout(top)
        layout.addWidget(self.page, 1)
        layout.addLayout(bottom)
        fit_to_screen(self, QSize(*_SIZE))
        self.refresh()

    def refresh(self) -> None:
        queries, now, zone = self._session.queries, self._session.now(), find_zone(self._session.zone)
        first = now.astimezone(zone).date() - timedelta(days=int(self.span.currentData()) - 1)
        since = datetime.combine(first, time(), zone).astimezone(UTC)
        self._background.run_latest("report", lambda: describe_report(queries.report(since, now)), self._show)

    def _show(self, content: ReportContent) -> None:
        self._content = content
        self.page.setHtml(write_html(content))

    def _copy(self) -> None:
        if self._content is not None:
            data = QMimeData()
            data.setHtml(write_html(self._content))
            data.setText(write_text(self._content))
            QGuiApplication.clipboard().setMimeData(data)
            self.status_line.show_message(self.tr("Copied."))

    def _save(self) -> None:
        if self._content is None:
            return
        chosen = choose_save_path(self, self.tr("Save the report as"), str(Path.home() / "dayhand-report.html"))
        if not chosen:
            return
        try:
            write_atomically(Path(chosen), write_html(self._content).encode())
        except OSError as error:
            self.status_line.show_message(error.strerror or str(error), Tone.BAD)
        else:
            self.status_line.show_message(self.tr("Saved."))
