"""The Today page: open requests, the timeline of the day, and a list of what happened."""

from collections import Counter
from datetime import date

from PySide6.QtCore import QDate, QLocale, Qt, QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from app.i18n.time_text import format_number
from app.overview import Overview
from app.requests.labels import sign_request
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, Tone
from app.widgets.empty_state import EmptyState
from app.widgets.flow_layout import FlowLayout
from app.widgets.form_controls import set_tab_order
from app.window.feedback import describe_error, make_button
from app.window.page import NEW_WORKFLOW, Page, PageColumn, make_section_heading, make_titled_page
from app.window.requests.request_groups import RequestGroups
from app.window.today.activity_list import ActivityList
from app.window.today.away_summary import AwaySummary
from app.window.today.report_dialog import ReportDialog
from app.window.today.running_now import RunningNow
from app.window.today.timeline_panel import TimelinePanel
from app.window.today.today_data import Day, read_day
from app.window.welcome.sample import start_sample
from scheduler.rules.handler_ids import split_handler_id

_MAX_LINES = 20
_MAX_KINDS = 3
"""Of the requests that have no row."""
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

    def focus_first(self) -> None:
        """A request before the timeline; not the summary, where the first button dismisses it."""
        if self.cards.focus_first():
            return
        parts = self.timeline, self.timeline_panel.list
        first = next((one for one in parts if one.isVisible()), None)
        if first is None:
            super().focus_first()
        else:
            first.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keep_place(self) -> None:
        self.cards.keep_order()

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
        self.activity.show_lines(day.lines[:_MAX_LINES], overview.zone, overview.now)
        self.activity.setVisible(bool(day.lines))
        self._rest.setText(self._describe_rest(day))
        self._rest.setVisible(bool(self._rest.text()))

    def show_overview(self, overview: Overview) -> None:
        self._column.subtitle.setText(_format_date(overview.now.astimezone(overview.zone).date()))
        self.cards.show_requests(overview)
        waiting = overview.attention_count
        self._needs.setVisible(not self.cards.is_empty)
        self.cards.setVisible(not self.cards.is_empty)
        self._more.setText(self.tr("Show all {number}").format(number=waiting))
        self._more.setVisible(len(overview.requests) > len(self.cards.cards))
        self._hidden.setText(self._describe_hidden(overview))
        self._hidden.setVisible(bool(self._hidden.text()))
        self._stack.setCurrentWidget(self._column if overview.workflows else self._empty)

    def _make_parts(self) -> None:
        self._column = PageColumn(self.title)
        self._make_requests()
        self._make_activity()
        parts = self._column.parts
        for part in (self.away, self._needs, self.cards):
            parts.addWidget(part)
        rest = FlowLayout(Space.MEDIUM)
        rest.addWidget(self._more)
        rest.add_expanding(self._hidden)
        parts.addLayout(rest)
        parts.addWidget(self._known)
        parts.addStretch(1)
        self._empty = self._make_empty()
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._column)
        self._stack.addWidget(self._empty)

    def _make_requests(self) -> None:
        self.away = AwaySummary(self.session)
        self.away.open_page.connect(self.open_page)
        self._needs = make_section_heading(self.tr("Needs your attention"))
        self.cards = RequestGroups(self.session, is_short=True)
        self.cards.focus_left.connect(self.focus_itself)
        self.cards.open_page.connect(self.open_page)
        self.cards.answered.connect(self.refresh)
        self.cards.emptied.connect(self.refresh)
        self.cards.refused.connect(lambda sentence: self.status_message.emit(sentence, Tone.ATTENTION))
        self._more = QPushButton()
        self._more.setAutoDefault(False)
        self._more.clicked.connect(lambda: self.open_page.emit("attention", ""))
        self._hidden = QLabel()
        self._hidden.setWordWrap(True)
        set_style(self._hidden, "ink", "muted")
        for part in (self._needs, self.cards, self._more, self._hidden):
            part.hide()

    def _make_activity(self) -> None:
        """What is shown once the day is known."""
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
        happened = QHBoxLayout()
        happened.addWidget(make_section_heading(self.tr("What happened")), 1)
        self.report_button = make_button(self.tr("&Report…"), importance="quiet")
        self.report_button.clicked.connect(self._open_report)
        happened.addWidget(self.report_button)
        known.addLayout(happened)
        known.addWidget(self.activity)
        known.addWidget(self._rest)

    def _open_report(self) -> None:
        dialog = ReportDialog(self.session, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _make_empty(self) -> QWidget:
        empty = EmptyState(
            "workflow",
            self.tr("No workflows yet"),
            self.tr(
                "Each chore is a workflow; start from a template, no programming needed. "
                "This page shows what your workflows do."
            ),
            action=self.tr("New workflow…"),
            shortcut="Ctrl+N",
            secondary=self.tr("Try the sample"),
        )
        empty.action_clicked.connect(lambda: self.open_page.emit("workflows", NEW_WORKFLOW))
        empty.secondary_clicked.connect(self._try_sample)
        return make_titled_page(self.title, empty)

    def _try_sample(self) -> None:
        session = self.session
        self.status_message.emit(self.tr("Preparing the sample…"), Tone.QUIET)
        self.background.run_latest(
            "sample",
            lambda: start_sample(session),
            lambda _: self.refresh(),
            lambda error: self.status_message.emit(describe_error(error), Tone.BAD),
        )

    def _describe_hidden(self, overview: Overview) -> str:
        """The requests that have no row, by kind."""
        shown = {one.id for entry in self.cards.entries.values() for one in entry.group.requests}
        kinds = Counter(sign_request(one.kind).word for one in overview.requests if one.id not in shown)
        return " · ".join(f"{kind} ({format_number(number)})" for kind, number in kinds.most_common(_MAX_KINDS))

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
