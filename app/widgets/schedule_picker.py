"""Controls for picking a schedule: intervals, daily, weekly, monthly, or a cron expression."""

from datetime import time

from PySide6.QtCore import QLocale, QSignalBlocker, Qt, QTime, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QTimeEdit,
    QVBoxLayout,
    QWidget,
)

from app.i18n.time_text import time_format
from app.theme.stylesheet import indent_spin_box, set_style
from app.theme.tokens import Space
from app.widgets.flow_layout import FlowLayout
from app.widgets.form_controls import name_combo_box
from app.widgets.page_stack import PageStack
from app.widgets.schedule_choice import (
    MONDAY_FIRST,
    CronChoice,
    DailyChoice,
    IntervalChoice,
    MonthlyChoice,
    ScheduleChoice,
    TimeUnit,
    UnchangedChoice,
    WeeklyChoice,
    choice_to_schedule,
)

_KINDS = (IntervalChoice, DailyChoice, WeeklyChoice, MonthlyChoice, CronChoice, UnchangedChoice)

_DEFAULT_TIME = QTime(9, 0)


class SchedulePicker(QWidget):
    """Holds one choice; each kind keeps its input while another is shown."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = QComboBox()
        self.kind.setAccessibleName(self.tr("How often"))
        for label in (
            self.tr("At intervals"),
            self.tr("Daily"),
            self.tr("Weekly"),
            self.tr("Monthly"),
            self.tr("Cron expression"),
        ):
            self.kind.addItem(label)
        self.number, self.unit = QSpinBox(minimum=1, maximum=99_999), QComboBox()
        self.times: dict[type[ScheduleChoice], QTimeEdit] = {
            kind: QTimeEdit() for kind in (DailyChoice, WeeklyChoice, MonthlyChoice)
        }
        self.days = {day: QPushButton(_day_name(day)) for day in MONDAY_FIRST}
        self.day = QComboBox()
        self.cron = QLineEdit()
        self._last: ScheduleChoice = UnchangedChoice()
        self._is_cron_typed = False
        self._pages = PageStack()
        self._pages.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        for page in (
            self._make_every(),
            self._make_row(self.tr("at"), self.times[DailyChoice]),
            self._make_weekly(),
            self._make_monthly(),
            self._make_cron(),
            self._make_other(),
        ):
            self._pages.addWidget(page)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.MEDIUM)
        row.addWidget(self.kind, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._pages, 1, Qt.AlignmentFlag.AlignTop)
        self.kind.currentIndexChanged.connect(self._show_kind)
        for clock in self.times.values():
            clock.setDisplayFormat(time_format())
            clock.setTime(_DEFAULT_TIME)
            indent_spin_box(clock)
            clock.setAccessibleName(self.tr("Time of day"))
            clock.timeChanged.connect(self._share_time)
        self.number.valueChanged.connect(self._change)
        self.unit.currentIndexChanged.connect(self._change)
        self.day.currentIndexChanged.connect(self._change)
        self.cron.textChanged.connect(self._change)
        self.cron.textEdited.connect(self._mark_cron_typed)
        for button in self.days.values():
            button.toggled.connect(self._change)

    def choice(self) -> ScheduleChoice:
        kind = _KINDS[self.kind.currentIndex()]
        if kind is IntervalChoice:
            return IntervalChoice(self.number.value(), TimeUnit(self.unit.currentData()))
        if kind is DailyChoice:
            return DailyChoice(self._time(DailyChoice))
        if kind is WeeklyChoice:
            chosen = frozenset(day for day, button in self.days.items() if button.isChecked())
            return WeeklyChoice(chosen, self._time(WeeklyChoice))
        if kind is MonthlyChoice:
            return MonthlyChoice(self.day.currentData(), self._time(MonthlyChoice))
        return CronChoice(self.cron.text()) if kind is CronChoice else UnchangedChoice()

    def set_choice(self, choice: ScheduleChoice) -> None:
        """Show it, without emitting `changed`."""
        blocker = QSignalBlocker(self)
        as_it_is = len(_KINDS) - 1
        if isinstance(choice, UnchangedChoice) and self.kind.count() == as_it_is:
            self.kind.addItem(self.tr("Keep as is"))
        elif not isinstance(choice, UnchangedChoice) and self.kind.count() > as_it_is:
            self.kind.removeItem(as_it_is)
        match choice:
            case IntervalChoice(number, unit):
                self.number.setValue(number)
                self.unit.setCurrentIndex(self.unit.findData(unit.value))
            case DailyChoice(at):
                self._set_times(at)
            case WeeklyChoice(days, at):
                self._set_times(at)
                for day, button in self.days.items():
                    button.setChecked(day in days)
            case MonthlyChoice(day, at):
                self._set_times(at)
                self.day.setCurrentIndex(self.day.findData(day))
            case CronChoice(text):
                self.cron.setText(text)
        self._is_cron_typed = isinstance(choice, CronChoice)
        self.kind.setCurrentIndex(_KINDS.index(type(choice)))
        self._pages.setCurrentIndex(self.kind.currentIndex())
        self._last = choice
        blocker.unblock()

    def _show_kind(self, index: int) -> None:
        """Switching to cron starts from the current choice, unless the user has typed an expression."""
        if _KINDS[index] is CronChoice and not self._is_cron_typed:
            with QSignalBlocker(self.cron):
                self.cron.setText(str(choice_to_schedule(self._last).get("cron", "")) if _can_write(self._last) else "")
        self._pages.setCurrentIndex(index)
        self._last = self.choice()
        self.changed.emit()

    def _mark_cron_typed(self) -> None:
        self._is_cron_typed = True

    def _share_time(self, at: QTime) -> None:
        for clock in self.times.values():
            with QSignalBlocker(clock):
                clock.setTime(at)
        self._change()

    def _change(self) -> None:
        self._last = self.choice()
        self.changed.emit()

    def _time(self, kind: type[ScheduleChoice]) -> time:
        shown = self.times[kind].time()
        return time(shown.hour(), shown.minute())

    def _set_times(self, at: time) -> None:
        self._share_time(QTime(at.hour, at.minute))

    def _make_every(self) -> QWidget:
        self.number.setValue(5)
        indent_spin_box(self.number)
        self.number.setAccessibleName(self.tr("Number"))
        name_combo_box(self.unit, self.tr("Unit of time"))
        for unit, label in (
            (TimeUnit.SECONDS, self.tr("seconds")),
            (TimeUnit.MINUTES, self.tr("minutes")),
            (TimeUnit.HOURS, self.tr("hours")),
            (TimeUnit.DAYS, self.tr("days")),
        ):
            self.unit.addItem(label, unit.value)
        self.unit.setCurrentIndex(1)
        return self._make_row(self.number, self.unit)

    def _make_weekly(self) -> QWidget:
        for day, button in self.days.items():
            button.setCheckable(True)
            button.setChecked(day in {1, 2, 3, 4, 5})
            button.setAccessibleName(QLocale().dayName(day or 7, QLocale.FormatType.LongFormat))
        return self._make_row(*self.days.values(), self._make_time(WeeklyChoice))

    def _make_monthly(self) -> QWidget:
        name_combo_box(self.day, self.tr("Day of the month"))
        for number in range(1, 32):
            self.day.addItem(self.tr("on day {number}").format(number=number), number)
        self.day.addItem(self.tr("on the last day"), None)
        return self._make_row(self.day, self._make_time(MonthlyChoice))

    def _make_cron(self) -> QWidget:
        self.cron.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.cron.setPlaceholderText("0 9 * * 1-5")
        self.cron.setAccessibleName(self.tr("Cron expression"))
        hint = QLabel(self.tr("minute  hour  day  month  weekday; separate expressions with semicolons"))
        hint.setWordWrap(True)
        set_style(hint, "ink", "muted")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.TIGHT)
        column.addWidget(self.cron)
        column.addWidget(hint)
        return page

    def _make_other(self) -> QWidget:
        hint = QLabel(self.tr("Set in the script; not changed until you choose something else."))
        hint.setMinimumHeight(2 * hint.fontMetrics().height())
        hint.setWordWrap(True)
        set_style(hint, "ink", "muted")
        return hint

    def _make_time(self, kind: type[ScheduleChoice]) -> QWidget:
        """The time with the word before it, which never wrap apart."""
        pair = QWidget()
        row = QHBoxLayout(pair)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.SMALL)
        row.addWidget(QLabel(self.tr("at")))
        row.addWidget(self.times[kind])
        return pair

    @staticmethod
    def _make_row(*parts: QWidget | str) -> QWidget:
        page, row = QWidget(), FlowLayout()
        page.setLayout(row)
        for part in parts:
            row.addWidget(QLabel(part) if isinstance(part, str) else part)
        return page


def _can_write(choice: ScheduleChoice) -> bool:
    """Whether it can be written as a cron expression."""
    return isinstance(choice, DailyChoice | MonthlyChoice | CronChoice) or (
        isinstance(choice, WeeklyChoice) and bool(choice.days)
    )


def _day_name(day: int) -> str:
    return QLocale().dayName(day or 7, QLocale.FormatType.ShortFormat)
