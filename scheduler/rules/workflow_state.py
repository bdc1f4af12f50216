"""How a workflow is doing, in one word: a function of stored facts and one `now`."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class WorkflowState(StrEnum):
    """The words that people see."""

    NEEDS_ATTENTION = "needs-attention"
    """A person has to do something; one sentence says what."""
    STOPPED = "stopped"
    """Something inside Dayhand failed."""
    FIXING = "fixing"
    """A repair is being prepared."""
    RUNNING = "running"
    """A run is active."""
    QUEUED = "queued"
    """Due, and waits for a free slot."""
    RETRYING = "retrying"
    """A passing failure; it tries again by itself."""
    PAUSED = "paused"
    """By the person."""
    FINISHED = "finished"
    """No more times."""
    IDLE = "idle"
    """All is well; it waits for its next time."""
    ARCHIVED = "archived"
    """Put away: it is kept, and does nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowFacts:
    """What is stored about one workflow, as far as its state goes."""

    is_paused: bool = False
    is_archived: bool = False
    is_fixing: bool = False
    everything_paused_until: datetime | None = None
    """The person paused the whole app until then."""
    asks: int = 0
    """How many things wait for the person, mistakes of Dayhand's own aside."""
    has_failed_inside: bool = False
    is_active: bool = False
    """A run of it is under way."""
    earliest_waiting: datetime | None = None
    """Since when something waits that is free to start, or from when on it is."""
    tries_again_at: datetime | None = None
    """When the earliest of those that failed goes on by itself."""
    next_at: datetime | None = None
    """The earliest planned or wake time."""
    has_schedule: bool = False
    paused_schedules: bool = False
    """It has times, and all of them are paused."""


def decide_state(facts: WorkflowFacts, now: datetime) -> WorkflowState:
    """The first that holds: what needs the person before what happens by itself."""
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
    if is_held_back(facts, now):
        return WorkflowState.PAUSED
    if facts.earliest_waiting is not None and facts.earliest_waiting <= now:
        return WorkflowState.QUEUED
    if facts.tries_again_at is not None and facts.tries_again_at > now:
        return WorkflowState.RETRYING
    if facts.paused_schedules:
        return WorkflowState.PAUSED
    if facts.has_schedule and facts.next_at is None and facts.earliest_waiting is None:
        return WorkflowState.FINISHED
    return WorkflowState.IDLE


def is_held_back(facts: WorkflowFacts, now: datetime) -> bool:
    """Whether the person paused it, or everything."""
    everything = facts.everything_paused_until is not None and now < facts.everything_paused_until
    return facts.is_paused or everything
