"""Answers on cards are sent after a few seconds in which they can be undone; none is lost, and each is sent once."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.session import Session
from app.widgets.request_card import RequestCard
from app.window.attention.page import AttentionPage
from app.window.requests import delayed_answers
from app.window.requests.delayed_answers import DelayedAnswer, DelayedAnswers
from scheduler.engine.queries.requests import RequestView
from tests.app.app_fixture import Wait, overview_of, table_lines
from tests.app.window.request_samples import make_approval, make_failure, make_mail
from tests.app.window.requests.test_request_groups import Show, reject, show  # noqa: F401  a fixture

LONG_MS = 600_000


@pytest.fixture(autouse=True)
def hold(monkeypatch: pytest.MonkeyPatch, send_answers_at_once: None) -> None:
    monkeypatch.setattr(delayed_answers, "UNDO_MS", LONG_MS)


@pytest.fixture
def page(installation: Session, request_: RequestView, qtbot: QtBot) -> AttentionPage:
    """Shows the request of the sample workflow."""
    made = AttentionPage(installation)
    qtbot.addWidget(made)
    made.resize(900, 700)
    made.show()
    made.show_overview(overview_of(installation))
    return made


@pytest.fixture
def card(page: AttentionPage, request_: RequestView) -> RequestCard:
    return page.cards.cards[request_.id]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What reaches the engine: verb and request."""
    commands: list[tuple[str, str]] = []

    def record(_session: Session, verb: str, **arguments: Any) -> None:
        commands.append((verb, arguments["request"]))

    monkeypatch.setattr(delayed_answers, "run_command", record)
    return commands


def said(card: RequestCard) -> list[str]:
    return [label.text() for label in card.findChildren(QLabel) if label.isVisibleTo(card)]


def offered(card: RequestCard) -> list[str]:
    return [button.text() for button in (*card.buttons.values(), card.undo) if button.isVisibleTo(card)]


@pytest.mark.parametrize(
    ("action", "sentence"),
    [("approve", "Approved."), ("reject", "Rejected."), ("always", "Approved. You won't be asked about this again.")],
)
def test_an_answer_looks_given_and_can_be_undone(
    page: AttentionPage,
    card: RequestCard,
    installation: Session,
    request_: RequestView,
    wait: Wait,
    action: str,
    sentence: str,
) -> None:
    before, granted = offered(card), installation.queries.workflow("receipts").grants
    reject(card) if action == "reject" else card.buttons[action].click()
    assert sentence in said(card) and offered(card) == ["Undo"]
    card.undo.click()
    assert sentence not in said(card)
    if card.panel is not None:
        card.panel.cancel.click()
    assert offered(card) == before and all(button.isEnabled() for button in card.buttons.values())
    page.send_delayed_answers(wait=True)
    assert installation.queries.request(request_.id).answer is None
    assert installation.queries.workflow("receipts").grants == granted
    card.buttons["approve"].click()
    page.send_delayed_answers()
    wait(lambda: "Approved. Continuing…" in said(card))
    wait(lambda: len(table_lines(installation)) == 4)


def test_ctrl_z_undoes_the_last_answer_wherever_the_focus_is_on_the_page(
    show: Show,  # noqa: F811
    sent: list[tuple[str, str]],
    qtbot: QtBot,
    wait: Wait,
) -> None:
    page = show([make_failure(9), make_approval(5, "other"), make_mail(1)])
    page.activateWindow()
    failed, first, second = page.cards.cards.values()
    wait(second.isVisible)
    first.setFocus()
    wait(lambda: QApplication.focusWidget() is first)
    qtbot.keyClick(first, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert page.focusWidget() is second, "the next one can be answered at once"
    qtbot.keyClick(second, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert page.focusWidget() is first and "Approve" in offered(first)
    page.send_delayed_answers(wait=True)
    assert sent == []
    assert failed.buttons["dismiss"].isVisible()


def test_undo_is_reached_with_tab(show: Show, sent: list[tuple[str, str]], wait: Wait) -> None:  # noqa: F811
    page = show([make_approval(5, "other"), make_mail(1)])
    first, second = page.cards.cards.values()
    wait(second.isVisible)
    first.setFocus()
    first.trigger_action("approve")
    assert page.focusWidget() is second
    second.focusPreviousChild()
    assert page.focusWidget() is first.undo


def test_of_several_quick_answers_each_is_kept_and_only_the_last_can_be_undone(
    show: Show,  # noqa: F811
    sent: list[tuple[str, str]],
    wait: Wait,
) -> None:
    page = show([make_failure(9), make_approval(5, "other"), make_mail(1)])
    failed, first, second = page.cards.cards.values()
    first.buttons["approve"].click()
    failed.buttons["dismiss"].click()
    reject(second)
    assert [offered(one) for one in (failed, first, second)] == [[], [], ["Undo"]]
    wait(lambda: sorted(verb for verb, _ in sent) == ["approve", "dismiss"])
    second.undo.click()
    assert len(sent) == 2


def test_what_is_carried_out_at_once_sends_the_answer_before_it(
    show: Show,  # noqa: F811
    sent: list[tuple[str, str]],
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("app.window.request_cards.run_command", lambda *_, **__: None)
    page = show([make_failure(9), make_approval(5, "other")])
    failed, first = page.cards.cards.values()
    first.buttons["approve"].click()
    failed.buttons["retry"].click()
    assert offered(first) == []
    wait(lambda: sent == [("approve", make_approval(5, "other").id)])


@pytest.mark.parametrize("leave", ["hide", "quit"])
def test_leaving_sends_the_answer(
    page: AttentionPage, card: RequestCard, installation: Session, wait: Wait, leave: str
) -> None:
    card.buttons["approve"].click()
    if leave == "hide":
        page.hide()
        wait(lambda: not installation.queries.attention())
    else:
        page.send_delayed_answers(wait=True)
        assert not installation.queries.attention()


def test_quitting_waits_for_an_answer_that_is_on_its_way(
    page: AttentionPage, card: RequestCard, installation: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quitting drops background work that has not begun."""
    monkeypatch.setattr("app.background.BackgroundTasks.run", lambda *_: None)
    card.buttons["approve"].click()
    page.hide()
    assert installation.queries.attention()
    page.send_delayed_answers(wait=True)
    assert not installation.queries.attention()


def test_an_answer_sent_twice_takes_effect_once(installation: Session, request_: RequestView, wait: Wait) -> None:
    """It may be stored already when quitting sends it again."""

    def nothing(*_: object) -> None:
        pass

    delayed = DelayedAnswers(installation, installation)
    arguments = {"request": request_.id, "call_hash": request_.call_hash}
    delayed.start(
        DelayedAnswer(
            verb="approve",
            arguments=arguments,
            owner=installation,
            sent=nothing,
            undone=nothing,
            done=nothing,
            failed=nothing,
        )
    )
    delayed.send()
    delayed.send_and_wait()
    wait(lambda: len(table_lines(installation)) == 4)


def test_quitting_with_an_answer_that_comes_too_late_goes_on(
    page: AttentionPage, card: RequestCard, installation: Session, request_: RequestView
) -> None:
    card.buttons["approve"].click()
    run_command(installation, "reject", request=request_.id)
    page.send_delayed_answers(wait=True)
    assert installation.queries.request(request_.id).answer == "no"


def is_refusal(text: str) -> bool:
    return text.startswith("You rejected this at ") and text.endswith(". Nothing was changed.")


@pytest.mark.parametrize("seen", [False, True])
def test_an_answer_from_elsewhere_counts_and_the_card_says_so(
    page: AttentionPage, card: RequestCard, installation: Session, request_: RequestView, wait: Wait, *, seen: bool
) -> None:
    """`seen`: the page notices before the answer is sent."""
    card.buttons["approve"].click()
    run_command(installation, "reject", request=request_.id)
    if seen:
        page.show_overview(overview_of(installation))
    else:
        page.send_delayed_answers()
    wait(lambda: any(is_refusal(text) for text in said(card)))
    assert offered(card) == [] and table_lines(installation) == []


def test_the_same_answer_from_elsewhere_acts_once(
    page: AttentionPage, card: RequestCard, installation: Session, request_: RequestView, wait: Wait
) -> None:
    card.buttons["approve"].click()
    run_command(installation, "approve", request=request_.id)
    page.send_delayed_answers()
    wait(lambda: "Approved. Continuing…" in said(card))
    wait(lambda: len(table_lines(installation)) == 4)


def test_two_windows_answer_once(
    page: AttentionPage, card: RequestCard, installation: Session, request_: RequestView, wait: Wait, qtbot: QtBot
) -> None:
    second = AttentionPage(installation)
    qtbot.addWidget(second)
    second.show()
    second.show_overview(overview_of(installation))
    other = second.cards.cards[request_.id]
    card.buttons["approve"].click()
    reject(other)
    second.send_delayed_answers()
    wait(lambda: "Rejected; skipped." in said(other))
    page.send_delayed_answers()
    wait(lambda: any(is_refusal(text) for text in said(card)))
    assert table_lines(installation) == []


def test_a_request_withdrawn_by_a_new_script_is_not_answered(
    page: AttentionPage, card: RequestCard, installation: Session, request_: RequestView, wait: Wait
) -> None:
    card.buttons["approve"].click()
    path = Path(installation.queries.workflow("receipts").path)
    run_command(installation, "deploy", path=str(path), source=f"{path.read_text('utf-8')}\n# changed\n")
    page.show_overview(overview_of(installation))
    wait(lambda: any("withdrawn" in text or "changed" in text for text in said(card)))
    assert offered(card) == [] and table_lines(installation) == []


def test_a_refusal_that_the_page_can_no_longer_show_is_told(
    page: AttentionPage, card: RequestCard, installation: Session, request_: RequestView, qtbot: QtBot
) -> None:
    card.buttons["approve"].click()
    run_command(installation, "reject", request=request_.id)
    with qtbot.waitSignal(page.status_message, timeout=60_000) as told:
        page.hide()
    assert told.args is not None and is_refusal(told.args[0].removeprefix("Receipts: "))
