"""What a run printed, and where in it the words are that one looks for."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QFontDatabase, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from app.look.dressing import mark
from app.look.theme import Space, Tone, Type, colours_of, make_font
from app.widgets.plain import reveal
from app.widgets.search_field import SearchField
from app.words.times import say_number

_MOST_LINES = 20_000
_MOST_MARKED = 1_000
_LEAST_HEIGHT = 180


class LogView(QWidget):
    """Hidden while there is nothing. Return goes to the next place, Shift+Return to the one before."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._places: list[QTextCursor] = []
        self._place = 0
        self.lines = QPlainTextEdit()
        self.lines.setReadOnly(True)
        self.lines.setProperty("field", "true")
        self.lines.setTabChangesFocus(True)
        self.lines.setAccessibleName(self.tr("Log"))
        self.lines.setMaximumBlockCount(_MOST_LINES)
        self.lines.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.lines.setMinimumHeight(_LEAST_HEIGHT)
        title = QLabel(self.tr("Log"))
        title.setFont(make_font(Type.STRONG, title.font()))
        self.field = SearchField(self.tr("Search this log"))
        self.found = QLabel()
        mark(self.found, "ink", "muted")
        top = QHBoxLayout()
        top.setSpacing(Space.MEDIUM)
        top.addWidget(title)
        top.addStretch(1)
        top.addWidget(self.found)
        top.addWidget(self.field, 2)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(Space.SMALL)
        whole.addLayout(top)
        whole.addWidget(self.lines, 1)
        self.field.searched.connect(lambda _: self._search())
        self.field.repeated.connect(self._go_by)
        self.field.left.connect(self.lines.setFocus)
        self.hide()

    def clear(self) -> None:
        self.lines.clear()
        self.field.clear()
        self.hide()

    def add(self, text: str) -> None:
        """Whoever reads the end goes on reading there; whoever looks for something stays where that is."""
        bar = self.lines.verticalScrollBar()
        is_at_end = bar.value() >= bar.maximum() - 4
        cursor = QTextCursor(self.lines.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(reveal(text))
        self.show()
        if self.field.text():
            self._mark()
        elif is_at_end:
            bar.setValue(bar.maximum())

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._places:
            self._mark()

    def _search(self) -> None:
        self._place = 0
        self._mark()
        self._go_by(0)

    def _mark(self) -> None:
        """Every place, as far as somebody would go through them."""
        ground = QTextCharFormat()
        ground.setBackground(QColor(colours_of(self).tones[Tone.ATTENTION].soft))
        self._places = _find_all(self.lines.document(), self.field.text().strip())
        marks = []
        for place in self._places:
            one = QTextEdit.ExtraSelection()
            one.cursor, one.format = place, ground
            marks.append(one)
        self.lines.setExtraSelections(marks)
        self._place = min(self._place, max(len(self._places) - 1, 0))
        self._say()

    def _go_by(self, step: int) -> None:
        """On the other side of the last one is the first."""
        if self._places:
            self._place = (self._place + step) % len(self._places)
            self.lines.setTextCursor(self._places[self._place])
            self._say()

    def _say(self) -> None:
        number = len(self._places)
        if not self.field.text().strip():
            said = ""
        elif not number:
            said = self.tr("Not in this log")
        else:
            all_ = f"{say_number(number)}+" if number == _MOST_MARKED else say_number(number)
            said = self.tr("{place} of {number}").format(place=say_number(self._place + 1), number=all_)
        self.found.setText(said)


def _find_all(document: QTextDocument, words: str) -> list[QTextCursor]:
    found: list[QTextCursor] = []
    place = document.find(words) if words else QTextCursor()
    while not place.isNull() and len(found) < _MOST_MARKED:
        found.append(place)
        place = document.find(words, place)
    return found
