"""The list of what happened today."""

from collections.abc import Callable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from app.i18n.time_text import format_clock_time, format_day_and_time
from app.theme.stylesheet import set_style
from app.theme.tokens import Space
from app.widgets.status_chip import StatusChip
from app.widgets.status_signs import run_sign
from app.widgets.visible_text import add_break_points, escape_invisible
from app.window.history.history_data import describe_asked
from app.window.today.today_data import ActivityLine

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

    def show_lines(self, lines: Sequence[ActivityLine], zone: ZoneInfo, now: datetime) -> None:
        """New rows are created a few at a time, so that the window stays responsive."""
        self._pending = tuple(lines)
        self._show_some(zone, now)

    def _show_some(self, zone: ZoneInfo, now: datetime) -> None:
        lines = self._pending[: len(self._rows) + _ROWS_AT_ONCE]
        if len(lines) < len(self._pending):
            QTimer.singleShot(0, self, lambda: self._show_some(zone, now))
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
            row.show(line, zone, now)
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

    def show(self, line: ActivityLine, zone: ZoneInfo, now: datetime) -> None:
        self._run = line.run
        self.when.setText(_format_minute(line.at, zone, now))
        sentence = line.sentence
        if line.asked is not None:
            said = describe_asked(line.asked, line.at, zone, now)
            sentence = f"{sentence.removesuffix('.')} · {said}" if sentence else said
        self.chip.set_sign(run_sign(line.state))
        self.name.setText(add_break_points(escape_invisible(line.name)))
        self._fit_name()
        self.sentence.setText(add_break_points(escape_invisible(sentence)))
        self.button.setAccessibleDescription(escape_invisible(f"{line.name}: {sentence}"))
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


def _format_minute(at: datetime, zone: ZoneInfo, now: datetime) -> str:
    """With the day if it began before today."""
    at, is_today = at.replace(second=0, microsecond=0), at.astimezone(zone).date() == now.astimezone(zone).date()
    return format_clock_time(at, zone) if is_today else format_day_and_time(at, zone, now)
