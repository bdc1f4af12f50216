"""The dialog that runs missed times: a range, and how many runs that would be."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QDateTime, QTimer, Signal
from PySide6.QtWidgets import QDateTimeEdit, QFormLayout, QWidget

from app.background import BackgroundTasks
from app.i18n.time_text import format_number, time_format
from app.i18n.translate import translate_text
from app.session import Session
from app.theme.stylesheet import indent_spin_box
from app.theme.tokens import Space
from app.widgets.details_view import make_label
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.dialog import Dialog
from app.window.feedback import StatusLine, add_row, make_button
from scheduler.engine.queries.schedule_data import RangeCount, ScheduleData

MAX_TIMES = 100_000
_COUNT_DELAY_MS = 150


class BackfillDialog(Dialog):
    started = Signal(str)

    def __init__(self, session: Session, schedule: ScheduleData, parent: QWidget | None = None) -> None:
        super().__init__(480, parent)
        self.set_titles(self.tr("Run missed times"))
        self._session, self._background = session, BackgroundTasks(self)
        self._schedule = schedule
        self._zone = ZoneInfo(session.zone)
        now = session.now().astimezone(self._zone)
        self.start = self._make_field(self.tr("From"), now.replace(hour=0, minute=0, second=0) - timedelta(days=1))
        self.end = self._make_field(self.tr("Until"), now)
        self.only_missed = WrappingCheckBox(self.tr("&Only times that did not run"))
        self.only_missed.setChecked(True)
        self.preview = make_label("")
        self.status_line = StatusLine()
        self.cancel = make_button(self.tr("Cancel"))
        self.run_button = make_button(self.tr("Run them"), "Ctrl+Return", importance="primary")
        form = QFormLayout()
        form.setSpacing(Space.MEDIUM)
        add_row(form, self.tr("&From"), self.start)
        add_row(form, self.tr("&Until"), self.end)
        form.addRow("", self.only_missed)
        self.parts.addWidget(make_label(translate_text(schedule.description), "muted"))
        self.parts.addLayout(form)
        self.parts.addWidget(self.preview)
        self.parts.addWidget(self.status_line)
        self.add_buttons(others=[self.cancel], last=self.run_button)
        self._count_timer = QTimer(self, interval=_COUNT_DELAY_MS, singleShot=True)
        self._count_timer.timeout.connect(self._count)
        for field in (self.start, self.end):
            field.dateTimeChanged.connect(lambda _: self._count_timer.start())
            field.dateTimeChanged.connect(self.status_line.clear_error)
        self.only_missed.toggled.connect(lambda _: self._count())
        self.cancel.clicked.connect(self.reject)
        self.run_button.clicked.connect(self._start)
        self._count()

    def range(self) -> tuple[datetime, datetime]:
        return self._read_field(self.start), self._read_field(self.end)

    def _read_field(self, field: QDateTimeEdit) -> datetime:
        day, clock = field.date(), field.time()
        return datetime(day.year(), day.month(), day.day(), clock.hour(), clock.minute(), tzinfo=self._zone)

    def _make_field(self, name: str, at: datetime) -> QDateTimeEdit:
        field = QDateTimeEdit(QDateTime(at.year, at.month, at.day, at.hour, at.minute, 0))
        field.setDisplayFormat(f"yyyy-MM-dd {time_format()}")
        field.setAccessibleName(name)
        indent_spin_box(field)
        return field

    def _count(self) -> None:
        session, identity, (first, last) = self._session, self._schedule.id, self.range()
        self.run_button.setEnabled(False)
        self._background.run_latest(
            "count",
            lambda: session.queries.count_times(identity, first, last, MAX_TIMES),
            self._show,
            self.status_line.show_error,
        )

    def _show(self, found: RangeCount) -> None:
        number = found.number
        self.run_button.setEnabled(0 < (found.missing if self.only_missed.isChecked() else number) < MAX_TIMES)
        if number == 0:
            said = self.tr("No runs in this range.")
        elif number >= MAX_TIMES:
            said = self.tr("{number} or more runs in this range; choose a shorter one.")
        elif self.only_missed.isChecked() and not found.missing:
            said = self.tr("Everything in this range has already run.")
        elif self.only_missed.isChecked() and found.missing < number:
            said = self.tr("{number} runs in this range, {missing} of them missed.")
        elif number == 1:
            said = self.tr("1 run in this range.")
        else:
            said = self.tr("{number} runs in this range.")
        self.preview.setText(
            said.format(number=format_number(min(number, MAX_TIMES)), missing=format_number(found.missing))
        )

    def _start(self) -> None:
        session, schedule, span = self._session, self._schedule, self.range()
        missing = self.only_missed.isChecked()
        self.run_button.setEnabled(False)

        def act() -> int:
            answer = session.execute_for_user(
                lambda runtime: runtime.schedule_commands.backfill(schedule.id, [span], missing=missing)
            )
            return answer.total or 0

        self._background.run(act, self._finish, self._refuse)

    def _finish(self, total: int) -> None:
        self.accept()
        said = self.tr("Started 1 catch-up run.") if total == 1 else self.tr("Started {number} catch-up runs.")
        self.started.emit(said.format(number=format_number(total)))
        self.deleteLater()

    def _refuse(self, error: Exception) -> None:
        self.run_button.setEnabled(True)
        self.status_line.show_error(error)
