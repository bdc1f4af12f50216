"""Fields of an answer give back what was typed, and what was not touched as it was."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.widgets.answer_form import AnswerForm, FormField, FormFieldKind
from app.widgets.request_card import ButtonImportance, CardAction, RequestCard
from app.widgets.row_grid import RowGrid, can_edit_rows
from tests.app.widgets.test_request_card import VALUE

ROWS = [{"shop": "Bakery", "amount": 4.5}, {"shop": "Books", "amount": 23, "note": None}]
EDIT = CardAction(
    id="edit",
    label="Edit…",
    form=(
        FormField(name="subject", label="Subject", kind=FormFieldKind.LINE, value="Hello"),
        FormField(name="text", label="Text", kind=FormFieldKind.TEXT, value="Dear\r\nAnn"),
    ),
    confirm="Approve with changes",
    only_changes=True,
)
REASON = CardAction(
    id="reject",
    label="Reject…",
    shortcut="Ctrl+Backspace",
    form=(FormField(name="reason", label="Reason", kind=FormFieldKind.LINE),),
    confirm="Reject",
)
APPROVE = CardAction(id="approve", label="Approve", shortcut="Ctrl+Return", importance=ButtonImportance.PRIMARY)


@pytest.fixture
def card(shown: Callable[..., None]) -> RequestCard:
    made = RequestCard(replace(VALUE, actions=(APPROVE, EDIT, REASON)))
    shown(made, 700)
    return made


def chosen(card: RequestCard) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    card.action_chosen.connect(lambda _, action: found.append((action, card.values_of(action))))
    return found


def type_into(qtbot: QtBot, field: QWidget, text: str) -> None:
    assert isinstance(field, QLineEdit | QPlainTextEdit)
    field.selectAll()
    qtbot.keyClicks(field, text)


def test_a_button_with_a_form_opens_it_and_gives_no_answer_yet(qtbot: QtBot, card: RequestCard) -> None:
    answers = chosen(card)
    card.buttons["edit"].click()
    assert answers == []
    assert card.panel is not None and card.panel.isVisible()
    assert not any(button.isVisible() for button in card.buttons.values())
    assert card.is_busy, "it must not be rebuilt while somebody types"


def test_only_what_was_typed_is_given(qtbot: QtBot, card: RequestCard) -> None:
    """A text that was merely shown keeps its line ends."""
    answers = chosen(card)
    card.buttons["edit"].click()
    assert card.panel is not None
    type_into(qtbot, card.panel.form.inputs["subject"], "Hi")
    card.panel.confirm.click()
    assert answers == [("edit", {"subject": "Hi"})]
    assert not card.panel.isEnabled()


def test_a_refused_answer_keeps_what_was_typed(qtbot: QtBot, card: RequestCard) -> None:
    card.buttons["edit"].click()
    assert card.panel is not None
    type_into(qtbot, card.panel.form.inputs["text"], "Dear Bob")
    card.panel.confirm.click()
    card.show_error("That is too long.")
    assert card.panel is not None and card.panel.isEnabled()
    assert card.panel.form.changed_values() == {"text": "Dear Bob"}


@pytest.mark.parametrize("key", [Qt.Key.Key_Escape, None])
def test_cancel_brings_the_buttons_back(qtbot: QtBot, card: RequestCard, key: Qt.Key | None) -> None:
    card.buttons["reject"].click()
    assert card.panel is not None
    if key is None:
        card.panel.cancel.click()
    else:
        qtbot.keyClick(card.panel.form.inputs["reason"], key)
    assert card.panel is None
    assert all(button.isVisible() for button in card.buttons.values())
    assert card.focusWidget() is card.buttons["reject"]
    assert not card.is_busy


def test_a_reason_survives_escape(qtbot: QtBot, card: RequestCard) -> None:
    card.buttons["reject"].click()
    assert card.panel is not None
    qtbot.keyClicks(card.panel.form.inputs["reason"], "Too early")
    qtbot.keyClick(card.panel.form.inputs["reason"], Qt.Key.Key_Escape)
    card.buttons["reject"].click()
    assert card.panel is not None and card.panel.isVisible()
    assert card.panel.form.values() == {"reason": "Too early"}


def test_return_in_the_reason_rejects(qtbot: QtBot, card: RequestCard) -> None:
    answers = chosen(card)
    card.buttons["reject"].click()
    assert card.panel is not None
    field = card.panel.form.inputs["reason"]
    qtbot.keyClicks(field, "Too early")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert answers == [("reject", {"reason": "Too early"})]


def test_the_shortcut_of_approve_confirms_the_open_form_and_nothing_else(qtbot: QtBot, card: RequestCard) -> None:
    """Somebody who has changed the text must not approve the old one by habit."""
    answers = chosen(card)
    card.buttons["edit"].click()
    assert card.panel is not None
    type_into(qtbot, card.panel.form.inputs["text"], "Dear Bob")
    card.trigger_action("approve")
    assert answers == [("edit", {"text": "Dear Bob"})]


def test_an_answered_card_closes_its_form(card: RequestCard) -> None:
    card.buttons["edit"].click()
    card.show_answered("Already answered.")
    assert card.panel is not None and not card.panel.isVisible()
    assert not any(button.isVisible() for button in card.buttons.values())


def test_undoing_an_answer_brings_back_what_was_filled_in(card: RequestCard) -> None:
    card.buttons["edit"].click()
    assert card.panel is not None
    panel = card.panel
    panel.confirm.click()
    card.show_answered("Approved with your changes.", can_undo=True)
    card.show_unanswered()
    assert card.panel is panel and panel.isVisible() and panel.isEnabled()
    assert not any(button.isVisible() for button in card.buttons.values())


def test_a_question_is_part_of_the_card(qtbot: QtBot, shown: Callable[..., None]) -> None:
    choices = (("Invoices", "Invoices"), ("Other", "Other"))
    fields = (FormField(name="folder", label="Which folder?", kind=FormFieldKind.CHOICE, choices=choices),)
    action = CardAction(id="answer", label="Answer", form=fields, importance=ButtonImportance.PRIMARY)
    card = RequestCard(replace(VALUE, actions=(action,)))
    shown(card, 700)
    answers = chosen(card)
    box = card.forms["answer"].inputs["folder"]
    assert isinstance(box, QComboBox) and box.isVisible() and box.currentIndex() == -1
    box.setCurrentIndex(1)
    card.buttons["answer"].click()
    assert answers == [("answer", {"folder": "Other"})]


@pytest.mark.parametrize(
    ("kind", "value", "read"),
    [
        (FormFieldKind.LINE, None, ""),
        (FormFieldKind.LINE, 12.5, "12.5"),
        (FormFieldKind.TEXT, "a\nb", "a\nb"),
        (FormFieldKind.DATE, "2026-11-20", "2026-11-20"),
        (FormFieldKind.ROWS, ROWS, ROWS),
    ],
)
def test_each_field_has_a_name_and_its_value(qtbot: QtBot, kind: FormFieldKind, value: Any, read: Any) -> None:
    form = AnswerForm((FormField(name="x", label="What?", kind=kind, value=value),))
    qtbot.addWidget(form)
    assert form.inputs["x"].accessibleName() == "What?"
    assert form.values() == {"x": read}
    assert form.changed_values() == {}


def test_a_changed_cell_keeps_its_type_and_the_others_are_left_alone(qtbot: QtBot) -> None:
    grid = RowGrid(ROWS, "Rows")
    qtbot.addWidget(grid)
    for column, text in ((0, "Corner"), (1, "7")):
        item = grid.table.item(0, column)
        assert item is not None
        item.setText(text)
    assert grid.rows() == [{"shop": "Corner", "amount": 7}, ROWS[1]]


def test_rows_can_be_added_and_removed(qtbot: QtBot) -> None:
    grid = RowGrid(ROWS, "Rows")
    qtbot.addWidget(grid)
    grid.table.setCurrentCell(0, 0)
    grid.remove.click()
    grid.add.click()
    item = grid.table.item(1, 0)
    assert item is not None
    item.setText("New")
    assert grid.rows() == [ROWS[1], {"shop": "New"}]


def test_rows_as_lists_stay_lists(qtbot: QtBot) -> None:
    grid = RowGrid([["a", 1], ["b"]], "Rows")
    qtbot.addWidget(grid)
    item = grid.table.item(0, 0)
    assert item is not None
    item.setText("c")
    assert grid.rows() == [["c", 1], ["b"]]


@pytest.mark.parametrize(
    "rows",
    [[], [7], [{"a": {"b": 1}}], [{"a": "x\u202ey"}], [{"a": "1\n2"}], [["a"], {"a": 1}], [{"a": 1}] * 101, [[]], "x"],
)
def test_what_does_not_fit_the_grid_is_not_edited_there(rows: Any) -> None:
    assert not can_edit_rows(rows)
