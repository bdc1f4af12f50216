"""One run: its outcome, exactly what was done, its log, and Details."""

from dataclasses import replace
from zoneinfo import ZoneInfo

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.background import BackgroundTasks, run_command
from app.i18n.connector_labels import parameter_labels
from app.i18n.time_text import format_duration, format_time_range
from app.overview import add_job
from app.requests.actions import OfferedAction, list_actions
from app.requests.presentation import describe_connection, describe_tool
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, Tone
from app.widgets.details import make_sections
from app.widgets.details_view import DetailsView, make_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.form_controls import set_tab_order
from app.widgets.log_view import LogView
from app.widgets.status_chip import StatusChip
from app.widgets.status_signs import run_sign
from app.widgets.visible_text import escape_invisible
from app.window.feedback import StatusLine, make_button, make_heading
from app.window.history.answers import describe_answer, describe_changes, describe_reason
from app.window.history.history_data import describe_outcome, describe_status, happened_at, state_of_run, took
from app.window.history.run_details import describe_trigger, make_details
from app.window.page import CardArea
from scheduler.engine.queries.runs import LogPart, RunDetails
from scheduler.rules.phases import HandlerKind, RunStatus
from scheduler.rules.requests import REQUESTS, RequestKind

_ANSWERED_ON_CARD = (RequestKind.APPROVAL, RequestKind.QUESTION, RequestKind.PERMISSION, RequestKind.RECONNECT)
_POLL_MS = 700
"""How often the log of an active run is read."""


class RunPane(CardArea):
    """Shows one run at a time and follows it while visible."""

    closed = Signal()
    changed = Signal()
    """A command succeeded."""
    open_page = Signal(str, str)

    def __init__(self, session: Session) -> None:
        inner = QWidget()
        super().__init__(inner)
        self._session, self._background = session, BackgroundTasks(self)
        self._zone = ZoneInfo(session.zone)
        self.run_id, self._name = "", ""
        self.details: RunDetails | None = None
        self._part, self._has_read_log = 0, False
        self._is_reading_log = self._shows_details = self._wants_log = False
        self.status_line = StatusLine()
        self.log = LogView(self._zone)
        self._whole = QVBoxLayout(inner)
        self._whole.setContentsMargins(Space.LARGE, Space.LARGE, Space.LARGE, Space.LARGE)
        self._whole.setSpacing(Space.MEDIUM)
        self._top = QWidget()
        self._whole.addWidget(self._top)
        self._whole.addWidget(self.status_line)
        self._whole.addWidget(self.log, 1)
        self._whole.addStretch(0)
        self._poll_timer = QTimer(self, interval=_POLL_MS)
        self._poll_timer.timeout.connect(self._read_log)

    def open(self, run: str) -> None:
        if run != self.run_id:
            self.run_id, self.details, self._part, self._wants_log = run, None, 0, False
            self._has_read_log = False
            self.log.clear()
            self.status_line.clear()
        self.refresh()

    def show_log(self) -> None:
        """Scroll to the log, as soon as the run and its log are read."""
        self._wants_log = True
        self._scroll_to_log()

    def _scroll_to_log(self) -> None:
        if not self._wants_log or self.details is None:
            return
        if not self.log.isHidden():
            self._wants_log = False
            QTimer.singleShot(0, self, self._focus_log)  # after the layout
        elif self._has_read_log and self.details.status is not RunStatus.ACTIVE:
            self._wants_log = False
            self.status_line.show_message(self.tr("This run printed nothing."), Tone.QUIET)

    def _focus_log(self) -> None:
        self.log.text_view.setFocus()
        self.verticalScrollBar().setValue(self.log.y())

    def refresh(self) -> None:
        run = self.run_id
        if run:
            session = self._session
            self._background.run_latest(
                "run", lambda: _read(session, run), lambda found: self._show(run, *found), self._refuse
            )
            self._read_log()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        super().showEvent(event)
        self._poll_timer.start()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802  # Qt's name
        super().hideEvent(event)
        self._poll_timer.stop()

    def _refuse(self, error: Exception) -> None:
        self.status_line.show_error(error)

    def _show(self, run: str, found: RunDetails, name: str) -> None:
        if run != self.run_id:
            return
        self._name = name
        shown = replace(found, log="")
        if shown == self.details:
            return
        self.details = shown
        old, self._top = self._top, self._make_top(shown)
        self._whole.replaceWidget(old, self._top)
        self._top.show()
        set_tab_order(self._top, self.log)
        _move_focus(old, self._top)
        old.hide()
        old.deleteLater()
        self._scroll_to_log()

    def _make_top(self, found: RunDetails) -> QWidget:
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        first = QHBoxLayout()
        first.addWidget(StatusChip(run_sign(state_of_run(found))))
        first.addStretch(1)
        close = make_button(self.tr("Close"), "Escape")
        close.clicked.connect(self.closed)
        first.addWidget(close)
        layout.addLayout(first)
        heading = make_label(
            escape_invisible(describe_outcome(found) or describe_status(found) or run_sign(state_of_run(found)).word)
        )
        heading.setFont(make_heading("", TextStyle.TITLE).font())
        layout.addWidget(heading)
        layout.addWidget(make_label(self._describe_time(found), "muted"))
        more, details = self._make_details_button(), make_details(found, self._zone)
        layout.addLayout(self._make_buttons(found, more))
        if found.failure and found.failure.get("file") and not found.failure.get("command"):
            place = self.tr("{file}, line {line}").format(
                file=found.failure["file"], line=found.failure.get("line") or "?"
            )
            layout.addWidget(make_label(place, Tone.BAD.value))
        if found.call is not None:
            layout.addWidget(self._make_call(found))
        details.setVisible(self._shows_details)
        more.toggled.connect(details.setVisible)
        layout.addWidget(details)
        return box

    def _describe_time(self, found: RunDetails) -> str:
        now = self._session.now()
        at = happened_at(found)
        when = "" if at is None else format_time_range(at, found.ended, self._zone, now)
        parts = [self._name or found.workflow, when, describe_trigger(found.trigger)]
        parts += describe_answer(found.requests, self._zone, now)
        if (span := took(found)) is not None:
            parts.append(self.tr("took {span}").format(span=format_duration(span)))
        return " · ".join(part for part in parts if part)

    def _make_buttons(self, found: RunDetails, more: QPushButton) -> FlowLayout:
        row = FlowLayout()
        for button in self._list_buttons(found):
            row.addWidget(button)
        workflow = make_button(self.tr("Open workflow"))
        workflow.clicked.connect(lambda: self.open_page.emit("workflows", found.workflow))
        copy = make_button(self.tr("Copy ID"))
        copy.setToolTip(found.id)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(found.id))
        for button in (workflow, more, copy):
            row.addWidget(button)
        return row

    def _list_buttons(self, found: RunDetails) -> list[QPushButton]:
        still_open = [one for one in found.requests if one.answer is None]
        unresolved = next((one for one in still_open if REQUESTS[one.kind].asks_what_happened), None)
        if unresolved is not None:
            return [self._action_button(action, index) for index, action in enumerate(list_actions(unresolved))]
        if still_open and all(one.kind in _ANSWERED_ON_CARD for one in still_open):
            button = make_button(self.tr("Answer"), importance="primary")
            button.clicked.connect(lambda: self.open_page.emit("attention", still_open[0].id))
            return [button]
        if found.status is RunStatus.ACTIVE:
            button = make_button(self.tr("Stop"), importance="risky")
            button.clicked.connect(lambda: self._command("stop", target=found.id))
            return [button]
        is_last = not found.chain or found.chain[-1].id == found.id
        if is_last and found.status in (RunStatus.LOGIC, RunStatus.INTERNAL, RunStatus.TRANSIENT):
            again = self.tr("Run again") if found.kind is HandlerKind.JOB else self.tr("Try again")
            button = make_button(again, "Ctrl+Shift+R", importance="primary")
            button.clicked.connect(lambda: self._command("retry", target=found.id))
            return [button]
        return []

    def _action_button(self, action: OfferedAction, index: int) -> QPushButton:
        button = make_button(action.label, importance="primary" if index == 0 else "")
        button.clicked.connect(lambda: self._command(action.verb, **action.arguments))
        return button

    def _make_call(self, found: RunDetails) -> QWidget:
        """The exact call of the outside action."""
        assert found.call is not None
        card = QFrame()
        set_style(card, "surface", "card")
        layout = QVBoxLayout(card)
        layout.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.LARGE, Space.MEDIUM)
        titles = {
            "applied": self.tr("What was done"),
            "skipped": self.tr("What was not done"),
            "failed": self.tr("What was tried"),
            "in_flight": self.tr("What is being done"),
            "unsure": self.tr("What may have been done"),
        }
        layout.addWidget(make_heading(titles.get(found.call.status, self.tr("What was requested")), TextStyle.STRONG))
        registry, name = self._session.registry, found.call.connection
        for words in (describe_tool(name, found.call.tool, registry), describe_connection(name, registry)):
            layout.addWidget(make_label(escape_invisible(words), "muted"))
        layout.addWidget(DetailsView(make_sections(found.call.parameters, parameter_labels())))
        if changes := describe_changes(found.call):
            layout.addWidget(make_label(self.tr("You changed this before approving it:"), "muted"))
            layout.addWidget(DetailsView(changes))
        if found.call.reason:
            layout.addWidget(make_label(escape_invisible(describe_reason(found.call.reason)), "muted"))
        return card

    def _make_details_button(self) -> QPushButton:
        button = make_button(self.tr("Technical details"))
        button.setCheckable(True)
        button.setChecked(self._shows_details)
        button.setAccessibleDescription(self.tr("Attempts, steps with times, data"))

        def remember(*, on: bool) -> None:
            self._shows_details = on

        button.toggled.connect(lambda on: remember(on=on))
        return button

    def _command(self, verb: str, **arguments: object) -> None:
        session = self._session
        self.status_line.clear()
        self._background.run(
            lambda: run_command(session, verb, **arguments), lambda _: self._done(), self.status_line.show_error
        )

    def _done(self) -> None:
        self.changed.emit()
        self.refresh()

    def _read_log(self) -> None:
        """Read new log output; the log of a finished run is read once."""
        is_over = self.details is not None and self.details.status is not RunStatus.ACTIVE and self._part > 0
        if not self.run_id or self._is_reading_log or is_over:
            return
        self._is_reading_log = True
        run, part, views = self.run_id, self._part, self._session.queries
        self._background.run(lambda: views.log(run, part), lambda found: self._add_log(run, found), self._stop_reading)

    def _stop_reading(self, _error: Exception) -> None:
        self._is_reading_log = False

    def _add_log(self, run: str, found: LogPart) -> None:
        self._is_reading_log = False
        if run != self.run_id:
            self._read_log()
            return
        if found.text:
            self.log.append(found.text, [(one.offset, one.at) for one in found.times])
        self._part, self._has_read_log = max(found.part, self._part), True
        self._scroll_to_log()
        was_active = self.details is not None and self.details.status is RunStatus.ACTIVE
        if found.is_over and was_active:
            self.refresh()


def _read(session: Session, run: str) -> tuple[RunDetails, str]:
    """The run, and the name of its workflow and job."""
    found = session.queries.run(run)
    return found, add_job(session.queries.names().get(found.workflow, found.workflow), found.job)


def _move_focus(old: QWidget, new: QWidget) -> None:
    """From a button to the one with the same label; Qt would move it out of the pane."""
    focused = next((one for one in old.findChildren(QPushButton) if one.hasFocus()), None)
    if focused is not None:
        alike = (one for one in new.findChildren(QPushButton) if one.text() == focused.text())
        next(alike, new.findChildren(QPushButton)[0]).setFocus()
