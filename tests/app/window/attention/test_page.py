"""The Attention page shows open requests, exactly what would be done, and the outcome of an answer."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFontInfo
from PySide6.QtWidgets import QLabel, QTableView, QWidget
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.session import Session
from app.widgets.empty_state import EmptyState
from app.window import external_editor
from app.window import request_cards as cards_module
from app.window.attention.page import AttentionPage
from scheduler.engine.queries.requests import RequestView
from tests.app.app_fixture import Wait, deploy, overview_of, table_lines


@pytest.fixture
def make_page(qtbot: QtBot) -> Callable[[Session], AttentionPage]:
    def make(installation: Session) -> AttentionPage:
        page = AttentionPage(installation)
        qtbot.addWidget(page)
        page.resize(900, 700)
        page.show()
        return page

    return make


@pytest.fixture
def page(installation: Session, request_: RequestView, make_page: Callable[[Session], AttentionPage]) -> AttentionPage:
    """Shows the request of the sample workflow."""
    made = make_page(installation)
    made.show_overview(overview_of(installation))
    assert list(made.cards.cards) == [request_.id]
    return made


def texts(widget: QWidget) -> list[str]:
    """All visible text."""
    cells: list[Any] = []
    for table in widget.findChildren(QTableView):
        model = table.model()
        for column in range(model.columnCount()):
            cells.append(model.headerData(column, Qt.Orientation.Horizontal))
            cells += [model.index(row, column).data() for row in range(model.rowCount())]
    labels = [label.text() for label in widget.findChildren(QLabel) if label.isVisibleTo(widget)]
    return labels + cells


def test_a_card_shows_exactly_what_would_be_done_in_words(page: AttentionPage, request_: RequestView) -> None:
    """The connection, the tool in words and every value; no technical names."""
    shown = texts(page.cards.cards[request_.id])
    assert {"Receipts", "Add 3 receipts (45.55) to Expenses", "expenses · Table", "Rows (3)", "Shop"} <= set(shown)
    assert {"Corner Bakery", "Paper Moon Books", "Nuts & Bolts", "7.4", "24.9", "13.25"} <= set(shown)
    assert any(text.startswith("Appends rows") for text in shown)
    for hidden in ("{", "[", "AddToExpenses", "append", "table:expenses"):
        assert not any(hidden in text for text in shown), hidden
    assert [button.text() for button in page.cards.cards[request_.id].buttons.values()] == [
        "Approve",
        "Edit…",
        "Reject…",
        "Always allow this",
    ]


def test_approve_adds_the_rows_once_and_the_card_shows_the_outcome(
    page: AttentionPage, installation: Session, request_: RequestView, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards_module, "ANSWERED_CARD_MS", 300_000)
    card = page.cards.cards[request_.id]
    card.buttons["approve"].click()
    assert not card.buttons["reject"].isEnabled()
    wait(lambda: "Approved. Continuing…" in texts(card))
    assert not any(button.isVisibleTo(card) for button in card.buttons.values())
    wait(lambda: len(table_lines(installation)) == 4)


def test_an_answered_card_disappears_and_the_empty_page_is_shown(
    page: AttentionPage, request_: RequestView, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards_module, "ANSWERED_CARD_MS", 1)
    page.cards.cards[request_.id].buttons["reject"].click()
    page.cards.cards[request_.id].panel.confirm.click()
    wait(lambda: not page.cards.cards)
    wait(lambda: page.findChild(EmptyState).isVisible())


def test_a_request_answered_elsewhere_loses_its_buttons(
    page: AttentionPage, installation: Session, request_: RequestView, wait: Wait
) -> None:
    card = page.cards.cards[request_.id]
    run_command(installation, "reject", request=request_.id)
    page.refresh()
    wait(lambda: any(text.startswith("You rejected this at ") for text in texts(card)))
    assert not any(button.isVisibleTo(card) for button in card.buttons.values())


def test_a_late_answer_is_refused_and_changes_nothing(
    page: AttentionPage, installation: Session, request_: RequestView, wait: Wait
) -> None:
    card = page.cards.cards[request_.id]
    run_command(installation, "reject", request=request_.id)
    card.buttons["approve"].click()
    wait(lambda: any("You rejected this" in text for text in texts(card)))
    assert table_lines(installation) == []


def test_a_failed_job_shows_the_line_and_offers_run_again_and_edit(
    empty: Session,
    make_page: Callable[[Session], AttentionPage],
    qtbot: QtBot,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    deploy(empty, "Broken", 'raise ValueError("no such column")')
    run_command(empty, "run", target="broken")
    [one] = wait(empty.queries.attention)
    page = make_page(empty)
    page.refresh()
    card = wait(lambda: page.cards.cards.get(one.id))
    assert any("line 6" in text and "no such column" in text for text in texts(card))
    [line] = [one for one in card.findChildren(QLabel) if one.text() == 'raise ValueError("no such column")']
    assert QFontInfo(line.font()).fixedPitch()
    assert list(card.buttons) == ["retry", "log", "dismiss", "edit"], "no earlier version to roll back to"
    edited: list[QUrl] = []
    monkeypatch.setattr(external_editor, "has_default_program", lambda _: True)
    monkeypatch.setattr(QDesktopServices, "openUrl", edited.append)
    card.buttons["edit"].click()
    wait(lambda: [one.toLocalFile() for one in edited] == [empty.queries.workflow("broken").path])
    assert card.buttons["edit"].isEnabled()
    with qtbot.waitSignal(page.open_page) as opened:
        card.buttons["log"].click()
    assert opened.args == ["history", f"{one.run}#log"]
    card.buttons["retry"].click()
    [again] = wait(lambda: [request for request in empty.queries.attention() if request.id != one.id])
    page.refresh()
    wait(lambda: page.cards.cards.get(again.id)).buttons["dismiss"].click()
    wait(lambda: empty.queries.attention() == [])


def test_an_opened_request_gets_the_focus_once_its_card_exists(
    installation: Session, request_: RequestView, make_page: Callable[[Session], AttentionPage], wait: Wait
) -> None:
    page = make_page(installation)
    page.open_subject(request_.id)
    page.refresh()
    wait(lambda: request_.id in page.cards.cards and page.focusWidget() is page.cards.cards[request_.id])


def test_without_requests_the_page_explains_itself(
    empty: Session, make_page: Callable[[Session], AttentionPage], wait: Wait
) -> None:
    page = make_page(empty)
    page.refresh()
    wait(lambda: page.findChild(EmptyState).isVisible())
    assert "Nothing needs your attention" in texts(page)


def test_a_card_is_rebuilt_when_its_request_changes_and_after_midnight(
    page: AttentionPage, installation: Session, request_: RequestView
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
    assert page.cards.cards[request_.id] is card, "an answer is being sent"
