"""The Workflows page: the list, its filters and commands, and adding scripts."""

import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from pytestqt.qtbot import QtBot

from app.background import close_background_tasks, run_command
from app.i18n.state_labels import RunState
from app.session import Session
from app.window.history.history_data import read_outcomes
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.workflows import list_model
from app.window.workflows.list_model import RowReader, WorkflowListRow, WorkflowsModel, describe_next_run
from app.window.workflows.page import WorkflowsPage
from scheduler.engine.queries.workflows import WorkflowView
from scheduler.rules.phases import RunStatus
from scheduler.rules.requests import RequestKind
from scheduler.rules.workflow_state import WorkflowState
from scheduler.store import grants, requests, workflows
from scheduler.store.requests import RequestRow
from tests.app.app_fixture import Wait
from tests.app.window.sample_data import SCRIPT, add_run, create_workflows
from tests.app.window.session_fixture import few

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
def page(qtbot: QtBot, few: Session, wait: Wait) -> WorkflowsPage:
    made = WorkflowsPage(few)
    qtbot.addWidget(made)
    made.resize(1000, 700)
    made.show()
    made.refresh()
    wait(lambda: len(made.model.rows) == 4 and all(row.outcomes_text for row in made.model.rows))
    return made


def choose(page: WorkflowsPage, name: str) -> None:
    page.list.setCurrentIndex(page.filter.index(shown(page).index(name), 0))


def test_only_changed_rows_are_updated(qtbot: QtBot) -> None:
    model = WorkflowsModel()
    rows = [WorkflowListRow(view=view(name)) for name in ("alpha", "beta", "gamma")]
    model.set_rows(rows, NOW)
    changed: list[int] = []
    model.dataChanged.connect(lambda first, last: changed.extend(range(first.row(), last.row() + 1)))
    model.set_rows(rows, NOW)
    assert changed == []
    model.set_rows([rows[0], WorkflowListRow(view=view("beta", words="New")), rows[2]], NOW)
    assert changed == [1]


def test_workflows_are_added_and_removed_without_a_reset(qtbot: QtBot) -> None:
    model = WorkflowsModel()
    rows = {name: WorkflowListRow(view=view(name)) for name in ("alpha", "beta", "gamma", "delta")}
    model.set_rows([rows["alpha"], rows["gamma"]], NOW)
    was_reset: list[bool] = []
    model.modelReset.connect(lambda: was_reset.append(True))
    for wanted in (["alpha", "beta", "gamma"], ["beta", "delta", "gamma"], [], ["gamma"]):
        model.set_rows([rows[name] for name in wanted], NOW)
        assert [row.view.workflow for row in model.rows] == wanted
    assert not was_reset


def test_a_new_order_keeps_the_selection_with_its_workflow(qtbot: QtBot) -> None:
    model, rows = WorkflowsModel(), {name: WorkflowListRow(view=view(name)) for name in ("alpha", "beta", "gamma")}
    model.set_rows(list(rows.values()), NOW)
    chosen = QPersistentModelIndex(model.index(1))
    was_reset: list[bool] = []
    model.modelReset.connect(lambda: was_reset.append(True))
    model.set_rows([rows["gamma"], rows["alpha"], rows["beta"]], NOW)
    assert [row.view.workflow for row in model.rows] == ["gamma", "alpha", "beta"]
    assert (chosen.row(), chosen.data()) == (2, rows["beta"].view.name)
    assert not was_reset


def test_the_list_begins_with_what_needs_the_user(few: Session) -> None:
    """Two need nothing; one has an open request; the last is paused."""
    ask(few, "chore-2")
    names = [row.view.name for row in RowReader(few).read()]
    assert names == ["Morning digest", "Back up photos", "Receipts", "Tidy downloads"]


def ask(session: Session, workflow: str) -> None:
    with session._runtime.database.write() as db:
        requests.add(
            db, RequestRow("q1", RequestKind.RECONNECT, workflow, "table:expenses", "Connect again.", session.now())
        )


def test_before_the_rows_are_read_the_search_field_is_focused(qtbot: QtBot, few: Session, wait: Wait) -> None:
    """Not the first of the buttons."""
    page = WorkflowsPage(few)
    qtbot.addWidget(page)
    page.show()
    page.focus_first()
    assert page.focusWidget() is page.search_field
    page.refresh()
    wait(lambda: page.model.rowCount() > 0)
    page.focus_first()
    assert page.focusWidget() is page.list


def test_rows_stay_in_place_while_the_list_has_the_focus(
    qtbot: QtBot, page: WorkflowsPage, few: Session, wait: Wait
) -> None:
    page.activateWindow()
    page.list.setFocus()
    wait(page.list.hasFocus)
    choose(page, "Receipts")
    before = shown(page)
    ask(few, "chore-0")
    page.refresh()
    wait(lambda: page.model.rows[page.model.find_row("chore-0")].view.state is WorkflowState.NEEDS_ATTENTION)
    assert shown(page) == before
    page.search_field.setFocus()
    wait(lambda: not page.list.hasFocus())
    page.refresh()
    wait(lambda: shown(page)[0] == "Receipts")
    row = page.selected_row()
    assert row is not None and row.view.name == "Receipts"


def test_opening_the_page_again_sorts_the_list(page: WorkflowsPage, few: Session, wait: Wait) -> None:
    page.activateWindow()
    page.list.setFocus()
    wait(page.list.hasFocus)
    ask(few, "chore-0")
    page.hide()
    page.show()
    page.list.setFocus()
    page.refresh()
    wait(lambda: shown(page)[0] == "Receipts")


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
def test_the_next_run_is_shown_only_if_it_will_happen(qtbot: QtBot, facts: dict[str, object], words: str) -> None:
    assert describe_next_run(view("alpha", **facts), NOW) == words


def test_the_accessible_text_of_a_row_contains_everything_shown(page: WorkflowsPage) -> None:
    spoken = str(page.filter.index(shown(page).index("Receipts"), 0).data(Qt.ItemDataRole.AccessibleTextRole))
    assert spoken.startswith("Receipts. Idle. ")
    assert "Every 5 minutes" in spoken and "1 missed" in spoken and "done" in spoken


def test_the_list_appears_before_outcomes_are_read(
    few: Session, qtbot: QtBot, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_continue = threading.Event()

    def read_slowly(*arguments: Any) -> dict[str, tuple[RunState, ...]]:
        may_continue.wait()
        return read_outcomes(*arguments)

    monkeypatch.setattr(list_model, "read_outcomes", read_slowly)
    page = WorkflowsPage(few)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    try:
        wait(page.list.isVisible)
        assert len(shown(page)) == 4
        spoken = str(page.filter.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole))
        assert "No runs yet" not in spoken and "Last" not in spoken
    finally:
        may_continue.set()
    wait(lambda: all("Last" in row.outcomes_text for row in page.model.rows))


def test_outcomes_are_read_again_only_for_changed_workflows(few: Session, qtbot: QtBot) -> None:
    reader = RowReader(few)
    before = {row.view.workflow: row.outcomes for row in reader.read()}
    assert RunState.SKIPPED in before["chore-1"]
    add_run(few, "fresh", "chore-1", few.now(), summary="Again")
    after = {row.view.workflow: row.outcomes for row in reader.read()}
    assert after["chore-1"] == (*before["chore-1"], RunState.DONE)
    assert after["chore-0"] == before["chore-0"]


def test_several_attempts_count_as_one_outcome(few: Session) -> None:
    before = read_outcomes(few, ["chore-1"])["chore-1"]
    now = few.now()
    add_run(few, "one", "chore-1", now, status=RunStatus.TRANSIENT, followed=True)
    add_run(few, "two", "chore-1", now, chain="one", attempt=2, retry_of="one")
    assert read_outcomes(few, ["chore-1"])["chore-1"] == (*before, RunState.DONE)


def test_the_list_is_filtered_by_text_state_and_tag(page: WorkflowsPage, wait: Wait) -> None:
    page.search_field.setText("photos")
    wait(lambda: shown(page) == ["Back up photos"])
    page.search_field.clear()
    wait(lambda: len(shown(page)) == 4)
    page.state.setCurrentIndex(page.state.findData("paused"))
    assert shown(page) == ["Tidy downloads"]
    page.state.setCurrentIndex(0)
    page.tag.setCurrentIndex(page.tag.findData("work"))
    assert shown(page) == ["Back up photos"]
    assert page.count.text() == "1 of 4 workflows"


def test_without_matches_a_button_shows_all_again(page: WorkflowsPage, wait: Wait) -> None:
    page.search_field.setText("no such thing")
    wait(lambda: page.body.currentWidget() is page.no_matches)
    assert page.no_matches.button is not None
    page.no_matches.button.click()
    wait(lambda: page.body.currentWidget() is page.list and len(shown(page)) == 4)


def test_the_empty_page_offers_a_new_workflow(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    page = WorkflowsPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    wait(lambda: page.body.currentWidget() is page.empty)
    assert page.empty.button is not None and page.empty.button.text() == "New workflow…"
    assert page.empty.button.shortcut() == page.new.shortcut(), "the other button is hidden, and its shortcut with it"
    assert not page.search_field.isVisible()


def test_a_workflow_is_paused_and_resumed_from_the_list(page: WorkflowsPage, wait: Wait) -> None:
    choose(page, "Receipts")
    page.pause.click()
    wait(lambda: page.pause.text() == "Resume")
    assert page.status_line.message.startswith("Receipts is paused")
    assert not page.run.isEnabled()
    page.pause.click()
    wait(lambda: page.pause.text() == "Pause" and page.run.isEnabled())
    assert page.status_line.message == "Receipts resumed."


def test_several_selected_workflows_are_paused_and_resumed_at_once(
    qtbot: QtBot, page: WorkflowsPage, few: Session, wait: Wait
) -> None:
    """One of the four is paused from the start."""
    page.list.setFocus()
    qtbot.keyClick(page.list, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert (page.pause.text(), page.run.isEnabled(), page.open.isEnabled()) == ("Pause", False, False)
    page.pause.click()
    wait(lambda: page.pause.text() == "Resume")
    assert page.status_line.message == "3 workflows are paused until you resume them."
    page.pause.click()
    wait(lambda: page.pause.text() == "Pause")
    assert page.status_line.message == "4 workflows resumed."
    assert all(one.state is not WorkflowState.PAUSED for one in few.queries.workflows())


def test_resuming_several_while_everything_is_paused_resumes_everything(
    page: WorkflowsPage, few: Session, wait: Wait
) -> None:
    run_command(few, "pause", everything=True)
    page.refresh()
    page.list.selectAll()
    wait(lambda: page.pause.text() == "Resume")
    page.pause.click()
    wait(lambda: page.status_line.message == "Everything resumed.")


def test_resuming_while_everything_is_paused_resumes_everything(page: WorkflowsPage, few: Session, wait: Wait) -> None:
    run_command(few, "pause", everything=True)
    page.refresh()
    choose(page, "Receipts")
    wait(lambda: page.pause.text() == "Resume")
    page.pause.click()
    wait(lambda: page.status_line.message == "Everything resumed.")
    assert few.queries.paused_until() is None
    run_command(few, "pause", everything=True)
    page.open_subject("chore-0")
    page.pane.refresh()
    wait(lambda: page.pane.pause.text() == "Resume")
    page.pane.pause.click()
    wait(lambda: page.pane.status_line.message == "Everything resumed.")


def test_a_refusal_is_shown_on_the_page(page: WorkflowsPage, few: Session, wait: Wait) -> None:
    choose(page, "Receipts")
    run_command(few, "pause", target="chore-0")
    page.pause.click()
    wait(lambda: page.status_line.message == "Receipts is paused already.")


def test_return_opens_a_workflow_and_back_returns_to_the_list(qtbot: QtBot, page: WorkflowsPage, wait: Wait) -> None:
    choose(page, "Morning digest")
    qtbot.keyClick(page.list, Qt.Key.Key_Return)
    wait(lambda: page.pane.isVisible() and page.pane.name.text() == "Morning digest")
    assert page.focusWidget() is page.pane.back
    page.pane.back.click()
    assert page.list.isVisible()
    assert page.selected_row() is not None


def test_refreshing_three_hundred_unchanged_workflows_updates_no_row(qtbot: QtBot, tmp_path: Path, wait: Wait) -> None:
    installation = Session(tmp_path)
    create_workflows(installation, 300)
    page = WorkflowsPage(installation)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    wait(lambda: page.model.rowCount() == 300)
    changed: list[object] = []
    page.model.dataChanged.connect(lambda *_: changed.append(_))
    reads: list[object] = []
    page.background.run(page._reader.read, reads.append)
    wait(lambda: reads)
    page.model.set_rows(page.model.rows, page.session.now())
    assert changed == []
    page.model.set_rows([replace(row, outcomes=(RunState.FAILED,)) for row in page.model.rows], page.session.now())
    assert len(changed) == 1
    assert page.count.text() == "300 workflows"
    close_background_tasks()
    installation._runtime.close()
    installation.close()


def test_the_list_loads_neither_a_workflows_page_nor_dialogs() -> None:
    """They are slow to load, and the list should appear at once."""
    code = "import sys, app.window.workflows.page; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    slow = ("app.window.workflows.workflow_pane", "app.window.workflows.dialogs", "app.job_importer", "app.templates")
    assert set(slow) & set(done.stdout.split()) == set()


def write_script(folder: Path, text: str) -> Path:
    path = folder / "new_script.py"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_dropped_script_gets_only_the_checked_permissions(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    page = WorkflowsPage(empty)
    qtbot.addWidget(page)
    page.show()
    path = write_script(empty.folder, ASKS)
    page.offer_script(path)
    [dialog] = page.findChildren(DeployDialog)
    wait(lambda: dialog.checked_script is not None)
    assert dialog.permission_list.count() == 1
    assert dialog.permission_list.item(0).text() == "May add rows to expenses, asks each time"
    assert "Not connected yet: table:expenses" in dialog.missing.text()
    assert dialog.allowed() == []
    dialog.paused.setChecked(True)
    dialog.permission_list.item(0).setCheckState(Qt.CheckState.Checked)
    dialog.accept_button.click()
    wait(lambda: page.pane.name.text() == "Receipts")
    found = grants.of_workflow(empty._runtime.database.read(), "receipts")
    assert [(one.connection, one.tool) for one in found] == [("table:expenses", "append")]


def test_an_unchecked_permission_is_not_granted(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    dialog = DeployDialog(empty, write_script(empty.folder, ASKS))
    deployed: list[str] = []
    dialog.deployed.connect(lambda slug, _: deployed.append(slug))
    wait(lambda: dialog.checked_script is not None)
    dialog.paused.setChecked(True)
    dialog.accept_button.click()
    wait(lambda: deployed == ["receipts"])
    assert grants.of_workflow(empty._runtime.database.read(), "receipts") == []


def test_an_invalid_script_shows_the_reason_and_can_be_checked_again(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    bad = ASKS.replace('every="5m"', 'cron="99 * * * *"')
    path = write_script(empty.folder, bad)
    dialog = DeployDialog(empty, path)
    qtbot.addWidget(dialog)
    wait(lambda: "new_script.py, line 8" in dialog.status_line.message)
    assert "99" in dialog.status_line.message
    assert not dialog.accept_button.isEnabled()
    write_script(empty.folder, ASKS)
    dialog.check_button.click()
    wait(dialog.accept_button.isEnabled)


def test_cancel_has_the_focus_while_a_script_is_checked(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    """The other buttons are disabled."""
    dialog = DeployDialog(empty, write_script(empty.folder, ASKS))
    qtbot.addWidget(dialog)
    assert dialog.focusWidget() is dialog.cancel
    wait(lambda: dialog.focusWidget() is dialog.permission_list)


def test_a_missing_file_is_reported(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    dialog = DeployDialog(empty, empty.folder / "gone.py")
    qtbot.addWidget(dialog)
    wait(lambda: dialog.status_line.message == "gone.py cannot be read: No such file or directory.")


def test_replacing_another_file_needs_a_second_press(qtbot: QtBot, few: Session, wait: Wait) -> None:
    text = ASKS.replace('"Receipts"', '"Chore 0"')
    dialog = DeployDialog(few, write_script(few.folder, text))
    deployed: list[str] = []
    dialog.deployed.connect(lambda slug, _: deployed.append(slug))
    wait(lambda: dialog.checked_script is not None)
    dialog.accept_button.click()
    wait(lambda: dialog.accept_button.text() == "Replace")
    before = workflows.find(few._runtime.database.read(), "chore-0")
    assert before is not None and not before.path.endswith("new_script.py")
    dialog.accept_button.click()
    wait(lambda: deployed == ["chore-0"])
    after = workflows.find(few._runtime.database.read(), "chore-0")
    assert after is not None and after.path.endswith("new_script.py")
