"""Panes that show diff lines: numbered, with a sign at each change and coloured backgrounds."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QSize, Qt
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

from app.theme.stylesheet import style_as_card
from app.theme.tokens import Space, Tone, blend, colours_of
from app.widgets.diff_lines import DiffRow, LineChange, Span, compare_lines, unify
from app.widgets.visible_text import escape_invisible

_SIGNS = {LineChange.ADDED: "+", LineChange.REMOVED: "\N{MINUS SIGN}"}
_TONES = {LineChange.ADDED: Tone.GOOD, LineChange.REMOVED: Tone.BAD}
_CONTEXT_LINES = 3
_MAX_LINES = 18
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """A line as shown; a filler, where only the other side has a line, has no number."""

    number: int | None
    text: str
    change: LineChange
    """SAME, ADDED or REMOVED."""
    spans: tuple[Span, ...] = ()


class DiffPane(QPlainTextEdit):
    """Read-only; text can be selected and copied."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: list[DiffLine] = []
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
        style_as_card(self)
        self.updateRequest.connect(self._scroll_gutter)

    @property
    def lines(self) -> list[DiffLine]:
        return self._lines

    def set_lines(self, lines: list[DiffLine]) -> None:
        self._lines = lines
        self.setPlainText("\n".join(line.text for line in lines))
        self.setViewportMargins(self.gutter_width(), 0, 0, 0)
        self._place_gutter()
        self.apply_colours()

    def scroll_to_row(self, place: int) -> None:
        """Scroll to the row, leaving a few lines above it."""
        cursor = QTextCursor(self.document().findBlockByNumber(place))
        self.setTextCursor(cursor)
        self.verticalScrollBar().setValue(max(place - 3, 0))

    def gutter_width(self) -> int:
        digits = max((len(str(line.number)) for line in self._lines if line.number), default=1)
        return QFontMetrics(self.font()).horizontalAdvance("0" * digits + "+") + 3 * Space.SMALL

    def apply_colours(self) -> None:
        """Colour the background of changed lines, more strongly under changed words."""
        colours = colours_of(self)
        selections = []
        for place, line in enumerate(self._lines):
            if line.change is LineChange.SAME and line.number is not None:
                continue
            ink = colours.tones[_TONES.get(line.change, Tone.QUIET)]
            block = self.document().findBlockByNumber(place)
            background = QTextCharFormat()
            background.setBackground(QColor(ink.soft if line.number is not None else colours.window))
            background.setProperty(QTextFormat.Property.FullWidthSelection, True)  # noqa: FBT003  # Qt's order
            selections.append(_select(QTextCursor(block), background))
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
        """Draw numbers and signs beside the visible lines."""
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


class DiffSummary(DiffPane):
    """Only the changed lines and a few around them, for a card. Hidden characters are escaped."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__("")
        self.setAccessibleName(self.tr("Changes"))
        self.set_lines(collapse_unchanged(unify(compare_lines(escape_invisible(old), escape_invisible(new)))))
        spacing = QFontMetrics(self.font()).lineSpacing()
        self._height = spacing * min(max(len(self.lines), 1), _MAX_LINES) + 2 * Space.SMALL
        self.setFixedHeight(self._height)
        self.horizontalScrollBar().rangeChanged.connect(self._fit_scroll_bar)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_lines"):
            self.apply_colours()

    def _fit_scroll_bar(self, _low: int, high: int) -> None:
        """Keep the scroll bar from covering the last line."""
        self.setFixedHeight(self._height + bool(high) * self.horizontalScrollBar().sizeHint().height())


class _Gutter(QWidget):
    def __init__(self, pane: DiffPane) -> None:
        super().__init__(pane)
        self._pane = pane

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return QSize(self._pane.gutter_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        self._pane.paint_gutter(event)


def _select(cursor: QTextCursor, char_format: QTextCharFormat) -> QTextEdit.ExtraSelection:
    selection = QTextEdit.ExtraSelection()
    selection.cursor = cursor
    selection.format = char_format
    return selection


def collapse_unchanged(rows: Sequence[DiffRow]) -> list[DiffLine]:
    """Lines near a change; an ellipsis replaces the others."""
    changed = [place for place, row in enumerate(rows) if row.change is not LineChange.SAME]
    near = {at for place in changed for at in range(place - _CONTEXT_LINES, place + _CONTEXT_LINES + 1)}
    lines: list[DiffLine] = []
    is_in_gap = False
    for place, row in enumerate(rows):
        if place in near:
            lines.append(_make_line(row))
        elif not is_in_gap:
            lines.append(DiffLine(number=None, text=_ELLIPSIS, change=LineChange.SAME))
        is_in_gap = place not in near
    return lines


def _make_line(row: DiffRow) -> DiffLine:
    side = row.new or row.old
    assert side is not None
    return DiffLine(number=side.number, text=side.text, change=row.change, spans=side.spans)
