"""Export of the history to CSV or JSON: the file, written page by page, and its progress bar."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QProgressBar, QWidget

from app.background import BackgroundTasks
from app.data.atomic_file import AtomicFile, convert_os_errors
from app.i18n.time_text import format_number
from app.session import Session
from app.theme.tokens import Tone
from app.widgets.file_dialog import MIN_SIZE
from app.widgets.fit_to_screen import fit_to_screen
from app.window.feedback import describe_error, make_button
from app.window.history.history_data import HistoryRow, read_page
from scheduler.connections.spreadsheet_text import escape_formula
from scheduler.rules.history_query import HistoryQuery

_COLUMNS = ("at", "result", "workflow", "job", "planned", "what", "seconds", "run")
_ROWS_PER_PAGE = 1_000


class ExportFile:
    """JSON or CSV, by its suffix. Appears when complete; cancelled, it leaves nothing. Never in the GUI thread."""

    def __init__(self, session: Session, query: HistoryQuery, path: Path) -> None:
        self.rows_written = 0
        """Rows written so far."""
        self._session, self._query, self._path = session, query, path
        self._is_json = path.suffix.lower() == ".json"
        self._whole: AtomicFile | None = None
        self._cursor: str | None = None

    def write_page(self) -> bool:
        """Write the next page, newest first; True if there are more. DataFileError, or an error of the query."""
        whole = self._whole = self._whole or AtomicFile(self._path)
        read = read_page(self._session, self._query, self._cursor, _ROWS_PER_PAGE)
        rows = [_make_record(row) for row in read.rows]
        is_last = read.cursor is None
        text = self._format_json(rows, is_last=is_last) if self._is_json else self._format_csv(rows)
        with convert_os_errors(self._path):
            whole.file.write(text.encode())
        self.rows_written += len(rows)
        self._cursor = read.cursor
        if is_last:
            whole.commit()
        return not is_last

    def discard(self) -> None:
        if self._whole is not None:
            self._whole.discard()

    def _format_json(self, rows: list[dict[str, str | float | None]], *, is_last: bool) -> str:
        lines = ",\n".join(json.dumps(row) for row in rows)
        before = "[\n" if self._cursor is None else ",\n" if rows else ""
        return f"{before}{lines}\n]\n" if is_last else f"{before}{lines}"

    def _format_csv(self, rows: list[dict[str, str | float | None]]) -> str:
        text = io.StringIO(newline="")
        table = csv.DictWriter(text, _COLUMNS)
        if self._cursor is None:
            table.writeheader()
        for row in rows:
            table.writerow(
                {name: escape_formula(cell) if isinstance(cell, str) else cell for name, cell in row.items()}
            )
        return text.getvalue()


def _make_record(row: HistoryRow) -> dict[str, str | float | None]:
    return {
        "at": row.at.isoformat(),
        "result": row.state.value,
        "workflow": row.name,
        "job": row.job,
        "planned": None if row.planned is None else row.planned.isoformat(),
        "what": row.what,
        "seconds": None if row.duration is None else row.duration.total_seconds(),
        "run": row.run,
    }


class ExportProgress(QWidget):
    """Visible while a file is being written. Requests one page after the other, so that the window stays responsive."""

    ended = Signal(str, object)
    """A message, and its Tone."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._background = session, BackgroundTasks(self)
        self._file: ExportFile | None = None
        self._path, self._total, self._is_cancelled = Path(), 0, False
        self.label = QLabel()
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("Rows written"))
        self.cancel = make_button(self.tr("Cancel"))
        self.cancel.clicked.connect(self._cancel)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.label)
        layout.addWidget(self.progress, 1)
        layout.addWidget(self.cancel)
        self.hide()

    def start(self, query: HistoryQuery, path: Path) -> None:
        """Write all matching rows, unless an export is running."""
        if self._file is not None:
            return
        views = self._session.queries
        self._file = ExportFile(self._session, query, path)
        self._path, self._total, self._is_cancelled = path, 0, False
        self.cancel.setEnabled(True)
        self._show()
        self.show()
        self._background.run_latest("count", lambda: views.count_history(query), self._show_total)
        self._write_page(self._file)

    def _write_page(self, file: ExportFile) -> None:
        def show(is_more: bool) -> None:  # noqa: FBT001  a callback
            if is_more and self._is_cancelled:
                said = self.tr("Export cancelled. {file} was not written.").format(file=self._path.name)
                self._background.run(file.discard, lambda _: self._end(said, Tone.QUIET))
            elif is_more:
                self._show()
                self._write_page(file)
            else:
                said = self.tr("Exported {number} rows to {file}.")
                if file.rows_written == 1:
                    said = self.tr("Exported 1 row to {file}.")
                self._end(said.format(number=format_number(file.rows_written), file=self._path.name), Tone.GOOD)

        def refuse(error: Exception) -> None:
            self._background.run(file.discard, lambda _: self._end(describe_error(error), Tone.BAD))

        self._background.run(file.write_page, show, refuse)

    def _cancel(self) -> None:
        """Takes effect after the page being written."""
        self._is_cancelled = True
        self.cancel.setEnabled(False)

    def _show_total(self, total: int) -> None:
        self._total = total
        self._show()

    def _show(self) -> None:
        if self._file is None:
            return
        number = self._file.rows_written
        said = self.tr("Writing {file}: {number} of {total} rows") if self._total else self.tr("Writing {file}…")
        total = max(self._total, number)
        self.label.setText(said.format(file=self._path.name, number=format_number(number), total=format_number(total)))
        self.progress.setRange(0, total if self._total else 0)
        self.progress.setValue(number)

    def _end(self, said: str, tone: Tone) -> None:
        self._file = None
        self.hide()
        self.ended.emit(said, tone)


def choose_export_path(parent: QWidget, write: Callable[[Path], None]) -> None:
    """Ask for the file; `write` receives its path."""
    kinds = QCoreApplication.translate("HistoryPage", "Table (*.csv);;Data (*.json)")
    dialog = QFileDialog(parent, QCoreApplication.translate("HistoryPage", "Export history"), "", kinds)
    _match_suffix_to_filter(dialog)
    dialog.fileSelected.connect(lambda found: write(Path(found)))
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    fit_to_screen(dialog, dialog.sizeHint().expandedTo(MIN_SIZE))
    dialog.open()


def _match_suffix_to_filter(dialog: QFileDialog) -> None:
    """The suffix decides the format, so the proposed name follows the chosen type."""

    def rename(kind: str) -> None:
        suffix = ".json" if "*.json" in kind else ".csv"
        dialog.setDefaultSuffix(suffix)
        dialog.selectFile(Path(*dialog.selectedFiles()[:1]).with_suffix(suffix).name)

    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(".csv")
    dialog.selectFile("history.csv")
    dialog.filterSelected.connect(rename)
