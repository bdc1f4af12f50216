"""The page of one workflow: its times, its versions, what it may use, and putting it away."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtCore import QDate, QDateTime, QTime
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.asking import close_asking, command
from app.life.installation import Installation
from app.window.workflow import WorkflowPane
from app.window.workflow_facts import ScheduleFacts, count_times, find_schedule, read_workflow
from app.window.workflow_past import PastDialog
from app.window.workflow_schedule import say_coming
from app.window.workflow_times import TimesDialog
from scheduler.engine.workflows.views.requests import RequestView
from scheduler.rules.phases import HandlerKind, Phase, Status
from scheduler.store import backfills, events, grants, schedules, workflows
from scheduler.store.workflows import WorkflowStatus
from scheduler.timing.occurrences import State
from tests.app.living import Wait, alive
from tests.app.window.filling import add_run, add_unrun, deploy, few, publish

__all__ = ["few"]

POLL, DIGEST = "chore-0/poll", "chore-0/digest"


@pytest.fixture
def pane(qtbot: QtBot, few: Installation, wait: Wait) -> WorkflowPane:
    return show(qtbot, few, wait, "chore-0")


def show(qtbot: QtBot, installation: Installation, wait: Wait, slug: str) -> WorkflowPane:
    pane = WorkflowPane(installation)
    qtbot.addWidget(pane)
    pane.resize(1000, 800)
    pane.show()
    pane.open(slug)
    pane.refresh()
    wait(lambda: pane.facts is not None)
    return pane


def schedule_of(installation: Installation, identity: str = POLL) -> ScheduleFacts:
    found = find_schedule(installation, identity)
    assert found is not None
    return found


def change_times(installation: Installation, every: str) -> None:
    """Somebody else does."""
    edit, seen = installation.house.schedules.edit, schedule_of(installation)
    installation.host.ask(lambda _: edit(POLL, version=seen.version, spec={"every": every})).result(60)


def test_it_shows_words_times_and_what_it_did(pane: WorkflowPane) -> None:
    assert pane.name.text() == "Receipts"
    assert "Every 5 minutes" in pane.words.text()
    assert [block.words.text() for block in pane.overview.blocks][1] == "Every 5 minutes"
    assert pane.overview.model.rowCount() == 8
    assert pane.overview.week.text() == "Last 7 days: 2 expected, 1 missed, 1 skipped · 12 runs in all"
    assert "skipped" in pane.overview.strip.toolTip()


def test_what_it_asks_is_one_press_away(
    qtbot: QtBot, installation: Installation, request_: RequestView, wait: Wait
) -> None:
    pane = show(qtbot, installation, wait, "receipts")
    wait(pane.answer.isVisible)
    opened: list[tuple[str, str]] = []
    pane.open_page.connect(lambda page, subject: opened.append((page, subject)))
    pane.answer.click()
    assert opened == [("attention", request_.id)]
    assert pane.run.property("importance") == ""


def test_what_runs_while_another_part_asks_can_be_stopped(
    qtbot: QtBot,
    installation: Installation,
    request_: RequestView,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pane = show(qtbot, installation, wait, request_.workflow)
    wait(pane.answer.isVisible)
    assert not pane.stop.isVisible()
    now = installation.house.engine.context.clock.now()
    under_way = {"handler": "look", "kind": HandlerKind.PRODUCER, "status": Status.ACTIVE, "phase": Phase.PREPARING}
    add_run(installation, "r9", request_.workflow, now, ended=None, **under_way)
    pane.refresh()
    wait(pane.stop.isVisible)
    assert pane.answer.isVisible()
    stopped: list[str] = []
    stop = installation.house.commands.stop

    def note(target: str, **more: Any) -> Any:
        stopped.append(target)
        return stop(target, **more)

    monkeypatch.setattr(installation.house.commands, "stop", note)
    pane.stop.click()
    wait(lambda: stopped == [f"{request_.workflow}/look"])
    assert [one.id for one in installation.views.attention()] == [request_.id], "nobody answered it"


def test_a_time_elsewhere_is_said_there_and_here(few: Installation) -> None:
    facts = schedule_of(few, DIGEST)
    now = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
    first = say_coming(facts, "UTC", now)[0]
    assert first.startswith("1 Jan 2027 09:00 in New York (14:00 here)")
    assert not any(" here" in line for line in say_coming(facts, "America/New_York", now))


def test_names_from_the_script_are_nowhere_on_the_overview(pane: WorkflowPane) -> None:
    said = " ".join(label.text() for label in pane.overview.findChildren(QLabel) if label.isVisibleTo(pane))
    for name in ("poll", "digest", "FileReceipt", "mails"):
        assert name not in said


def test_what_waits_is_counted_and_listed_on_request(
    qtbot: QtBot, tmp_path: Path, wait: Wait, closing: list[Installation]
) -> None:
    installation = Installation(tmp_path)
    closing.append(installation)
    deploy(installation, "chore-9", "Held", consumer=True, paused=True)
    publish(installation, "chore-9", 23)
    pane = show(qtbot, installation, wait, "chore-9")
    assert pane.overview.waiting.text() == "23 things wait."
    assert not pane.overview.events.isVisible()
    pane.overview.more.click()
    rows = wait(lambda: pane.overview.events.rows)
    assert [row.title.text() for row in rows] == [f"Receipt {place}" for place in range(20)]
    assert pane.overview.events.more.text() == "And 3 more."


def test_one_thing_that_waits_can_be_skipped(qtbot: QtBot, held: Installation, wait: Wait) -> None:
    pane = show(qtbot, held, wait, "chore-9")
    pane.overview.more.click()
    waiting = pane.overview.events
    wait(lambda: len(waiting.rows) == 3)
    waiting.rows[1].button.click()
    wait(lambda: waiting.saying.sentence == "Receipt 1 is left out.")
    shown = wait(lambda: [row.event.title for row in waiting.rows if row.event] == ["Receipt 0", "Receipt 2"])
    assert shown
    assert [row.id for row in events.peek(held.database.read(), "chore-9", "mails", 10)] == ["m0", "m2"]
    wait(lambda: pane.refresh() or pane.overview.waiting.text() == "2 things wait.")


def test_one_that_no_longer_waits_is_not_skipped_and_goes_from_the_list(
    qtbot: QtBot, held: Installation, wait: Wait
) -> None:
    pane = show(qtbot, held, wait, "chore-9")
    pane.overview.more.click()
    waiting = pane.overview.events
    wait(lambda: waiting.rows and waiting.rows[0].event)
    with held.database.write() as db:
        events.skip_pending(db, "chore-9", "mails", "m0")
    waiting.rows[0].button.click()
    wait(lambda: "nothing was skipped" in waiting.saying.sentence)
    wait(lambda: [row.event.id for row in waiting.rows if row.event] == ["m1", "m2"])


@pytest.fixture
def held(qtbot: QtBot, tmp_path: Path) -> Iterator[Installation]:
    """Runs; of its workflow, which is paused, three things wait."""
    made = Installation(tmp_path)
    deploy(made, "chore-9", "Held", consumer=True, paused=True)
    publish(made, "chore-9", 3)
    with alive(made):
        yield made


@pytest.fixture
def closing() -> Iterator[list[Installation]]:
    """Installations that never were started, to be closed."""
    made: list[Installation] = []
    yield made
    close_asking()
    for one in made:
        one.house.close()
        one.close()


def test_changed_times_are_stored_and_shown(qtbot: QtBot, pane: WorkflowPane, few: Installation, wait: Wait) -> None:
    pane.overview.blocks[1].edit.click()
    [dialog] = pane.findChildren(TimesDialog)
    assert not dialog.save.isEnabled()
    dialog.editor.picker.number.setValue(10)
    assert dialog.save.isEnabled()
    dialog.save.click()
    wait(lambda: pane.overview.blocks[1].words.text() == "Every 10 minutes")
    assert schedule_of(few).spec["every"] == "10m"
    assert pane.saying.sentence == "Its times are changed."


def test_a_stale_change_is_refused_with_both_versions_and_nothing_is_lost(
    qtbot: QtBot, few: Installation, wait: Wait
) -> None:
    dialog = TimesDialog(few, schedule_of(few))
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.editor.picker.number.setValue(10)
    change_times(few, "30m")
    dialog.save.click()
    wait(dialog.both.isVisible)
    assert dialog.both.text() == "Stored now: Every 30 minutes\nYours: Every 10 minutes"
    assert schedule_of(few).spec["every"] == "30m"
    changed: list[str] = []
    dialog.changed.connect(changed.append)
    dialog.save.click()
    wait(lambda: changed)
    assert schedule_of(few).spec["every"] == "10m"


def test_after_a_stale_change_one_may_start_from_what_is_stored(qtbot: QtBot, few: Installation, wait: Wait) -> None:
    dialog = TimesDialog(few, schedule_of(few))
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.editor.picker.number.setValue(10)
    change_times(few, "30m")
    dialog.save.click()
    wait(dialog.theirs.isVisible)
    dialog.theirs.click()
    assert dialog.editor.words.text() == "Every 30 minutes"
    assert not dialog.save.isEnabled() and not dialog.both.isVisible()


def test_the_next_time_is_skipped_once(pane: WorkflowPane, few: Installation, wait: Wait) -> None:
    first = schedule_of(few).coming[0]
    pane.overview.blocks[1].skip.click()
    wait(lambda: schedule_of(few).skips == first)
    wait(lambda: pane.overview.blocks[1].times.labels[0].text().startswith("Skipped: "))
    assert not pane.overview.blocks[1].skip.isEnabled()


def test_past_times_are_counted_before_they_run_and_can_be_cancelled(
    qtbot: QtBot, pane: WorkflowPane, few: Installation, wait: Wait
) -> None:
    command(few, "pause", target="chore-0")
    dialog = PastDialog(few, schedule_of(few, DIGEST), pane)
    dialog.started.connect(pane._done)
    dialog.show()
    dialog.start.setDateTime(QDateTime(QDate(2023, 12, 25), QTime(8, 0)))
    dialog.end.setDateTime(QDateTime(QDate(2026, 1, 2), QTime(10, 0)))
    wait(lambda: dialog.preview.text() == "3 times lie in this range.")
    dialog.go.click()
    wait(lambda: pane.saying.sentence == "3 past times are being run.")
    [row] = backfills.of_schedule(few.database.read(), DIGEST)
    assert row.total == 3
    pane._act("cancel", row.id)
    wait(lambda: (backfills.find(few.database.read(), row.id) or row).ended is not None)


def test_a_range_without_times_says_so(qtbot: QtBot, few: Installation, wait: Wait) -> None:
    dialog = PastDialog(few, schedule_of(few, DIGEST))
    qtbot.addWidget(dialog)
    wait(lambda: dialog.preview.text() == "There are no times in this range.")
    assert not dialog.go.isEnabled()


def test_times_that_ran_are_told_apart_from_those_that_would_run(qtbot: QtBot, few: Installation, wait: Wait) -> None:
    nine = [datetime(year, 1, 1, 9, tzinfo=ZoneInfo("America/New_York")) for year in (2024, 2025, 2026)]
    add_unrun(few, DIGEST, nine[0], State.SUCCEEDED, None)
    dialog = PastDialog(few, schedule_of(few, DIGEST))
    qtbot.addWidget(dialog)
    dialog.start.setDateTime(QDateTime(QDate(2023, 12, 25), QTime(8, 0)))
    dialog.end.setDateTime(QDateTime(QDate(2026, 1, 2), QTime(10, 0)))
    wait(lambda: dialog.preview.text() == "3 times lie in this range; 2 of them did not run.")
    dialog.missing.setChecked(False)
    wait(lambda: dialog.preview.text() == "3 times lie in this range.")
    dialog.missing.setChecked(True)
    for at in nine[1:]:
        add_unrun(few, DIGEST, at, State.SUCCEEDED, None)
    dialog.end.setDateTime(QDateTime(QDate(2026, 1, 2), QTime(11, 0)))
    wait(lambda: dialog.preview.text() == "All times in this range have run.")
    assert not dialog.go.isEnabled()


def test_both_ends_of_a_range_count_and_the_future_does_not(few: Installation) -> None:
    nine = [datetime(year, 1, 1, 9, tzinfo=ZoneInfo("America/New_York")) for year in (2024, 2026, 2999)]
    assert count_times(few, DIGEST, nine[0], nine[1], 100).number == 3
    assert count_times(few, DIGEST, nine[1] + timedelta(days=1), nine[2], 100).number == 0
    assert count_times(few, DIGEST, nine[1], nine[0], 100).number == 0


def test_versions_are_compared_and_an_earlier_one_can_be_used_again(
    pane: WorkflowPane, few: Installation, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane.tabs.setCurrentWidget(pane.versions)
    wait(lambda: len(pane.versions.diff.rows) > 0)
    assert pane.versions.list.item(0).text().endswith("in use")
    assert not pane.versions.back.isEnabled()
    pane.versions.list.setCurrentRow(1)
    asked: list[str] = []
    monkeypatch.setattr(WorkflowPane, "_confirm", lambda _, action, *words: asked.append(action) or True)
    pane.versions.back.click()
    wait(lambda: len(workflows.scripts(few.database.read(), "chore-0")) == 3)
    assert asked == ["Roll back"]
    wait(lambda: pane.versions.list.count() == 3 and "rolled back" in pane.versions.list.item(0).text())


def test_what_it_may_use_can_be_taken_back_and_allowed(pane: WorkflowPane, few: Installation, wait: Wait) -> None:
    def allowed() -> list[Any]:
        return grants.of_workflow(few.database.read(), "chore-0")

    tab = pane.permissions
    assert tab.list.item(0).text().endswith("without asking")
    tab.revoke_button.click()
    wait(lambda: not allowed() and tab.allow_button.isEnabled())
    assert tab.list.item(0).text().endswith("(not allowed yet)")
    tab.allow_button.click()
    wait(lambda: allowed() and tab.revoke_button.isEnabled())


def test_what_the_person_said_always_to_is_not_said_to_ask(
    qtbot: QtBot, installation: Installation, request_: RequestView, wait: Wait
) -> None:
    pane = show(qtbot, installation, wait, "receipts")

    def listed() -> list[str]:
        tab = pane.permissions
        return [tab.list.item(place).text() for place in range(tab.list.count())]

    wait(lambda: "May add rows to expenses, asks before each" in listed())
    command(installation, "approve", request=request_.id, always=True)
    pane.refresh()
    wait(lambda: "May add rows to expenses, without asking" in listed())
    assert "“always” to: add rows to expenses" in pane.permissions.unasked.text()


def test_it_is_paused_for_a_while_and_goes_on_when_told(pane: WorkflowPane, few: Installation, wait: Wait) -> None:
    pane.pauses.aboutToShow.emit()
    assert [one.text() for one in pane.pauses.actions()] == ["30 minutes", "1 hour", "Until tomorrow"]
    pane.pauses.actions()[1].trigger()
    wait(lambda: pane.pause.text() == "Resume" and not pane.pause_for.isVisibleTo(pane))
    ends = {one.paused_until for one in schedules.every_one(few.database.read(), workflow="chore-0")}
    now = few.house.engine.context.clock.now()
    assert all(end is not None and timedelta(minutes=55) < end - now < timedelta(minutes=65) for end in ends)
    pane.pause.click()
    wait(lambda: pane.pause.text() == "Pause" and pane.pause_for.isVisibleTo(pane))


def test_pausing_the_page_of_it_and_watching_its_file(pane: WorkflowPane, few: Installation, wait: Wait) -> None:
    pane.pause.click()
    wait(lambda: pane.pause.text() == "Resume" and not pane.run.isEnabled())
    assert pane.overview.blocks[0].times.labels[0].text().startswith("Paused")
    pane.settings.watching.click()
    wait(lambda: read_workflow(few, "chore-0").details.watching)
    row = schedules.find(few.database.read(), POLL)
    assert row is not None and row.held


@pytest.mark.parametrize("sure", [False, True], ids=["not sure", "sure"])
def test_it_is_put_away_and_removed_only_if_one_is_sure(
    pane: WorkflowPane,
    few: Installation,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
    sure: bool,  # noqa: FBT001  the case
) -> None:
    left: list[str] = []
    pane.left.connect(left.append)
    monkeypatch.setattr(WorkflowPane, "_confirm", lambda *_: sure)
    pane.settings.put_away.click()
    if not sure:
        row = workflows.find(few.database.read(), "chore-0")
        assert row is not None and row.status is WorkflowStatus.ACTIVE and not left
        return
    wait(lambda: left == ["Receipts is put away."])
    pane.open("chore-0")
    pane.refresh()
    wait(lambda: pane.facts is not None)
    pane.settings.forget.click()
    wait(lambda: workflows.find(few.database.read(), "chore-0") is None)


def test_one_that_was_removed_meanwhile_leads_back_to_the_list(
    pane: WorkflowPane, few: Installation, wait: Wait
) -> None:
    left: list[str] = []
    pane.left.connect(left.append)
    command(few, "remove", workflow="chore-0")
    pane.refresh()
    wait(lambda: left == ["That workflow is no longer there."])
