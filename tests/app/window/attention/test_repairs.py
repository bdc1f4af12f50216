"""A proposed repair on the Attention page: reviewed, applied, rejected and rolled back."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.session import Session
from app.widgets.diff_pane import DiffSummary
from app.widgets.request_card import RequestCard
from app.window import request_cards as cards_module
from app.window.attention.page import AttentionPage
from app.window.requests import delayed_answers
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.requests import RequestKind
from scheduler.rules.workflow_state import WorkflowState
from tests.app.app_fixture import Wait, deploy

FIX = """
import pathlib, re, sys, time
asked = sys.stdin.read()
while pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.02)
print(re.findall(r"```python\\n(.*?)```", asked, re.DOTALL)[-1].replace("1 / 0", "1 + 1"))
"""

Break = Callable[..., RequestView]


@pytest.fixture
def hold(tmp_path: Path) -> Path:
    """While this file exists, the fixer waits."""
    return tmp_path / "hold"


@pytest.fixture
def break_script(empty: Session, tmp_path: Path, hold: Path, wait: Wait) -> Break:
    """Runs a failing job with a real command as fixer; the resulting request."""
    tool = tmp_path / "tool.py"
    tool.write_text(FIX)

    def act(**settings: Any) -> RequestView:
        chosen = {"kind": "command", "command": f"{sys.executable} {tool} {hold}", **settings}
        run_command(empty, "fixer", settings=chosen)
        deploy(empty, "Sums", 'print("token=hunter2"); ctx.done(str(1 / 0))')
        run_command(empty, "run", target="sums")
        [one] = wait(empty.queries.attention)
        assert isinstance(one, RequestView)
        return one

    return act


@pytest.fixture
def page(qtbot: QtBot, empty: Session) -> AttentionPage:
    made = AttentionPage(empty)
    qtbot.addWidget(made)
    made.resize(900, 700)
    made.show()
    return made


def card_of(page: AttentionPage, one: RequestView, wait: Wait) -> RequestCard:
    page.refresh()
    card = wait(lambda: page.cards.cards.get(one.id))
    assert isinstance(card, RequestCard)
    return card


def texts(card: RequestCard) -> str:
    return "\n".join(label.text() for label in card.findChildren(QLabel) if label.isVisibleTo(card))


def version(installation: Session) -> int:
    return installation.queries.workflow("sums").version


def test_while_a_repair_is_prepared_the_workflow_is_fixing_and_nothing_is_asked(
    empty: Session, break_script: Break, hold: Path, wait: Wait
) -> None:
    hold.touch()
    tool = f"{sys.executable} {hold.parent / 'tool.py'} {hold}"
    run_command(empty, "fixer", settings={"kind": "command", "command": tool})
    deploy(empty, "Sums", "ctx.done(str(1 / 0))")
    run_command(empty, "run", target="sums")
    wait(lambda: empty.queries.workflow("sums").state is WorkflowState.FIXING)
    assert empty.queries.attention() == []
    hold.unlink()
    [one] = wait(empty.queries.attention)
    assert one.kind == "fix"


def test_the_card_shows_what_failed_and_what_would_change(page: AttentionPage, break_script: Break, wait: Wait) -> None:
    card = card_of(page, break_script(), wait)
    assert "A repair is ready" in texts(card) and "it divides by zero" in texts(card)
    changes = card.findChild(DiffSummary).toPlainText()
    assert "1 / 0" in changes and "1 + 1" in changes
    assert [button.text() for button in card.buttons.values()] == ["Apply", "Don't apply", "Show what was sent"]


def test_what_was_sent_is_shown_without_secrets_and_the_request_stays_open(
    page: AttentionPage, break_script: Break, empty: Session, wait: Wait
) -> None:
    card = card_of(page, break_script(), wait)
    card.buttons["sent"].click()
    dialog = page.cards.sent_dialog
    assert dialog is not None and dialog.isVisible()
    shown = dialog.text.toPlainText()
    assert "division by zero" in shown and "token=(left out)" in shown and "You repair one Python script" in shown
    dialog.reject()
    assert card.buttons["approve"].isEnabled() and version(empty) == 1


def test_applying_a_repair_can_be_undone_before_it_is_deployed(
    page: AttentionPage, break_script: Break, empty: Session, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delayed_answers, "UNDO_MS", 600_000)
    one = break_script()
    card = card_of(page, one, wait)
    card.buttons["approve"].click()
    assert "Applied." in texts(card)
    card.undo.click()
    assert "Applied." not in texts(card) and version(empty) == 1
    card.buttons["approve"].click()
    page.send_delayed_answers()
    wait(lambda: "The repaired script is now in use." in texts(card))
    assert version(empty) == 2
    assert not any(button.isVisibleTo(card) for button in (*card.buttons.values(), card.undo))


def test_rejecting_a_repair_keeps_the_script_and_asks_what_to_do_next(
    page: AttentionPage, break_script: Break, empty: Session, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards_module, "ANSWERED_CARD_MS", 1)
    one = break_script()
    card_of(page, one, wait).buttons["reject"].click()
    wait(lambda: one.id not in page.cards.cards)
    [after] = wait(empty.queries.attention)
    assert (after.kind, version(empty)) == (RequestKind.RUN_FAILED, 1)


def test_an_automatic_repair_is_shown_and_can_be_rolled_back_from_the_card(
    page: AttentionPage, break_script: Break, empty: Session, wait: Wait
) -> None:
    one = break_script(applies=True)
    assert (one.kind, version(empty)) == ("repaired", 2)
    card = card_of(page, one, wait)
    assert "continues with version 2" in texts(card) and "1 + 1" in card.findChild(DiffSummary).toPlainText()
    card.buttons["reject"].click()
    wait(lambda: "Rolled back to the previous version." in texts(card))
    assert (version(empty), empty.queries.attention()) == (3, [])


def test_the_command_line_shows_and_answers_the_same_request(break_script: Break, empty: Session) -> None:
    one = break_script()
    answer = run_command(empty, "attention")["requests"][0]
    assert "+    print" in answer["ui"]["difference"] and answer["how"][0] == f"dayhand approve {one.id}"
    run_command(empty, "approve", request=one.id)
    assert version(empty) == 2


def test_with_review_enabled_the_script_is_sent_only_after_the_user_agrees(
    page: AttentionPage, break_script: Break, empty: Session, wait: Wait
) -> None:
    one = break_script(shows=True)
    card = card_of(page, one, wait)
    assert list(card.buttons) == ["retry", "log", "dismiss", "send", "edit"]
    assert "You repair" not in texts(card)
    for answer in ("reject", "accept"):
        card.buttons["send"].click()
        dialog = page.cards.sent_dialog
        assert dialog is not None and "division by zero" in dialog.text.toPlainText()
        assert empty.queries.workflow("sums").state is WorkflowState.NEEDS_ATTENTION
        getattr(dialog, answer)()
    wait(lambda: "A repair is being prepared." in texts(card))
    wait(lambda: [request.kind for request in empty.queries.attention()] == ["fix"])
