"""The pane of one workflow: schedules, pending events, versions, permissions, archiving and removing."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QDate, QDateTime, QTime
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.background import close_background_tasks, run_command
from app.session import Session
from app.window.workflows.backfill_dialog import BackfillDialog
from app.window.workflows.overview_tab import describe_next_times
from app.window.workflows.schedule_dialog import ScheduleDialog
from app.window.workflows.workflow_data import read_workflow
from app.window.workflows.workflow_pane import WorkflowPane
from scheduler.engine.queries.requests import RequestView
from scheduler.engine.queries.schedule_data import ScheduleData
from scheduler.rules.phases import HandlerKind, Refusal, RunPhase, RunStatus
from scheduler.store import backfills, events, grants, schedules, workflows
from scheduler.store.workflows import WorkflowStatus
from scheduler.timing.occurrences import OccurrenceState
from scheduler.timing.zones import LOCAL
from tests.app.app_fixture import Wait, started
from tests.app.window.sample_data import add_not_run, add_run, deploy, publish
from tests.app.window.session_fixture import few

__all__ = ["few"]

POLL, DIGEST = "chore-0/poll", "chore-0/digest"


@pytest.fixture
def pane(qtbot: QtBot, few: Session, wait: Wait) -> WorkflowPane:
    return show(qtbot, few, wait, "chore-0")


def show(qtbot: QtBot, installation: Session, wait: Wait, slug: str) -> WorkflowPane:
    pane = WorkflowPane(installation)
    qtbot.addWidget(pane)
    pane.resize(1000, 800)
    pane.show()
    pane.open(slug)
    pane.refresh()
    wait(lambda: pane.data is not None)
    return pane


def schedule_of(installation: Session, identity: str = POLL) -> ScheduleData:
    found = installation.queries.schedule(identity)
    assert found is not None
    return found


def change_times(installation: Session, every: str) -> None:
    """Edit the schedule elsewhere."""
    edit, seen = installation._runtime.schedule_commands.edit, schedule_of(installation)
    installation.engine_thread.submit(lambda _: edit(POLL, version=seen.version, spec={"every": every})).result(60)


def test_it_shows_schedules_statistics_and_recent_runs(pane: WorkflowPane) -> None:
    assert pane.name.text() == "Receipts"
    assert "Every 5 minutes" in pane.state_text.text()
    assert [block.words.text() for block in pane.overview.blocks][1] == "Every 5 minutes"
    assert pane.overview.model.rowCount() == 8
    assert pane.overview.week.text() == "Last 7 days: 12 runs (0 of 2 scheduled: 1 missed, 1 skipped)"
    assert "skipped" in pane.overview.strip.toolTip()


def test_tab_reaches_the_schedules_before_the_recent_runs(pane: WorkflowPane) -> None:
    """In the order in which they are shown, although they are created when the page is already there."""
    first, second = pane.overview.blocks
    shown = (first.edit, first.past, second.run, second.edit, second.past, pane.overview.table)
    reached: list[QWidget] = []
    widget = pane.tabs.nextInFocusChain()
    while widget is not pane.tabs:
        reached.append(widget)
        widget = widget.nextInFocusChain()
    assert [one for one in reached if one in shown] == list(shown)


def test_the_answer_button_opens_the_request(
    qtbot: QtBot, installation: Session, request_: RequestView, wait: Wait
) -> None:
    pane = show(qtbot, installation, wait, "receipts")
    wait(pane.answer.isVisible)
    opened: list[tuple[str, str]] = []
    pane.open_page.connect(lambda page, subject: opened.append((page, subject)))
    pane.answer.click()
    assert opened == [("attention", request_.id)]
    assert pane.run.property("importance") == ""


def test_a_part_can_be_stopped_while_another_waits_for_an_answer(
    qtbot: QtBot,
    installation: Session,
    request_: RequestView,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pane = show(qtbot, installation, wait, request_.workflow)
    wait(pane.answer.isVisible)
    assert not pane.stop.isVisible()
    now = installation.now()
    active = {"handler": "check", "kind": HandlerKind.PRODUCER, "status": RunStatus.ACTIVE, "phase": RunPhase.PREPARING}
    add_run(installation, "r9", request_.workflow, now, ended=None, **active)
    pane.refresh()
    wait(pane.stop.isVisible)
    assert pane.answer.isVisible()
    stopped: list[str] = []
    stop = installation._runtime.workflow_commands.stop

    def note(target: str, **more: Any) -> Any:
        stopped.append(target)
        return stop(target, **more)

    monkeypatch.setattr(installation._runtime.workflow_commands, "stop", note)
    pane.stop.click()
    wait(lambda: stopped == [f"{request_.workflow}/check"])
    assert [one.id for one in installation.queries.attention()] == [request_.id], "the request is still open"


def test_a_time_in_another_zone_is_shown_in_both_zones(few: Session) -> None:
    facts = schedule_of(few, DIGEST)
    now = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
    first = describe_next_times(facts, "UTC", now)[0]
    assert first.startswith("1 Jan 2027 09:00 in New York (14:00 here)")
    assert not any(" here" in line for line in describe_next_times(facts, "America/New_York", now))


def test_next_times_show_seconds_only_if_they_differ(few: Session) -> None:
    start = datetime(2026, 11, 16, 12, 0, 5, tzinfo=UTC)
    for step, second in ((timedelta(minutes=15), "today 12:15"), (timedelta(seconds=90), "today 12:01:35")):
        facts = replace(schedule_of(few, DIGEST), zone=LOCAL, next_times=(start, start + step))
        assert describe_next_times(facts, "UTC", start - timedelta(minutes=1))[1].lower() == second


def test_the_overview_shows_only_the_names_of_jobs_from_the_script(pane: WorkflowPane) -> None:
    said = " ".join(label.text() for label in pane.overview.findChildren(QLabel) if label.isVisibleTo(pane))
    for name in ("poll", "FileReceipt", "mails"):
        assert name not in said
    assert "Digest" in said


def test_a_rejected_run_is_one_of_the_recent_outcomes(qtbot: QtBot, few: Session, wait: Wait) -> None:
    add_run(few, "no", "chore-0", few.now(), refusal=Refusal.REJECTED, summary="You rejected it: Too early")
    pane = show(qtbot, few, wait, "chore-0")
    assert pane.overview.week.text().startswith("Last 7 days: 13 runs, 1 not approved (")
    assert "1 rejected" in pane.overview.strip.toolTip()
    assert pane.overview.model.rows[0].what == "You rejected it: Too early"


def test_pending_events_are_counted_and_listed_on_request(
    qtbot: QtBot, tmp_path: Path, wait: Wait, closing: list[Session]
) -> None:
    installation = Session(tmp_path)
    closing.append(installation)
    deploy(installation, "chore-9", "Held", consumer=True, paused=True)
    publish(installation, "chore-9", 23)
    pane = show(qtbot, installation, wait, "chore-9")
    assert pane.overview.pending_label.text() == "23 items pending"
    assert not pane.overview.events.isVisible()
    pane.overview.more.click()
    rows = wait(lambda: pane.overview.events.rows)
    assert [row.title.text() for row in rows] == [f"Receipt {place}" for place in range(20)]
    assert pane.overview.events.more.text() == "And 3 more."


def test_a_pending_event_can_be_skipped(qtbot: QtBot, held: Session, wait: Wait) -> None:
    pane = show(qtbot, held, wait, "chore-9")
    pane.overview.more.click()
    waiting = pane.overview.events
    wait(lambda: len(waiting.rows) == 3)
    waiting.rows[1].button.click()
    wait(lambda: waiting.status_line.message == "Receipt 1 skipped.")
    shown = wait(lambda: [row.event.title for row in waiting.rows if row.event] == ["Receipt 0", "Receipt 2"])
    assert shown
    assert [row.id for row in events.peek(held._runtime.database.read(), "chore-9", "mails", 10)] == ["m0", "m2"]
    wait(lambda: pane.refresh() or pane.overview.pending_label.text() == "2 items pending")


def test_an_event_no_longer_pending_is_not_skipped_and_leaves_the_list(qtbot: QtBot, held: Session, wait: Wait) -> None:
    pane = show(qtbot, held, wait, "chore-9")
    pane.overview.more.click()
    waiting = pane.overview.events
    wait(lambda: waiting.rows and waiting.rows[0].event)
    with held._runtime.database.write() as db:
        events.skip_pending(db, "chore-9", "mails", "m0")
    waiting.rows[0].button.click()
    wait(lambda: "nothing was skipped" in waiting.status_line.message)
    wait(lambda: [row.event.id for row in waiting.rows if row.event] == ["m1", "m2"])


@pytest.fixture
def held(qtbot: QtBot, tmp_path: Path) -> Iterator[Session]:
    """A running session with a paused workflow and three pending events."""
    made = Session(tmp_path)
    deploy(made, "chore-9", "Held", consumer=True, paused=True)
    publish(made, "chore-9", 3)
    with started(made):
        yield made


@pytest.fixture
def closing() -> Iterator[list[Session]]:
    """Sessions that are never started, to be closed at the end."""
    made: list[Session] = []
    yield made
    close_background_tasks()
    for one in made:
        one._runtime.close()
        one.close()


def test_a_changed_schedule_is_saved_and_shown(qtbot: QtBot, pane: WorkflowPane, few: Session, wait: Wait) -> None:
    pane.overview.blocks[1].edit.click()
    [dialog] = pane.findChildren(ScheduleDialog)
    assert not dialog.save.isEnabled()
    dialog.editor.picker.number.setValue(10)
    assert dialog.save.isEnabled()
    dialog.save.click()
    wait(lambda: pane.overview.blocks[1].words.text() == "Every 10 minutes")
    assert schedule_of(few).spec["every"] == "10m"
    assert pane.status_line.message == "Schedule changed."


def test_a_stale_change_shows_both_versions_and_overwrites_nothing(qtbot: QtBot, few: Session, wait: Wait) -> None:
    dialog = ScheduleDialog(few, schedule_of(few))
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.editor.picker.number.setValue(10)
    change_times(few, "30m")
    dialog.save.click()
    wait(dialog.comparison.isVisible)
    assert dialog.comparison.text() == "Saved: Every 30 minutes\nYours: Every 10 minutes"
    assert schedule_of(few).spec["every"] == "30m"
    changed: list[str] = []
    dialog.changed.connect(changed.append)
    dialog.save.click()
    wait(lambda: changed)
    assert schedule_of(few).spec["every"] == "10m"


def test_after_a_stale_change_the_saved_schedule_can_be_used(qtbot: QtBot, few: Session, wait: Wait) -> None:
    dialog = ScheduleDialog(few, schedule_of(few))
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.editor.picker.number.setValue(10)
    change_times(few, "30m")
    dialog.save.click()
    wait(dialog.use_saved_button.isVisible)
    dialog.use_saved_button.click()
    assert dialog.editor.description_label.text() == "Every 30 minutes"
    assert not dialog.save.isEnabled() and not dialog.comparison.isVisible()


def test_the_next_run_is_skipped_once(pane: WorkflowPane, few: Session, wait: Wait) -> None:
    first = schedule_of(few).next_times[0]
    pane.overview.blocks[1].skip.click()
    wait(lambda: schedule_of(few).skipped_time == first)
    wait(lambda: pane.overview.blocks[1].times.labels[0].text().startswith("Skipped: "))
    assert not pane.overview.blocks[1].skip.isEnabled()


def test_missed_times_are_counted_before_they_run_and_can_be_cancelled(
    qtbot: QtBot, pane: WorkflowPane, few: Session, wait: Wait
) -> None:
    run_command(few, "pause", target="chore-0")
    dialog = BackfillDialog(few, schedule_of(few, DIGEST), pane)
    dialog.started.connect(pane._done)
    dialog.show()
    dialog.start.setDateTime(QDateTime(QDate(2023, 12, 25), QTime(8, 0)))
    dialog.end.setDateTime(QDateTime(QDate(2026, 1, 2), QTime(10, 0)))
    wait(lambda: dialog.preview.text() == "3 runs in this range.")
    dialog.run_button.click()
    wait(lambda: pane.status_line.message == "Started 3 catch-up runs.")
    [row] = backfills.of_schedule(few._runtime.database.read(), DIGEST)
    assert row.total == 3
    pane._act("cancel", row.id)
    wait(lambda: (backfills.find(few._runtime.database.read(), row.id) or row).ended is not None)


def test_a_range_without_runs_says_so(qtbot: QtBot, few: Session, wait: Wait) -> None:
    dialog = BackfillDialog(few, schedule_of(few, DIGEST))
    qtbot.addWidget(dialog)
    wait(lambda: dialog.preview.text() == "No runs in this range.")
    assert not dialog.run_button.isEnabled()


def test_times_that_ran_are_not_counted_as_missed(qtbot: QtBot, few: Session, wait: Wait) -> None:
    nine = [datetime(year, 1, 1, 9, tzinfo=ZoneInfo("America/New_York")) for year in (2024, 2025, 2026)]
    add_not_run(few, DIGEST, nine[0], OccurrenceState.SUCCEEDED, None)
    dialog = BackfillDialog(few, schedule_of(few, DIGEST))
    qtbot.addWidget(dialog)
    dialog.start.setDateTime(QDateTime(QDate(2023, 12, 25), QTime(8, 0)))
    dialog.end.setDateTime(QDateTime(QDate(2026, 1, 2), QTime(10, 0)))
    wait(lambda: dialog.preview.text() == "3 runs in this range, 2 of them missed.")
    dialog.only_missed.setChecked(False)
    wait(lambda: dialog.preview.text() == "3 runs in this range.")
    dialog.only_missed.setChecked(True)
    for at in nine[1:]:
        add_not_run(few, DIGEST, at, OccurrenceState.SUCCEEDED, None)
    dialog.end.setDateTime(QDateTime(QDate(2026, 1, 2), QTime(11, 0)))
    wait(lambda: dialog.preview.text() == "Everything in this range has already run.")
    assert not dialog.run_button.isEnabled()


def test_both_ends_of_a_range_count_and_the_future_does_not(few: Session) -> None:
    nine = [datetime(year, 1, 1, 9, tzinfo=ZoneInfo("America/New_York")) for year in (2024, 2026, 2999)]
    assert few.queries.count_times(DIGEST, nine[0], nine[1], 100).number == 3
    assert few.queries.count_times(DIGEST, nine[1] + timedelta(days=1), nine[2], 100).number == 0
    assert few.queries.count_times(DIGEST, nine[1], nine[0], 100).number == 0


def test_versions_are_compared_and_can_be_rolled_back(
    pane: WorkflowPane, few: Session, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane.tabs.setCurrentWidget(pane.versions)
    wait(lambda: len(pane.versions.diff.rows) > 0)
    assert pane.versions.list.item(0).text().endswith("in use")
    assert not pane.versions.back.isEnabled()
    pane.versions.list.setCurrentRow(1)
    asked: list[str] = []
    monkeypatch.setattr(WorkflowPane, "_confirm", lambda _, action, *words: asked.append(action) or True)
    pane.versions.back.click()
    wait(lambda: len(workflows.list_scripts(few._runtime.database.read(), "chore-0")) == 3)
    assert asked == ["Roll back"]
    wait(lambda: pane.versions.list.count() == 3 and "rolled back" in pane.versions.list.item(0).text())


def test_a_permission_can_be_revoked_and_allowed(pane: WorkflowPane, few: Session, wait: Wait) -> None:
    def allowed() -> list[Any]:
        return grants.of_workflow(few._runtime.database.read(), "chore-0")

    tab = pane.permissions
    assert tab.list.item(0).text().endswith("without asking")
    tab.revoke_button.click()
    wait(lambda: not allowed() and tab.allow_button.isEnabled())
    assert tab.list.item(0).text().endswith("(not allowed yet)")
    tab.allow_button.click()
    wait(lambda: allowed() and tab.revoke_button.isEnabled())


def test_an_always_allowed_action_is_listed_as_not_asking(
    qtbot: QtBot, installation: Session, request_: RequestView, wait: Wait
) -> None:
    pane = show(qtbot, installation, wait, "receipts")

    def listed() -> list[str]:
        tab = pane.permissions
        return [tab.list.item(place).text() for place in range(tab.list.count())]

    wait(lambda: "May add rows to expenses, asks each time" in listed())
    run_command(installation, "approve", request=request_.id, always=True)
    pane.refresh()
    wait(lambda: "May add rows to expenses, without asking" in listed())
    assert "Always allowed: add rows to expenses" in pane.permissions.always_allowed.text()


def test_it_is_paused_for_an_hour_and_resumed(pane: WorkflowPane, few: Session, wait: Wait) -> None:
    pane.pauses.aboutToShow.emit()
    assert [one.text() for one in pane.pauses.actions()] == ["30 minutes", "1 hour", "Until tomorrow"]
    pane.pauses.actions()[1].trigger()
    wait(lambda: pane.pause.text() == "Resume" and not pane.pause_for.isVisibleTo(pane))
    row = workflows.find(few._runtime.database.read(), "chore-0")
    assert row is not None and row.paused_until is not None
    assert timedelta(minutes=55) < row.paused_until - few.now() < timedelta(minutes=65)
    pane.pause.click()
    wait(lambda: pane.pause.text() == "Pause" and pane.pause_for.isVisibleTo(pane))


def test_it_is_paused_and_its_file_watched_from_the_pane(pane: WorkflowPane, few: Session, wait: Wait) -> None:
    pane.pause.click()
    wait(lambda: pane.pause.text() == "Resume" and not pane.run.isEnabled())
    assert pane.overview.blocks[0].times.labels[0].text().startswith("Paused")
    pane.settings.watch_box.click()
    wait(lambda: read_workflow(few, "chore-0").details.watching)
    row = schedules.find(few._runtime.database.read(), POLL)
    assert row is not None and row.held


def test_a_changed_file_is_noted(pane: WorkflowPane, few: Session, wait: Wait) -> None:
    assert not pane.settings.change.isVisibleTo(pane.settings)
    file = Path(read_workflow(few, "chore-0").details.path)
    before = pane.data
    file.write_text("import dayhand")
    pane.refresh()
    wait(lambda: pane.data is not before and pane.settings.change.isVisibleTo(pane.settings))


@pytest.mark.parametrize("sure", [False, True], ids=["not sure", "sure"])
def test_archiving_and_removing_need_confirmation(
    pane: WorkflowPane,
    few: Session,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
    sure: bool,  # noqa: FBT001  a parameter
) -> None:
    left: list[str] = []
    pane.back_requested.connect(left.append)
    monkeypatch.setattr(WorkflowPane, "_confirm", lambda *_: sure)
    pane.settings.archive_button.click()
    if not sure:
        row = workflows.find(few._runtime.database.read(), "chore-0")
        assert row is not None and row.status is WorkflowStatus.ACTIVE and not left
        return
    wait(lambda: left == ["Receipts archived."])
    pane.open("chore-0")
    pane.refresh()
    wait(lambda: pane.data is not None)
    pane.settings.remove_button.click()
    wait(lambda: workflows.find(few._runtime.database.read(), "chore-0") is None)


def test_a_workflow_removed_elsewhere_leads_back_to_the_list(pane: WorkflowPane, few: Session, wait: Wait) -> None:
    left: list[str] = []
    pane.back_requested.connect(left.append)
    run_command(few, "remove", workflow="chore-0")
    pane.refresh()
    wait(lambda: left == ["This workflow no longer exists."])


JOBS = """
import dayhand
flow = dayhand.Workflow({name!r})


@flow.job(cron="0 3 * * *")
def photos(ctx):
    ctx.run(["env", "A=1", "sh", "-c", "restic backup ~/Photos"])
"""
SECOND_JOB = "\n\n@flow.job(every='1h')\ndef notes(ctx):\n    pass\n"


@pytest.mark.parametrize(
    ("more", "heads"), [("", ["restic backup ~/Photos"]), (SECOND_JOB, ["Photos", "restic backup ~/Photos"])]
)
def test_each_block_is_headed_by_its_job_and_command(
    qtbot: QtBot, tmp_path: Path, wait: Wait, empty: Session, more: str, heads: list[str]
) -> None:
    run_command(empty, "deploy", path=str(tmp_path / "copies.py"), source=JOBS.format(name="Copies") + more)
    pane = show(qtbot, empty, wait, "copies")
    block = next(one for one in pane.overview.blocks if one.schedule.handler == "photos")
    shown = [one.text().replace("\u200b", "") for one in (block.title, block.command) if not one.isHidden()]
    assert shown == heads
    assert block.words.text() == "Daily at 03:00"
