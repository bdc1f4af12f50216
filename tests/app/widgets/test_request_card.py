"""A card shows exactly what it asks, answers once, and is accessible."""

import tracemalloc
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QApplication,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.theme.tokens import Colours
from app.widgets.details import DetailSection, Pairs, TextBlock, make_sections
from app.widgets.details_view import SelectableLabel
from app.widgets.paged_text import PagedText
from app.widgets.request_card import ButtonImportance, CardAction, CardContent, RequestCard
from app.widgets.show_all import ShowAllDialog
from app.widgets.status_signs import workflow_sign
from app.window.page import PageColumn
from scheduler.rules.workflow_state import WorkflowState

ROWS = [{"shop": "Bakery", "amount": 4.5}, {"shop": "A <b>gift</b>", "amount": 23}]
VALUE = CardContent(
    id="request-1",
    sign=workflow_sign(WorkflowState.NEEDS_ATTENTION),
    title="Receipts",
    when="asked 3 min ago",
    sentence="Add 2 receipts to <b>Expenses</b>",
    details=make_sections({"table": "expenses", "rows": ROWS}),
    actions=(
        CardAction(id="approve", label="Approve", shortcut="Ctrl+Return", importance=ButtonImportance.PRIMARY),
        CardAction(id="reject", label="Reject", shortcut="Ctrl+Backspace"),
        CardAction(id="always", label="Always allow this"),
    ),
)


@pytest.fixture
def card(shown: Callable[..., None]) -> RequestCard:
    card = RequestCard(VALUE)
    shown(card, 700)
    return card


def test_a_press_emits_the_card_and_the_answer(qtbot: QtBot, card: RequestCard) -> None:
    with qtbot.waitSignal(card.action_chosen) as acted:
        qtbot.mouseClick(card.buttons["reject"], Qt.MouseButton.LeftButton)
    assert acted.args == ["request-1", "reject"]


def test_a_second_press_is_ignored_while_the_first_is_sent(qtbot: QtBot, card: RequestCard) -> None:
    emitted: list[str] = []
    card.action_chosen.connect(lambda _, action: emitted.append(action))
    for name in ("approve", "approve", "reject"):
        qtbot.mouseClick(card.buttons[name], Qt.MouseButton.LeftButton)
        card.trigger_action(name)
    assert emitted == ["approve"]


def test_a_rejected_answer_is_explained_and_can_be_repeated(qtbot: QtBot, card: RequestCard) -> None:
    card.trigger_action("approve")
    card.show_error("The keyring is locked; unlock it and try again.")
    assert "The keyring is locked; unlock it and try again." in texts(card)
    with qtbot.waitSignal(card.action_chosen):
        card.trigger_action("approve")


def test_an_answered_card_has_no_buttons_left(qtbot: QtBot, card: RequestCard) -> None:
    card.show_answered("You approved it.")
    assert not any(button.isVisible() for button in card.buttons.values())
    assert "You approved it." in texts(card)
    with qtbot.assertNotEmitted(card.action_chosen):
        card.trigger_action("approve")
        card.setFocus()
        qtbot.keyClick(card, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def test_keys_answer_only_the_card_that_has_the_focus(qtbot: QtBot, shown: Callable[..., None]) -> None:
    page = QWidget()
    layout = QVBoxLayout(page)
    cards = [RequestCard(CardContent(**{**as_fields(VALUE), "id": name})) for name in ("first", "second")]
    emitted: list[tuple[str, str]] = []
    for one in cards:
        layout.addWidget(one)
        one.action_chosen.connect(lambda *args: emitted.append(args))
    shown(page, 700, 700)
    cards[1].buttons["always"].setFocus()
    qtbot.keyClick(cards[1].buttons["always"], Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    cards[0].setFocus()
    qtbot.keyClick(cards[0], Qt.Key.Key_Backspace, Qt.KeyboardModifier.ControlModifier)
    assert emitted == [("second", "approve"), ("first", "reject")]


def as_fields(value: CardContent) -> dict[str, object]:
    return {name: getattr(value, name) for name in CardContent.__dataclass_fields__}


def texts(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


def test_markup_in_data_is_not_interpreted(card: RequestCard) -> None:
    """A script must not be able to disguise what it does."""
    assert "Add 2 receipts to <b>Expenses</b>" in texts(card)
    labels = [label for label in card.findChildren(QLabel) if "<b>" in label.text()]
    assert labels and all(label.textFormat() is Qt.TextFormat.PlainText for label in labels)
    table = card.findChild(QTableView)
    assert table is not None
    assert table.model().index(1, 0).data() == "A <b>gift</b>"


def test_numbers_are_right_aligned(card: RequestCard) -> None:
    table = card.findChild(QTableView)
    assert table is not None
    alignment = Qt.ItemDataRole.TextAlignmentRole
    assert table.model().index(0, 1).data(alignment) & Qt.AlignmentFlag.AlignRight
    assert table.model().index(0, 0).data(alignment) & Qt.AlignmentFlag.AlignLeft


def test_all_controls_have_names_and_tab_stops(card: RequestCard) -> None:
    assert card.accessibleName() == "Receipts: Add 2 receipts to <b>Expenses</b>"
    for button in card.buttons.values():
        interface = QAccessible.queryAccessibleInterface(button)
        assert interface.text(QAccessible.Text.Name) == button.text() != ""
        assert interface.text(QAccessible.Text.Description) == VALUE.sentence
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    table = card.findChild(QTableView)
    assert table is not None and table.accessibleName() == "Rows (2)"


def test_tab_moves_from_the_card_through_its_buttons(qtbot: QtBot, card: RequestCard) -> None:
    card.setFocus()
    visited = []
    for _ in range(5):
        widget = card.window().focusWidget()
        assert widget is not None
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
        visited.append(card.window().focusWidget())
    assert [button for button in visited if isinstance(button, QPushButton)][:3] == list(card.buttons.values())


def test_tooltips_show_shortcuts(card: RequestCard) -> None:
    assert card.buttons["approve"].toolTip() == "Approve (Ctrl+Return)"
    assert card.buttons["always"].toolTip() == ""


def test_no_button_is_narrower_than_its_label(card: RequestCard, colours: Colours) -> None:
    for button in card.buttons.values():
        assert button.width() >= button.fontMetrics().horizontalAdvance(button.text()) + 16


def test_a_long_sentence_wraps_instead_of_being_cut(shown: Callable[..., None]) -> None:
    sentence = "Send the weekly letter to everybody in the street " * 6
    card = RequestCard(CardContent(**{**as_fields(VALUE), "sentence": sentence}))
    shown(card, 420)
    (label,) = [label for label in card.findChildren(QLabel) if label.text() == sentence]
    assert label.height() >= label.heightForWidth(label.width()) > 3 * label.fontMetrics().height()


def test_the_primary_button_is_in_the_accent_colour(card: RequestCard, colours: Colours, picture: type) -> None:
    card.clearFocus()
    approve = picture(card.buttons["approve"])
    assert approve.colour(5, card.buttons["approve"].height() / 2).name() == colours.accent
    assert picture(card.buttons["reject"]).count(colours.accent) == 0


def test_an_answer_can_be_undone_until_it_is_on_its_way(qtbot: QtBot, card: RequestCard) -> None:
    card.buttons["approve"].setFocus()
    card.trigger_action("approve")
    card.show_answered("Approved.", can_undo=True)
    assert not any(button.isVisible() for button in card.buttons.values()) and card.undo.hasFocus()
    with qtbot.waitSignal(card.undo_chosen):
        card.undo.click()
    card.show_unanswered()
    assert all(button.isVisible() and button.isEnabled() for button in card.buttons.values())
    assert not card.undo.isVisible()
    card.trigger_action("approve")
    card.show_answered("Approved.", can_undo=True)
    card.hide_undo()
    assert not card.undo.isVisible() and card.contains_focus


def test_after_an_action_that_only_opens_something_the_focus_is_where_it_was(card: RequestCard) -> None:
    card.buttons["always"].setFocus()
    card.trigger_action("always")
    assert card.hasFocus()
    card.set_busy(busy=False)
    assert card.buttons["always"].hasFocus()


@pytest.mark.parametrize("where", ["title", "sentence", "pairs", "prose"])
def test_a_long_word_wraps(qtbot: QtBot, shown: Callable[..., None], where: str) -> None:
    link = "https://example.org/" + "a" * 400
    bodies = {"pairs": Pairs(pairs=(("Link", link),)), "prose": TextBlock(text=link)}
    details = (DetailSection(title="Where", body=bodies[where]),) if where in bodies else ()
    words = {where: link} if where not in bodies else {}
    card = RequestCard(replace(VALUE, details=details, **words))
    shown(card, 500)
    assert card.minimumSizeHint().width() < 500
    [text] = [label for label in card.findChildren(SelectableLabel) if label.text() == link]
    qtbot.keyClick(text, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(text, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == link


WORD = "x" * 5000
HOSTILE = {
    "long key": {WORD: "TRANSFER 5000"},
    "long header": {"headers": {WORD: "TRANSFER 5000", "b": "c"}},
    "long value": {"path": WORD},
    "no-break": {"a\u00a0" * 2000: "TRANSFER 5000"},
    "wide letters": {"\ufdfd" * 39: "\ufdfd" * 39},
    "newlines": {"key\n" * 300: "TRANSFER 5000"},
    "turned": {"\u202e" * 500: "\u2066" * 500},
    "spaces": {"text": " " * 5000 + "TRANSFER 5000"},
    "markup": {"<h1 style='width:9999px'>x</h1>": "<table width=9999><tr><td>x</table>"},
    "columns": {"rows": [{f"column {number}": WORD for number in range(39)}] * 3},
    "keys": {"rows": [{WORD + str(number): number} for number in range(3)]},
    "cells": {"rows": [[WORD] * 30] * 3},
    "pairs": {f"{WORD}{number}": WORD for number in range(29)},
    "many": {f"{number}{WORD}": WORD for number in range(2000)},
    "title": {WORD: [1, 2, 3]},
    "number": {"amount": 10**300},
    "deep": {"json": {"a": {"b": {"c": {WORD: {"d": WORD}}}}}},
}


@pytest.mark.parametrize("width", [480, 1100])
@pytest.mark.parametrize("name", HOSTILE)
def test_no_data_can_push_anything_off_the_page(
    qtbot: QtBot, shown: Callable[..., None], name: str, width: int
) -> None:
    """Keys, values and buttons are visible without horizontal scrolling, and no line is cut off."""
    details = make_sections(HOSTILE[name])
    card = RequestCard(replace(VALUE, details=details, title=WORD, script_sections=make_sections(HOSTILE[name])))
    page = PageColumn("Attention")
    page.parts.addWidget(card)
    page.parts.addStretch(1)
    shown(page, width, 700)
    assert page.horizontalScrollBar().maximum() == 0
    for part in card.findChildren(QWidget):
        if part.isVisibleTo(card) and not isinstance(part.parent(), QHeaderView):
            place = part.mapTo(card, part.rect().topLeft()).x()
            assert place >= 0 and place + part.width() <= card.width(), (name, part)
            if isinstance(part, QAbstractScrollArea):
                assert part.horizontalScrollBar().maximum() == 0
    words = [label for label in card.findChildren(SelectableLabel) if label.isVisibleTo(card) and label.text()]
    qtbot.waitUntil(lambda: all(label.height() >= label.heightForWidth(label.width()) for label in words))


@pytest.mark.parametrize(
    "make",
    [
        lambda number: [{f"k{row}": row} for row in range(number)],
        lambda number: [{f"column {column}": f"{row}.{column}" for column in range(20)} for row in range(number)],
        lambda number: [str(row) for row in range(number)],
        lambda number: {f"k{row}": row for row in range(number)},
        lambda number: "line\n" * number,
    ],
)
def test_the_cost_of_a_card_does_not_grow_with_its_call(
    shown: Callable[..., None], make: Callable[[int], object]
) -> None:
    """Widgets and memory are the same for 20,000 rows as for 2,000."""
    numbers, sizes = [], []
    for number in (2_000, 20_000):
        data = {"rows": make(number)}
        tracemalloc.start()
        card = RequestCard(replace(VALUE, details=make_sections(data)))
        shown(card, 700)
        sizes.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        numbers.append(len(card.findChildren(QObject)))
        card.close()
    assert numbers[0] == numbers[1] < 100
    assert sizes[1] < sizes[0] + 500_000 < 5_000_000


def test_the_script_is_quoted_in_a_frame_below_the_call(shown: Callable[..., None]) -> None:
    quoted = (DetailSection(title="", body=TextBlock(text="Nothing to see here")),)
    card = RequestCard(replace(VALUE, sentence="Add 2 rows to expenses", script_sections=quoted))
    shown(card, 700)
    by_text = {label.text(): label for label in card.findChildren(QLabel)}
    quote, sentence = by_text["Nothing to see here"], by_text["Add 2 rows to expenses"]
    table = card.findChild(QTableView)
    assert table is not None
    assert quote.mapTo(card, quote.pos()).y() > table.mapTo(card, table.pos()).y()
    assert sentence.font().pointSizeF() > quote.font().pointSizeF()
    frame = by_text["The workflow says (not checked by Dayhand)"].parentWidget()
    assert frame is not None and frame.isAncestorOf(quote) and not frame.isAncestorOf(sentence)


def test_the_exact_call_is_one_click_away(shown: Callable[..., None]) -> None:
    card = RequestCard(replace(VALUE, exact_call=lambda: '{"tool": "append"}'))
    shown(card, 700)
    [button] = [one for one in card.findChildren(QPushButton) if one.text() == "Show technical details"]
    button.click()
    dialog = card.window().findChild(ShowAllDialog)
    assert dialog is not None and isinstance(dialog.body, PagedText)
    assert dialog.body.view.toPlainText() == '{"tool": "append"}'
