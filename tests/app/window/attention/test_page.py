"""Attention: what waits for the person, exactly what would be done, and what becomes of an answer."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFontInfo
from PySide6.QtWidgets import QLabel, QTableView, QWidget
from pytestqt.qtbot import QtBot

from app.asking import command
from app.life.installation import Installation
from app.widgets.empty import EmptyPage
from app.window import cards as cards_module
from app.window.attention import AttentionPage
from scheduler.engine.workflows.views.requests import RequestView
from tests.app.living import Wait, deploy, overview_of, rows


@pytest.fixture
def make_page(qtbot: QtBot) -> Callable[[Installation], AttentionPage]:
    def make(installation: Installation) -> AttentionPage:
        page = AttentionPage(installation)
        qtbot.addWidget(page)
        page.resize(900, 700)
        page.show()
        return page

    return make


@pytest.fixture
def page(
    installation: Installation, request_: RequestView, make_page: Callable[[Installation], AttentionPage]
) -> AttentionPage:
    """With the card of the sample workflow's question."""
    made = make_page(installation)
    made.show_overview(overview_of(installation))
    assert list(made.cards.cards) == [request_.id]
    return made


def texts(widget: QWidget) -> list[str]:
    """Everything that can be read in it."""
    cells: list[Any] = []
    for table in widget.findChildren(QTableView):
        model = table.model()
        for column in range(model.columnCount()):
            cells.append(model.headerData(column, Qt.Orientation.Horizontal))
            cells += [model.index(row, column).data() for row in range(model.rowCount())]
    labels = [label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget)]
    return labels + cells


def test_a_card_says_exactly_what_would_be_done_in_words(page: AttentionPage, request_: RequestView) -> None:
    """The connection, the tool in words and every value; nothing that only programmers read."""
    shown = texts(page.cards.cards[request_.id])
    assert {"Receipts", "Add 3 receipts (45.55) to Expenses", "expenses (Table)", "Rows (3)", "Shop"} <= set(shown)
    assert {"Corner Bakery", "Paper Moon Books", "Nuts & Bolts", "7.4", "24.9", "13.25"} <= set(shown)
    assert any(text.startswith("Add rows at the end") for text in shown)
    for hidden in ("{", "[", "AddToExpenses", "append", "table:expenses"):
        assert not any(hidden in text for text in shown), hidden
    assert [button.text() for button in page.cards.cards[request_.id].buttons.values()] == [
        "Approve",
        "Reject",
        "Always allow this",
    ]


def test_approve_files_the_rows_once_and_the_card_says_so_and_goes(
    page: AttentionPage, installation: Installation, request_: RequestView, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards_module, "LINGER", 300_000)
    card = page.cards.cards[request_.id]
    card.buttons["approve"].click()
    assert not card.buttons["reject"].isEnabled()
    wait(lambda: "You said yes. It goes on now." in texts(card))
    assert not any(button.isVisibleTo(card) for button in card.buttons.values())
    wait(lambda: len(rows(installation)) == 4)


def test_a_settled_card_goes_by_itself_and_the_page_says_that_nothing_is_left(
    page: AttentionPage, request_: RequestView, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards_module, "LINGER", 1)
    page.cards.cards[request_.id].buttons["reject"].click()
    wait(lambda: not page.cards.cards)
    wait(lambda: page.findChild(EmptyPage).isVisible())


def test_what_is_answered_elsewhere_loses_its_buttons_here(
    page: AttentionPage, installation: Installation, request_: RequestView, wait: Wait
) -> None:
    """U10"""
    card = page.cards.cards[request_.id]
    command(installation, "reject", request=request_.id)
    page.refresh()
    wait(lambda: "It was settled meanwhile." in texts(card))
    assert not any(button.isVisibleTo(card) for button in card.buttons.values())


def test_another_answer_that_comes_too_late_is_refused_politely_and_changes_nothing(
    page: AttentionPage, installation: Installation, request_: RequestView, wait: Wait
) -> None:
    card = page.cards.cards[request_.id]
    command(installation, "reject", request=request_.id)
    card.buttons["approve"].click()
    wait(lambda: any("already answered" in text for text in texts(card)))
    assert rows(installation) == []


def test_a_script_error_shows_the_line_and_can_be_edited_and_tried_again(
    empty: Installation,
    make_page: Callable[[Installation], AttentionPage],
    qtbot: QtBot,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deploy(empty, "Broken", 'raise ValueError("no such column")')
    command(empty, "run", target="broken")
    [one] = wait(empty.views.attention)
    page = make_page(empty)
    page.refresh()
    card = wait(lambda: page.cards.cards.get(one.id))
    assert any("line 6" in text and "no such column" in text for text in texts(card))
    [line] = [one for one in card.findChildren(QLabel) if one.text() == 'raise ValueError("no such column")']
    assert QFontInfo(line.font()).fixedPitch()
    assert list(card.buttons) == ["retry", "edit", "open"], "there is no version before to go back to"
    edited: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", edited.append)
    card.buttons["edit"].click()
    wait(lambda: [one.toLocalFile() for one in edited] == [empty.views.workflow("broken").path])
    assert card.buttons["edit"].isEnabled()
    with qtbot.waitSignal(page.open_page) as opened:
        card.buttons["open"].click()
    assert opened.args == ["workflows", "broken"]
    card.buttons["retry"].click()
    wait(lambda: {found.id for found in empty.views.attention()} not in (set(), {one.id}))


def test_a_request_that_is_asked_for_by_name_gets_the_focus_once_it_is_there(
    installation: Installation, request_: RequestView, make_page: Callable[[Installation], AttentionPage], wait: Wait
) -> None:
    page = make_page(installation)
    page.open_subject(request_.id)
    page.refresh()
    wait(lambda: request_.id in page.cards.cards and page.focusWidget() is page.cards.cards[request_.id])


def test_a_page_with_nothing_to_answer_says_what_it_is_for(
    empty: Installation, make_page: Callable[[Installation], AttentionPage], wait: Wait
) -> None:
    page = make_page(empty)
    page.refresh()
    wait(lambda: page.findChild(EmptyPage).isVisible())
    assert "Nothing needs you" in texts(page)


def test_a_card_is_made_anew_when_more_wait_for_the_same_thing_and_when_today_is_over(
    page: AttentionPage, installation: Installation, request_: RequestView
) -> None:
    overview = overview_of(installation)
    page.cards.cards[request_.id].buttons["reject"].setFocus()
    more = replace(request_, workflows=("receipts", "invoices"))
    page.show_overview(replace(overview, requests=(more,)))
    card = page.cards.cards[request_.id]
    assert "Receipts, invoices" in texts(card)
    assert page.focusWidget() is card.buttons["reject"]
    page.show_overview(replace(overview, requests=(more,), now=overview.now + timedelta(days=1)))
    assert any(text.startswith("yesterday ") for text in texts(page.cards.cards[request_.id]))
    card = page.cards.cards[request_.id]
    card.set_busy(busy=True)
    page.show_overview(replace(overview, requests=(request_,)))
    assert page.cards.cards[request_.id] is card, "an answer is on its way"
