"""The list of workflows: what it shows, how it is narrowed, and what one does from it."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.asking import close_asking, command
from app.life.installation import Installation
from app.window import workflows_model
from app.window.deploy_dialog import DeployDialog
from app.window.history_rows import read_strips
from app.window.workflows import WorkflowsPage
from app.window.workflows_model import RowReader, WorkflowRow, WorkflowsModel, say_next
from app.words.states import RunState
from scheduler.engine.workflows.views.workflows import WorkflowView
from scheduler.rules.phases import Status
from scheduler.rules.states import WorkflowState
from scheduler.store import grants, workflows
from tests.app.living import Wait
from tests.app.window.filling import SCRIPT, add_run, few, fill

__all__ = ["few"]

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
ASKS = SCRIPT.replace("{name}", "Receipts").replace("return dayhand.nothing()", "return dayhand.nothing(wake_at=None)")


def view(slug: str, **facts: object) -> WorkflowView:
    made = WorkflowView(
        name=slug.title(),
        workflow=slug,
        state=WorkflowState.IDLE,
        words="Every 5 minutes",
        next=NOW + timedelta(minutes=3),
        attention=0,
        tags=(),
        version=1,
    )
    return replace(made, **facts)  # type: ignore[arg-type]


def shown(page: WorkflowsPage) -> list[str]:
    return [str(page.filter.index(place, 0).data()) for place in range(page.filter.rowCount())]


@pytest.fixture
def page(qtbot: QtBot, few: Installation, wait: Wait) -> WorkflowsPage:
    made = WorkflowsPage(few)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    made.refresh()
    wait(lambda: len(made.model.rows) == 4 and all(row.past for row in made.model.rows))
    return made


def choose(page: WorkflowsPage, name: str) -> None:
    page.list.setCurrentIndex(page.filter.index(shown(page).index(name), 0))


def test_only_rows_that_changed_are_drawn_again(qtbot: QtBot) -> None:
    model = WorkflowsModel()
    rows = [WorkflowRow(view=view(name)) for name in ("alpha", "beta", "gamma")]
    model.set_rows(rows, NOW)
    changed: list[int] = []
    model.dataChanged.connect(lambda first, last: changed.extend(range(first.row(), last.row() + 1)))
    model.set_rows(rows, NOW)
    assert changed == []
    model.set_rows([rows[0], WorkflowRow(view=view("beta", words="New")), rows[2]], NOW)
    assert changed == [1]


def test_workflows_come_and_go_without_moving_the_others(qtbot: QtBot) -> None:
    model = WorkflowsModel()
    rows = {name: WorkflowRow(view=view(name)) for name in ("alpha", "beta", "gamma", "delta")}
    model.set_rows([rows["alpha"], rows["gamma"]], NOW)
    was_reset: list[bool] = []
    model.modelReset.connect(lambda: was_reset.append(True))
    for wanted in (["alpha", "beta", "gamma"], ["beta", "delta", "gamma"], [], ["gamma"]):
        model.set_rows([rows[name] for name in wanted], NOW)
        assert [row.view.workflow for row in model.rows] == wanted
    assert not was_reset


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({}, "Next in 3 min"),
        ({"next": NOW}, "Due now"),
        ({"next": None}, ""),
        ({"state": WorkflowState.PAUSED}, ""),
        ({"state": WorkflowState.NEEDS_ATTENTION}, ""),
    ],
)
def test_a_coming_time_is_said_only_where_it_will_come(qtbot: QtBot, facts: dict[str, object], words: str) -> None:
    assert say_next(view("alpha", **facts), NOW) == words


def test_a_row_says_everything_aloud_that_it_shows(page: WorkflowsPage) -> None:
    spoken = str(page.filter.index(shown(page).index("Receipts"), 0).data(Qt.ItemDataRole.AccessibleTextRole))
    assert spoken.startswith("Receipts. Idle. ")
    assert "Every 5 minutes" in spoken and "1 missed" in spoken and "done" in spoken


def test_the_list_is_there_before_its_outcomes_are_read(
    few: Installation, qtbot: QtBot, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def read_slowly(*arguments: Any) -> dict[str, tuple[RunState, ...]]:
        go_on.wait()
        return read_strips(*arguments)

    monkeypatch.setattr(workflows_model, "read_strips", read_slowly)
    page = WorkflowsPage(few)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    try:
        wait(page.list.isVisible)
        assert len(shown(page)) == 4
        spoken = str(page.filter.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole))
        assert "Never ran" not in spoken and "Last" not in spoken
    finally:
        go_on.set()
    wait(lambda: all("Last" in row.past for row in page.model.rows))


def test_outcomes_are_read_again_only_where_something_happened(few: Installation, qtbot: QtBot) -> None:
    reader = RowReader(few)
    before = {row.view.workflow: row.strip for row in reader.read()}
    assert RunState.SKIPPED in before["chore-1"]
    add_run(few, "fresh", "chore-1", few.house.engine.context.clock.now(), summary="Again")
    after = {row.view.workflow: row.strip for row in reader.read()}
    assert after["chore-1"] == (*before["chore-1"], RunState.DONE)
    assert after["chore-0"] == before["chore-0"]


def test_several_attempts_have_one_outcome(few: Installation) -> None:
    before = read_strips(few, ["chore-1"])["chore-1"]
    now = few.house.engine.context.clock.now()
    add_run(few, "one", "chore-1", now, status=Status.TRANSIENT, followed=True)
    add_run(few, "two", "chore-1", now, chain="one", attempt=2, retry_of="one")
    assert read_strips(few, ["chore-1"])["chore-1"] == (*before, RunState.DONE)


def test_the_list_is_narrowed_by_words_state_and_tag(page: WorkflowsPage, wait: Wait) -> None:
    page.field.setText("photos")
    wait(lambda: shown(page) == ["Back up photos"])
    page.field.clear()
    wait(lambda: len(shown(page)) == 4)
    page.state.setCurrentIndex(page.state.findData("paused"))
    assert shown(page) == ["Tidy downloads"]
    page.state.setCurrentIndex(0)
    page.tag.setCurrentIndex(page.tag.findData("work"))
    assert shown(page) == ["Back up photos"]
    assert page.count.text() == "1 of 4"


def test_where_nothing_matches_one_button_shows_all_again(page: WorkflowsPage, wait: Wait) -> None:
    page.field.setText("no such thing")
    wait(lambda: page.body.currentWidget() is page.nothing)
    assert page.nothing.button is not None
    page.nothing.button.click()
    wait(lambda: page.body.currentWidget() is page.list and len(shown(page)) == 4)


def test_an_empty_page_says_what_to_do(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    page = WorkflowsPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    wait(lambda: page.body.currentWidget() is page.empty)
    assert page.empty.button is not None and page.empty.button.text() == "New workflow…"
    assert not page.field.isVisible()


def test_one_pauses_and_resumes_from_the_list(page: WorkflowsPage, wait: Wait) -> None:
    choose(page, "Receipts")
    page.pause.click()
    wait(lambda: page.pause.text() == "Resume")
    assert page.saying.sentence.startswith("Receipts is paused")
    assert not page.run.isEnabled()
    page.pause.click()
    wait(lambda: page.pause.text() == "Pause" and page.run.isEnabled())
    assert page.saying.sentence == "Receipts goes on."


def test_where_everything_is_paused_everything_is_resumed(page: WorkflowsPage, few: Installation, wait: Wait) -> None:
    command(few, "pause", everything=True)
    page.refresh()
    choose(page, "Receipts")
    wait(lambda: page.pause.text() == "Resume")
    page.pause.click()
    wait(lambda: page.saying.sentence == "Everything goes on.")
    assert few.views.paused_until() is None
    command(few, "pause", everything=True)
    page.open_subject("chore-0")
    page.pane.refresh()
    wait(lambda: page.pane.pause.text() == "Resume")
    page.pane.pause.click()
    wait(lambda: page.pane.saying.sentence == "Everything goes on.")


def test_a_refusal_is_said_in_place(page: WorkflowsPage, few: Installation, wait: Wait) -> None:
    choose(page, "Receipts")
    command(few, "pause", target="chore-0")
    page.pause.click()
    wait(lambda: page.saying.sentence == "Receipts is paused already.")


def test_a_workflow_opens_by_key_and_one_comes_back(qtbot: QtBot, page: WorkflowsPage, wait: Wait) -> None:
    choose(page, "Morning digest")
    qtbot.keyClick(page.list, Qt.Key.Key_Return)
    wait(lambda: page.pane.isVisible() and page.pane.name.text() == "Morning digest")
    assert page.focusWidget() is page.pane.back
    page.pane.back.click()
    assert page.list.isVisible()
    assert page.chosen() is not None


def test_three_hundred_workflows_are_looked_at_again_without_a_change(qtbot: QtBot, tmp_path: Path, wait: Wait) -> None:
    installation = Installation(tmp_path)
    fill(installation, 300)
    page = WorkflowsPage(installation)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    wait(lambda: page.model.rowCount() == 300)
    changed: list[object] = []
    page.model.dataChanged.connect(lambda *_: changed.append(_))
    reads: list[object] = []
    page.asking.ask(page._reader.read, reads.append)
    wait(lambda: reads)
    page.model.set_rows(page.model.rows, page._now())
    assert changed == []
    assert page.count.text() == "300 in all"
    close_asking()
    installation.house.close()
    installation.close()


def write_script(folder: Path, text: str) -> Path:
    path = folder / "new_script.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_dropped_script_shows_what_it_may_use_and_is_allowed_only_what_is_checked(
    qtbot: QtBot, empty: Installation, wait: Wait
) -> None:
    page = WorkflowsPage(empty)
    qtbot.addWidget(page)
    page.show()
    path = write_script(empty.folder, ASKS)
    page.take_file(path)
    [dialog] = page.findChildren(DeployDialog)
    wait(lambda: dialog.offer is not None)
    assert dialog.uses.count() == 1
    assert dialog.uses.item(0).text() == "May add rows to expenses, asks before each"
    assert "Not connected yet: table:expenses" in dialog.missing.text()
    assert dialog.allowed() == []
    dialog.paused.setChecked(True)
    dialog.uses.item(0).setCheckState(Qt.CheckState.Checked)
    dialog.accept_button.click()
    wait(lambda: page.pane.name.text() == "Receipts")
    found = grants.of_workflow(empty.database.read(), "receipts")
    assert [(one.connection, one.tool) for one in found] == [("table:expenses", "append")]


def test_what_is_not_checked_is_not_allowed(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    dialog = DeployDialog(empty, write_script(empty.folder, ASKS))
    deployed: list[str] = []
    dialog.deployed.connect(lambda slug, _: deployed.append(slug))
    wait(lambda: dialog.offer is not None)
    dialog.paused.setChecked(True)
    dialog.accept_button.click()
    wait(lambda: deployed == ["receipts"])
    assert grants.of_workflow(empty.database.read(), "receipts") == []


def test_a_script_that_cannot_be_deployed_says_why_and_can_be_checked_again(
    qtbot: QtBot, empty: Installation, wait: Wait
) -> None:
    bad = ASKS.replace('every="5m"', 'cron="99 * * * *"')
    path = write_script(empty.folder, bad)
    dialog = DeployDialog(empty, path)
    qtbot.addWidget(dialog)
    wait(lambda: "new_script.py, line 8" in dialog.saying.sentence)
    assert "99" in dialog.saying.sentence
    assert not dialog.accept_button.isEnabled()
    write_script(empty.folder, ASKS)
    dialog.again.click()
    wait(dialog.accept_button.isEnabled)


def test_a_file_that_is_gone_is_said(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    dialog = DeployDialog(empty, empty.folder / "gone.py")
    qtbot.addWidget(dialog)
    wait(lambda: dialog.saying.sentence == "gone.py cannot be read: No such file or directory.")


def test_another_file_of_the_same_name_replaces_only_after_a_second_press(
    qtbot: QtBot, few: Installation, wait: Wait
) -> None:
    text = ASKS.replace('"Receipts"', '"Chore 0"')
    dialog = DeployDialog(few, write_script(few.folder, text))
    deployed: list[str] = []
    dialog.deployed.connect(lambda slug, _: deployed.append(slug))
    wait(lambda: dialog.offer is not None)
    dialog.accept_button.click()
    wait(lambda: dialog.accept_button.text() == "Replace it")
    before = workflows.find(few.database.read(), "chore-0")
    assert before is not None and not before.path.endswith("new_script.py")
    dialog.accept_button.click()
    wait(lambda: deployed == ["chore-0"])
    after = workflows.find(few.database.read(), "chore-0")
    assert after is not None and after.path.endswith("new_script.py")
