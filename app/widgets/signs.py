"""A state as it is shown: always a shape, a word and a tone together."""

from dataclasses import dataclass

from app.theme import Tone
from app.words import RunState, WorkflowState, say_run, say_workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    glyph: str
    word: str
    tone: Tone


_WORKFLOW_TONES = {
    WorkflowState.RUNNING: Tone.BUSY,
    WorkflowState.QUEUED: Tone.BUSY,
    WorkflowState.IDLE: Tone.GOOD,
    WorkflowState.RETRYING: Tone.ATTENTION,
    WorkflowState.ATTENTION: Tone.ATTENTION,
    WorkflowState.FIXING: Tone.BUSY,
    WorkflowState.PAUSED: Tone.QUIET,
    WorkflowState.FINISHED: Tone.QUIET,
    WorkflowState.STOPPED: Tone.BAD,
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
    return Sign(glyph=state.value, word=say_workflow(state), tone=_WORKFLOW_TONES[state])


def shape_run(state: RunState) -> tuple[str, Tone]:
    """Glyph and tone alone, for pictures of thousands."""
    return _RUNS[state]


def sign_run(state: RunState) -> Sign:
    glyph, tone = _RUNS[state]
    return Sign(glyph=glyph, word=say_run(state), tone=tone)
