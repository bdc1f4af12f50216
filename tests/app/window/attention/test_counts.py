"""What needs attention is counted once, with the same words everywhere, also what no request is about."""

from argparse import Namespace

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.cli import requests
from app.overview import Overview
from app.session import Session
from app.tray.icon import make_tooltip
from app.window.attention.page import AttentionPage
from app.window.main_window import MainWindow
from app.window.today.page import TodayPage
from scheduler.engine.queries.requests import RequestView
from tests.app.app_fixture import Wait, deploy, overview_of


def break_schedule(session: Session, name: str) -> None:
    """Its time zone is no longer known on this computer."""
    deploy(session, name, "pass")
    with session._runtime.database.write() as db:
        db.execute("UPDATE schedules SET trouble = 'there is no time zone' WHERE workflow = ?", [name.lower()])


def print_attention(session: Session) -> list[str]:
    """What the command line prints."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(requests, "call_api", lambda _, verb, **given: run_command(session, verb, **given))
        result = requests.VERBS["attention"].run(Namespace(asked=None, data_dir=None))
    return list(result.lines())


@pytest.mark.parametrize("number", [1, 2])
def test_a_workflow_without_a_request_is_counted_and_named_everywhere(
    empty: Session, qtbot: QtBot, wait: Wait, number: int
) -> None:
    for place in range(number):
        break_schedule(empty, f"Chore{place}")
    overview = overview_of(empty)
    window = MainWindow(empty)
    qtbot.addWidget(window)
    window.resize(1000, 700)
    window.bring_to_front()
    window.show_overview(overview)
    words = "1 item needs your attention" if number == 1 else "2 items need your attention"
    way = "1 workflow needs your attention. Open it on the Workflows page."
    if number == 2:
        way = "2 workflows need your attention. Open them on the Workflows page."
    assert window.navigation.item(2).text() == f"Attention ({number})"
    assert window.status.text().startswith(words)
    assert make_tooltip(overview).startswith(f"Dayhand: {words}")
    assert print_attention(empty)[-1] == f"{words}."
    for name in ("today", "attention"):
        window.open_page(name)
        page = window.pages[name]
        assert isinstance(page, AttentionPage | TodayPage)
        wait(page.cards.unasked.isVisible)
        assert page.cards.unasked.text() == way
    button = page.cards.open_unasked
    assert isinstance(button, QPushButton)
    assert button.text() == ("Open Chore0" if number == 1 else "Open Workflows")
    button.click()
    assert window.page is window.pages["workflows"]


def test_requests_and_workflows_are_counted_together(installation: Session, request_: RequestView) -> None:
    break_schedule(installation, "Chore")
    overview: Overview = overview_of(installation)
    assert (len(overview.requests), len(overview.unasked), overview.attention_count) == (1, 1, 2)
    printed = print_attention(installation)
    assert any(line.startswith("Chore needs your attention: ") for line in printed)
    assert printed[-1] == "2 items need your attention."
