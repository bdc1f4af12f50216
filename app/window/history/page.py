"""The History page: filters, the table that loads more while scrolling, and the chosen run beside it."""

from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.i18n.time_text import format_number
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, Tone, scale_to_text
from app.widgets.empty_state import EmptyState
from app.widgets.flow_layout import FlowLayout
from app.widgets.page_stack import PageStack
from app.window.feedback import ElidedLabel, StatusLine, make_button, make_heading
from app.window.history.export import ExportProgress, choose_export_path
from app.window.history.filters import HistoryFilters
from app.window.history.history_data import (
    HistoryRow,
    HistoryRows,
    read_folded_page,
    read_page,
    read_quiet_runs,
)
from app.window.history.model import HistoryModel
from app.window.history.row_pane import RowPane
from app.window.history.run_pane import RunPane
from app.window.history.table import HistoryTable
from app.window.page import Page
from scheduler.rules.history_query import HistoryQuery

_FIRST_ROWS, _MORE_ROWS, _MAX_REFRESHED_ROWS = 50, 100, 200
"""Rows read after a filter change, after a scroll, and at most after changes: few enough to stay responsive."""
_WIDE_PX, _ALL_COLUMNS_PX = 880, 760
"""Widths from which a run fits beside the table, and the table alone shows all columns."""
_COUNT_REST = 20
"""After counting, wait this many times as long as it took before counting again."""


class HistoryPage(Page):
    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.title = self.tr("History")
        self._shown: HistoryQuery | None = None
        self._is_folded = True
        """Whether the rows shown are folded."""
        self._search_number = 0
        """Number of filter changes: a new search need not wait for the refresh of an old one."""
        self._total: int | None = None
        """Number of all matching rows, once known."""
        zone = ZoneInfo(session.zone)
        self.filters = HistoryFilters(zone, self.session.now().astimezone(zone))
        self.model = HistoryModel(zone, self, fetch_page=self._read_more)
        self.table = HistoryTable(self.model)
        self.pane, self.row_pane = RunPane(session), RowPane(session)
        self.status_line = StatusLine()
        self._follow_timer = QTimer(self, singleShot=True, interval=0)
        self._make_controls()
        self._lay_out()
        self._connect()

    def refresh(self) -> None:
        """Replace the rows if the filters changed, else only update them."""
        self.filters.show_today(self.session.now())
        query, is_folded, unfolded = self.query(), self.filters.folds_quiet_runs, self.model.unfolded
        is_same = query == self._shown and is_folded == self._is_folded
        number = max(_FIRST_ROWS, min(self.model.rowCount(), _MAX_REFRESHED_ROWS)) if is_same else _FIRST_ROWS
        session = self.session

        def read() -> tuple[HistoryRows, dict[str, str]]:
            names = session.queries.names()
            if is_folded:
                return read_folded_page(session, query, None, number, unfolded if is_same else ()), names
            return read_page(session, query, None, number), names

        def show(found: tuple[HistoryRows, dict[str, str]]) -> None:
            if is_same and unfolded != self.model.unfolded:  # the user folded or unfolded a row meanwhile
                self.refresh()
            else:
                self._show(query, *found, is_folded=is_folded)

        self.background.run_latest(f"rows {self._search_number}", read, show, self.status_line.show_error)
        if self.pane.isVisible():
            self.pane.refresh()

    def open_subject(self, subject: str) -> None:
        """Open a run by its id, with `#log` at its log, or show the entries of a filter; empty shows the list."""
        run, _, part = subject.partition("#")
        if self.filters.apply_subject(subject):
            self._close_run()
        elif run:
            self._open_run(run)
            self.table.select_run(run)
            if part == "log":
                self.pane.show_log()
        else:
            self._close_run()

    def show_start(self) -> None:
        if self.table.isHidden():  # the window is narrow
            self._close_run()

    def focus_first(self) -> None:
        """Without choosing a row, which would open its run."""
        if self.filters.isVisible():
            self.filters.search_field.focus_and_select()
        else:
            super().focus_first()

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
        return self.filters.query(self.session.now())

    def _make_controls(self) -> None:
        self.export = make_button(self.tr("Export…"), "Ctrl+S")
        self.export_progress = ExportProgress(self.session)
        self.count = ElidedLabel()
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
        top = FlowLayout()
        top.add_expanding(make_heading(self.title, TextStyle.DISPLAY))
        top.addWidget(self.export)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.side = PageStack()
        for pane in (self.pane, self.row_pane):
            self.side.addWidget(pane)
        self.split.addWidget(self.table)
        self.split.addWidget(self.side)
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(Space.MEDIUM)
        self.split.setStretchFactor(0, 3)
        self.split.setStretchFactor(1, 2)
        self.side.hide()
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
        # Later: while Qt handles the click, the rows must stay where they are.
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._follow_timer.start())
        self._follow_timer.timeout.connect(self._follow_selection)
        self.table.row_opened.connect(self._open_chosen)
        for pane in (self.pane, self.row_pane):
            pane.closed.connect(self._close_run)
            pane.open_page.connect(self.open_page)
        self.row_pane.unfold_requested.connect(self._open_chosen)
        self.pane.changed.connect(self.refresh)
        self.empty.action_clicked.connect(lambda: self.open_page.emit("workflows", ""))
        self.no_results.action_clicked.connect(self.filters.show_all)
        self.export.clicked.connect(lambda: choose_export_path(self, self.export_to))
        self.export_progress.ended.connect(self._show_export_end)
        self.model.rowsInserted.connect(self._show_count)

    def _search_again(self) -> None:
        self._search_number += 1
        self.status_line.clear()
        self.refresh()

    def _show(self, query: HistoryQuery, read: HistoryRows, names: dict[str, str], *, is_folded: bool) -> None:
        self.filters.show_names(names)
        if query != self.query() or is_folded != self.filters.folds_quiet_runs:
            return
        if query == self._shown and is_folded == self._is_folded and self.model.rowCount():
            self.model.update_rows(read, self.session.now())
        else:
            self.model.replace_rows(read, self.session.now())
            self.table.scrollToTop()
        if query != self._shown:
            self._total = None
        self._shown, self._is_folded = query, is_folded
        self.table.show_used_columns()
        if self.pane.run_id and not self.table.selected_rows():
            self.table.select_run(self.pane.run_id)
        is_all = query == HistoryQuery()
        pages = self.split if self.model.rowCount() or self.pane.run_id else self.empty if is_all else self.no_results
        self.body.setCurrentWidget(pages)
        self.filters.setVisible(pages is not self.empty and not self.table.isHidden())
        self.export.setVisible(pages is self.split)
        self._show_count()
        self._count(query)

    def _read_more(self, cursor: str) -> None:
        query, session, is_folded = self._shown or HistoryQuery(), self.session, self._is_folded
        read_rows = read_folded_page if is_folded else read_page

        def append(read: HistoryRows) -> None:
            if (query, is_folded) == (self._shown, self._is_folded) and self.model.cursor == cursor:
                self.model.append(read)
                self.table.show_used_columns()
                self._show_count()

        self.background.run(
            lambda: read_rows(session, query, cursor, _MORE_ROWS), append, lambda _: self.model.stop_loading()
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
        number = self.model.entry_count
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
        """Open what the current row stands for."""
        row = self.table.selected_row()
        if row is None:
            return
        if row.quiet is not None:
            self._toggle(row)
        elif row.run is None:
            self._open_row(row)
        else:
            self._open_run(row.run)

    def _follow_selection(self) -> None:
        """Follow the selection, unless a run would replace the table: then Return opens it."""
        row = self.table.selected_row()
        if row is None or self.width() < _WIDE_PX or len(self.table.selected_rows()) > 1:
            return
        if row.quiet is None:
            self._open_chosen()
        elif not self.side.isHidden():
            self._open_row(row)

    def _toggle(self, row: HistoryRow) -> None:
        """Unfold the runs that a row stands for, or fold them again."""
        query, session, quiet = self._shown or HistoryQuery(), self.session, row.quiet
        if quiet is None:
            return
        if quiet.is_unfolded:
            self.model.fold(row.key)
            self._follow_selection()
            return

        def unfold(read: HistoryRows) -> None:
            if query == self._shown and self._is_folded:
                self.model.unfold(row.key, read)
                self._follow_selection()

        self.background.run(lambda: read_quiet_runs(session, query, quiet), unfold, self.status_line.show_error)

    def _open_row(self, row: HistoryRow) -> None:
        self.pane.run_id = ""
        self.row_pane.show_row(row)
        self._open_side(self.row_pane)

    def _open_run(self, run: str) -> None:
        self.pane.open(run)
        self._open_side(self.pane)

    def _open_side(self, pane: QWidget) -> None:
        self.side.setCurrentWidget(pane)
        if self.side.isHidden():
            self.side.show()
            width = self.split.width()
            self.split.setSizes([width * 58 // 100, width * 42 // 100])
        self.body.setCurrentWidget(self.split)
        self._arrange()

    def _close_run(self) -> None:
        had_focus = self.side.isAncestorOf(self.window().focusWidget())
        self.pane.run_id = ""
        self.side.hide()
        self._arrange()
        if had_focus:
            self.table.setFocus()

    def _arrange(self) -> None:
        """Show table and run side by side; in a narrow window the run replaces the table."""
        is_open, is_wide = not self.side.isHidden(), self.width() >= scale_to_text(_WIDE_PX, self.font())
        self.table.setVisible(is_wide or not is_open)
        for part in (self.filters, self.count):
            part.setVisible(is_wide or not is_open)
        self.table.set_narrow(on=is_open or self.width() < scale_to_text(_ALL_COLUMNS_PX, self.font()))

    def export_to(self, path: Path) -> None:
        """Export all matching rows, not only those loaded."""
        self.status_line.clear()
        self.export.setEnabled(False)
        self.export_progress.start(self.query(), path)

    def _show_export_end(self, said: str, tone: Tone) -> None:
        self.export.setEnabled(True)
        self.status_line.show_message(said, tone)
