"""The Run menu offers what can apply: while something runs, and if there are several jobs."""

from typing import Any

import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window.workflows.run_menu import list_run_targets, needs_menu
from app.window.workflows.workflow_data import read_workflow
from scheduler.rules.phases import HandlerKind, RunPhase, RunStatus
from tests.app.app_fixture import Wait
from tests.app.window.sample_data import add_run
from tests.app.window.session_fixture import few
from tests.app.window.workflows.test_workflow_pane import show

__all__ = ["few"]

RUNNING = {"phase": RunPhase.EXECUTING, "status": RunStatus.ACTIVE, "ended": None, "summary": None}
JOB = {**RUNNING, "handler": "digest", "kind": HandlerKind.JOB}
PRODUCER = {**RUNNING, "handler": "poll", "kind": HandlerKind.PRODUCER}


def add_running(session: Session, **facts: Any) -> None:
    session.execute(lambda _: None)  # the engine has recovered, and does not take it for one of an earlier process
    add_run(session, "r1", "chore-0", session.now(), **facts)


def targets(session: Session) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    facts = read_workflow(session, "chore-0")
    found = list_run_targets(facts.details, facts.schedules)
    return {
        str(one.choices[0].arguments["target"]): [
            (choice.label, {name: value for name, value in choice.arguments.items() if name != "target"})
            for choice in one.choices
        ]
        for one in found
    }


def test_an_idle_workflow_needs_no_menu(few: Session) -> None:
    assert not needs_menu(read_workflow(few, "chore-0").details)


def test_a_scheduled_job_can_be_stopped_awaited_or_joined(few: Session) -> None:
    add_running(few, trigger="automatic", **JOB)
    assert needs_menu(read_workflow(few, "chore-0").details)
    assert targets(few) == {
        "chore-0": [("Run now", {})],
        "chore-0/digest": [
            ("Run when finished", {"when_finished": True}),
            ("Stop the running one and run", {"overlap": "cancel_other"}),
            ("Run in parallel", {"overlap": "allow_all"}),
        ],
    }


def test_a_job_that_the_user_started_is_not_stopped_for_another(few: Session) -> None:
    add_running(few, trigger="manual", **JOB)
    assert [label for label, _ in targets(few)["chore-0/digest"]] == ["Run when finished", "Run in parallel"]


@pytest.mark.parametrize(
    ("trigger", "labels"),
    [
        ("automatic", ["Run when finished", "Stop the running one and run"]),
        ("manual", ["Run when finished"]),
    ],
)
def test_a_producer_never_runs_in_parallel(few: Session, trigger: str, labels: list[str]) -> None:
    add_running(few, trigger=trigger, **PRODUCER)
    assert [label for label, _ in targets(few)["chore-0"]] == labels


def test_the_menu_has_a_submenu_for_each_thing_to_start_and_runs_the_command(
    qtbot: QtBot, few: Session, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_running(few, trigger="automatic", **JOB)
    pane = show(qtbot, few, wait, "chore-0")
    wait(pane.run_as.isVisible)
    assert not pane.run.isVisible()
    pane.run_choices.aboutToShow.emit()
    producers, job = pane.run_choices.findChildren(QMenu)
    assert producers.title() == "Every 5 minutes" and job.title().startswith("Digest · ")
    asked: list[tuple[Any, ...]] = []

    def note(workflow: str, handler: str | None, **more: Any) -> dict[str, Any]:
        asked.append((workflow, handler, more["overlap"]))
        return {"runs": [], "waits": False}

    monkeypatch.setattr(few._runtime.workflow_commands, "run", note)
    job.actions()[2].trigger()
    wait(lambda: asked == [("chore-0", "digest", "allow_all")])
    wait(lambda: pane.status_line.message == "Started.")
