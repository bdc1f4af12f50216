"""Trying a script from the window: a real trial in a real process, and nothing is done outside."""

import signal
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel, QTableView
from pytestqt.qtbot import QtBot

from app.asking import command
from app.life.installation import Installation
from app.look.theme import Tone
from app.window.deploy_dialog import DeployDialog
from app.window.trial import Trial
from app.window.try_dialog import TryDialog
from app.window.try_steps import TriedStep, list_sections, read_step
from app.window.workflow import WorkflowPane
from scheduler.rules.phases import Status
from scheduler.store import workflows
from tests.app.living import Wait, deploy
from tests.engine.workflows.trying.test_trial import FILING, JOBS

STEP: dict[str, Any] = {
    "at": "2026-11-16T10:00:00+00:00",
    "handler": "Enter",
    "status": "committed",
    "summary": "Entered 1",
    "error": None,
    "asked": "Enter 1 files",
    "action": {"connection": "table:out", "tool": "append", "parameters": {"rows": [{"file": "a.txt"}]}},
    "commands": [["touch", "a b"]],
    "log": "prepared 1\n",
    "times": 1,
    "until": "2026-11-16T10:00:00+00:00",
}


@pytest.fixture
def inbox(empty: Installation, tmp_path: Path) -> Path:
    """A folder with one file, connected, and a table that is not there yet."""
    place = tmp_path / "in"
    place.mkdir()
    (place / "a.txt").write_text("a")
    command(empty, "connect", name="files:in", settings={"path": str(place)}, test=False)
    command(empty, "connect", name="table:out", settings={"path": str(tmp_path / "out.csv")}, test=False)
    return place


def open_dialog(qtbot: QtBot, installation: Installation, source: str) -> TryDialog:
    path = installation.folder / "script.py"
    path.write_text(source, encoding="utf-8")
    dialog = TryDialog(installation, path)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def words(step: TriedStep) -> str:
    return "\n".join(label.text() for label in step.findChildren(QLabel))


def test_every_outside_action_is_shown_instead_of_done(
    qtbot: QtBot, empty: Installation, inbox: Path, wait: Wait
) -> None:
    dialog = open_dialog(qtbot, empty, FILING)
    assert not dialog.trial.is_running, "nothing of a script runs before one has read what a trial is"
    dialog.try_button.click()
    assert dialog.busy.isVisible() and not dialog.try_button.isEnabled()
    wait(lambda: len(dialog.steps()) == 2)
    _, enter = dialog.steps()
    assert "Entered 1" in words(enter) and "Enter 1 files" in words(enter) and "append on table:out" in words(enter)
    [table] = enter.findChildren(QTableView)
    assert table.model().index(0, 0).data() == "a.txt"
    assert dialog.saying.sentence.startswith("2 runs. Nothing was done outside.")
    assert dialog.try_button.isEnabled() and not dialog.busy.isVisible()
    assert not (inbox.parent / "out.csv").exists()
    assert workflows.every_one(empty.database.read()) == []


def test_a_week_of_its_schedule_is_walked_and_shown_bite_by_bite(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    dialog = open_dialog(qtbot, empty, JOBS.format(place="/x").replace("0 3 * * *", "0 3,15 * * *"))
    dialog.span.setCurrentIndex(dialog.span.findData(7))
    dialog.try_button.click()
    wait(dialog.steps)
    assert len(dialog.steps()) == 10 and dialog.more.text() == "Show more (4)"
    assert "touch /x" in words(dialog.steps()[0])
    dialog.more.click()
    assert len(dialog.steps()) == 14 and not dialog.more.isVisible()
    assert "Times are those of the trial." in dialog.saying.sentence


def test_what_cannot_be_tried_is_said_and_can_be_tried_again(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    dialog = open_dialog(qtbot, empty, "import dayhand\n")
    dialog.try_button.click()
    wait(dialog.try_button.isEnabled)
    assert "script.py" in dialog.saying.sentence and not dialog.results.isVisible()
    (empty.folder / "script.py").write_text(JOBS.format(place="/x"), encoding="utf-8")
    dialog.try_button.click()
    wait(lambda: len(dialog.steps()) == 1)


def test_a_failure_of_the_script_is_shown_where_it_happened(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    dialog = open_dialog(qtbot, empty, JOBS.format(place="/x").replace("code = ", "raise ValueError('no') #"))
    dialog.try_button.click()
    wait(lambda: len(dialog.steps()) == 1)
    assert dialog.steps()[0].step.is_trouble and "ValueError" in words(dialog.steps()[0])
    assert dialog.saying._label.property("ink") == Tone.BAD.value


def test_closing_gives_up_the_trial_and_leaves_nothing(
    qtbot: QtBot, empty: Installation, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    begun = tmp_path / "begun"
    body = f"import pathlib, time; pathlib.Path({str(begun)!r}).touch(); time.sleep(600)"
    dialog = open_dialog(qtbot, empty, JOBS.format(place="/x").replace("code = ", f"{body} #"))
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as everything has it that a shell started with &
    try:
        dialog.try_button.click()
    finally:
        signal.signal(signal.SIGINT, heard)
    wait(begun.exists)
    process = dialog.trial._process
    assert process is not None
    with qtbot.waitSignal(process.finished, timeout=60_000):
        dialog.reject()
    assert not dialog.trial.is_running
    wait(lambda: not list(place.glob("dayhand-try-*")))


def test_a_trial_that_cannot_be_started_says_so(
    qtbot: QtBot, empty: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.window.trial.own_command", lambda: [str(empty.folder / "missing")])
    trial = Trial(empty.folder)
    with qtbot.waitSignal(trial.failed, timeout=60_000) as said:
        trial.start(empty.folder / "script.py")
    assert said.args == ["The trial could not be started. Try it again."]
    assert not trial.is_running


def test_a_dropped_script_can_be_tried_before_it_is_deployed(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    path = empty.folder / "jobs.py"
    path.write_text(JOBS.format(place="/x"), encoding="utf-8")
    dialog = DeployDialog(empty, path)
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.try_button.isEnabled()
    wait(lambda: dialog.offer is not None)
    dialog.try_button.click()
    [trying] = dialog.findChildren(TryDialog)
    assert trying.heading.text() == "Try Jobs" and trying.isVisible()
    trying.try_button.click()
    wait(lambda: len(trying.steps()) == 1)
    trying.reject()
    assert dialog.isVisible() and workflows.every_one(empty.database.read()) == []


def test_a_workflow_is_tried_in_the_version_that_is_in_use(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    deploy(empty, "Chore", "ctx.done('As deployed')")
    (empty.folder / "chore.py").unlink()
    pane = WorkflowPane(empty)
    qtbot.addWidget(pane)
    pane.show()
    pane.open("chore")
    pane.refresh()
    wait(lambda: pane.facts is not None)
    pane.try_button.click()
    [trying] = wait(lambda: pane.findChildren(TryDialog))
    trying.try_button.click()
    wait(lambda: len(trying.steps()) == 1)
    assert "As deployed" in words(trying.steps()[0])
    trying.reject()


def test_quiet_runs_are_one_card(qtbot: QtBot) -> None:
    quiet = {**STEP, "asked": None, "action": None, "commands": [], "log": "", "summary": None}
    card = TriedStep(read_step({**quiet, "times": 1500, "until": "2026-11-16T18:00:00+00:00"}), "UTC")
    qtbot.addWidget(card)
    assert "It had nothing to report, 1,500 times until today 18:00" in words(card)
    loud = TriedStep(read_step({**STEP, "times": 1500, "until": "2026-11-16T18:00:00+00:00"}), "UTC")
    qtbot.addWidget(loud)
    assert "So it went 1,500 more times until today 18:00" in words(loud)
    assert "append" not in words(loud), "what the first of them did is not what all did"


def test_a_step_has_a_section_for_each_thing_that_it_would_do() -> None:
    titles = [section.title for section in list_sections(read_step(STEP))]
    assert titles == [
        "It would ask you",
        "It would do this outside",
        "Rows (1)",
        "It would run these commands",
        "It printed",
    ]
    quiet = read_step({**STEP, "asked": None, "action": None, "commands": [], "log": "", "summary": None})
    assert list_sections(quiet) == [] and (quiet.sentence, quiet.status) == ("", Status.COMMITTED)
    assert read_step(STEP).commands == ("touch 'a b'",)
