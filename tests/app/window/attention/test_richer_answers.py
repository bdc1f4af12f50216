"""On a card: change a call before approving it, say why it is rejected, and answer a question."""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit

from app.session import Session
from app.widgets.details_view import DetailsView
from app.widgets.request_card import RequestCard
from app.widgets.row_grid import RowGrid
from app.window.attention.page import AttentionPage
from app.window.history.run_pane import RunPane
from scheduler.engine.queries.requests import RequestView
from scheduler.engine.workflows.deployment import DeployOptions
from tests.app.app_fixture import Wait, overview_of, table_lines
from tests.app.window.attention.test_page import make_page, page, texts  # noqa: F401  fixtures

ASKING = """
import dayhand
flow = dayhand.Workflow("Filing", connections=["table:expenses"])
mails = flow.topic("mails")

@flow.consumer(subscribe=[mails], approve="never")
class File:
    def prepare(self, ctx, state):
        batch = ctx.peek(mails)
        question = dayhand.ask("Which shop?", choices=["Bakery", "Books"])
        return dayhand.prepared(reserve=batch, ask=question, say="File it") if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("table:expenses", "append", rows=[{"shop": prepared.answer}])
"""


def edit_first_cell(card: RequestCard, text: str) -> None:
    card.buttons["edit-call"].click()
    assert card.panel is not None
    grid = card.panel.form.inputs["rows"]
    assert isinstance(grid, RowGrid)
    item = grid.table.item(0, 0)
    assert item is not None
    item.setText(text)


def test_the_changed_rows_are_added_and_the_history_shows_the_difference(
    page: AttentionPage,  # noqa: F811
    installation: Session,
    request_: RequestView,
    wait: Wait,
    qtbot: object,
) -> None:
    card = page.cards.cards[request_.id]
    edit_first_cell(card, "Corner Café")
    assert card.panel is not None
    card.panel.confirm.click()
    wait(lambda: "Approved with your changes. Continuing…" in texts(card))
    wait(lambda: len(table_lines(installation)) == 4)
    assert "Corner Café" in table_lines(installation)[1]
    assert request_.run is not None
    wait(lambda: installation.queries.run(request_.run or "").status == "committed")
    pane = RunPane(installation)
    pane.resize(700, 700)
    pane.show()
    pane.open(request_.run)
    wait(lambda: any("You changed this before approving it:" in label.text() for label in pane.findChildren(QLabel)))
    assert len(pane.findChildren(DetailsView)) >= 2
    pane.close()
    pane.deleteLater()


def test_a_change_is_not_lost_when_the_page_refreshes(
    page: AttentionPage,  # noqa: F811
    installation: Session,
    request_: RequestView,
) -> None:
    card = page.cards.cards[request_.id]
    edit_first_cell(card, "Corner Café")
    overview = overview_of(installation)
    page.show_overview(overview)
    assert page.cards.cards[request_.id] is card
    assert card.panel is not None


def test_a_bad_change_says_so_and_can_be_corrected(
    page: AttentionPage,  # noqa: F811
    request_: RequestView,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scheduler.engine.workflows.call_edits.MAX_EDIT_CHARS", 10)
    card = page.cards.cards[request_.id]
    edit_first_cell(card, "Corner Café")
    assert card.panel is not None
    card.panel.confirm.click()
    wait(lambda: "That is too long; the limit is 10 characters." in texts(card))
    assert card.panel is not None and card.panel.isEnabled()


def test_a_reason_is_kept_with_the_request(
    page: AttentionPage,  # noqa: F811
    installation: Session,
    request_: RequestView,
    wait: Wait,
) -> None:
    card = page.cards.cards[request_.id]
    card.buttons["reject"].click()
    assert card.panel is not None
    reason = card.panel.form.inputs["reason"]
    assert isinstance(reason, QLineEdit)
    reason.setText("Too early")
    card.panel.confirm.click()
    wait(lambda: "Rejected; skipped." in texts(card))
    assert installation.queries.request(request_.id).reason == "Too early"
    assert table_lines(installation) == []


def test_a_question_is_answered_on_its_card(
    make_page: Callable[[Session], AttentionPage],  # noqa: F811
    installation: Session,
    request_: RequestView,
    wait: Wait,
) -> None:
    runtime = installation._runtime
    validated = runtime.validation.validate(str(installation.folder / "filing.py"), ASKING)
    installation.execute_for_user(
        lambda runtime: runtime.workflow_commands.deploy(validated, DeployOptions(grant=True))
    )
    installation.execute_for_user(lambda runtime: runtime.event_commands.publish("filing", "mails", "m1"))
    [asked] = wait(lambda: [one for one in installation.queries.attention() if one.kind == "question"])
    shown = make_page(installation)
    shown.show_overview(overview_of(installation))
    card = shown.cards.cards[asked.id]
    assert {"Wants to know something before it continues", "Which shop?", "File it"} <= set(texts(card))
    box = card.forms["answer"].inputs["answer"]
    assert isinstance(box, QComboBox)
    card.buttons["answer"].click()
    wait(lambda: "Which shop?: an answer is missing." in texts(card))
    box.setCurrentIndex(1)
    card.buttons["answer"].click()
    wait(lambda: "Answered. Continuing…" in texts(card))
    wait(lambda: any("Books" in line for line in table_lines(installation)))
