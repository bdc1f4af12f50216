"""The pending events of a workflow, one per line; each can be skipped."""

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from app.background import BackgroundTasks
from app.i18n.time_text import format_day_and_time, format_number
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, Tone
from app.widgets.visible_text import escape_invisible
from app.window.feedback import StatusLine, make_button
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.events import PendingEvent, PendingEvents

_MAX_EVENTS = 20


class PendingEventsList(QFrame):
    """Rows are reused."""

    skipped = Signal(str, str)
    """Topic and id of a skipped event."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        set_style(self, "surface", "card")
        self._session = session
        self._background = BackgroundTasks(self)
        self._workflow = ""
        self.rows: list[_EventRow] = []
        self.status_line = StatusLine()
        self.more = QLabel()
        set_style(self.more, "ink", "muted")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(Space.LARGE, Space.SMALL, Space.LARGE, Space.SMALL)
        self._grid.setHorizontalSpacing(Space.MEDIUM)
        self._grid.setVerticalSpacing(Space.TIGHT)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self.status_line, 0, 0, 1, 3)
        self._grid.addWidget(self.more, _MAX_EVENTS + 1, 0, 1, 3)

    def set_workflow(self, workflow: str) -> None:
        if workflow != self._workflow:
            self._workflow = workflow
            self.status_line.clear()
            for row in self.rows:
                row.hide()

    def refresh(self) -> None:
        session, workflow = self._session, self._workflow
        self._background.run_latest(
            "waiting",
            lambda: session.queries.pending_events(workflow, _MAX_EVENTS),
            lambda facts: self._show(workflow, facts),
            self.status_line.show_error,
        )

    def _show(self, workflow: str, facts: PendingEvents) -> None:
        if workflow != self._workflow:
            return
        while len(self.rows) < len(facts.shown):
            self.rows.append(_EventRow(self._grid, len(self.rows), self._skip, self))
        for row, one in zip(self.rows, facts.shown, strict=False):
            row.show(one, ZoneInfo(self._session.zone), facts.now)
        for row in self.rows[len(facts.shown) :]:
            row.hide()
        self.more.setText(self.tr("And {number} more.").format(number=format_number(facts.more)))
        self.more.setVisible(facts.more > 0)

    def _skip(self, one: PendingEvent) -> None:
        session, workflow = self._session, self._workflow

        def act() -> object:
            return session.execute_for_user(lambda runtime: runtime.event_commands.skip(workflow, one.topic, one.id))

        def done(_: object) -> None:
            self.status_line.show_message(
                self.tr("{title} skipped.").format(title=escape_invisible(one.title)), Tone.GOOD
            )
            self.skipped.emit(one.topic, one.id)
            self.refresh()

        def refuse(error: Exception) -> None:
            self.status_line.show_error(error)
            if isinstance(error, RefusedError):
                self.refresh()

        self._background.run(act, done, refuse)


class _EventRow:
    """The widgets of one event, in a row of the grid."""

    def __init__(
        self, grid: QGridLayout, place: int, skip: Callable[[PendingEvent], None], parent: PendingEventsList
    ) -> None:
        self.event: PendingEvent | None = None
        self.when, self.title = QLabel(parent), QLabel(parent)
        set_style(self.when, "ink", "muted")
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setWordWrap(True)
        self.button: QPushButton = make_button(QCoreApplication.translate("waiting", "Skip"))
        self.button.clicked.connect(lambda: None if self.event is None else skip(self.event))
        for column, widget in enumerate(self._widgets()):
            grid.addWidget(widget, place + 1, column, Qt.AlignmentFlag.AlignVCenter)

    def show(self, one: PendingEvent, zone: ZoneInfo, now: datetime) -> None:
        self.event = one
        self.when.setText(format_day_and_time(one.since.replace(second=0, microsecond=0), zone, now))
        self.title.setText(escape_invisible(one.title))
        self.button.setAccessibleDescription(escape_invisible(one.title))
        for widget in self._widgets():
            widget.show()

    def hide(self) -> None:
        self.event = None
        for widget in self._widgets():
            widget.hide()

    def _widgets(self) -> tuple[QWidget, ...]:
        return self.when, self.title, self.button
