"""Every stored status maps to a visible state."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from pytestqt.qtbot import QtBot

from app.i18n.state_labels import RunState, run_state_label, workflow_state_label
from app.window.history.answers import describe_answer
from app.window.history.filters import HistoryFilters
from app.window.history.history_data import (
    HistoryRows,
    describe_asked,
    describe_outcome,
    make_rows,
    state_of_run,
    state_of_status,
    state_of_time,
)
from app.window.history.model import HistoryColumn, HistoryModel
from scheduler.engine.queries.history import HistoryResult
from scheduler.engine.queries.runs import RunView
from scheduler.rules.history_query import NotRunTime
from scheduler.rules.phases import HandlerKind, Refusal, RunPhase, RunStatus
from scheduler.rules.workflow_state import WorkflowState
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from tests.app.window.request_samples import make_approval


@pytest.mark.parametrize("status", RunStatus)
def test_every_run_status_has_a_label(status: RunStatus) -> None:
    state = state_of_status(status)
    assert run_state_label(state)
    assert (state is RunState.DONE) == (status is RunStatus.COMMITTED)
    assert (state is RunState.WAITING) == (status in (RunStatus.APPROVAL, RunStatus.RECONCILIATION))


@pytest.mark.parametrize("status", RunStatus)
def test_a_waiting_attempt_counts_as_failed_once_another_follows(status: RunStatus) -> None:
    followed = state_of_run(replace(run(status), is_followed=True))
    assert followed is (RunState.FAILED if status.is_waiting else state_of_status(status))


@pytest.mark.parametrize("refusal", Refusal)
def test_a_refused_run_has_a_state_of_its_own(refusal: Refusal) -> None:
    state = state_of_run(replace(run(RunStatus.COMMITTED), refusal=refusal))
    assert (state.value, run_state_label(state)) == (refusal.value, refusal.value.capitalize())
    assert state not in map(state_of_status, RunStatus)


@pytest.mark.parametrize("state", OccurrenceState)
def test_every_state_of_a_planned_time_has_a_label(state: OccurrenceState) -> None:
    assert run_state_label(state_of_time(state.value))


def test_times_that_did_not_run_have_distinct_states() -> None:
    ends = [
        OccurrenceState.SKIPPED,
        OccurrenceState.COALESCED,
        OccurrenceState.MISSED,
        OccurrenceState.DROPPED,
        OccurrenceState.CANCELLED,
    ]
    assert len({state_of_time(end.value) for end in ends}) == len(ends)


@pytest.mark.parametrize("state", WorkflowState)
def test_every_workflow_state_has_a_label(state: WorkflowState) -> None:
    assert workflow_state_label(state)


NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)


def run(status: RunStatus, *, summary: str | None = None, error: str | None = None) -> RunView:
    return RunView(
        id="r",
        workflow="w",
        handler="j",
        kind=HandlerKind.JOB,
        trigger="automatic",
        planned=NOON,
        began=NOON,
        ended=NOON,
        phase=RunPhase.EXECUTING,
        status=status,
        retry_of=None,
        attempt=1,
        summary=summary,
        error=error,
        is_followed=False,
    )


def test_a_stopped_run_says_why_it_was_stopped_rather_than_what_failed_before() -> None:
    overtaken = OccurrenceReason.OVERTAKEN.sentence
    assert describe_outcome(run(RunStatus.CANCELLED, summary=overtaken, error="No network.")) == overtaken
    assert describe_outcome(run(RunStatus.CANCELLED, error="No network.")) == "No network."
    assert describe_outcome(run(RunStatus.LOGIC, summary="Half done", error="It failed.")) == "It failed."


def test_a_time_that_was_held_up_shows_by_what() -> None:
    held = NotRunTime(
        workflow="w",
        handler="j",
        planned=NOON,
        state="coalesced",
        reason=OccurrenceReason.HELD_UP,
        sentence="Held up: failed at 16:34.",
    )
    [row] = make_rows(HistoryResult(runs=(), occurrences=(held,), cursor=None), {})
    assert (row.state, row.what) == (RunState.REPLACED, "Held up: failed at 16:34.")


def test_a_row_names_the_job_and_what_it_ran() -> None:
    done = replace(run(RunStatus.COMMITTED), job="photos", command="restic backup ~/Photos")
    [row] = make_rows(HistoryResult(runs=(done,), occurrences=(), cursor=None), {"w": "Copies"})
    assert (row.name, row.job, row.what) == ("Copies", "Photos", "restic backup ~/Photos")


def waited(**facts: object) -> RunView:
    """Asked at noon, approved two hours later, and ended a second after that."""
    later = NOON + timedelta(hours=2)
    facts = {"planned": None, "resumed": later, "ended": later + timedelta(seconds=1)} | facts
    return replace(run(RunStatus.COMMITTED, summary="Filed 3"), **facts)  # type: ignore[arg-type]


def test_a_run_that_waited_stands_at_the_time_of_its_answer_and_says_when_it_asked() -> None:
    [row] = make_rows(HistoryResult(runs=(waited(),), occurrences=(), cursor=None), {})
    assert (row.at, row.asked, row.duration) == (NOON + timedelta(hours=2), NOON, timedelta(seconds=1))
    model = HistoryModel(ZoneInfo("UTC"))
    model.replace_rows(HistoryRows(rows=(row,), cursor=None), NOON + timedelta(hours=3))
    assert model.item(0, HistoryColumn.PLANNED).text() == "asked 12:00"


def test_the_day_is_named_if_it_asked_on_another_one() -> None:
    at = NOON + timedelta(days=1)
    assert describe_asked(NOON, at, ZoneInfo("UTC"), at) == "asked yesterday 12:00"


def test_a_run_that_was_answered_at_once_does_not_say_when_it_asked() -> None:
    [row] = make_rows(
        HistoryResult(runs=(waited(resumed=NOON + timedelta(seconds=20)),), occurrences=(), cursor=None), {}
    )
    assert row.asked is None


def test_a_run_moves_to_the_top_of_the_open_page_when_it_is_answered() -> None:
    rows = [
        replace(run(RunStatus.COMMITTED), id=name, planned=None, began=NOON + timedelta(hours=-place))
        for place, name in enumerate("abc")
    ]
    model, now = HistoryModel(ZoneInfo("UTC")), NOON + timedelta(hours=3)

    def show(*runs: RunView) -> list[str | None]:
        page = HistoryRows(rows=make_rows(HistoryResult(runs=runs, occurrences=(), cursor=None), {}), cursor=None)
        model.update_rows(page, now)
        return [row.run for row in model.rows]

    assert show(*rows) == ["a", "b", "c"]
    answered = replace(rows[2], resumed=NOON + timedelta(hours=2))
    assert show(answered, *rows[:2]) == ["c", "a", "b"]
    assert model.rowCount() == 3 and model.item(0, HistoryColumn.PLANNED).text() == "asked 10:00"


@pytest.mark.parametrize(("answer", "word"), [("yes", "approved"), ("no", "rejected"), ("expired", "expired")])
def test_the_run_page_says_when_it_asked_and_when_it_was_answered(answer: str, word: str) -> None:
    request = make_approval(1, created=NOON, answer=answer, answered=NOON + timedelta(hours=2))
    said = describe_answer([request], ZoneInfo("UTC"), NOON + timedelta(hours=3))
    assert said == ["asked today 12:00", f"{word} today 14:00"]
    from_phone = replace(request, answered_from="ntfy:me")
    assert describe_answer([from_phone], ZoneInfo("UTC"), NOON + timedelta(hours=3))[1] == f"{said[1]}, through ntfy:me"
    assert describe_answer([replace(request, answer=None, answered=None)], ZoneInfo("UTC"), NOON) == []


def test_the_history_can_be_filtered_by_every_result_that_it_shows(qtbot: QtBot) -> None:
    filters = HistoryFilters(ZoneInfo("UTC"), NOON)
    qtbot.addWidget(filters)
    offered = {filters.result.itemData(place) for place in range(1, filters.result.count())}
    assert offered == {state.value for state in RunState} - {RunState.QUEUED, RunState.COMING}
