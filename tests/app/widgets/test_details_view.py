"""Details on screen: complete, selectable, aligned, and never interpreted as markup."""

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QTableView

from app.theme.tokens import Colours
from app.widgets.details import make_sections
from app.widgets.details_view import DetailsView


@pytest.fixture
def view(shown: Callable[..., None]) -> Callable[[Any], DetailsView]:
    def view(value: Any) -> DetailsView:
        details = DetailsView(make_sections(value))
        shown(details, 600, max(details.sizeHint().height(), 40))
        return details

    return view


def test_pairs_are_aligned(view: Callable[[Any], DetailsView], colours: Colours) -> None:
    labels = {label.text(): label for label in view({"subject": "Hello", "reply_to": "me"}).findChildren(QLabel)}
    assert labels["Subject"].x() == labels["Reply to"].x()
    assert labels["Hello"].x() == labels["me"].x() > labels["Reply to"].geometry().right()
    assert labels["Subject"].y() == labels["Hello"].y()


def test_values_can_be_selected_and_copied(view: Callable[[Any], DetailsView]) -> None:
    (value,) = [label for label in view({"subject": "Hello"}).findChildren(QLabel) if label.text() == "Hello"]
    assert value.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByMouse
    assert value.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByKeyboard


@pytest.mark.parametrize("value", [{"<b>key</b>": "<i>value</i>"}, "<b>text</b>", {"long": "<b>x</b>\n" * 3}])
def test_no_label_interprets_markup_in_data(view: Callable[[Any], DetailsView], value: Any) -> None:
    labels = [label for label in view(value).findChildren(QLabel) if "<" in label.text()]
    assert labels
    assert all(label.textFormat() is Qt.TextFormat.PlainText for label in labels)


def test_the_tooltip_of_a_long_cell_has_its_text(view: Callable[[Any], DetailsView]) -> None:
    text = "a long story <b>with</b> markup, " * 20 + "the end"
    table = view({"rows": [{"story": text}]}).findChild(QTableView)
    assert table is not None
    cell = table.model().index(0, 0)
    assert cell.data() == text[:200] + "…"
    assert "&lt;b&gt;" in cell.data(Qt.ItemDataRole.ToolTipRole)


def test_line_breaks_in_a_cell_are_marked(view: Callable[[Any], DetailsView]) -> None:
    table = view({"rows": [{"address": "Street 1\nTown"}]}).findChild(QTableView)
    assert table is not None
    assert table.model().index(0, 0).data() == "Street 1 ↵ Town"


def test_a_table_cannot_be_edited(view: Callable[[Any], DetailsView]) -> None:
    table = view([{"a": 1}]).findChild(QTableView)
    assert table is not None
    assert table.editTriggers() == QTableView.EditTrigger.NoEditTriggers


@pytest.mark.parametrize("number", [1, 3, 8])
def test_a_short_table_is_exactly_as_tall_as_its_rows(view: Callable[[Any], DetailsView], number: int) -> None:
    table = view([{"a": row, "b": "x"} for row in range(number)]).findChild(QTableView)
    assert table is not None
    rows = sum(table.rowHeight(row) for row in range(number))
    assert 0 <= table.viewport().height() - rows <= 4
    assert table.rowHeight(0) >= table.fontMetrics().height() + 4


def test_a_list_has_no_header(view: Callable[[Any], DetailsView]) -> None:
    table = view(["a.txt", "b.txt"]).findChild(QTableView)
    assert table is not None
    assert not table.horizontalHeader().isVisible()
    assert [table.model().index(row, 0).data() for row in range(2)] == ["a.txt", "b.txt"]


def test_a_long_text_scrolls_to_its_end(view: Callable[[Any], DetailsView]) -> None:
    text = view({"body": "\n".join(str(line) for line in range(200))}).findChild(QPlainTextEdit)
    assert text is not None
    assert text.isReadOnly()
    assert text.accessibleName() == "Body"
    assert text.horizontalScrollBar().maximum() == 0
    assert text.toPlainText().endswith("199")
    assert text.verticalScrollBar().maximum() > 0
