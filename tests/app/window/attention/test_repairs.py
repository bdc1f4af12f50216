"""Attention, when a script failed: the repair is read there, applied, turned down, and taken back with one press."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.asking import command
from app.life.installation import Installation
from app.widgets.card import Card
from app.widgets.changes import Changes
from app.window import cards as cards_module
from app.window.attention import AttentionPage
from scheduler.engine.workflows.views.requests import RequestView
from scheduler.rules.states import WorkflowState
from tests.app.living import Wait, deploy

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
    """While this file is there, the fixer thinks."""
    return tmp_path / "hold"


@pytest.fixture
def break_script(empty: Installation, tmp_path: Path, hold: Path, wait: Wait) -> Break:
    """A job that fails, and a real command that repairs it; what the person is asked then."""
    tool = tmp_path / "tool.py"
    tool.write_text(FIX)

    def act(**settings: Any) -> RequestView:
        chosen = {"kind": "command", "command": f"{sys.executable} {tool} {hold}", **settings}
        command(empty, "fixer", settings=chosen)
        deploy(empty, "Sums", 'print("token=hunter2"); ctx.done(str(1 / 0))')
        command(empty, "run", target="sums")
        [one] = wait(empty.views.attention)
        assert isinstance(one, RequestView)
        return one

    return act


@pytest.fixture
def page(qtbot: QtBot, empty: Installation) -> AttentionPage:
    made = AttentionPage(empty)
    qtbot.addWidget(made)
    made.resize(900, 700)
    made.show()
    return made


def card_of(page: AttentionPage, one: RequestView, wait: Wait) -> Card:
    page.refresh()
    found = wait(lambda: page.cards.cards.get(one.id))
    assert isinstance(found, Card)
    return found


def texts(card: Card) -> str:
    return "\n".join(label.text() for label in card.findChildren(QLabel) if label.isVisibleTo(card))


def version(installation: Installation) -> int:
    return installation.views.workflow("sums").version


def test_while_a_repair_is_prepared_the_workflow_says_so_and_nobody_is_asked(
    empty: Installation, break_script: Break, hold: Path, wait: Wait
) -> None:
    hold.touch()
    tool = f"{sys.executable} {hold.parent / 'tool.py'} {hold}"
    command(empty, "fixer", settings={"kind": "command", "command": tool})
    deploy(empty, "Sums", "ctx.done(str(1 / 0))")
    command(empty, "run", target="sums")
    wait(lambda: empty.views.workflow("sums").state is WorkflowState.FIXING)
    assert empty.views.attention() == []
    hold.unlink()
    [one] = wait(empty.views.attention)
    assert one.kind == "fix"


def test_the_card_says_what_broke_and_what_would_change(page: AttentionPage, break_script: Break, wait: Wait) -> None:
    card = card_of(page, break_script(), wait)
    assert "A repair is ready" in texts(card) and "division by zero" in texts(card)
    changes = card.findChild(Changes).toPlainText()
    assert "1 / 0" in changes and "1 + 1" in changes
    assert [button.text() for button in card.buttons.values()] == ["Apply", "No", "See what was sent"]


def test_what_was_sent_can_be_read_without_secrets_and_the_question_stays(
    page: AttentionPage, break_script: Break, empty: Installation, wait: Wait
) -> None:
    card = card_of(page, break_script(), wait)
    card.buttons["sent"].click()
    dialog = page.cards.sent
    assert dialog is not None and dialog.isVisible()
    shown = dialog.text.toPlainText()
    assert "division by zero" in shown and "token=(left out)" in shown and "You repair one Python script" in shown
    dialog.reject()
    assert card.buttons["approve"].isEnabled() and version(empty) == 1


def test_applied_it_is_in_use_and_one_press_takes_it_back(
    page: AttentionPage, break_script: Break, empty: Installation, wait: Wait
) -> None:
    one = break_script()
    card = card_of(page, one, wait)
    card.buttons["approve"].click()
    wait(lambda: "The repaired script is in use." in texts(card))
    assert version(empty) == 2
    assert [button.text() for button in card.buttons.values() if button.isVisibleTo(card)] == ["Roll back"]
    page.refresh()
    wait(lambda: "Nothing waits for you any more." in [label.text() for label in page.findChildren(QLabel)])
    card.buttons["rollback"].click()
    wait(lambda: "The version before is in use again." in texts(card))
    assert version(empty) == 3
    assert "1 / 0" in empty.house.plans.current(empty.database.read(), "sums").source
    assert not any(button.isVisibleTo(card) for button in card.buttons.values())


def test_a_no_leaves_the_script_and_asks_what_to_do_then(
    page: AttentionPage, break_script: Break, empty: Installation, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards_module, "LINGER", 1)
    one = break_script()
    card_of(page, one, wait).buttons["reject"].click()
    wait(lambda: one.id not in page.cards.cards)
    [after] = wait(empty.views.attention)
    assert (after.kind, version(empty)) == ("script-error", 1)


def test_what_was_repaired_by_itself_is_shown_and_taken_back_with_one_press(
    page: AttentionPage, break_script: Break, empty: Installation, wait: Wait
) -> None:
    one = break_script(applies=True)
    assert (one.kind, version(empty)) == ("repaired", 2)
    card = card_of(page, one, wait)
    assert "goes on with version 2" in texts(card) and "1 + 1" in card.findChild(Changes).toPlainText()
    card.buttons["reject"].click()
    wait(lambda: "The version before is in use again." in texts(card))
    assert (version(empty), empty.views.attention()) == (3, [])


def test_the_command_line_shows_and_answers_the_same(break_script: Break, empty: Installation) -> None:
    one = break_script()
    told = command(empty, "attention")["requests"][0]
    assert "+    print" in told["ui"]["difference"] and told["how"][0] == f"dayhand approve {one.id}"
    command(empty, "approve", request=one.id)
    assert version(empty) == 2


def test_where_the_person_looks_first_it_is_sent_after_they_did(
    page: AttentionPage, break_script: Break, empty: Installation, wait: Wait
) -> None:
    one = break_script(shows=True)
    card = card_of(page, one, wait)
    assert list(card.buttons) == ["retry", "send", "edit", "open"]
    assert "You repair" not in texts(card)
    for answer in ("reject", "accept"):
        card.buttons["send"].click()
        dialog = page.cards.sent
        assert dialog is not None and "division by zero" in dialog.text.toPlainText()
        assert empty.views.workflow("sums").state is WorkflowState.NEEDS_ATTENTION
        getattr(dialog, answer)()
    wait(lambda: "A repair is being prepared." in texts(card))
    wait(lambda: [found.kind for found in empty.views.attention()] == ["fix"])
