"""What runs at this moment: name, since when, and buttons to stop it and to show its log."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from app.background import BackgroundTasks, run_command
from app.i18n.time_text import format_clock_time, format_day_and_time
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space
from app.widgets.flow_layout import FlowLayout
from app.widgets.visible_text import escape_invisible
from app.window.feedback import ElidedLabel, make_button
from app.window.page import make_section_heading
from scheduler.timing.zones import find_zone

translate = QCoreApplication.translate
MAX_ROWS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningRun:
    run: str
    name: str
    """Of its workflow, with that of its job if there are several."""
    since: datetime


class RunningNow(QWidget):
    """Hidden while nothing runs. Rows are reused, so that the focus stays on a button while other runs end."""

    opened = Signal(str)
    """A run whose log is to be shown."""
    stopped = Signal()
    stop_failed = Signal(object)
    """An Exception."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._background = BackgroundTasks(self)
        self.rows: dict[str, _RunningRow] = {}
        """By run."""
        card = QFrame()
        set_style(card, "surface", "card")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(make_section_heading(self.tr("Running now")))
        layout.addWidget(card)
        self._list = QVBoxLayout(card)
        self._list.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.SMALL, Space.MEDIUM)
        self._list.setSpacing(Space.SMALL)
        self.hide()

    def show_runs(self, runs: Sequence[RunningRun], now: datetime) -> None:
        """The oldest first; beyond MAX_ROWS the timeline shows the rest."""
        shown = {one.run: one for one in runs[:MAX_ROWS]}
        for run in [known for known in self.rows if known not in shown]:
            self._remove(self.rows.pop(run))
        for run, one in shown.items():
            if run not in self.rows:
                self.rows[run] = _RunningRow()
                self._list.addWidget(self.rows[run])
                self._connect(self.rows[run], run)
            self.rows[run].show_run(one, self._describe_start(one.since, now))
        self.setVisible(bool(self.rows))

    def _remove(self, row: "_RunningRow") -> None:
        self._list.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _connect(self, row: "_RunningRow", run: str) -> None:
        row.log.clicked.connect(lambda: self.opened.emit(run))
        row.stop.clicked.connect(lambda: self._stop(run))

    def _stop(self, run: str) -> None:
        session = self._session
        self.rows[run].stop.setEnabled(False)

        def refuse(error: Exception) -> None:
            if run in self.rows:
                self.rows[run].stop.setEnabled(True)
            self.stop_failed.emit(error)

        self._background.run(lambda: run_command(session, "stop", target=run), lambda _: self.stopped.emit(), refuse)

    def _describe_start(self, since: datetime, now: datetime) -> str:
        zone, minute = find_zone(self._session.zone), since.replace(second=0, microsecond=0)
        is_today = since.astimezone(zone).date() == now.astimezone(zone).date()
        at = format_clock_time(minute, zone) if is_today else format_day_and_time(minute, zone, now)
        return self.tr("since {time}").format(time=at)


class _RunningRow(QWidget):
    """Name, start and buttons; what does not fit beside a long name moves below it."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.since = ElidedLabel(), QLabel()
        self.stop = make_button(translate("today", "Stop"))
        self.log = make_button(translate("today", "Show log"), importance="quiet")
        set_style(self.since, "ink", "muted")
        line = FlowLayout(Space.MEDIUM)
        line.add_expanding(self.name)
        for widget in (self.since, self.log, self.stop):
            line.addWidget(widget)
        self.setLayout(line)

    def show_run(self, one: RunningRun, since: str) -> None:
        title = escape_invisible(one.name)
        self.name.setText(title)
        self.since.setText(since)
        for button in (self.stop, self.log):
            button.setAccessibleDescription(f"{title}, {since}")
