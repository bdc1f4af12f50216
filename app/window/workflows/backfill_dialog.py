"""Running past times: from when to when, and how many that would be."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QDateTime, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QDateTimeEdit, QFormLayout, QWidget

from app.asking import Asking
from app.life.installation import Installation
from app.look.dressing import indent
from app.look.theme import Space
from app.widgets.details_view import make_text
from app.window.dialog import Dialog
from app.window.saying import Saying, add_row, make_button
from app.window.workflow_facts import PastTimes, ScheduleFacts, count_times
from app.words.interpreting import interpret
from app.words.times import say_number

MOST = 100_000
_PATIENCE = 120.0
_PAUSE_MS = 150


class PastDialog(Dialog):
    started = Signal(str)

    def __init__(self, installation: Installation, schedule: ScheduleFacts, parent: QWidget | None = None) -> None:
        super().__init__(480, parent)
        self.entitle(self.tr("Run past times"))
        self._installation, self._asking = installation, Asking(self)
        self._schedule = schedule
        context = installation.house.engine.context
        self._zone = ZoneInfo(context.machine_zone)
        now = context.clock.now().astimezone(self._zone)
        self.start = self._make_field(self.tr("From"), now.replace(hour=0, minute=0, second=0) - timedelta(days=1))
        self.end = self._make_field(self.tr("Until"), now)
        self.missing = QCheckBox(self.tr("Leave out those that &ran already"))
        self.missing.setChecked(True)
        self.preview = make_text("")
        self.saying = Saying()
        self.cancel = make_button(self.tr("Cancel"))
        self.go = make_button(self.tr("Run them"), "Ctrl+Return", importance="primary")
        form = QFormLayout()
        form.setSpacing(Space.MEDIUM)
        add_row(form, self.tr("&From"), self.start)
        add_row(form, self.tr("&Until"), self.end)
        form.addRow("", self.missing)
        self.parts.addWidget(make_text(interpret(schedule.words), "muted"))
        self.parts.addLayout(form)
        self.parts.addWidget(self.preview)
        self.parts.addWidget(self.saying)
        self.conclude(others=[self.cancel], last=self.go)
        self._pause = QTimer(self, interval=_PAUSE_MS, singleShot=True)
        self._pause.timeout.connect(self._count)
        for field in (self.start, self.end):
            field.dateTimeChanged.connect(lambda _: self._pause.start())
        self.missing.toggled.connect(lambda _: self._count())
        self.cancel.clicked.connect(self.reject)
        self.go.clicked.connect(self._start)
        self._count()

    def range(self) -> tuple[datetime, datetime]:
        return self._read(self.start), self._read(self.end)

    def _read(self, field: QDateTimeEdit) -> datetime:
        day, clock = field.date(), field.time()
        return datetime(day.year(), day.month(), day.day(), clock.hour(), clock.minute(), tzinfo=self._zone)

    def _make_field(self, name: str, at: datetime) -> QDateTimeEdit:
        field = QDateTimeEdit(QDateTime(at.year, at.month, at.day, at.hour, at.minute, 0))
        field.setDisplayFormat("yyyy-MM-dd HH:mm")
        field.setAccessibleName(name)
        indent(field)
        return field

    def _count(self) -> None:
        installation, identity, (first, last) = self._installation, self._schedule.id, self.range()
        self.go.setEnabled(False)
        self._asking.ask_latest(
            "count", lambda: count_times(installation, identity, first, last, MOST), self._show, self.saying.refuse
        )

    def _show(self, found: PastTimes) -> None:
        number = found.number
        self.go.setEnabled(0 < (found.missing if self.missing.isChecked() else number) < MOST)
        if number == 0:
            said = self.tr("There are no times in this range.")
        elif number >= MOST:
            said = self.tr("{number} times or more lie in this range; choose a shorter one.")
        elif self.missing.isChecked() and not found.missing:
            said = self.tr("All times in this range have run.")
        elif self.missing.isChecked() and found.missing < number:
            said = self.tr("{number} times lie in this range; {missing} of them did not run.")
        elif number == 1:
            said = self.tr("1 time lies in this range.")
        else:
            said = self.tr("{number} times lie in this range.")
        self.preview.setText(said.format(number=say_number(min(number, MOST)), missing=say_number(found.missing)))

    def _start(self) -> None:
        installation, schedule, span = self._installation, self._schedule, self.range()
        missing = self.missing.isChecked()
        self.go.setEnabled(False)

        def act() -> int:
            backfill = installation.house.schedules.backfill
            asked = installation.ask_for_user(lambda _: backfill(schedule.id, [span], missing=missing))
            return asked.result(_PATIENCE).total or 0

        self._asking.ask(act, self._finish, self._refuse)

    def _finish(self, total: int) -> None:
        self.accept()
        said = self.tr("1 past time is being run.") if total == 1 else self.tr("{number} past times are being run.")
        self.started.emit(said.format(number=say_number(total)))
        self.deleteLater()

    def _refuse(self, error: Exception) -> None:
        self.go.setEnabled(True)
        self.saying.refuse(error)
