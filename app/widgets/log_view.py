"""The log of a run: when each line was printed, a search field, and a button that copies it."""

import re
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QFontDatabase, QGuiApplication, QTextCharFormat, QTextCursor, QTextDocument
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QTextEdit, QVBoxLayout, QWidget

from app.i18n.time_text import format_number
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, Tone, colours_of, make_font
from app.widgets.flow_layout import FlowLayout
from app.widgets.search_field import SearchField
from app.widgets.visible_text import escape_invisible

_MAX_LINES = 20_000
_MAX_MATCHES = 1_000
_MIN_HEIGHT = 180


class LogView(QWidget):
    """Hidden while empty. Return goes to the next match, Shift+Return to the previous one."""

    def __init__(self, zone: ZoneInfo, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._zone = zone
        self._is_at_line_start = True
        self._matches: list[QTextCursor] = []
        self._current = 0
        self.text_view = QPlainTextEdit()
        self.text_view.setReadOnly(True)
        self.text_view.setProperty("field", "true")
        self.text_view.setTabChangesFocus(True)
        self.text_view.setAccessibleName(self.tr("Log"))
        self.text_view.setMaximumBlockCount(_MAX_LINES)
        self.text_view.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.text_view.setMinimumHeight(_MIN_HEIGHT)
        title = QLabel(self.tr("Log"))
        title.setFont(make_font(TextStyle.STRONG, title.font()))
        self.search_field = SearchField(self.tr("Search this log"))
        self.match_label = QLabel()
        set_style(self.match_label, "ink", "muted")
        self.copy_button = QPushButton(self.tr("Copy log"))
        self.copy_button.setAutoDefault(False)
        self.copy_button.clicked.connect(self.copy)
        top = FlowLayout(Space.MEDIUM)
        top.addWidget(title)
        top.addWidget(self.match_label)
        top.add_expanding(self.search_field)
        top.addWidget(self.copy_button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(Space.SMALL)
        whole.addLayout(top)
        whole.addWidget(self.text_view, 1)
        self.search_field.searched.connect(lambda _: self._search())
        self.search_field.step_requested.connect(self._step)
        self.search_field.down_pressed.connect(self.text_view.setFocus)
        self.hide()

    def clear(self) -> None:
        self.text_view.clear()
        self.search_field.clear()
        self._is_at_line_start = True
        self.hide()

    def copy(self) -> None:
        """Copy the whole log, as shown."""
        QGuiApplication.clipboard().setText(self.text_view.toPlainText())

    def append(self, text: str, times: Sequence[tuple[int, datetime]] = ()) -> None:
        """Append; the view follows the end if it was there, unless a search is active.

        `times` says from which character on the text was printed when, in order.
        """
        bar = self.text_view.verticalScrollBar()
        is_at_end = bar.value() >= bar.maximum() - 4
        cursor = QTextCursor(self.text_view.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(escape_invisible(self._add_times(text, times)))
        self.show()
        if self.search_field.text():
            self._highlight()
        elif is_at_end:
            bar.setValue(bar.maximum())

    def _add_times(self, text: str, times: Sequence[tuple[int, datetime]]) -> str:
        """Each line with its time; one whose time is not known stays in the same column."""
        shown, offset, following = [], 0, [*times]
        label = " " * len("00:00:00") if times else ""
        for line in re.findall(r"[^\n]*\n|[^\n]+", text):
            while following and following[0][0] <= offset:
                label = f"{following.pop(0)[1].astimezone(self._zone):%H:%M:%S}"
            shown.append(f"{label}  {line}" if label and self._is_at_line_start else line)
            self._is_at_line_start = line.endswith("\n")
            offset += len(line)
        return "".join(shown)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._matches:
            self._highlight()

    def _search(self) -> None:
        self._current = 0
        self._highlight()
        self._step(0)

    def _highlight(self) -> None:
        """Highlight every match, up to a limit."""
        highlight = QTextCharFormat()
        highlight.setBackground(QColor(colours_of(self).tones[Tone.ATTENTION].soft))
        self._matches = _find_all(self.text_view.document(), self.search_field.text().strip())
        marks = []
        for match in self._matches:
            one = QTextEdit.ExtraSelection()
            one.cursor, one.format = match, highlight
            marks.append(one)
        self.text_view.setExtraSelections(marks)
        self._current = min(self._current, max(len(self._matches) - 1, 0))
        self._show_count()

    def _step(self, step: int) -> None:
        """Select another match, wrapping around."""
        if self._matches:
            self._current = (self._current + step) % len(self._matches)
            self.text_view.setTextCursor(self._matches[self._current])
            self._show_count()

    def _show_count(self) -> None:
        number = len(self._matches)
        if not self.search_field.text().strip():
            text = ""
        elif not number:
            text = self.tr("No results")
        else:
            all_ = f"{format_number(number)}+" if number == _MAX_MATCHES else format_number(number)
            text = self.tr("{place} of {number}").format(place=format_number(self._current + 1), number=all_)
        self.match_label.setText(text)


def _find_all(document: QTextDocument, words: str) -> list[QTextCursor]:
    matches: list[QTextCursor] = []
    match = document.find(words) if words else QTextCursor()
    while not match.isNull() and len(matches) < _MAX_MATCHES:
        matches.append(match)
        match = document.find(words, match)
    return matches
