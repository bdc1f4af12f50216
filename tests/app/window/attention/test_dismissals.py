"""The report of what stopped a workflow is dismissed; its page offers to try again."""

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.i18n.state_labels import TrayState
from app.overview import describe_state
from app.session import Session
from app.window.attention.page import AttentionPage
from app.window.workflows.workflow_pane import WorkflowPane
from scheduler.rules.requests import RequestKind
from scheduler.rules.workflow_state import WorkflowState
from tests.app.app_fixture import Wait, deploy, overview_of


def test_a_stopped_job_is_dismissed_and_tried_again_on_its_page(empty: Session, qtbot: QtBot, wait: Wait) -> None:
    deploy(empty, "Broken", 'raise ValueError("no")', when='cron="0 4 1 1 *", max_failures=1')
    run_command(empty, "run", target="broken")
    [one] = wait(empty.queries.attention)
    assert one.kind is RequestKind.TOO_MANY_FAILURES
    page = AttentionPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.show_overview(overview_of(empty))
    card = page.cards.cards[one.id]
    assert card.buttons["dismiss"].text() == "Dismiss"
    card.buttons["dismiss"].click()
    said = "Dismissed. It stays stopped until you try again on the page of the workflow."
    assert said in [label.text() for label in card.findChildren(QLabel)]
    wait(lambda: not empty.queries.attention())
    overview = overview_of(empty)
    assert (overview.attention_count, overview.state) == (0, TrayState.IDLE)
    assert describe_state(overview) == "Broken is stopped"
    [stopped] = overview.workflows
    assert stopped.state is WorkflowState.STOPPED
    pane = WorkflowPane(empty)
    qtbot.addWidget(pane)
    pane.show()
    pane.open("broken")
    pane.refresh()
    wait(pane.try_again.isVisible)
    assert not pane.answer.isVisible()
    assert "It stays stopped until you try again." in pane.state_text.text()
    pane.try_again.click()
    [again] = wait(empty.queries.attention)
    assert again.id != one.id


def test_dismissing_in_the_terminal_says_what_stays_stopped(empty: Session, wait: Wait) -> None:
    deploy(empty, "Broken", 'raise ValueError("no")', when='cron="0 4 1 1 *", max_failures=1')
    run_command(empty, "run", target="broken")
    [one] = wait(empty.queries.attention)
    assert f"dayhand dismiss {one.id}" in one.how
    assert run_command(empty, "dismiss", request=one.id)["stopped"]
