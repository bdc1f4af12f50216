"""A row of the history that is not one run: why a planned time did not run, or what several runs have in common."""

from zoneinfo import ZoneInfo

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.i18n.state_labels import RunState
from app.i18n.time_text import format_time_range
from app.session import Session
from app.theme.tokens import Space, TextStyle
from app.widgets.details_view import make_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.status_chip import StatusChip
from app.widgets.status_signs import run_sign
from app.widgets.visible_text import escape_invisible
from app.window.feedback import make_button, make_heading
from app.window.history.history_data import HistoryRow
from app.window.page import CardArea


class RowPane(CardArea):
    closed = Signal()
    open_page = Signal(str, str)
    unfold_requested = Signal()

    def __init__(self, session: Session) -> None:
        inner = QWidget()
        super().__init__(inner)
        self._session, self._zone = session, ZoneInfo(session.zone)
        self.row: HistoryRow | None = None
        self.chip = StatusChip(run_sign(RunState.MISSED))
        self.heading = make_label("")
        self.heading.setFont(make_heading("", TextStyle.TITLE).font())
        self.time_label = make_label("", "muted")
        self.workflow_button = make_button(self.tr("Open workflow"))
        self.unfold_button = make_button(self.tr("Show these runs"), importance="primary")
        close = make_button(self.tr("Close"), "Escape")
        first, buttons = QHBoxLayout(), FlowLayout()
        first.addWidget(self.chip)
        first.addStretch(1)
        first.addWidget(close)
        for button in (self.unfold_button, self.workflow_button):
            buttons.addWidget(button)
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(Space.LARGE, Space.LARGE, Space.LARGE, Space.LARGE)
        layout.setSpacing(Space.SMALL)
        layout.addLayout(first)
        layout.addWidget(self.heading)
        layout.addWidget(self.time_label)
        layout.addLayout(buttons)
        layout.addStretch(1)
        close.clicked.connect(self.closed)
        self.unfold_button.clicked.connect(self.unfold_requested)
        self.workflow_button.clicked.connect(self._open_workflow)

    def show_row(self, row: HistoryRow) -> None:
        self.row = row
        self.chip.set_sign(run_sign(row.state))
        self.heading.setText(escape_invisible(row.what))
        self.time_label.setText(" · ".join(part for part in (row.name, row.job, self._describe_time(row)) if part))
        self.workflow_button.setVisible(bool(row.workflow))
        self.unfold_button.setVisible(row.quiet is not None and not row.quiet.is_unfolded)

    def _describe_time(self, row: HistoryRow) -> str:
        now = self._session.now()
        if row.quiet is not None:
            return format_time_range(row.quiet.first, row.quiet.last, self._zone, now)
        planned = format_time_range(row.at, row.until or row.at, self._zone, now)
        return self.tr("planned {time}").format(time=planned)

    def _open_workflow(self) -> None:
        if self.row is not None:
            self.open_page.emit("workflows", self.row.workflow)
