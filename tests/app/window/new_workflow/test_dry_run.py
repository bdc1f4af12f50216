"""A test run from the window: a real process, and no outside action is done."""

import signal
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QTableView
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.session import Session
from app.theme.tokens import Tone
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.new_workflow.dry_run_dialog import DryRunDialog, StepCard, list_sections, parse_step
from app.window.new_workflow.dry_run_process import DryRunProcess
from app.window.workflows.workflow_pane import WorkflowPane
from scheduler.rules.phases import RunStatus
from scheduler.store import workflows
from tests.app.app_fixture import Wait, deploy
from tests.engine.dry_run.test_dry_run import FILING, JOBS

STEP: dict[str, Any] = {
    "at": "2026-11-16T10:00:00+00:00",
    "handler": "Enter",
    "status": "committed",
    "summary": "Entered 1",
    "error": None,
    "error_text": None,
    "questions": [],
    "asked": "Enter 1 files",
    "action": {"connection": "table:out", "tool": "append", "parameters": {"rows": [{"file": "a.txt"}]}},
    "commands": [["touch", "a b"]],
    "log": "prepared 1\n",
    "times": 1,
    "until": "2026-11-16T10:00:00+00:00",
}


@pytest.fixture
def inbox(empty: Session, tmp_path: Path) -> Path:
    """A connected folder with one file, and a connected table that does not exist yet."""
    place = tmp_path / "in"
    place.mkdir()
    (place / "a.txt").write_text("a")
    run_command(empty, "connect", name="files:in", settings={"path": str(place)}, test=False)
    run_command(empty, "connect", name="table:out", settings={"path": str(tmp_path / "out.csv")}, test=False)
    return place


def open_dialog(qtbot: QtBot, installation: Session, source: str) -> DryRunDialog:
    path = installation.folder / "script.py"
    path.write_text(source, encoding="utf-8")
    dialog = DryRunDialog(installation, path)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def list_steps(dialog: DryRunDialog) -> list[StepCard]:
    """The cards that are shown."""
    items = (dialog._steps.itemAt(place) for place in range(dialog._steps.count()))
    return [one for item in items if item is not None and isinstance(one := item.widget(), StepCard)]


def words(step: StepCard) -> str:
    return "\n".join(label.text() for label in step.findChildren(QLabel))


def test_every_outside_action_is_shown_instead_of_done(qtbot: QtBot, empty: Session, inbox: Path, wait: Wait) -> None:
    dialog = open_dialog(qtbot, empty, FILING)
    assert not dialog.process._process, "nothing runs before the user starts it"
    dialog.start_button.click()
    assert dialog.busy.isVisible() and not dialog.start_button.isEnabled()
    wait(lambda: len(list_steps(dialog)) == 2)
    _, enter = list_steps(dialog)
    assert "Entered 1" in words(enter) and "Enter 1 files" in words(enter) and "append on table:out" in words(enter)
    [table] = enter.findChildren(QTableView)
    assert table.model().index(0, 0).data() == "a.txt"
    assert dialog.status_line.message.startswith("2 runs; nothing was changed.")
    assert dialog.start_button.isEnabled() and not dialog.busy.isVisible()
    assert not (inbox.parent / "out.csv").exists()
    assert workflows.list_all(empty._runtime.database.read()) == []


def test_a_week_of_its_schedule_is_run_and_shown_in_parts(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    dialog = open_dialog(qtbot, empty, JOBS.format(place="/x").replace("0 3 * * *", "0 3,15 * * *"))
    dialog.span.setCurrentIndex(dialog.span.findData(7))
    dialog.start_button.click()
    wait(lambda: list_steps(dialog))
    assert len(list_steps(dialog)) == 10 and dialog.more.text() == "Show more (4)"
    assert "touch /x" in words(list_steps(dialog)[0])
    dialog.more.click()
    assert len(list_steps(dialog)) == 14 and not dialog.more.isVisible()
    assert "Times are simulated." in dialog.status_line.message


def test_an_invalid_script_is_reported_and_can_be_run_again(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    dialog = open_dialog(qtbot, empty, "import dayhand\n")
    dialog.start_button.click()
    wait(dialog.start_button.isEnabled)
    assert "script.py" in dialog.status_line.message and not dialog.results.isVisible()
    (empty.folder / "script.py").write_text(JOBS.format(place="/x"), encoding="utf-8")
    dialog.start_button.click()
    wait(lambda: len(list_steps(dialog)) == 1)


def test_a_failure_of_the_script_is_shown_in_its_step(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    dialog = open_dialog(qtbot, empty, JOBS.format(place="/x").replace("code = ", "raise ValueError('no') #"))
    dialog.start_button.click()
    wait(lambda: len(list_steps(dialog)) == 1)
    assert list_steps(dialog)[0].step.has_failed and "script.py, line 7: no" in words(list_steps(dialog)[0])
    assert dialog.status_line._label.property("ink") == Tone.BAD.value


def test_closing_cancels_the_process_and_leaves_no_files(
    qtbot: QtBot, empty: Session, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    begun = tmp_path / "begun"
    body = f"import pathlib, time; pathlib.Path({str(begun)!r}).touch(); time.sleep(600)"
    dialog = open_dialog(qtbot, empty, JOBS.format(place="/x").replace("code = ", f"{body} #"))
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a process that a shell started with &
    try:
        dialog.start_button.click()
    finally:
        signal.signal(signal.SIGINT, handler)
    wait(begun.exists)
    process = dialog.process._process
    assert process is not None
    with qtbot.waitSignal(process.finished, timeout=60_000):
        dialog.reject()
    assert not dialog.process._process
    wait(lambda: not list(place.glob("dayhand-try-*")))


def test_a_process_that_cannot_be_started_is_reported(
    qtbot: QtBot, empty: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "app.window.new_workflow.dry_run_process.program_command", lambda: [str(empty.folder / "missing")]
    )
    trial = DryRunProcess(empty.folder)
    with qtbot.waitSignal(trial.failed, timeout=60_000) as said:
        trial.start(empty.folder / "script.py")
    assert said.args == ["The test run could not be started. Try again."]
    assert not trial._process


def test_a_dropped_script_can_be_tested_before_it_is_added(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    path = empty.folder / "jobs.py"
    path.write_text(JOBS.format(place="/x"), encoding="utf-8")
    dialog = DeployDialog(empty, path)
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.test_run_button.isEnabled()
    wait(lambda: dialog.checked_script is not None)
    dialog.test_run_button.click()
    [trying] = dialog.findChildren(DryRunDialog)
    assert trying.heading.text() == "Test run: Jobs" and trying.isVisible()
    trying.start_button.click()
    wait(lambda: len(list_steps(trying)) == 1)
    trying.reject()
    assert dialog.isVisible() and workflows.list_all(empty._runtime.database.read()) == []


def test_a_workflow_is_tested_in_its_deployed_version(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    deploy(empty, "Chore", "ctx.done('As deployed')")
    (empty.folder / "chore.py").unlink()
    pane = WorkflowPane(empty)
    qtbot.addWidget(pane)
    pane.show()
    pane.open("chore")
    pane.refresh()
    wait(lambda: pane.data is not None)
    pane.test_run_button.click()
    [trying] = wait(lambda: pane.findChildren(DryRunDialog))
    trying.start_button.click()
    wait(lambda: len(list_steps(trying)) == 1)
    assert "As deployed" in words(list_steps(trying)[0])
    trying.reject()


def test_runs_with_nothing_to_report_share_one_card(qtbot: QtBot) -> None:
    quiet = {**STEP, "asked": None, "action": None, "commands": [], "log": "", "summary": None}
    card = StepCard(parse_step({**quiet, "times": 1500, "until": "2026-11-16T18:00:00+00:00"}), "UTC")
    qtbot.addWidget(card)
    assert "Nothing to report, 1,500 times until today 18:00" in words(card)
    loud = StepCard(parse_step({**STEP, "times": 1500, "until": "2026-11-16T18:00:00+00:00"}), "UTC")
    qtbot.addWidget(loud)
    assert "The same 1,500 more times until today 18:00" in words(loud)
    assert "append" not in words(loud), "not all of them did what the first one did"


def test_a_step_has_a_section_for_everything_it_would_do() -> None:
    titles = [section.title for section in list_sections(parse_step(STEP))]
    assert titles == [
        "It would ask you",
        "It would do this",
        "Rows (1)",
        "It would run these commands",
        "Output",
    ]
    quiet = parse_step({**STEP, "asked": None, "action": None, "commands": [], "log": "", "summary": None})
    assert list_sections(quiet) == [] and (quiet.sentence, quiet.status) == ("", RunStatus.COMMITTED)
    assert parse_step(STEP).commands == ("touch 'a b'",)


def test_before_adding_a_script_the_dialog_says_if_it_is_not_isolated(
    qtbot: QtBot, empty: Session, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = empty.folder / "chore.py"
    path.write_text(JOBS.format(place="/x"), encoding="utf-8")
    for is_isolated in (True, False):
        monkeypatch.setattr("scheduler.workers.sandbox.HAS_SANDBOX", is_isolated)
        dialog = DeployDialog(empty, path)
        qtbot.addWidget(dialog)
        dialog.show()
        wait(lambda dialog=dialog: dialog.checked_script is not None)
        assert dialog.warning.isVisible() is not is_isolated
    assert dialog.warning.text().startswith("Dayhand cannot isolate scripts on this system")
