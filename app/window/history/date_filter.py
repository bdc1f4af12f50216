"""The choice of days in the filters of the history: a day of the last week by name, a week, a day or a range."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QDate, QLocale, QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QDateEdit, QHBoxLayout, QLabel, QWidget

from app.theme.tokens import Space
from app.widgets.form_controls import name_combo_box
from scheduler.timing.instants import instant_of

_ANY, _TODAY, _YESTERDAY, _THIS_WEEK, _LAST_WEEK = "", "today", "yesterday", "this week", "last week"
_WEEK, _MONTH, _DAY, _RANGE = "7 days", "30 days", "day", "range"
_NAMED_DAYS = range(2, 8)
"""Days ago that are listed by their weekday, after today and yesterday."""
_TICK = timedelta(milliseconds=1)


class DateFilter(QComboBox):
    """`day_row` has the fields for a chosen day or range; it is shown only then."""

    range_changed = Signal()

    def __init__(self, zone: ZoneInfo, today: date) -> None:
        super().__init__()
        self._zone, self._today = zone, today
        name_combo_box(self, self.tr("Time"))
        self.day = self._make_day(self.tr("Day"), today)
        self.first = self._make_day(self.tr("From"), today - timedelta(days=30))
        self.last = self._make_day(self.tr("Until"), today)
        self._labels = {edit: QLabel(edit.accessibleName()) for edit in (self.day, self.first, self.last)}
        self.day_row = QWidget()
        row = QHBoxLayout(self.day_row)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.SMALL)
        row.addStretch(1)
        for edit, label in self._labels.items():
            label.setBuddy(edit)
            row.addWidget(label)
            row.addWidget(edit)
        self.day_row.hide()
        self._fill()
        self.currentIndexChanged.connect(self._change)
        for edit in self._labels:
            edit.dateChanged.connect(lambda _: self.range_changed.emit())

    def show_today(self, today: date) -> None:
        """Name the days anew after midnight; a chosen weekday stays that day."""
        if today == self._today:
            return
        self._today, chosen = today, self.currentData()
        with QSignalBlocker(self):
            self._fill()
            place = self.findData(chosen)
            if place < 0:  # a weekday that is no longer in the list
                self.day.setDate(QDate.fromString(chosen, "yyyy-MM-dd"))
                place = self.findData(_DAY)
            self.setCurrentIndex(place)
        self._show_fields()

    def choose_range(self, first: date, last: date) -> None:
        self.first.setDate(_to_qdate(first))
        self.last.setDate(_to_qdate(last))
        self.setCurrentIndex(self.findData(_RANGE))

    def find_range(self, now: datetime) -> tuple[datetime | None, datetime | None]:
        """The first and the last instant; None for no limit."""
        chosen, today = self.currentData(), now.astimezone(self._zone).date()
        week = today - timedelta(days=(today.isoweekday() - _first_weekday()) % 7)
        match chosen:
            case "":
                return None, None
            case "today":
                return self._start_of(today), None
            case "yesterday":
                return self._days(today - timedelta(days=1), 1)
            case "this week":
                return self._start_of(week), None
            case "last week":
                return self._days(week - timedelta(days=7), 7)
            case "7 days":
                return self._start_of(today - timedelta(days=6)), None
            case "30 days":
                return self._start_of(today - timedelta(days=29)), None
            case "day":
                return self._days(_to_date(self.day.date()), 1)
            case "range":
                first, last = _to_date(self.first.date()), _to_date(self.last.date())
                return self._start_of(first), self._start_of(last + timedelta(days=1)) - _TICK
            case _:
                return self._days(date.fromisoformat(chosen), 1)

    def _fill(self) -> None:
        self.clear()
        weekday = QLocale().standaloneDayName((self._today - timedelta(days=1)).isoweekday())
        self.addItem(self.tr("Any time"), _ANY)
        self.addItem(self.tr("Today"), _TODAY)
        self.addItem(self.tr("Yesterday ({weekday})").format(weekday=weekday), _YESTERDAY)
        for ago in _NAMED_DAYS:
            day = self._today - timedelta(days=ago)
            weekday = QLocale().standaloneDayName(day.isoweekday())
            month = QLocale().monthName(day.month, QLocale.FormatType.ShortFormat)
            named = self.tr("{weekday}, {day} {month}")
            self.addItem(named.format(weekday=weekday, day=day.day, month=month), day.isoformat())
        for label, data in (
            (self.tr("This week"), _THIS_WEEK),
            (self.tr("Last week"), _LAST_WEEK),
            (self.tr("Last 7 days"), _WEEK),
            (self.tr("Last 30 days"), _MONTH),
            (self.tr("Choose a day…"), _DAY),
            (self.tr("Custom range"), _RANGE),
        ):
            self.addItem(label, data)
        for before in (_TODAY, self.itemData(3), _THIS_WEEK, _WEEK, _DAY):
            self.insertSeparator(self.findData(before))
        self.setMaxVisibleItems(self.count())

    def _make_day(self, name: str, day: date) -> QDateEdit:
        edit = QDateEdit(_to_qdate(day))
        edit.setDisplayFormat("yyyy-MM-dd")
        edit.setCalendarPopup(True)
        edit.setKeyboardTracking(False)
        edit.setAccessibleName(name)
        return edit

    def _change(self) -> None:
        self._show_fields()
        for edit in (self.day, self.first):
            if not edit.isHidden() and self.day_row.isVisible():
                edit.setFocus()
        self.range_changed.emit()

    def _show_fields(self) -> None:
        chosen = self.currentData()
        for edit, label in self._labels.items():
            for part in (edit, label):
                part.setVisible(chosen == (_DAY if edit is self.day else _RANGE))
        self.day_row.setVisible(chosen in (_DAY, _RANGE))

    def _days(self, first: date, number: int) -> tuple[datetime, datetime]:
        return self._start_of(first), self._start_of(first + timedelta(days=number)) - _TICK

    def _start_of(self, day: date) -> datetime:
        return instant_of(day, self._zone)


def _to_date(day: QDate) -> date:
    return date(day.year(), day.month(), day.day())


def _to_qdate(day: date) -> QDate:
    return QDate(day.year, day.month, day.day)


def _first_weekday() -> int:
    """Of the user's week: 1 for Monday."""
    return int(QLocale().firstDayOfWeek().value)
