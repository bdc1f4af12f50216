"""A card shows exactly what it asks, answers once, and can be used with keys and read aloud."""

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
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.look.theme import Colours
from app.widgets.card import Action, Card, CardValue, Importance
from app.widgets.details import Pairs, Prose, Section, read_details
from app.widgets.details_view import DetailsView, Text
from app.widgets.paged_text import PAGE, PagedText
from app.widgets.show_all import ShowAllDialog, WholeTable
from app.widgets.signs import sign_workflow
from app.window.frame import Column
from scheduler.rules.states import WorkflowState

ROWS = [{"shop": "Bakery", "amount": 4.5}, {"shop": "A <b>gift</b>", "amount": 23}]
VALUE = CardValue(
    id="request-1",
    sign=sign_workflow(WorkflowState.NEEDS_ATTENTION),
    title="Receipts",
    when="asked 3 min ago",
    sentence="Add 2 receipts to <b>Expenses</b>",
    details=read_details({"table": "expenses", "rows": ROWS}),
    actions=(
        Action(id="approve", label="Approve", shortcut="Ctrl+Return", importance=Importance.PRIMARY),
        Action(id="reject", label="Reject", shortcut="Ctrl+Backspace"),
        Action(id="always", label="Always allow this"),
    ),
)


@pytest.fixture
def card(shown: Callable[..., None]) -> Card:
    card = Card(VALUE)
    shown(card, 700)
    return card


def test_a_press_says_which_card_and_which_answer(qtbot: QtBot, card: Card) -> None:
    with qtbot.waitSignal(card.acted) as acted:
        qtbot.mouseClick(card.buttons["reject"], Qt.MouseButton.LeftButton)
    assert acted.args == ["request-1", "reject"]


def test_a_second_press_is_not_heard_while_the_first_is_on_its_way(qtbot: QtBot, card: Card) -> None:
    heard: list[str] = []
    card.acted.connect(lambda _, action: heard.append(action))
    for name in ("approve", "approve", "reject"):
        qtbot.mouseClick(card.buttons[name], Qt.MouseButton.LeftButton)
        card.press(name)
    assert heard == ["approve"]


def test_a_refused_answer_is_explained_and_can_be_given_again(qtbot: QtBot, card: Card) -> None:
    card.press("approve")
    card.set_refused("The keyring is locked; unlock it and try again.")
    assert "The keyring is locked; unlock it and try again." in texts(card)
    with qtbot.waitSignal(card.acted):
        card.press("approve")


def test_an_answered_card_has_no_buttons_left(qtbot: QtBot, card: Card) -> None:
    card.set_answered("You approved it.")
    assert not any(button.isVisible() for button in card.buttons.values())
    assert "You approved it." in texts(card)
    with qtbot.assertNotEmitted(card.acted):
        card.press("approve")
        card.setFocus()
        qtbot.keyClick(card, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def test_keys_answer_only_the_card_that_has_the_focus(qtbot: QtBot, shown: Callable[..., None]) -> None:
    page = QWidget()
    layout = QVBoxLayout(page)
    cards = [Card(CardValue(**{**as_fields(VALUE), "id": name})) for name in ("first", "second")]
    heard: list[tuple[str, str]] = []
    for one in cards:
        layout.addWidget(one)
        one.acted.connect(lambda *args: heard.append(args))
    shown(page, 700, 700)
    cards[1].buttons["always"].setFocus()
    qtbot.keyClick(cards[1].buttons["always"], Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    cards[0].setFocus()
    qtbot.keyClick(cards[0], Qt.Key.Key_Backspace, Qt.KeyboardModifier.ControlModifier)
    assert heard == [("second", "approve"), ("first", "reject")]


def as_fields(value: CardValue) -> dict[str, object]:
    return {name: getattr(value, name) for name in CardValue.__dataclass_fields__}


def texts(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


def test_markup_in_data_is_shown_as_it_is(card: Card) -> None:
    """A script must not be able to make a card look different from what it does."""
    assert "Add 2 receipts to <b>Expenses</b>" in texts(card)
    labels = [label for label in card.findChildren(QLabel) if "<b>" in label.text()]
    assert labels and all(label.textFormat() is Qt.TextFormat.PlainText for label in labels)
    table = card.findChild(QTableView)
    assert table is not None
    assert table.model().index(1, 0).data() == "A <b>gift</b>"


def test_numbers_stand_on_the_right(card: Card) -> None:
    table = card.findChild(QTableView)
    assert table is not None
    alignment = Qt.ItemDataRole.TextAlignmentRole
    assert table.model().index(0, 1).data(alignment) & Qt.AlignmentFlag.AlignRight
    assert table.model().index(0, 0).data(alignment) & Qt.AlignmentFlag.AlignLeft


def test_all_controls_have_names_and_tab_stops(card: Card) -> None:
    assert card.accessibleName() == "Receipts: Add 2 receipts to <b>Expenses</b>"
    for button in card.buttons.values():
        interface = QAccessible.queryAccessibleInterface(button)
        assert interface.text(QAccessible.Text.Name) == button.text() != ""
        assert interface.text(QAccessible.Text.Description) == VALUE.sentence
        assert button.focusPolicy() & Qt.FocusPolicy.TabFocus
    table = card.findChild(QTableView)
    assert table is not None and table.accessibleName() == "Rows (2)"


def test_tab_leads_from_the_card_through_its_buttons(qtbot: QtBot, card: Card) -> None:
    card.setFocus()
    visited = []
    for _ in range(5):
        widget = card.window().focusWidget()
        assert widget is not None
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
        visited.append(card.window().focusWidget())
    assert [button for button in visited if isinstance(button, QPushButton)][:3] == list(card.buttons.values())


def test_shortcuts_are_told_in_the_tooltip(card: Card) -> None:
    assert card.buttons["approve"].toolTip() == "Approve (Ctrl+Return)"
    assert card.buttons["always"].toolTip() == ""


def test_no_button_is_narrower_than_its_words(card: Card, colours: Colours) -> None:
    for button in card.buttons.values():
        assert button.width() >= button.fontMetrics().horizontalAdvance(button.text()) + 16


def test_a_long_sentence_wraps_instead_of_being_cut(shown: Callable[..., None]) -> None:
    sentence = "Send the weekly letter to everybody in the street " * 6
    card = Card(CardValue(**{**as_fields(VALUE), "sentence": sentence}))
    shown(card, 420)
    (label,) = [label for label in card.findChildren(QLabel) if label.text() == sentence]
    assert label.height() >= label.heightForWidth(label.width()) > 3 * label.fontMetrics().height()


def test_the_primary_button_is_in_the_accent_colour(card: Card, colours: Colours, picture: type) -> None:
    card.clearFocus()
    approve = picture(card.buttons["approve"])
    assert approve.colour(5, card.buttons["approve"].height() / 2).name() == colours.accent
    assert picture(card.buttons["reject"]).count(colours.accent) == 0


def test_long_tables_and_texts_scroll_instead_of_growing(shown: Callable[..., None]) -> None:
    rows = [{"number": number} for number in range(500)]
    view = DetailsView(read_details({"rows": rows, "body": "line\n" * 100}))
    shown(view, 500)
    table, text = view.findChild(QTableView), view.findChild(QPlainTextEdit)
    assert table is not None and text is not None
    assert table.model().rowCount() == 500
    assert "500 rows" in texts(view)
    assert table.verticalScrollBar().maximum() > 0
    assert view.height() < 500
    assert text.toPlainText().count("line") == 100


def test_a_table_that_is_too_wide_says_which_part_is_shown_and_opens_whole(shown: Callable[..., None]) -> None:
    row = {f"column {number}": f"some words {number}" for number in range(20)}
    view = DetailsView(read_details({"rows": [row, row]}))
    shown(view, 400)
    table = view.findChild(QTableView)
    assert table is not None
    assert table.horizontalScrollBar().maximum() == 0
    assert table.verticalScrollBar().maximum() == 0
    assert "2 rows, 4 of 20 columns shown" in texts(view)
    [button] = [one for one in view.findChildren(QPushButton) if one.isVisible()]
    button.click()
    dialog = view.window().findChild(ShowAllDialog)
    assert dialog is not None and isinstance(dialog.body, WholeTable)
    assert dialog.body.view.model().columnCount() == 20
    assert '"column 19": "some words 19"' in dialog.body.row.view.toPlainText(), "the chosen row, in full"


def test_what_can_still_be_done_about_an_answered_card_has_a_button(qtbot: QtBot, card: Card) -> None:
    card.press("approve")
    card.set_answered("It is in use.")
    card.offer(Action(id="back", label="Roll back"))
    assert [button.text() for button in card.buttons.values() if button.isVisibleTo(card)] == ["Roll back"]
    with qtbot.waitSignal(card.acted) as acted:
        card.buttons["back"].click()
    assert acted.args == ["request-1", "back"]


@pytest.mark.parametrize("where", ["title", "sentence", "pairs", "prose"])
def test_a_long_word_goes_on_in_the_next_line(qtbot: QtBot, shown: Callable[..., None], where: str) -> None:
    link = "https://example.org/" + "a" * 400
    bodies = {"pairs": Pairs(pairs=(("Link", link),)), "prose": Prose(text=link)}
    details = (Section(title="Where", body=bodies[where]),) if where in bodies else ()
    words = {where: link} if where not in bodies else {}
    card = Card(replace(VALUE, details=details, **words))
    shown(card, 500)
    assert card.minimumSizeHint().width() < 500
    [text] = [label for label in card.findChildren(Text) if label.text() == link]
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
def test_nothing_in_a_call_moves_anything_out_of_the_page(
    qtbot: QtBot, shown: Callable[..., None], name: str, width: int
) -> None:
    """No key, no value, no button: all of it is there without scrolling sideways, and no line is cut off."""
    details = read_details(HOSTILE[name])
    card = Card(replace(VALUE, details=details, title=WORD, quoted=read_details(HOSTILE[name])))
    page = Column("Attention")
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
    words = [label for label in card.findChildren(Text) if label.isVisibleTo(card) and label.text()]
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
def test_what_a_card_takes_does_not_grow_with_its_call(
    shown: Callable[..., None], make: Callable[[int], object]
) -> None:
    """Neither in widgets nor in memory: of 20,000 rows as of 2,000 only what is in sight is made."""
    numbers, sizes = [], []
    for number in (2_000, 20_000):
        data = {"rows": make(number)}
        tracemalloc.start()
        card = Card(replace(VALUE, details=read_details(data)))
        shown(card, 700)
        sizes.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        numbers.append(len(card.findChildren(QObject)))
        card.close()
    assert numbers[0] == numbers[1] < 100
    assert sizes[1] < sizes[0] + 500_000 < 5_000_000


def test_a_cut_name_can_be_read_in_full(shown: Callable[..., None]) -> None:
    view = DetailsView(read_details({WORD: "here"}))
    shown(view, 500)
    [button] = view.findChildren(QPushButton)
    button.click()
    dialog = view.window().findChild(ShowAllDialog)
    assert dialog is not None and isinstance(dialog.body, PagedText)
    assert WORD in dialog.body.view.toPlainText()


def test_a_huge_text_is_counted_and_opens_page_by_page(qtbot: QtBot, shown: Callable[..., None]) -> None:
    view = DetailsView(read_details({"body": "a" * PAGE + "b" * PAGE + "the end"}))
    shown(view, 500)
    assert "40,007 characters, the first 4,000 shown" in texts(view)
    [button] = view.findChildren(QPushButton)
    button.click()
    dialog = view.window().findChild(ShowAllDialog)
    assert dialog is not None and isinstance(dialog.body, PagedText)
    pages = dialog.body
    assert pages.view.toPlainText() == "a" * PAGE
    assert pages.view.horizontalScrollBar().maximum() == 0
    pages.forward.click()
    pages.forward.click()
    assert pages.view.toPlainText() == "the end"
    assert not pages.forward.isEnabled()
    with qtbot.waitSignal(dialog.destroyed):
        dialog.close()


def test_the_words_of_a_script_stand_in_a_frame_of_their_own_below_the_call(shown: Callable[..., None]) -> None:
    quoted = (Section(title="", body=Prose(text="Nothing to see here")),)
    card = Card(replace(VALUE, sentence="Add 2 rows to expenses", quoted=quoted))
    shown(card, 700)
    by_text = {label.text(): label for label in card.findChildren(QLabel)}
    said, ours = by_text["Nothing to see here"], by_text["Add 2 rows to expenses"]
    table = card.findChild(QTableView)
    assert table is not None
    assert said.mapTo(card, said.pos()).y() > table.mapTo(card, table.pos()).y()
    assert ours.font().pointSizeF() > said.font().pointSizeF()
    frame = by_text["The script says (not checked by Dayhand)"].parentWidget()
    assert frame is not None and frame.isAncestorOf(said) and not frame.isAncestorOf(ours)


def test_the_exact_call_is_one_click_away(shown: Callable[..., None]) -> None:
    card = Card(replace(VALUE, raw=lambda: '{"tool": "append"}'))
    shown(card, 700)
    [button] = [one for one in card.findChildren(QPushButton) if one.text() == "Show the exact call"]
    button.click()
    dialog = card.window().findChild(ShowAllDialog)
    assert dialog is not None and isinstance(dialog.body, PagedText)
    assert dialog.body.view.toPlainText() == '{"tool": "append"}'
