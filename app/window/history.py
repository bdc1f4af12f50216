"""What ran and what did not, with its reason: searched and narrowed at once, as far back as one scrolls."""

from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.life.installation import Installation
from app.look.dressing import mark
from app.look.theme import Space, Tone, Type
from app.widgets.empty import EmptyPage
from app.widgets.search_field import SearchField
from app.window.history_details import say_trigger
from app.window.history_export import name_by_kind, write_history
from app.window.history_model import HistoryModel
from app.window.history_rows import Read, Row, read_page
from app.window.history_run import RunPane
from app.window.history_table import HistoryTable
from app.window.page import Page
from app.window.saying import Saying, leave_find, make_button, make_heading
from app.words.states import RunState, say_run
from app.words.times import say_number
from scheduler.engine.workflows.views.history import Found
from scheduler.store import workflows

_FIRST, _MORE, _MOST = 50, 100, 200
"""Rows that are read for something else to look for, for a scroll, and again after news: none holds up the window."""
_RESULTS = {
    RunState.DONE: "done",
    RunState.FAILED: "failed",
    RunState.WAITING: "waiting",
    RunState.RETRYING: "retrying",
    RunState.RUNNING: "running",
    RunState.CANCELLED: "cancelled",
    RunState.SKIPPED: "skipped",
    RunState.MISSED: "missed",
    RunState.REPLACED: "replaced",
    RunState.DROPPED: "dropped",
}


class HistoryPage(Page):
    def __init__(self, installation: Installation) -> None:
        super().__init__(installation)
        self.title = self.tr("History")
        self._shown: Found | None = None
        self._names: dict[str, str] = {}
        zone = ZoneInfo(installation.house.engine.context.machine_zone)
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
            names = {one.slug: one.name for one in workflows.every_one(installation.database.read())}
            return read_page(installation, wanted, None, number), names

        self.asking.ask_latest("rows", read, lambda found: self._show(wanted, *found), self.saying.refuse)
        if self.pane.isVisible():
            self.pane.refresh()

    def open_subject(self, subject: str) -> None:
        """A run by its id; nothing is the list."""
        if subject:
            self._open_run(subject)
        else:
            self._close_run()

    def search(self) -> None:
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def wanted(self) -> Found:
        days = self.since.currentData()
        since: datetime | None = None
        if days is not None:
            zone = ZoneInfo(self.installation.house.engine.context.machine_zone)
            today = self._now().astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
            since = today - timedelta(days=days)
        return Found(
            workflow=self.workflow.currentData() or None,
            status=self.result.currentData() or None,
            since=since,
            text=self.field.text().strip(),
            trigger=self.trigger.currentData() or None,
        )

    def _make_controls(self) -> None:
        self.field = SearchField(self.tr("Search history"))
        leave_find(self.field)
        self.workflow, self.result, self.trigger, self.since = (QComboBox() for _ in range(4))
        self.workflow.setAccessibleName(self.tr("Workflow"))
        self.workflow.addItem(self.tr("All workflows"), "")
        self.workflow.setMaximumWidth(240)
        self.result.setAccessibleName(self.tr("Result"))
        self.result.addItem(self.tr("All results"), "")
        for state, word in _RESULTS.items():
            self.result.addItem(say_run(state), word)
        self.trigger.setAccessibleName(self.tr("Why it ran"))
        self.trigger.addItem(self.tr("Any reason"), "")
        for trigger in ("automatic", "event", "manual", "backfill", "deploy"):
            said = say_trigger(trigger)
            self.trigger.addItem(f"{said[:1].upper()}{said[1:]}", trigger)
        self.since.setAccessibleName(self.tr("Time"))
        for label, days in (
            (self.tr("Any time"), None),
            (self.tr("Today"), 0),
            (self.tr("Last 7 days"), 6),
            (self.tr("Last 30 days"), 29),
        ):
            self.since.addItem(label, days)
        self.export = make_button(self.tr("Export…"), "Ctrl+S")
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
        self._bar = QWidget()
        bar = QHBoxLayout(self._bar)
        bar.setContentsMargins(0, 0, 0, 0)
        bar.setSpacing(Space.SMALL)
        bar.addWidget(self.field, 1)
        for widget in (self.workflow, self.result, self.trigger, self.since):
            bar.addWidget(widget)
        self.split = QSplitter(Qt.Orientation.Horizontal)
        self.split.addWidget(self.table)
        self.split.addWidget(self.pane)
        self.split.setChildrenCollapsible(False)
        self.split.setHandleWidth(Space.MEDIUM)
        self.split.setStretchFactor(0, 3)
        self.split.setStretchFactor(1, 2)
        self.pane.setMinimumWidth(320)
        self.pane.hide()
        self.body = QStackedWidget()
        for page in (QWidget(), self.split, self.empty, self.nothing):
            self.body.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.WIDE)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(top)
        layout.addWidget(self._bar)
        layout.addWidget(self.saying)
        layout.addWidget(self.body, 1)
        layout.addWidget(self.count)

    def _connect(self) -> None:
        self.field.searched.connect(self.refresh)
        self.field.left.connect(self.table.setFocus)
        for box in (self.workflow, self.result, self.trigger, self.since):
            box.currentIndexChanged.connect(self.refresh)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._choose())
        self.table.clicked.connect(lambda _: self._choose())
        self.table.activated.connect(lambda _: self._choose())
        self.pane.closed.connect(self._close_run)
        self.pane.changed.connect(self.refresh)
        self.pane.open_page.connect(self.open_page)
        self.empty.acted.connect(lambda: self.open_page.emit("workflows", ""))
        self.nothing.acted.connect(self._show_all)
        self.export.clicked.connect(self._choose_export)
        self.model.rowsInserted.connect(self._count)

    def _show(self, wanted: Found, read: Read, names: dict[str, str]) -> None:
        self._show_names(names)
        if wanted == self._shown and self.model.rowCount():
            self.model.renew(read, self._now())
        else:
            self.model.start(read, self._now())
            self.table.scrollToTop()
        self._shown = wanted
        is_all = wanted == Found()
        pages = self.split if self.model.rowCount() or self.pane.run else self.empty if is_all else self.nothing
        self.body.setCurrentWidget(pages)
        self._bar.setVisible(pages is not self.empty)
        self.export.setVisible(pages is self.split)
        self._count()

    def _show_names(self, names: dict[str, str]) -> None:
        if names != self._names:
            self._names = names
            chosen = self.workflow.currentData()
            self.workflow.blockSignals(True)  # noqa: FBT003  # Qt takes it so
            while self.workflow.count() > 1:
                self.workflow.removeItem(1)
            for slug, name in sorted(names.items(), key=lambda one: one[1].casefold()):
                self.workflow.addItem(name, slug)
            self.workflow.setCurrentIndex(max(self.workflow.findData(chosen), 0))
            self.workflow.blockSignals(False)  # noqa: FBT003

    def _read_more(self, cursor: str) -> None:
        wanted, installation = self._shown or Found(), self.installation

        def take(read: Read) -> None:
            if wanted == self._shown and self.model.cursor == cursor:
                self.model.append(read)
                self._count()

        self.asking.ask(lambda: read_page(installation, wanted, cursor, _MORE), take, lambda _: self.model.give_up())

    def _count(self) -> None:
        number = self.model.rowCount()
        more = self.tr("The newest {number}; more as you scroll") if self.model.cursor else self.tr("{number} in all")
        self.count.setText(more.format(number=say_number(number)) if number else "")

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

    def _open_run(self, run: str) -> None:
        self.pane.open(run)
        if not self.pane.isVisibleTo(self):
            self.pane.show()
            width = self.split.width() or 1000
            self.split.setSizes([width * 55 // 100, width * 45 // 100])
            self.table.be_narrow(on=True)
        if self.model.rowCount():
            self.body.setCurrentWidget(self.split)

    def _close_run(self) -> None:
        self.pane.run = ""
        self.pane.hide()
        self.table.be_narrow(on=False)

    def _show_all(self) -> None:
        for box in (self.workflow, self.result, self.trigger, self.since):
            box.setCurrentIndex(0)
        self.field.clear()

    def _choose_export(self) -> None:
        kinds = self.tr("Table (*.csv);;Data (*.json)")
        dialog = QFileDialog(self, self.tr("Export what is shown"), "", kinds)
        name_by_kind(dialog)
        dialog.fileSelected.connect(lambda found: self.export_to(Path(found)))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def export_to(self, path: Path) -> None:
        """All that is looked for, not only what was scrolled to."""
        wanted, installation = self.wanted(), self.installation
        self.saying.say(self.tr("Writing {file}…").format(file=path.name), Tone.QUIET)
        self.asking.ask(
            lambda: write_history(installation, wanted, path),
            lambda number: self.saying.say(
                self.tr("{number} rows were written to {file}.").format(number=say_number(number), file=path.name)
            ),
            self.saying.refuse,
        )

    def _now(self) -> datetime:
        return self.installation.house.engine.context.clock.now()


def _say_unrun(row: Row) -> str:
    return f"{row.name}: {row.what}"
