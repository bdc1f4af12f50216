"""A text of any length, wrapped to the width of its window, one page at a time."""

from PySide6.QtGui import QFontDatabase, QTextOption
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.look.dressing import mark
from app.look.theme import Space
from app.widgets.value_text import show_text
from app.words.times import say_number

PAGE = 20_000
"""Characters of one page."""


class PagedText(QWidget):
    def __init__(self, text: str = "", name: str = "") -> None:
        super().__init__()
        self._text, self._page = "", 0
        self.view = make_text_view("", name)
        self._where = QLabel()
        mark(self._where, "ink", "muted")
        self.back, self.forward = QPushButton(self.tr("Previous page")), QPushButton(self.tr("Next page"))
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        row.addWidget(self._where, 1)
        for button, step in ((self.back, -1), (self.forward, 1)):
            button.setAutoDefault(False)
            button.clicked.connect(lambda _=False, step=step: self._turn(step))
            row.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        layout.addWidget(self.view, 1)
        layout.addLayout(row)
        self.set_text(text)

    @property
    def pages(self) -> int:
        return max(-(-len(self._text) // PAGE), 1)

    def set_text(self, text: str) -> None:
        self._text, self._page = text, 0
        self._turn(0)

    def _turn(self, step: int) -> None:
        self._page = min(max(self._page + step, 0), self.pages - 1)
        self.view.setPlainText(show_text(self._text[self._page * PAGE : (self._page + 1) * PAGE]))
        number = self.tr("{number} characters").format(number=say_number(len(self._text)))
        page = self.tr("page {page} of {pages}").format(page=say_number(self._page + 1), pages=say_number(self.pages))
        self._where.setText(number if self.pages == 1 else f"{number}, {page}")
        for button, is_there in ((self.back, self._page > 0), (self.forward, self._page < self.pages - 1)):
            button.setVisible(self.pages > 1)
            button.setEnabled(is_there)


def make_text_view(text: str, name: str, *, is_code: bool = False) -> QPlainTextEdit:
    """Read-only, and without anything at its side: what is too long for a line continues on the next."""
    view = QPlainTextEdit(text)
    view.setProperty("field", "true")
    view.setReadOnly(True)
    view.setTabChangesFocus(True)
    view.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    view.setAccessibleName(name)
    if is_code:
        view.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
    return view
