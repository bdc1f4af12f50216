"""A state as it is shown: always a shape, a word and a tone together."""

from dataclasses import dataclass

from app.look.theme import Tone
from app.words.states import RunState, say_run, say_workflow
from scheduler.rules.states import WorkflowState


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    glyph: str
    word: str
    tone: Tone


_WORKFLOWS = {
    WorkflowState.RUNNING: ("running", Tone.BUSY),
    WorkflowState.QUEUED: ("queued", Tone.BUSY),
    WorkflowState.IDLE: ("idle", Tone.GOOD),
    WorkflowState.RETRYING: ("retrying", Tone.ATTENTION),
    WorkflowState.NEEDS_ATTENTION: ("attention", Tone.ATTENTION),
    WorkflowState.FIXING: ("fixing", Tone.BUSY),
    WorkflowState.PAUSED: ("paused", Tone.QUIET),
    WorkflowState.FINISHED: ("finished", Tone.QUIET),
    WorkflowState.STOPPED: ("stopped", Tone.BAD),
    WorkflowState.ARCHIVED: ("archived", Tone.QUIET),
}
_RUNS = {
    RunState.DONE: ("done", Tone.GOOD),
    RunState.RUNNING: ("running", Tone.BUSY),
    RunState.QUEUED: ("queued", Tone.BUSY),
    RunState.WAITING: ("attention", Tone.ATTENTION),
    RunState.RETRYING: ("retrying", Tone.ATTENTION),
    RunState.FAILED: ("failed", Tone.BAD),
    RunState.CANCELLED: ("cancelled", Tone.QUIET),
    RunState.SKIPPED: ("skipped", Tone.QUIET),
    RunState.MISSED: ("missed", Tone.ATTENTION),
    RunState.REPLACED: ("replaced", Tone.QUIET),
    RunState.DROPPED: ("dropped", Tone.ATTENTION),
    RunState.COMING: ("coming", Tone.QUIET),
}


def sign_workflow(state: WorkflowState) -> Sign:
    glyph, tone = _WORKFLOWS[state]
    return Sign(glyph=glyph, word=say_workflow(state), tone=tone)


def shape_run(state: RunState) -> tuple[str, Tone]:
    """Glyph and tone alone, for pictures of thousands."""
    return _RUNS[state]


def sign_run(state: RunState) -> Sign:
    glyph, tone = _RUNS[state]
    return Sign(glyph=glyph, word=say_run(state), tone=tone)
