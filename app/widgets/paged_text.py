"""A text of any length, wrapped, one page at a time."""

from PySide6.QtGui import QFontDatabase, QTextOption
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.i18n.time_text import format_number
from app.theme.stylesheet import set_style
from app.theme.tokens import Space
from app.widgets.value_text import escape_hidden

PAGE_CHARS = 20_000
"""Characters of one page."""


class PagedText(QWidget):
    def __init__(self, text: str = "", name: str = "") -> None:
        super().__init__()
        self._text, self._page = "", 0
        self.view = make_text_view("", name)
        self._position = QLabel()
        set_style(self._position, "ink", "muted")
        self.back, self.forward = QPushButton(self.tr("Previous page")), QPushButton(self.tr("Next page"))
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        row.addWidget(self._position, 1)
        for button, step in ((self.back, -1), (self.forward, 1)):
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, step=step: self._turn_page(step))
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        layout.addWidget(self.view, 1)
        layout.addLayout(row)
        self.set_text(text)

    @property
    def page_count(self) -> int:
        return max(-(-len(self._text) // PAGE_CHARS), 1)

    def set_text(self, text: str) -> None:
        self._text, self._page = text, 0
        self._turn_page(0)

    def _turn_page(self, step: int) -> None:
        self._page = min(max(self._page + step, 0), self.page_count - 1)
        self.view.setPlainText(escape_hidden(self._text[self._page * PAGE_CHARS : (self._page + 1) * PAGE_CHARS]))
        number = self.tr("{number} characters").format(number=format_number(len(self._text)))
        page = self.tr("page {page} of {pages}").format(
            page=format_number(self._page + 1), pages=format_number(self.page_count)
        )
        self._position.setText(number if self.page_count == 1 else f"{number}, {page}")
        for button, is_possible in ((self.back, self._page > 0), (self.forward, self._page < self.page_count - 1)):
            button.setVisible(self.page_count > 1)
            button.setEnabled(is_possible)


def make_text_view(text: str, name: str, *, is_code: bool = False) -> QPlainTextEdit:
    """A read-only view that wraps and never scrolls horizontally."""
    view = QPlainTextEdit(text)
    view.setProperty("field", "true")
    view.setReadOnly(True)
    view.setTabChangesFocus(True)
    view.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    view.setAccessibleName(name)
    if is_code:
        view.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    return view
