"""Truncated details say how much there is, and open in full."""

from collections.abc import Callable

from PySide6.QtWidgets import (
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.widgets.details import make_sections
from app.widgets.details_view import DetailsView
from app.widgets.paged_text import PAGE_CHARS, PagedText
from app.widgets.show_all import FullTable, ShowAllDialog


def texts(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


def test_long_tables_and_texts_scroll_instead_of_growing(shown: Callable[..., None]) -> None:
    rows = [{"number": number} for number in range(500)]
    view = DetailsView(make_sections({"rows": rows, "body": "line\n" * 100}))
    shown(view, 500)
    table, text = view.findChild(QTableView), view.findChild(QPlainTextEdit)
    assert table is not None and text is not None
    assert table.model().rowCount() == 500
    assert "500 rows" in texts(view)
    assert table.verticalScrollBar().maximum() > 0
    assert view.height() < 500
    assert text.toPlainText().count("line") == 100


def test_a_wide_table_shows_what_fits_and_opens_in_full(shown: Callable[..., None]) -> None:
    row = {f"column {number}": f"some words {number}" for number in range(20)}
    view = DetailsView(make_sections({"rows": [row, row]}))
    shown(view, 400)
    table = view.findChild(QTableView)
    assert table is not None
    assert table.horizontalScrollBar().maximum() == 0
    assert table.verticalScrollBar().maximum() == 0
    assert "2 rows, 4 of 20 columns shown" in texts(view)
    [button] = [one for one in view.findChildren(QPushButton) if one.isVisible()]
    button.click()
    dialog = view.window().findChild(ShowAllDialog)
    assert dialog is not None and isinstance(dialog.body, FullTable)
    assert dialog.body.view.model().columnCount() == 20
    assert '"column 19": "some words 19"' in dialog.body.row.view.toPlainText(), "the selected row, in full"


def test_a_truncated_name_can_be_read_in_full(shown: Callable[..., None]) -> None:
    view = DetailsView(make_sections({"x" * 5000: "here"}))
    shown(view, 500)
    [button] = view.findChildren(QPushButton)
    button.click()
    dialog = view.window().findChild(ShowAllDialog)
    assert dialog is not None and isinstance(dialog.body, PagedText)
    assert "x" * 5000 in dialog.body.view.toPlainText()


def test_a_huge_text_is_counted_and_opens_page_by_page(qtbot: QtBot, shown: Callable[..., None]) -> None:
    view = DetailsView(make_sections({"body": "a" * PAGE_CHARS + "b" * PAGE_CHARS + "the end"}))
    shown(view, 500)
    assert "40,007 characters, the first 4,000 shown" in texts(view)
    [button] = view.findChildren(QPushButton)
    button.click()
    dialog = view.window().findChild(ShowAllDialog)
    assert dialog is not None and isinstance(dialog.body, PagedText)
    pages = dialog.body
    assert pages.view.toPlainText() == "a" * PAGE_CHARS
    assert pages.view.horizontalScrollBar().maximum() == 0
    pages.forward.click()
    pages.forward.click()
    assert pages.view.toPlainText() == "the end"
    assert not pages.forward.isEnabled()
    with qtbot.waitSignal(dialog.destroyed):
        dialog.close()
