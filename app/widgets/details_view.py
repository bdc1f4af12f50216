"""Sections of details as widgets: selectable text, plain tables, nothing cut off without a sign and a way to the rest.

Nothing here scrolls sideways. One section takes at most so much: MAX_PAIRS labels, a table that makes no cells, or
SHOWN_TEXT characters of a text.
"""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QContextMenuEvent, QFontDatabase, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from app.look.dressing import mark
from app.look.theme import Space, Type, make_font
from app.widgets.changes import Changes
from app.widgets.details import Difference, Pairs, Prose, Section, Table
from app.widgets.paged_text import make_text_view
from app.widgets.plain import fold, reveal, unfold
from app.widgets.preview_table import PreviewTable
from app.widgets.show_all import show_table, show_text
from app.widgets.value_text import show_text as write_text
from app.words.times import say_number

SHOWN_TEXT = 4_000
"""Characters of a text; the rest is behind Show all."""
_MOST_LINES = 8
_LONGEST_WORD = 240
_WIDEST_KEY = 220
translate = QCoreApplication.translate


class DetailsView(QWidget):
    """What is shown is plain text: markup in data is data."""

    def __init__(self, sections: Sequence[Section], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        for place, section in enumerate(sections):
            if section.title:
                layout.addSpacing(Space.TIGHT if place else 0)
                layout.addWidget(_make_title(section))
            layout.addWidget(_make_body(section))


class Text(QLabel):
    """Wraps, also within a long word, can be selected and copied as it is, and never takes data for markup."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        # Text can be copied with the mouse and by keys from its card; a tab stop for each would be in the way.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802  # Qt's name
        super().setText(fold(text, self.fontMetrics().horizontalAdvance, _LONGEST_WORD))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setText(self.text())

    def text(self) -> str:
        return unfold(super().text())

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(unfold(self.selectedText()))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        if event.matches(QKeySequence.StandardKey.Copy) and self.hasSelectedText():
            self.copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802  # Qt's name
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(QCoreApplication.translate("details", "Copy"), self.copy)
        copy.setEnabled(self.hasSelectedText())
        select = partial(self.setSelection, 0, len(super().text()))
        menu.addAction(QCoreApplication.translate("details", "Select all"), select)
        menu.popup(event.globalPos())


def make_text(text: str, ink: str = "") -> Text:
    label = Text(text)
    if ink:
        mark(label, "ink", ink)
    return label


def _make_title(section: Section) -> QLabel:
    title = make_text(reveal(section.title), section.tone.value if section.tone else "muted")
    title.setFont(make_font(Type.STRONG, make_font(Type.CAPTION, title.font())))
    return title


def _make_body(section: Section) -> QWidget:
    match section.body:
        case Pairs(pairs=pairs):
            shown = _make_pairs(pairs)
            cut = translate("details", "Long names are shortened.")
            return shown if section.whole is None else _Part(shown, section.title, section.whole, cut)
        case Table() as table:
            return _TablePart(table, section.title)
        case Prose() as prose:
            return _make_prose(prose, section)
        case Difference(old=old, new=new):
            return Changes(old, new)


class _Part(QWidget):
    """A part of something, with a line below that says how much there is, and Show all."""

    def __init__(self, shown: QWidget, title: str, read: Callable[[], str] | None, caption: str = "") -> None:
        super().__init__()
        self.title = title or translate("details", "Details")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.TIGHT)
        layout.addWidget(shown)
        self.caption = make_text(caption, "muted")
        self.show_all = QPushButton(translate("details", "Show all"))
        self.show_all.setAutoDefault(False)
        self.show_all.setAccessibleDescription(reveal(self.title))
        if read is not None:
            self.show_all.clicked.connect(lambda: show_text(self.title, read, self))
        self.foot = QWidget()
        row = QHBoxLayout(self.foot)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.caption, 1)
        row.addWidget(self.show_all)
        layout.addWidget(self.foot)


class _TablePart(_Part):
    def __init__(self, table: Table, title: str) -> None:
        self._preview = PreviewTable(table, title)
        super().__init__(self._preview, title, None)
        self.show_all.clicked.connect(lambda: show_table(self.title, table, self))
        self._preview.changed.connect(self._say)
        self.foot.hide()
        self._say()

    def _say(self) -> None:
        """Once it was needed it stays: a page whose height changes with its width would flicker."""
        self.caption.setText(self._preview.caption)
        if not self._preview.is_whole:
            self.foot.show()


def _make_pairs(pairs: Sequence[tuple[str, str]]) -> QWidget:
    """Names wrap within a column of their own, so that no name moves its value out of sight."""
    box = QWidget()
    grid = QGridLayout(box)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(Space.LARGE)
    grid.setVerticalSpacing(Space.TIGHT)
    grid.setColumnStretch(1, 1)
    metrics = QFontMetrics(box.font())
    width = max((metrics.horizontalAdvance(key) for key, _ in pairs), default=0) + Space.SMALL
    for row, (key, value) in enumerate(pairs):
        name = make_text(key, "muted")
        name.setFixedWidth(min(width, _WIDEST_KEY))
        grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(make_text(value), row, 1, Qt.AlignmentFlag.AlignTop)
    return box


def _make_prose(prose: Prose, section: Section) -> QWidget:
    text, name = prose.text, section.title or translate("details", "Text")
    shown = write_text(text[:SHOWN_TEXT])
    if shown.count("\n") < _MOST_LINES and len(shown) < 80 * _MOST_LINES:
        label = make_text(shown)
        if prose.is_code:
            label.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        return label
    view = make_text_view(shown, reveal(name), is_code=prose.is_code)
    view.setFixedHeight(QFontMetrics(view.font()).lineSpacing() * _MOST_LINES + 2 * Space.SMALL)
    number = translate("details", "{number} characters").format(number=say_number(len(text)))
    if len(text) > SHOWN_TEXT:
        first = translate("details", "the first {number} shown").format(number=say_number(SHOWN_TEXT))
        number = f"{number}, {first}"
    return _Part(view, name, lambda: text, number)
