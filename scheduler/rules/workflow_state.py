"""The state of a workflow in one word: a pure function of stored facts and `now`."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

_RARE_GAP = timedelta(hours=20)
"""From this gap on, a schedule counts as daily or rarer; less than a day, so that a day of 23 hours does too."""
_FREQUENT_MISSES = 3
"""How many times in a row a more frequent schedule must miss before it is shown."""


class WorkflowState(StrEnum):
    """The states users see."""

    NEEDS_ATTENTION = "needs-attention"
    """The user must do something."""
    STOPPED = "stopped"
    """Something inside Dayhand failed, or the user dismissed the report of what stopped it."""
    FIXING = "fixing"
    """A repair is being prepared."""
    RUNNING = "running"
    """A run is active."""
    QUEUED = "queued"
    """Due, waiting for a free slot."""
    RETRYING = "retrying"
    """A transient failure; it retries automatically."""
    PAUSED = "paused"
    """By the user."""
    MISSED = "missed"
    """Planned times passed without a run, and none has caught up."""
    FINISHED = "finished"
    """No more times."""
    IDLE = "idle"
    """Waiting for its next time."""
    ARCHIVED = "archived"
    """Kept, but does nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowStateFacts:
    """The stored facts that decide a workflow's state."""

    is_paused: bool = False
    is_archived: bool = False
    is_fixing: bool = False
    everything_paused_until: datetime | None = None
    """The user paused the whole app until then."""
    asks: int = 0
    """How many requests wait for the user, not counting internal errors."""
    has_failed_inside: bool = False
    has_dismissed_block: bool = False
    """Something stopped it, or a part of it, and the user dismissed the report."""
    is_active: bool = False
    """A run is active."""
    earliest_waiting: datetime | None = None
    """When the earliest waiting item can or could start."""
    tries_again_at: datetime | None = None
    """When the earliest failed run is retried."""
    next_at: datetime | None = None
    """The earliest planned or wake time."""
    has_schedule: bool = False
    paused_schedules: bool = False
    """It has schedules, and all of them are paused."""
    has_missed: bool = False
    """A schedule missed enough of its times since its last run; see `is_worth_showing`."""


def decide_state(facts: WorkflowStateFacts, now: datetime) -> WorkflowState:
    """The first that applies: what needs the user comes before what happens automatically."""
    if facts.is_archived:
        return WorkflowState.ARCHIVED
    if facts.asks > 0:
        return WorkflowState.NEEDS_ATTENTION
    if facts.has_failed_inside:
        return WorkflowState.STOPPED
    if facts.is_fixing:
        return WorkflowState.FIXING
    if facts.is_active:
        return WorkflowState.RUNNING
    if is_on_hold(facts, now):
        return WorkflowState.PAUSED
    if facts.earliest_waiting is not None and facts.earliest_waiting <= now:
        return WorkflowState.QUEUED
    if facts.tries_again_at is not None and facts.tries_again_at > now:
        return WorkflowState.RETRYING
    if facts.has_dismissed_block:
        return WorkflowState.STOPPED
    if facts.paused_schedules:
        return WorkflowState.PAUSED
    if facts.has_missed:
        return WorkflowState.MISSED
    if facts.has_schedule and facts.next_at is None and facts.earliest_waiting is None:
        return WorkflowState.FINISHED
    return WorkflowState.IDLE


_RANKS = {
    WorkflowState.NEEDS_ATTENTION: 0,
    WorkflowState.STOPPED: 0,
    WorkflowState.RUNNING: 1,
    WorkflowState.FIXING: 1,
    WorkflowState.RETRYING: 2,
    WorkflowState.MISSED: 2,
    WorkflowState.QUEUED: 3,
    WorkflowState.IDLE: 3,
    WorkflowState.PAUSED: 4,
    WorkflowState.FINISHED: 4,
    WorkflowState.ARCHIVED: 5,
}


def rank_by_need(state: WorkflowState, *, is_failing: bool = False) -> int:
    """The place in a list: what needs the user, what runs, what goes wrong, what is well, what does nothing."""
    rank = _RANKS[state]
    return min(rank, _RANKS[WorkflowState.RETRYING]) if is_failing else rank


def find_unasked(states: Iterable[tuple[str, WorkflowState]], asking: Collection[str]) -> list[str]:
    """Workflows that need the user though none of their requests is open: one whose time zone is unknown, for example.

    `asking`: the workflows with open requests.
    """
    return [name for name, state in states if state is WorkflowState.NEEDS_ATTENTION and name not in asking]


def is_worth_showing(missed: int, gap: timedelta | None) -> bool:
    """Whether a schedule that missed so many times since its last run should be marked.

    One miss of a daily backup matters; one miss of a check every five minutes does not. `gap` is the time from the
    last missed time to the next one; None if there is no next one.
    """
    is_rare = gap is None or gap >= _RARE_GAP
    return missed >= (1 if is_rare else _FREQUENT_MISSES)


def is_on_hold(facts: WorkflowStateFacts, now: datetime) -> bool:
    """Whether the user paused it, or the whole app."""
    is_app_paused = facts.everything_paused_until is not None and now < facts.everything_paused_until
    return facts.is_paused or is_app_paused
