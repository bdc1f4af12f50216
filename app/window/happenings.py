"""What happened, line by line: when, whose, and its sentence."""

from collections.abc import Callable, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from app.look.dressing import mark
from app.look.theme import Space
from app.widgets.chip import Chip
from app.widgets.plain import fold, reveal
from app.widgets.signs import sign_run
from app.window.day import Line
from app.words.times import say_clock

_BITE = 6


class Happenings(QFrame):
    """Rows stay and only their words change: news come often, and making widgets takes long."""

    opened = Signal(str)
    """A run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, "surface", "card")
        self.lines: tuple[Line, ...] = ()
        self._rows: list[_Row] = []
        self._number = 0
        self._wanted: tuple[Line, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.SMALL, Space.MEDIUM)
        self._grid.setHorizontalSpacing(Space.MEDIUM)
        self._grid.setVerticalSpacing(Space.SMALL)
        self._grid.setColumnStretch(3, 1)

    def show_lines(self, lines: Sequence[Line], zone: ZoneInfo) -> None:
        """Those for which there are no rows yet come a few at a time: the window goes on in between."""
        self._wanted = tuple(lines)
        self._show_some(zone)

    def _show_some(self, zone: ZoneInfo) -> None:
        lines = self._wanted[: len(self._rows) + _BITE]
        if len(lines) < len(self._wanted):
            QTimer.singleShot(0, self, lambda: self._show_some(zone))
        if lines == self.lines:
            return
        self.lines = lines
        is_shown = not self.isHidden()
        if is_shown and len(lines) != self._number:
            self.hide()  # else the whole page is laid out again for each widget that comes or goes
        self._number = len(lines)
        while len(self._rows) < len(lines):
            self._rows.append(_Row(self._grid, len(self._rows), lines[len(self._rows)], self.opened.emit, self))
        for row, line in zip(self._rows, lines, strict=False):
            row.show(line, zone)
        for row in self._rows[len(lines) :]:
            row.hide()
        if is_shown:
            self.show()


class _Row:
    """The widgets of one line, in a row of the grid."""

    def __init__(
        self, grid: QGridLayout, number: int, line: Line, opened: Callable[[str], None], parent: QWidget
    ) -> None:
        self._run = ""
        self.when, self.name, self.sentence = QLabel(parent), QLabel(parent), QLabel(parent)
        self.chip = Chip(sign_run(line.state), parent)
        self.button = QPushButton(QCoreApplication.translate("happenings", "Details"), parent)
        self.button.setAutoDefault(False)
        mark(self.button, "importance", "quiet")
        self.button.clicked.connect(lambda: opened(self._run))
        mark(self.when, "ink", "muted")
        self.sentence.setWordWrap(True)
        for label in (self.name, self.sentence):
            label.setTextFormat(Qt.TextFormat.PlainText)
        for column, widget in enumerate(self._widgets()):
            grid.addWidget(widget, number, column, Qt.AlignmentFlag.AlignVCenter)

    def show(self, line: Line, zone: ZoneInfo) -> None:
        self._run = line.run
        self.when.setText(_say_minute(line.at, zone))
        self.chip.set_sign(sign_run(line.state))
        self.name.setText(reveal(line.name))
        self.sentence.setText(fold(reveal(line.sentence)))
        self.button.setAccessibleDescription(reveal(f"{line.name}: {line.sentence}"))
        for widget in self._widgets():
            is_wanted = widget is not self.button or bool(line.run)
            if widget.isHidden() is is_wanted:
                widget.setVisible(is_wanted)

    def hide(self) -> None:
        for widget in self._widgets():
            widget.hide()

    def _widgets(self) -> tuple[QWidget, ...]:
        return self.when, self.chip, self.name, self.sentence, self.button


def _say_minute(at: datetime, zone: ZoneInfo) -> str:
    return say_clock(at.replace(second=0, microsecond=0), zone)
