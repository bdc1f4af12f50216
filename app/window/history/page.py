"""What ran and what did not, with its reason: searched and narrowed at once, as far back as one scrolls."""

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

from app.life.installation import Installation
from app.look.dressing import mark
from app.look.theme import Space, Tone, Type
from app.widgets.empty import EmptyPage
from app.widgets.fitting import fit
from app.widgets.stack import Stack
from app.window.history_export import HistoryExport, name_by_kind
from app.window.history_filters import HistoryFilters
from app.window.history_model import HistoryModel
from app.window.history_rows import Read, Row, read_page
from app.window.history_run import RunPane
from app.window.history_table import HistoryTable
from app.window.page import Page
from app.window.saying import Saying, make_button, make_heading
from app.words.times import say_number
from scheduler.engine.workflows.views.history import Found

_FIRST, _MORE, _MOST = 50, 100, 200
"""Rows that are read for something else to look for, for a scroll, and again after news: none holds up the window."""
_WIDE, _ROOMY = 880, 700
"""From where on a run has room beside the rows, and rows alone for every column."""
_COUNT_REST = 20
"""How many times as long as it took to count nobody counts again, whatever happens meanwhile."""


class HistoryPage(Page):
    def __init__(self, installation: Installation) -> None:
        super().__init__(installation)
        self.title = self.tr("History")
        self._shown: Found | None = None
        self._turn = 0
        """How often something else was looked for: that need not wait until news may be looked at again."""
        self._total: int | None = None
        """Of all that is looked for, once it is known."""
        zone = ZoneInfo(installation.house.engine.context.machine_zone)
        self.filters = HistoryFilters(zone, self._now().astimezone(zone))
        self.model = HistoryModel(zone, self)
        self.model.more = self._read_more
        self.table = HistoryTable(self.model)
        self.pane = RunPane(installation)
        self.saying = Saying()
        self._make_controls()
        self._lay_out()
        self._connect()

    def refresh(self) -> None:
        """Other rows if something else is looked for, else only what is new."""
        wanted, installation = self.wanted(), self.installation
        number = max(_FIRST, min(self.model.rowCount(), _MOST)) if wanted == self._shown else _FIRST

        def read() -> tuple[Read, dict[str, str]]:
            names = installation.views.names()
            return read_page(installation, wanted, None, number), names

        self.asking.ask_latest(f"rows {self._turn}", read, lambda found: self._show(wanted, *found), self.saying.refuse)
        if self.pane.isVisible():
            self.pane.refresh()

    def open_subject(self, subject: str) -> None:
        """A run by its id; nothing is the list."""
        if subject:
            self._open_run(subject)
        else:
            self._close_run()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._share_room()

    def search(self) -> None:
        """In the log for whoever is in it, else in everything that ran."""
        focused, log = QApplication.focusWidget(), self.pane.log
        if focused is not None and log.isVisible() and log.isAncestorOf(focused):
            log.field.come()
            return
        if self.table.isHidden():
            self._close_run()
        self.filters.field.come()

    def wanted(self) -> Found:
        return self.filters.wanted(self._now())

    def _make_controls(self) -> None:
        self.export = make_button(self.tr("Export…"), "Ctrl+S")
        self.exporting = HistoryExport(self.installation)
        self.count = QLabel()
        mark(self.count, "ink", "muted")
        self.empty = EmptyPage(
            "history",
            self.tr("Nothing has run yet"),
            self.tr("Every run is listed here, and every time that did not run with its reason."),
            action=self.tr("Go to Workflows"),
        )
        self.nothing = EmptyPage(
            "search",
            self.tr("Nothing like that has happened"),
            self.tr("Look for other words, or for all workflows, results and times."),
            action=self.tr("Show all"),
        )

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(make_heading(self.title, Type.DISPLAY))
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
        self.body = Stack()
        for page in (QWidget(), self.split, self.empty, self.nothing):
            self.body.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.WIDE)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(top)
        layout.addWidget(self.filters)
        layout.addWidget(self.exporting)
        layout.addWidget(self.saying)
        layout.addWidget(self.body, 1)
        layout.addWidget(self.count)

    def _connect(self) -> None:
        self.filters.changed.connect(self._look_anew)
        self.filters.field.left.connect(self.table.setFocus)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._browse())
        self.table.clicked.connect(lambda _: self._choose())
        self.table.activated.connect(lambda _: self._choose())
        self.pane.closed.connect(self._close_run)
        self.pane.changed.connect(self.refresh)
        self.pane.open_page.connect(self.open_page)
        self.empty.acted.connect(lambda: self.open_page.emit("workflows", ""))
        self.nothing.acted.connect(self.filters.show_all)
        self.export.clicked.connect(self._choose_export)
        self.exporting.ended.connect(self._end_export)
        self.model.rowsInserted.connect(self._say_count)

    def _look_anew(self) -> None:
        self._turn += 1
        self.saying.clear()
        self.refresh()

    def _show(self, wanted: Found, read: Read, names: dict[str, str]) -> None:
        self.filters.show_names(names)
        if wanted != self.wanted():
            return
        if wanted == self._shown and self.model.rowCount():
            self.model.renew(read, self._now())
        else:
            self.model.start(read, self._now())
            self.table.scrollToTop()
        if wanted != self._shown:
            self._total = None
        self._shown = wanted
        is_all = wanted == Found()
        pages = self.split if self.model.rowCount() or self.pane.run else self.empty if is_all else self.nothing
        self.body.setCurrentWidget(pages)
        self.filters.setVisible(pages is not self.empty and not self.table.isHidden())
        self.export.setVisible(pages is self.split)
        self._say_count()
        self._count(wanted)

    def _read_more(self, cursor: str) -> None:
        wanted, installation = self._shown or Found(), self.installation

        def take(read: Read) -> None:
            if wanted == self._shown and self.model.cursor == cursor:
                self.model.append(read)
                self._say_count()

        self.asking.ask(lambda: read_page(installation, wanted, cursor, _MORE), take, lambda _: self.model.give_up())

    def _count(self, wanted: Found) -> None:
        """All that there is, which may take a moment longer than what is shown of it."""
        if self.model.cursor is None:
            return
        views = self.installation.views

        def take(total: int) -> None:
            if wanted == self._shown:
                self._total = total
                self._say_count()

        self.asking.ask_latest(f"count {self._turn}", lambda: views.count_history(wanted), take, rest=_COUNT_REST)

    def _say_count(self) -> None:
        number = self.model.rowCount()
        if self.model.cursor is None:
            said = self.tr("{number} in all") if number else ""
        elif self._total is None:
            said = self.tr("The newest {number}; more as you scroll")
        else:
            said = self.tr("The newest {number} of {total}; more as you scroll")
        self.count.setText(said.format(number=say_number(number), total=say_number(max(self._total or 0, number))))

    def _choose(self) -> None:
        row = self.table.chosen()
        if row is None:
            return
        if row.run is None:
            self._close_run()
            self.saying.say(_say_unrun(row), Tone.QUIET)
        else:
            self.saying.clear()
            self._open_run(row.run)

    def _browse(self) -> None:
        """Along the rows with the keys; where a run takes the place of the rows, Return opens it."""
        if self.width() >= _WIDE:
            self._choose()

    def _open_run(self, run: str) -> None:
        self.pane.open(run)
        if self.pane.isHidden():
            self.pane.show()
            width = self.split.width()
            self.split.setSizes([width * 58 // 100, width * 42 // 100])
        if self.model.rowCount():
            self.body.setCurrentWidget(self.split)
        self._share_room()

    def _close_run(self) -> None:
        had_focus = self.pane.isAncestorOf(self.window().focusWidget())
        self.pane.run = ""
        self.pane.hide()
        self._share_room()
        if had_focus:
            self.table.setFocus()

    def _share_room(self) -> None:
        """Rows and a run beside each other need room; in a narrow window the run takes the place of the rows."""
        is_open, is_wide = not self.pane.isHidden(), self.width() >= _WIDE
        self.table.setVisible(is_wide or not is_open)
        for part in (self.filters, self.count):
            part.setVisible(is_wide or not is_open)
        self.table.be_narrow(on=is_open or self.width() < _ROOMY)

    def _choose_export(self) -> None:
        kinds = self.tr("Table (*.csv);;Data (*.json)")
        dialog = QFileDialog(self, self.tr("Export what is shown"), "", kinds)
        name_by_kind(dialog)
        dialog.fileSelected.connect(lambda found: self.export_to(Path(found)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fit(dialog, dialog.sizeHint())
        dialog.open()

    def export_to(self, path: Path) -> None:
        """All that is looked for, not only what was scrolled to."""
        self.saying.clear()
        self.export.setEnabled(False)
        self.exporting.start(self.wanted(), path)

    def _end_export(self, said: str, tone: Tone) -> None:
        self.export.setEnabled(True)
        self.saying.say(said, tone)

    def _now(self) -> datetime:
        return self.installation.house.engine.context.clock.now()


def _say_unrun(row: Row) -> str:
    return f"{row.name}: {row.what}"
