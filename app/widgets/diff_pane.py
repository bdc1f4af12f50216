"""One text of a difference: numbered lines, a sign at each change, changed lines and words on coloured ground."""

from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFontDatabase,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from app.look.dressing import lay_on_card
from app.look.theme import Space, Tone, blend, colours_of
from app.widgets.differences import Change, Span

_SIGNS = {Change.ADDED: "+", Change.REMOVED: "\N{MINUS SIGN}"}
_TONES = {Change.ADDED: Tone.GOOD, Change.REMOVED: Tone.BAD}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """As shown: a filler has no number and stands where only the other side has a line."""

    number: int | None
    text: str
    change: Change
    """On one side of a difference a line is the same, added or removed."""
    spans: tuple[Span, ...] = ()


class DiffPane(QPlainTextEdit):
    """Read-only; it can be walked through and copied from."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: list[Line] = []
        self._gutter = _Gutter(self)
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setTabStopDistance(4 * QFontMetrics(self.font()).horizontalAdvance(" "))
        self.setAccessibleName(name)
        lay_on_card(self)
        self.updateRequest.connect(self._scroll_gutter)

    @property
    def lines(self) -> list[Line]:
        return self._lines

    def set_lines(self, lines: list[Line]) -> None:
        self._lines = lines
        self.setPlainText("\n".join(line.text for line in lines))
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)
        self._place_gutter()
        self.dress()

    def go_to(self, place: int) -> None:
        """Bring the row into sight, with a little of what is above it."""
        cursor = QTextCursor(self.document().findBlockByNumber(place))
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(max(place - 3, 0))

    def gutter_width(self) -> int:
        digits = max((len(str(line.number)) for line in self._lines if line.number), default=1)
        return QFontMetrics(self.font()).horizontalAdvance("0" * digits + "+") + 3 * Space.SMALL

    def dress(self) -> None:
        """Colour the ground of changed lines, more strongly under changed words."""
        colours = colours_of(self)
        selections = []
        for place, line in enumerate(self._lines):
            if line.change is Change.SAME and line.number is not None:
                continue
            ink = colours.tones[_TONES.get(line.change, Tone.QUIET)]
            block = self.document().findBlockByNumber(place)
            ground = QTextCharFormat()
            ground.setBackground(QColor(ink.soft if line.number is not None else colours.window))
            ground.setProperty(QTextFormat.Property.FullWidthSelection, True)  # noqa: FBT003  # Qt's order
            selections.append(_select(QTextCursor(block), ground))
            strong = QTextCharFormat()
            strong.setBackground(blend(ink.text, ink.soft, 0.25))
            for start, end in line.spans:
                cursor = QTextCursor(block)
                cursor.setPosition(block.position() + start)
                cursor.setPosition(block.position() + end, QTextCursor.MoveMode.KeepAnchor)
                selections.append(_select(cursor, strong))
        self.setExtraSelections(selections)
        self._gutter.update()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._place_gutter()

    def paint_gutter(self, event: QPaintEvent) -> None:
        """Numbers and signs beside the lines that are in sight."""
        colours = colours_of(self)
        painter = QPainter(self._gutter)
        painter.fillRect(event.rect(), QColor(colours.surface))
        painter.setFont(self.font())
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        width, height = self._gutter.width(), QFontMetrics(self.font()).height()
        sign_width = QFontMetrics(self.font()).horizontalAdvance("+")
        while block.isValid() and top <= event.rect().bottom():
            line = self._lines[block.blockNumber()] if block.blockNumber() < len(self._lines) else None
            if line is not None and line.number is not None:
                ink = colours.tones[_TONES.get(line.change, Tone.QUIET)]
                painter.setPen(QColor(ink.text))
                numbers = QRect(0, int(top), width - sign_width - 2 * Space.SMALL, height)
                painter.drawText(numbers, Qt.AlignmentFlag.AlignRight, str(line.number))
                signs = QRect(width - sign_width - Space.SMALL, int(top), sign_width, height)
                painter.drawText(signs, Qt.AlignmentFlag.AlignLeft, _SIGNS.get(line.change, ""))
            top += self.blockBoundingRect(block).height()
            block = block.next()
        painter.end()

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        self._gutter.setGeometry(inside.left(), inside.top(), self.gutter_width(), inside.height())

    def _scroll_gutter(self, rect: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())


class _Gutter(QWidget):
    def __init__(self, pane: DiffPane) -> None:
        super().__init__(pane)
        self._pane = pane

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return QSize(self._pane.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        self._pane.paint_gutter(event)


def _select(cursor: QTextCursor, dress: QTextCharFormat) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor
    selection.format = dress
    return selection
