"""Widgets for detail sections: selectable text and plain tables; truncated content is marked and has Show all.

Nothing scrolls horizontally. A section holds at most MAX_PAIRS labels, one lazy table or SHOWN_TEXT characters.
"""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QContextMenuEvent, QFontDatabase, QFontMetrics, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QMenu, QPushButton, QVBoxLayout, QWidget

from app.i18n.time_text import format_number
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, make_font
from app.widgets.details import DetailSection, DetailTable, Pairs, TextBlock, TextDiff
from app.widgets.diff_pane import DiffSummary
from app.widgets.paged_text import make_text_view
from app.widgets.preview_table import PreviewTable
from app.widgets.show_all import open_table_dialog, open_text_dialog
from app.widgets.value_text import escape_hidden as write_text
from app.widgets.visible_text import add_break_points, escape_invisible, remove_break_points

MAX_TEXT_CHARS = 4_000
"""Characters of a text; Show all has the rest."""
_MAX_LINES = 8
_MAX_WORD_WIDTH = 160
_MAX_KEY_WIDTH = 220
translate = QCoreApplication.translate


class DetailsView(QWidget):
    """All text is plain: markup in data is not interpreted."""

    def __init__(self, sections: Sequence[DetailSection], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        for place, section in enumerate(sections):
            if section.title:
                layout.addSpacing(Space.TIGHT if place else 0)
                layout.addWidget(_make_title(section))
            layout.addWidget(_make_body(section))


class SelectableLabel(QLabel):
    """A plain-text label that wraps even within long words; its text can be selected and copied unchanged."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        # No tab stop: a card has many of these.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setText(text)

    def setText(self, text: str) -> None:  # noqa: N802  # Qt's name
        super().setText(add_break_points(text, self.fontMetrics().horizontalAdvance, _MAX_WORD_WIDTH))

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setText(self.text())

    def text(self) -> str:
        return remove_break_points(super().text())

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(remove_break_points(self.selectedText()))

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


def make_label(text: str, ink: str = "") -> SelectableLabel:
    label = SelectableLabel(text)
    if ink:
        set_style(label, "ink", ink)
    return label


def _make_title(section: DetailSection) -> QLabel:
    title = make_label(escape_invisible(section.title), section.tone.value if section.tone else "muted")
    title.setFont(make_font(TextStyle.STRONG, make_font(TextStyle.CAPTION, title.font())))
    return title


def _make_body(section: DetailSection) -> QWidget:
    match section.body:
        case Pairs(pairs=pairs):
            shown = _make_pairs(pairs)
            caption = translate("details", "Long names are shortened.")
            return (
                shown if section.full_text is None else _TruncatedView(shown, section.title, section.full_text, caption)
            )
        case DetailTable() as table:
            return _TruncatedTable(table, section.title)
        case TextBlock() as prose:
            return _make_prose(prose, section)
        case TextDiff(old=old, new=new):
            return DiffSummary(old, new)


class _TruncatedView(QWidget):
    """Truncated content with a caption that says how much there is, and Show all."""

    def __init__(self, shown: QWidget, title: str, read: Callable[[], str] | None, caption: str = "") -> None:
        super().__init__()
        self.title = title or translate("details", "Details")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.TIGHT)
        layout.addWidget(shown)
        self.caption = make_label(caption, "muted")
        self.show_all = QPushButton(translate("details", "Show all"))
        self.show_all.setAutoDefault(False)
        self.show_all.setAccessibleDescription(escape_invisible(self.title))
        if read is not None:
            self.show_all.clicked.connect(lambda: open_text_dialog(self.title, read, self))
        self.footer = QWidget()
        row = QHBoxLayout(self.footer)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.caption, 1)
        row.addWidget(self.show_all)
        layout.addWidget(self.footer)


class _TruncatedTable(_TruncatedView):
    def __init__(self, table: DetailTable, title: str) -> None:
        self._preview = PreviewTable(table, title)
        super().__init__(self._preview, title, None)
        self.show_all.clicked.connect(lambda: open_table_dialog(self.title, table, self))
        self._preview.changed.connect(self._update_footer)
        self.footer.hide()
        self._update_footer()

    def _update_footer(self) -> None:
        """Once shown, the footer stays: a height that changes with the width would flicker."""
        self.caption.setText(self._preview.caption)
        if not self._preview.is_fully_visible:
            self.footer.show()


def _make_pairs(pairs: Sequence[tuple[str, str]]) -> QWidget:
    """Names wrap in a narrow column, so that a long name cannot push its value out of view."""
    box = QWidget()
    grid = QGridLayout(box)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(Space.LARGE)
    grid.setVerticalSpacing(Space.TIGHT)
    grid.setColumnStretch(1, 1)
    metrics = QFontMetrics(box.font())
    width = max((metrics.horizontalAdvance(key) for key, _ in pairs), default=0) + Space.SMALL
    for row, (key, value) in enumerate(pairs):
        name = make_label(key, "muted")
        name.setFixedWidth(min(width, _MAX_KEY_WIDTH))
        grid.addWidget(name, row, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(make_label(value), row, 1, Qt.AlignmentFlag.AlignTop)
    return box


def _make_prose(prose: TextBlock, section: DetailSection) -> QWidget:
    text, name = prose.text, section.title or translate("details", "Text")
    shown = write_text(text[:MAX_TEXT_CHARS])
    if shown.count("\n") < _MAX_LINES and len(shown) < 80 * _MAX_LINES:
        label = make_label(shown)
        if prose.is_code:
            label.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        return label
    view = make_text_view(shown, escape_invisible(name), is_code=prose.is_code)
    view.setFixedHeight(QFontMetrics(view.font()).lineSpacing() * _MAX_LINES + 2 * Space.SMALL)
    number = translate("details", "{number} characters").format(number=format_number(len(text)))
    if len(text) > MAX_TEXT_CHARS:
        first = translate("details", "the first {number} shown").format(number=format_number(MAX_TEXT_CHARS))
        number = f"{number}, {first}"
    return _TruncatedView(view, name, lambda: text, number)
