"""What happened, line by line: when, whose, and its sentence."""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from app.look import mark
from app.theme import Space
from app.times import say_clock
from app.widgets.chip import Chip
from app.widgets.plain import reveal
from app.widgets.signs import sign_run
from app.window.day import Line


class Happenings(QFrame):
    """Made anew only when the lines are others."""

    opened = Signal(str)
    """A run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, "surface", "card")
        self.lines: tuple[Line, ...] = ()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(Space.LARGE, Space.SMALL, Space.LARGE, Space.SMALL)
        self._grid.setHorizontalSpacing(Space.MEDIUM)
        self._grid.setVerticalSpacing(Space.TIGHT)
        self._grid.setColumnStretch(3, 1)

    def show_lines(self, lines: Sequence[Line], zone: ZoneInfo) -> None:
        if tuple(lines) == self.lines:
            return
        self.lines = tuple(lines)
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for row, line in enumerate(lines):
            self._add(row, line, zone)

    def _add(self, row: int, line: Line, zone: ZoneInfo) -> None:
        when = QLabel(_say_minute(line.at, zone))
        mark(when, "ink", "muted")
        sentence = QLabel(reveal(line.sentence) or "")
        sentence.setTextFormat(Qt.TextFormat.PlainText)
        sentence.setWordWrap(True)
        name = QLabel(reveal(line.name))
        name.setTextFormat(Qt.TextFormat.PlainText)
        top = Qt.AlignmentFlag.AlignVCenter
        self._grid.addWidget(when, row, 0, top)
        self._grid.addWidget(Chip(sign_run(line.state)), row, 1, top)
        self._grid.addWidget(name, row, 2, top)
        self._grid.addWidget(sentence, row, 3, top)
        if line.run:
            button = QPushButton(self.tr("Details"))
            button.setFlat(True)
            button.setAutoDefault(False)
            button.setAccessibleDescription(reveal(f"{line.name}: {line.sentence}"))
            button.clicked.connect(lambda _checked=False, run=line.run: self.opened.emit(run))
            self._grid.addWidget(button, row, 4, top)


def _say_minute(at: datetime, zone: ZoneInfo) -> str:
    return say_clock(at.replace(second=0, microsecond=0), zone)
