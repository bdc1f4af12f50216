"""The Today page: open requests, the timeline of the day, and a list of what happened."""

from collections.abc import Callable, Sequence
from datetime import date, datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QDate, QLocale, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from app.i18n.time_text import format_clock_time
from app.overview import Overview
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, Tone
from app.widgets.empty_state import EmptyState
from app.widgets.form_controls import set_tab_order
from app.widgets.status_chip import StatusChip
from app.widgets.status_signs import run_sign
from app.widgets.visible_text import add_break_points, escape_invisible
from app.window.feedback import describe_error
from app.window.page import Page, PageColumn, make_section_heading, make_titled_page
from app.window.requests.request_groups import RequestGroups
from app.window.today.away_summary import AwaySummary
from app.window.today.running_now import RunningNow
from app.window.today.timeline_panel import TimelinePanel
from app.window.today.today_data import ActivityLine, Day, read_day
from app.window.welcome.sample import start_sample
from scheduler.rules.handler_ids import split_handler_id

_ROWS_AT_ONCE = 6
_NARROW_LIST = 560
"""Below this width the sentence of a row is in a line of its own."""
_MIN_LIST_WIDTH = 320
_MAX_NAME_WIDTH, _UNLIMITED_WIDTH = 220, 16_777_215


class ActivityList(QFrame):
    """Rows are reused: changes come often, and creating widgets is slow."""

    opened = Signal(str)
    """A run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_style(self, "surface", "card")
        self.lines: tuple[ActivityLine, ...] = ()
        self._rows: list[_ActivityRow] = []
        self._number = 0
        self._pending: tuple[ActivityLine, ...] = ()
        self._is_narrow = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.SMALL, Space.MEDIUM)
        self._grid.setHorizontalSpacing(Space.MEDIUM)
        self._grid.setVerticalSpacing(Space.SMALL)
        self._grid.setColumnStretch(3, 1)

    def minimumSizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        least = super().minimumSizeHint()
        return QSize(min(least.width(), _MIN_LIST_WIDTH), least.height())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        is_narrow = self.width() < _NARROW_LIST
        if is_narrow is not self._is_narrow:
            self._is_narrow = is_narrow
            for row in self._rows:
                row.lay_out(is_narrow=is_narrow)

    def show_lines(self, lines: Sequence[ActivityLine], zone: ZoneInfo) -> None:
        """New rows are created a few at a time, so that the window stays responsive."""
        self._pending = tuple(lines)
        self._show_some(zone)

    def _show_some(self, zone: ZoneInfo) -> None:
        lines = self._pending[: len(self._rows) + _ROWS_AT_ONCE]
        if len(lines) < len(self._pending):
            QTimer.singleShot(0, self, lambda: self._show_some(zone))
        if lines == self.lines:
            return
        self.lines = lines
        is_shown = not self.isHidden()
        if is_shown and len(lines) != self._number:
            self.hide()  # else the whole page is laid out again for every widget
        self._number = len(lines)
        while len(self._rows) < len(lines):
            number = len(self._rows)
            row = _ActivityRow(self._grid, number, lines[number], self.opened.emit, self)
            row.lay_out(is_narrow=self._is_narrow)
            self._rows.append(row)
        for row, line in zip(self._rows, lines, strict=False):
            row.show(line, zone)
        for row in self._rows[len(lines) :]:
            row.hide()
        if is_shown:
            self.show()


class _ActivityRow:
    """The widgets of one line, in two rows of the grid; the second is for the sentence in a narrow window."""

    def __init__(
        self, grid: QGridLayout, number: int, line: ActivityLine, opened: Callable[[str], None], parent: QWidget
    ) -> None:
        self._run = ""
        self._grid, self._top = grid, 2 * number
        self._is_narrow = False
        self.when, self.name, self.sentence = QLabel(parent), QLabel(parent), QLabel(parent)
        self.chip = StatusChip(run_sign(line.state), parent)
        self.button = QPushButton(QCoreApplication.translate("happenings", "Details"), parent)
        self.button.setAutoDefault(False)
        set_style(self.button, "importance", "quiet")
        self.button.clicked.connect(lambda: opened(self._run))
        set_style(self.when, "ink", "muted")
        self.sentence.setWordWrap(True)
        for label in (self.name, self.sentence):
            label.setTextFormat(Qt.TextFormat.PlainText)

    def lay_out(self, *, is_narrow: bool) -> None:
        middle = Qt.AlignmentFlag.AlignVCenter
        for column, widget in enumerate(self._widgets()):
            if widget is self.sentence and is_narrow:
                self._grid.addWidget(widget, self._top + 1, 0, 1, 5, middle)
            elif widget is self.name:
                self._grid.addWidget(widget, self._top, column, 1, 2 if is_narrow else 1, middle)
            else:
                self._grid.addWidget(widget, self._top, column, middle)
        self._is_narrow = is_narrow
        self._fit_name()

    def show(self, line: ActivityLine, zone: ZoneInfo) -> None:
        self._run = line.run
        self.when.setText(_format_minute(line.at, zone))
        self.chip.set_sign(run_sign(line.state))
        self.name.setText(add_break_points(escape_invisible(line.name)))
        self._fit_name()
        self.sentence.setText(add_break_points(escape_invisible(line.sentence)))
        self.button.setAccessibleDescription(escape_invisible(f"{line.name}: {line.sentence}"))
        for widget in self._widgets():
            is_visible = widget is not self.button or bool(line.run)
            if widget.isHidden() is is_visible:
                widget.setVisible(is_visible)

    def hide(self) -> None:
        for widget in self._widgets():
            widget.hide()

    def _fit_name(self) -> None:
        """A long name wraps, so that it leaves room for the sentence."""
        is_long = self.name.fontMetrics().horizontalAdvance(self.name.text()) > _MAX_NAME_WIDTH
        has_column = is_long and not self._is_narrow
        self.name.setWordWrap(self._is_narrow or is_long)
        self.name.setMinimumWidth(_MAX_NAME_WIDTH if has_column else 0)
        self.name.setMaximumWidth(_MAX_NAME_WIDTH if has_column else _UNLIMITED_WIDTH)

    def _widgets(self) -> tuple[QWidget, ...]:
        return self.when, self.chip, self.name, self.sentence, self.button


def _format_minute(at: datetime, zone: ZoneInfo) -> str:
    return format_clock_time(at.replace(second=0, microsecond=0), zone)


_MAX_LINES = 20
_MINUTE_MS = 60_000
_SPAN_DELAY_MS = 150
"""Time after moving the timeline before the new span is read."""


class TodayPage(Page):
    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.title = self.tr("Today")
        self.day: Day | None = None
        self._make_parts()
        self._clock = QTimer(self, interval=_MINUTE_MS)
        self._clock.timeout.connect(self.refresh)
        self._span_timer = QTimer(self, interval=_SPAN_DELAY_MS, singleShot=True)
        self._span_timer.timeout.connect(self.refresh)
        self.timeline.span_changed.connect(lambda *_: self._span_timer.start())

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        """Keep the current-time line moving while the page is shown."""
        super().showEvent(event)
        self._clock.start()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802  # Qt's name
        super().hideEvent(event)
        self._clock.stop()

    def refresh(self) -> None:
        session, span = self.session, None if self.day is None else self.timeline.span
        self.background.run_latest("day", lambda: read_day(session, span), self.show_day)
        self.away.refresh()

    def focus_first(self) -> bool:
        """A request before the timeline; not the summary, where the first button dismisses it."""
        parts = (*self.cards.cards.values(), self.timeline, self.timeline_panel.list)
        first = next((one for one in parts if one.isVisible()), None)
        if first is None:
            return super().focus_first()
        first.setFocus(Qt.FocusReason.ShortcutFocusReason)
        return True

    def send_delayed_answers(self, *, wait: bool = False) -> None:
        self.cards.send_delayed(wait=wait)

    def update_tab_order(self) -> None:
        set_tab_order(self.away, self.cards, self._more, self.running, self.timeline_panel, self.activity)

    def show_day(self, day: Day) -> None:
        if not self.isVisible():  # it refreshes when shown
            return
        self.day = day
        overview = day.overview
        self.show_overview(overview)
        self._known.show()
        self.running.show_runs(day.running, overview.now)
        self.timeline_panel.set_day(
            day.lanes, day.bars, zone=overview.zone, now=overview.now, known_since=day.known_since
        )
        self.activity.show_lines(day.lines[:_MAX_LINES], overview.zone)
        self.activity.setVisible(bool(day.lines))
        self._rest.setText(self._describe_rest(day))
        self._rest.setVisible(bool(self._rest.text()))

    def show_overview(self, overview: Overview) -> None:
        self._column.subtitle.setText(_format_date(overview.now.astimezone(overview.zone).date()))
        self.cards.show_requests(overview)
        waiting = len(overview.requests)
        self._needs.setVisible(bool(self.cards.entries))
        self.cards.setVisible(bool(self.cards.entries))
        self._more.setText(self.tr("Show all {number}").format(number=waiting))
        self._more.setVisible(waiting > len(self.cards.cards))
        self._stack.setCurrentWidget(self._column if overview.workflows else self._empty)

    def _make_parts(self) -> None:
        self._column = PageColumn(self.title)
        parts = self._column.parts
        self.away = AwaySummary(self.session)
        self.away.open_page.connect(self.open_page)
        self._needs = make_section_heading(self.tr("Needs your attention"))
        self.cards = RequestGroups(self.session, is_short=True)
        self.cards.focus_left.connect(self._column.setFocus)
        self.cards.open_page.connect(self.open_page)
        self.cards.answered.connect(self.refresh)
        self.cards.emptied.connect(self.refresh)
        self._more = QPushButton()
        self._more.setAutoDefault(False)
        self._more.clicked.connect(lambda: self.open_page.emit("attention", ""))
        self.running = RunningNow(self.session)
        self.running.opened.connect(lambda run: self.open_page.emit("history", run))
        self.running.stopped.connect(self.refresh)
        self.running.stop_failed.connect(lambda error: self.status_message.emit(describe_error(error), Tone.BAD))
        self.timeline_panel = TimelinePanel(self.session.folder)
        self.timeline_panel.opened.connect(self._open_bar)
        self.timeline = self.timeline_panel.timeline
        self.timeline.lane_opened.connect(lambda workflow: self.open_page.emit("workflows", workflow))
        self.activity = ActivityList()
        self.activity.opened.connect(lambda run: self.open_page.emit("history", run))
        self._rest = QLabel()
        self._rest.setWordWrap(True)
        set_style(self._rest, "ink", "muted")
        self._known = QWidget()
        self._known.hide()
        known = QVBoxLayout(self._known)
        known.setContentsMargins(0, 0, 0, 0)
        known.setSpacing(Space.MEDIUM)
        known.addWidget(self.running)
        known.addWidget(self.timeline_panel)
        known.addWidget(make_section_heading(self.tr("What happened")))
        known.addWidget(self.activity)
        known.addWidget(self._rest)
        for part in (self._needs, self.cards, self._more):
            part.hide()
        parts.addWidget(self.away)
        parts.addWidget(self._needs)
        parts.addWidget(self.cards)
        parts.addWidget(self._more, 0, Qt.AlignmentFlag.AlignLeft)
        parts.addWidget(self._known)
        parts.addStretch(1)
        empty = EmptyState(
            "workflow",
            self.tr("No workflows yet"),
            self.tr(
                "Each chore is a workflow; start from a template, no programming needed. "
                "This page shows what your workflows do."
            ),
            action=self.tr("Add a workflow"),
            secondary=self.tr("Try the sample"),
        )
        empty.action_clicked.connect(lambda: self.open_page.emit("workflows", ""))
        empty.secondary_clicked.connect(self._try_sample)
        self._empty = make_titled_page(self.title, empty)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._column)
        self._stack.addWidget(self._empty)

    def _try_sample(self) -> None:
        session = self.session
        self.status_message.emit(self.tr("Preparing the sample…"), Tone.QUIET)
        self.background.run_latest(
            "sample",
            lambda: start_sample(session),
            lambda _: self.refresh(),
            lambda error: self.status_message.emit(describe_error(error), Tone.BAD),
        )

    def _describe_rest(self, day: Day) -> str:
        """What the list leaves out."""
        if not day.lines and not day.quiet_runs:
            return self.tr("Nothing yet today.")
        said = []
        if day.quiet_runs == 1:
            said.append(self.tr("1 run went well and had nothing to report."))
        elif day.quiet_runs:
            said.append(self.tr("{number} runs went well and had nothing to report.").format(number=day.quiet_runs))
        if day.known_since is not None or len(day.lines) > _MAX_LINES:
            said.append(self.tr("See History for more."))
        return " ".join(said)

    def _open_bar(self, bar: str) -> None:
        """Open a run in History; for a time without a run, open its workflow."""
        _, _, rest = bar.partition(":")
        if not rest:
            self.open_page.emit("history", bar)
        else:
            self.open_page.emit("workflows", split_handler_id(rest.partition(":")[0])[0])


def _format_date(day: date) -> str:
    return str(QLocale().toString(QDate(day.year, day.month, day.day), QLocale.FormatType.LongFormat))
