"""Choosing a text on a web page: the page is read, and its texts are shown in a list to choose from."""

from collections.abc import Mapping
from typing import Any

from dayhand.page_text import PageBlock
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QListWidgetItem, QProgressBar, QWidget

from app.background import BackgroundTasks
from app.session import Session
from app.template_questions import InvalidAnswerError, QuestionKind, TemplateQuestion
from app.theme.tokens import Space, Tone
from app.web_page import PageTexts, read_page
from app.widgets.details_view import make_label
from app.widgets.search_field import SearchField
from app.widgets.visible_text import escape_invisible
from app.window.dialog import Dialog
from app.window.feedback import StatusLine, make_button
from app.window.workflows.list_view import make_text_list

_BLOCK = Qt.ItemDataRole.UserRole
_LIST_HEIGHT = 260
_ADDRESS = TemplateQuestion(name="", text="", kind=QuestionKind.ADDRESS, default="", required=True)


class PageTextDialog(Dialog):
    chosen = Signal(object)
    """The block."""

    def __init__(self, session: Session, url: str, parent: QWidget | None = None) -> None:
        super().__init__(620, parent)
        self.set_titles(self.tr("Choose a text"), self.tr("What should be watched?"))
        self._session, self._url, self._background = session, url, BackgroundTasks(self)
        self.search = SearchField(self.tr("Search this page"))
        self.only_prices = QCheckBox(self.tr("Only &prices"))
        self.list = make_text_list(self.tr("Texts on the page"))
        self.list.setMinimumHeight(_LIST_HEIGHT)
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setAccessibleName(self.tr("Reading the page"))
        self.status_line = StatusLine()
        self.cancel = make_button(self.tr("Cancel"))
        self.accept_button = make_button(self.tr("Watch this"), "Ctrl+Return", importance="primary")
        self.accept_button.setEnabled(False)
        shown: tuple[QWidget, ...] = (self.search, self.only_prices, self.list, self.busy, self.status_line)
        for part in (make_label(escape_invisible(url), "muted"), *shown):
            self.parts.addWidget(part)
        self.add_buttons(others=[self.cancel], last=self.accept_button)
        for part in (self.search, self.only_prices, self.list):
            part.hide()  # until there is something to choose from
        self.search.textChanged.connect(self._filter)
        self.search.down_pressed.connect(self.list.setFocus)
        self.only_prices.toggled.connect(self._filter)
        self.list.currentItemChanged.connect(lambda item: self.accept_button.setEnabled(item is not None))
        self.list.itemDoubleClicked.connect(self._choose)  # Return presses the default button
        self.cancel.clicked.connect(self.reject)
        self.accept_button.clicked.connect(self._choose)
        self._read()

    def _read(self) -> None:
        registry, url, now = self._session.registry, self._url, self._session.now()
        self.status_line.show_message(self.tr("Reading the page…"), Tone.QUIET)
        self._background.run(lambda: read_page(registry, url, now), self._show, self._fail)

    def _show(self, page: PageTexts) -> None:
        self.busy.hide()
        self.status_line.clear()
        if page.hint:
            self.status_line.show_message(page.hint, Tone.QUIET)
        for part in (self.search, self.list):
            part.show()
        for block in page.blocks:
            item = QListWidgetItem(escape_invisible(block.text))
            item.setData(_BLOCK, block)
            self.list.addItem(item)
        self.only_prices.setVisible(any(block.kind == "price" for block in page.blocks))
        self.search.setFocus()
        self._fit_soon()

    def _fit_soon(self) -> None:
        """Once more when what was just shown is laid out: before that, a wrapped text is not measured."""
        self.fit()
        QTimer.singleShot(0, self, self.fit)

    def _fail(self, error: Exception) -> None:
        self.busy.hide()
        self.status_line.show_error(error)
        self.cancel.setFocus()
        self._fit_soon()

    def _filter(self) -> None:
        wanted, prices = self.search.text().strip().casefold(), self.only_prices.isChecked()
        for place in range(self.list.count()):
            item = self.list.item(place)
            block: PageBlock = item.data(_BLOCK)
            item.setHidden(wanted not in block.text.casefold() or (prices and block.kind != "price"))
        current = self.list.currentItem()
        if current is not None and current.isHidden():
            self.list.setCurrentRow(-1)

    def _choose(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self.accept()
            self.chosen.emit(item.data(_BLOCK))
            self.deleteLater()


class PageTextField(QWidget):
    """Shows the chosen text, and a button that opens the page's texts."""

    changed = Signal()

    def __init__(self, session: Session, page: QLineEdit, mark: Mapping[str, Any]) -> None:
        super().__init__()
        self._session, self._page = session, page
        self._mark: Mapping[str, Any] = mark if isinstance(mark, Mapping) else {}
        self._url = page.text()
        self.chosen_text = make_label("")
        self.status_line = StatusLine()
        self.button = make_button(self.tr("Choose on the page…"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.MEDIUM)
        row.addWidget(self.button)
        row.addWidget(self.chosen_text, 1)
        row.addWidget(self.status_line, 1)
        row.addStretch()
        self.setFocusProxy(self.button)
        self.button.clicked.connect(self._open)
        page.textChanged.connect(self.status_line.clear)
        page.textChanged.connect(self._forget_other_page)
        self._show()

    def value(self) -> dict[str, Any]:
        return dict(self._mark)

    def _open(self) -> None:
        try:
            url = _ADDRESS.parse(self._page.text())
        except InvalidAnswerError:
            self.status_line.show_message(self.tr("Enter the address of the page first."), Tone.BAD)
            self._page.setFocus()
            return
        self.status_line.clear()
        dialog = PageTextDialog(self._session, url, self.window())
        dialog.chosen.connect(self._keep)
        dialog.open()

    def _keep(self, block: PageBlock) -> None:
        self._mark, self._url = block.mark, self._page.text()
        self._show()
        self.changed.emit()

    def _forget_other_page(self, text: str) -> None:
        """A text of another page means nothing on this one."""
        if self._mark and text != self._url:
            self._mark = {}
            self._show()

    def _show(self) -> None:
        text = escape_invisible(str(self._mark.get("text", "")))
        self.chosen_text.setText(text)
        self.chosen_text.setVisible(bool(text))
