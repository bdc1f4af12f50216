"""Controls for picking when: every so often, daily, weekly, monthly, or a cron text."""

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

from app.look.dressing import indent, mark
from app.look.theme import Space
from app.widgets.choices import name_box
from app.widgets.flow import Flow
from app.widgets.schedule_choice import (
    MONDAY_FIRST,
    AsItIs,
    Choice,
    CronText,
    Daily,
    Every,
    Monthly,
    Unit,
    Weekly,
    write_choice,
)
from app.widgets.stack import Stack

_KINDS = (Every, Daily, Weekly, Monthly, CronText, AsItIs)

_MORNING = QTime(9, 0)


class SchedulePicker(QWidget):
    """Holds one choice; each kind keeps what was entered while another one is looked at."""

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = QComboBox()
        self.kind.setAccessibleName(self.tr("How often"))
        for words in (
            self.tr("Every so often"),
            self.tr("Daily"),
            self.tr("Weekly"),
            self.tr("Monthly"),
            self.tr("Cron text"),
        ):
            self.kind.addItem(words)
        self.number, self.unit = QSpinBox(minimum=1, maximum=99_999), QComboBox()
        self.times: dict[type[Choice], QTimeEdit] = {kind: QTimeEdit() for kind in (Daily, Weekly, Monthly)}
        self.days = {day: QPushButton(_day_name(day)) for day in MONDAY_FIRST}
        self.day = QComboBox()
        self.cron = QLineEdit()
        self._last: Choice = AsItIs()
        self._has_own_cron = False
        self._pages = Stack()
        self._pages.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        for page in (
            self._make_every(),
            self._make_row(self.tr("at"), self.times[Daily]),
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
            clock.setDisplayFormat("HH:mm")
            clock.setTime(_MORNING)
            indent(clock)
            clock.setAccessibleName(self.tr("Time of day"))
            clock.timeChanged.connect(self._share_time)
        self.number.valueChanged.connect(self._change)
        self.unit.currentIndexChanged.connect(self._change)
        self.day.currentIndexChanged.connect(self._change)
        self.cron.textChanged.connect(self._change)
        self.cron.textEdited.connect(self._keep_cron)
        for button in self.days.values():
            button.toggled.connect(self._change)

    def choice(self) -> Choice:
        match _KINDS[self.kind.currentIndex()].__name__:
            case "Every":
                return Every(self.number.value(), Unit(self.unit.currentData()))
            case "Daily":
                return Daily(self._time(Daily))
            case "Weekly":
                chosen = frozenset(day for day, button in self.days.items() if button.isChecked())
                return Weekly(chosen, self._time(Weekly))
            case "Monthly":
                return Monthly(self.day.currentData(), self._time(Monthly))
            case "CronText":
                return CronText(self.cron.text())
            case _:
                return AsItIs()

    def set_choice(self, choice: Choice) -> None:
        """Show it; says nothing, for nobody changed anything."""
        blocker = QSignalBlocker(self)
        as_it_is = len(_KINDS) - 1
        if isinstance(choice, AsItIs) and self.kind.count() == as_it_is:
            self.kind.addItem(self.tr("As it is"))
        elif not isinstance(choice, AsItIs) and self.kind.count() > as_it_is:
            self.kind.removeItem(as_it_is)
        match choice:
            case Every(number, unit):
                self.number.setValue(number)
                self.unit.setCurrentIndex(self.unit.findData(unit.value))
            case Daily(at):
                self._set_times(at)
            case Weekly(days, at):
                self._set_times(at)
                for day, button in self.days.items():
                    button.setChecked(day in days)
            case Monthly(day, at):
                self._set_times(at)
                self.day.setCurrentIndex(self.day.findData(day))
            case CronText(text):
                self.cron.setText(text)
        self._has_own_cron = isinstance(choice, CronText)
        self.kind.setCurrentIndex(_KINDS.index(type(choice)))
        self._pages.setCurrentIndex(self.kind.currentIndex())
        self._last = choice
        blocker.unblock()

    def _show_kind(self, index: int) -> None:
        """Turning to cron starts from what was picked, unless there is a text that somebody wrote."""
        if _KINDS[index] is CronText and not self._has_own_cron:
            with QSignalBlocker(self.cron):
                self.cron.setText(str(write_choice(self._last).get("cron", "")) if _can_write(self._last) else "")
        self._pages.setCurrentIndex(index)
        self._last = self.choice()
        self.changed.emit()

    def _keep_cron(self) -> None:
        self._has_own_cron = True

    def _share_time(self, at: QTime) -> None:
        for clock in self.times.values():
            with QSignalBlocker(clock):
                clock.setTime(at)
        self._change()

    def _change(self) -> None:
        self._last = self.choice()
        self.changed.emit()

    def _time(self, kind: type[Choice]) -> time:
        shown = self.times[kind].time()
        return time(shown.hour(), shown.minute())

    def _set_times(self, at: time) -> None:
        self._share_time(QTime(at.hour, at.minute))

    def _make_every(self) -> QWidget:
        self.number.setValue(5)
        indent(self.number)
        self.number.setAccessibleName(self.tr("Number"))
        name_box(self.unit, self.tr("Unit of time"))
        for unit, words in (
            (Unit.SECONDS, self.tr("seconds")),
            (Unit.MINUTES, self.tr("minutes")),
            (Unit.HOURS, self.tr("hours")),
            (Unit.DAYS, self.tr("days")),
        ):
            self.unit.addItem(words, unit.value)
        self.unit.setCurrentIndex(1)
        return self._make_row(self.number, self.unit)

    def _make_weekly(self) -> QWidget:
        for day, button in self.days.items():
            button.setCheckable(True)
            button.setChecked(day in {1, 2, 3, 4, 5})
            button.setAccessibleName(QLocale().dayName(day or 7, QLocale.FormatType.LongFormat))
        return self._make_row(*self.days.values(), self.tr("at"), self.times[Weekly])

    def _make_monthly(self) -> QWidget:
        name_box(self.day, self.tr("Day of the month"))
        for number in range(1, 32):
            self.day.addItem(self.tr("on day {number}").format(number=number), number)
        self.day.addItem(self.tr("on the last day"), None)
        return self._make_row(self.day, self.tr("at"), self.times[Monthly])

    def _make_cron(self) -> QWidget:
        self.cron.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.cron.setPlaceholderText("0 9 * * 1-5")
        self.cron.setAccessibleName(self.tr("Cron text"))
        hint = QLabel(self.tr("minute  hour  day  month  weekday; several texts are parted by semicolons"))
        hint.setWordWrap(True)
        mark(hint, "ink", "muted")
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.TIGHT)
        column.addWidget(self.cron)
        column.addWidget(hint)
        return page

    def _make_other(self) -> QWidget:
        words = QLabel(self.tr("Set in the script; it stays so until you choose something else."))
        words.setMinimumHeight(2 * words.fontMetrics().height())
        words.setWordWrap(True)
        mark(words, "ink", "muted")
        return words

    @staticmethod
    def _make_row(*parts: QWidget | str) -> QWidget:
        page, row = QWidget(), Flow()
        page.setLayout(row)
        for part in parts:
            row.addWidget(QLabel(part) if isinstance(part, str) else part)
        return page


def _can_write(choice: Choice) -> bool:
    """Whether it can be said as a cron text."""
    return isinstance(choice, Daily | Monthly | CronText) or (isinstance(choice, Weekly) and bool(choice.days))


def _day_name(day: int) -> str:
    return QLocale().dayName(day or 7, QLocale.FormatType.ShortFormat)
