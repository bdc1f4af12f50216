"""Every stored status maps to a visible state."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.i18n.state_labels import RunState, run_state_label, workflow_state_label
from app.window.history.history_data import describe_outcome, make_rows, state_of_run, state_of_status, state_of_time
from scheduler.engine.queries.history import HistoryResult
from scheduler.engine.queries.runs import RunView
from scheduler.rules.history_query import NotRunTime
from scheduler.rules.phases import HandlerKind, Refusal, RunPhase, RunStatus
from scheduler.rules.workflow_state import WorkflowState
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState


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
    assert (row.name, row.job, row.what) == ("Copies", "photos", "restic backup ~/Photos")
