"""The History page: filters, the table that loads more while scrolling, and the chosen run beside it."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.i18n.time_text import format_number
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, Tone
from app.widgets.empty_state import EmptyState
from app.widgets.file_dialog import MIN_SIZE
from app.widgets.fit_to_screen import fit_to_screen
from app.widgets.page_stack import PageStack
from app.window.feedback import StatusLine, make_button, make_heading
from app.window.history.export import ExportProgress, match_suffix_to_filter
from app.window.history.filters import HistoryFilters
from app.window.history.history_data import HistoryRow, HistoryRows, read_page
from app.window.history.model import HistoryModel
from app.window.history.run_pane import RunPane
from app.window.history.table import HistoryTable
from app.window.page import Page
from scheduler.rules.history_query import HistoryQuery

_FIRST_ROWS, _MORE_ROWS, _MAX_REFRESHED_ROWS = 50, 100, 200
"""Rows read after a filter change, after a scroll, and at most after changes: few enough to stay responsive."""
_WIDE_PX, _ALL_COLUMNS_PX = 880, 700
"""Widths from which a run fits beside the table, and the table alone shows all columns."""
_COUNT_REST = 20
"""After counting, wait this many times as long as it took before counting again."""


class HistoryPage(Page):
    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.title = self.tr("History")
        self._shown: HistoryQuery | None = None
        self._search_number = 0
        """Number of filter changes: a new search need not wait for the refresh of an old one."""
        self._total: int | None = None
        """Number of all matching rows, once known."""
        zone = ZoneInfo(session.zone)
        self.filters = HistoryFilters(zone, self._now().astimezone(zone))
        self.model = HistoryModel(zone, self, fetch_page=self._read_more)
        self.table = HistoryTable(self.model)
        self.pane = RunPane(session)
        self.status_line = StatusLine()
        self._make_controls()
        self._lay_out()
        self._connect()

    def refresh(self) -> None:
        """Replace the rows if the filters changed, else only update them."""
        query, session = self.query(), self.session
        number = (
            max(_FIRST_ROWS, min(self.model.rowCount(), _MAX_REFRESHED_ROWS)) if query == self._shown else _FIRST_ROWS
        )

        def read() -> tuple[HistoryRows, dict[str, str]]:
            names = session.queries.names()
            return read_page(session, query, None, number), names

        self.background.run_latest(
            f"rows {self._search_number}", read, lambda found: self._show(query, *found), self.status_line.show_error
        )
        if self.pane.isVisible():
            self.pane.refresh()

    def open_subject(self, subject: str) -> None:
        """Open a run by its id, or show the entries of a filter; empty shows the list."""
        if self.filters.apply_subject(subject):
            self._close_run()
        elif subject:
            self._open_run(subject)
        else:
            self._close_run()

    def show_start(self) -> None:
        if self.table.isHidden():  # the window is narrow
            self._close_run()

    def focus_first(self) -> bool:
        """Without choosing a row, which would open its run."""
        self.filters.search_field.focus_and_select()
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._arrange()

    def search(self) -> None:
        """Search the log if it has the focus, else the history."""
        focused, log = QApplication.focusWidget(), self.pane.log
        if focused is not None and log.isVisible() and log.isAncestorOf(focused):
            log.search_field.focus_and_select()
            return
        if self.table.isHidden():
            self._close_run()
        self.filters.search_field.focus_and_select()

    def query(self) -> HistoryQuery:
        return self.filters.query(self._now())

    def _make_controls(self) -> None:
        self.export = make_button(self.tr("Export…"), "Ctrl+S")
        self.export_progress = ExportProgress(self.session)
        self.count = QLabel()
        set_style(self.count, "ink", "muted")
        self.empty = EmptyState(
            "history",
            self.tr("Nothing has run yet"),
            self.tr("Every run appears here, and every run that was missed or skipped, with the reason."),
            action=self.tr("Go to Workflows"),
        )
        self.no_results = EmptyState(
            "search",
            self.tr("No results"),
            self.tr("Try other words, or clear the filters."),
            action=self.tr("Show all"),
        )

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(make_heading(self.title, TextStyle.DISPLAY))
        top.addStretch(1)
        top.addWidget(self.export)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.table)
        self.split.addWidget(self.pane)
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(Space.MEDIUM)
        self.split.setStretchFactor(0, 3)
        self.split.setStretchFactor(1, 2)
        self.pane.setMinimumWidth(320)
        self.pane.hide()
        self.body = PageStack()
        for page in (QWidget(), self.split, self.empty, self.no_results):
            self.body.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.WIDE)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(top)
        layout.addWidget(self.filters)
        layout.addWidget(self.export_progress)
        layout.addWidget(self.status_line)
        layout.addWidget(self.body, 1)
        layout.addWidget(self.count)

    def _connect(self) -> None:
        self.filters.changed.connect(self._search_again)
        self.filters.search_field.down_pressed.connect(self.table.setFocus)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._follow_selection())
        self.table.clicked.connect(lambda _: self._open_chosen())
        self.table.activated.connect(lambda _: self._open_chosen())
        self.pane.closed.connect(self._close_run)
        self.pane.changed.connect(self.refresh)
        self.pane.open_page.connect(self.open_page)
        self.empty.action_clicked.connect(lambda: self.open_page.emit("workflows", ""))
        self.no_results.action_clicked.connect(self.filters.show_all)
        self.export.clicked.connect(self._choose_export)
        self.export_progress.ended.connect(self._show_export_end)
        self.model.rowsInserted.connect(self._show_count)

    def _search_again(self) -> None:
        self._search_number += 1
        self.status_line.clear()
        self.refresh()

    def _show(self, query: HistoryQuery, read: HistoryRows, names: dict[str, str]) -> None:
        self.filters.show_names(names)
        if query != self.query():
            return
        if query == self._shown and self.model.rowCount():
            self.model.update_rows(read, self._now())
        else:
            self.model.replace_rows(read, self._now())
            self.table.scrollToTop()
        if query != self._shown:
            self._total = None
        self._shown = query
        is_all = query == HistoryQuery()
        pages = self.split if self.model.rowCount() or self.pane.run_id else self.empty if is_all else self.no_results
        self.body.setCurrentWidget(pages)
        self.filters.setVisible(pages is not self.empty and not self.table.isHidden())
        self.export.setVisible(pages is self.split)
        self._show_count()
        self._count(query)

    def _read_more(self, cursor: str) -> None:
        query, session = self._shown or HistoryQuery(), self.session

        def append(read: HistoryRows) -> None:
            if query == self._shown and self.model.cursor == cursor:
                self.model.append(read)
                self._show_count()

        self.background.run(
            lambda: read_page(session, query, cursor, _MORE_ROWS), append, lambda _: self.model.stop_loading()
        )

    def _count(self, query: HistoryQuery) -> None:
        """Count all matching rows, which may take longer than reading the first ones."""
        if self.model.cursor is None:
            return
        views = self.session.queries

        def show(total: int) -> None:
            if query == self._shown:
                self._total = total
                self._show_count()

        self.background.run_latest(
            f"count {self._search_number}", lambda: views.count_history(query), show, rest_factor=_COUNT_REST
        )

    def _show_count(self) -> None:
        number = self.model.rowCount()
        if self.model.cursor is None:
            said = self.tr("1 entry") if number == 1 else self.tr("{number} entries") if number else ""
        elif self._total is None:
            said = self.tr("Latest {number}; scroll for more")
        else:
            said = self.tr("Latest {number} of {total}; scroll for more")
        self.count.setText(
            said.format(number=format_number(number), total=format_number(max(self._total or 0, number)))
        )

    def _open_chosen(self) -> None:
        row = self.table.selected_row()
        if row is None:
            return
        if row.run is None:
            self._close_run()
            self.status_line.show_message(_describe_not_run(row), Tone.QUIET)
        else:
            self.status_line.clear()
            self._open_run(row.run)

    def _follow_selection(self) -> None:
        """Follow the selection, unless a run would replace the table: then Return opens it."""
        if self.width() >= _WIDE_PX:
            self._open_chosen()

    def _open_run(self, run: str) -> None:
        self.pane.open(run)
        if self.pane.isHidden():
            self.pane.show()
            width = self.split.width()
            self.split.setSizes([width * 58 // 100, width * 42 // 100])
        if self.model.rowCount():
            self.body.setCurrentWidget(self.split)
        self._arrange()

    def _close_run(self) -> None:
        had_focus = self.pane.isAncestorOf(self.window().focusWidget())
        self.pane.run_id = ""
        self.pane.hide()
        self._arrange()
        if had_focus:
            self.table.setFocus()

    def _arrange(self) -> None:
        """Show table and run side by side; in a narrow window the run replaces the table."""
        is_open, is_wide = not self.pane.isHidden(), self.width() >= _WIDE_PX
        self.table.setVisible(is_wide or not is_open)
        for part in (self.filters, self.count):
            part.setVisible(is_wide or not is_open)
        self.table.set_narrow(on=is_open or self.width() < _ALL_COLUMNS_PX)

    def _choose_export(self) -> None:
        kinds = self.tr("Table (*.csv);;Data (*.json)")
        dialog = QFileDialog(self, self.tr("Export history"), "", kinds)
        match_suffix_to_filter(dialog)
        dialog.fileSelected.connect(lambda found: self.export_to(Path(found)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fit_to_screen(dialog, dialog.sizeHint().expandedTo(MIN_SIZE))
        dialog.open()

    def export_to(self, path: Path) -> None:
        """Export all matching rows, not only those loaded."""
        self.status_line.clear()
        self.export.setEnabled(False)
        self.export_progress.start(self.query(), path)

    def _show_export_end(self, said: str, tone: Tone) -> None:
        self.export.setEnabled(True)
        self.status_line.show_message(said, tone)

    def _now(self) -> datetime:
        return self.session.now()


def _describe_not_run(row: HistoryRow) -> str:
    return f"{row.name}: {row.what}"
