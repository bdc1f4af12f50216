"""How states are shown: always a glyph, a word and a tone together."""

from dataclasses import dataclass

from app.i18n.state_labels import RunState, run_state_label, workflow_state_label
from app.theme.tokens import Tone
from scheduler.rules.workflow_state import WorkflowState


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusSign:
    glyph: str
    word: str
    tone: Tone


_WORKFLOW_SIGNS = {
    WorkflowState.RUNNING: ("running", Tone.BUSY),
    WorkflowState.QUEUED: ("queued", Tone.BUSY),
    WorkflowState.IDLE: ("idle", Tone.GOOD),
    WorkflowState.RETRYING: ("retrying", Tone.ATTENTION),
    WorkflowState.NEEDS_ATTENTION: ("attention", Tone.ATTENTION),
    WorkflowState.FIXING: ("fixing", Tone.BUSY),
    WorkflowState.PAUSED: ("paused", Tone.QUIET),
    WorkflowState.MISSED: ("missed", Tone.ATTENTION),
    WorkflowState.FINISHED: ("finished", Tone.QUIET),
    WorkflowState.STOPPED: ("stopped", Tone.BAD),
    WorkflowState.ARCHIVED: ("archived", Tone.QUIET),
}
_RUN_SIGNS = {
    RunState.DONE: ("done", Tone.GOOD),
    RunState.RUNNING: ("running", Tone.BUSY),
    RunState.QUEUED: ("queued", Tone.BUSY),
    RunState.WAITING: ("attention", Tone.ATTENTION),
    RunState.RETRYING: ("retrying", Tone.ATTENTION),
    RunState.FAILED: ("failed", Tone.BAD),
    RunState.CANCELLED: ("cancelled", Tone.QUIET),
    RunState.REJECTED: ("rejected", Tone.QUIET),
    RunState.EXPIRED: ("expired", Tone.ATTENTION),
    RunState.SKIPPED: ("skipped", Tone.QUIET),
    RunState.MISSED: ("missed", Tone.ATTENTION),
    RunState.REPLACED: ("replaced", Tone.QUIET),
    RunState.DROPPED: ("dropped", Tone.ATTENTION),
    RunState.COMING: ("coming", Tone.QUIET),
}


def workflow_sign(state: WorkflowState) -> StatusSign:
    glyph, tone = _WORKFLOW_SIGNS[state]
    return StatusSign(glyph=glyph, word=workflow_state_label(state), tone=tone)


def run_glyph_and_tone(state: RunState) -> tuple[str, Tone]:
    """Only glyph and tone, for pictures with thousands of runs."""
    return _RUN_SIGNS[state]


def run_sign(state: RunState) -> StatusSign:
    glyph, tone = _RUN_SIGNS[state]
    return StatusSign(glyph=glyph, word=run_state_label(state), tone=tone)
