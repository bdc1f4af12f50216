"""The one sentence beside a workflow's state: what is going on, or what to do."""

from scheduler.engine.conditions import unmet
from scheduler.engine.workflows.views.look import Look, say_pause
from scheduler.rules.states import WorkflowFacts, WorkflowState
from scheduler.store.lanes import Block
from scheduler.store.requests import RequestKind
from scheduler.store.schedules import ScheduleRow
from scheduler.store.standings import Standing
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.policies import Need
from scheduler.timing.words import say

_MOST_SCHEDULES = 2
_WAITS = {
    Need.NETWORK: "Its time has come; it waits for the network.",
    Need.POWER: "Its time has come; it waits until the computer is plugged in.",
    Need.UNMETERED: "Its time has come; it waits for a network that does not cost by volume.",
}


def say_state(look: Look, standing: Standing, facts: WorkflowFacts, state: WorkflowState) -> str:
    match state:
        case WorkflowState.NEEDS_ATTENTION:
            return _say_need(standing, inside=False)
        case WorkflowState.STOPPED:
            return _say_need(standing, inside=True)
        case WorkflowState.FIXING:
            return "A repair is being prepared."
        case WorkflowState.RUNNING:
            return _say_progress(standing)
        case WorkflowState.QUEUED:
            return _say_wait(look, standing)
        case WorkflowState.RETRYING:
            return _say_retry(look, standing, facts)
        case WorkflowState.PAUSED:
            return _say_pause(look, standing, facts)
        case WorkflowState.FINISHED:
            return "It has no more times."
        case WorkflowState.ARCHIVED:
            return "Put away; deploy it again to bring it back."
        case WorkflowState.IDLE:
            return say_times(look, standing.schedules) or "Runs when something arrives."


def say_times(look: Look, rows: list[ScheduleRow]) -> str:
    """The times of all its schedules."""
    said = list(dict.fromkeys(say_schedule(look, row) for row in rows))
    more = f", and {len(said) - _MOST_SCHEDULES} more" if len(said) > _MOST_SCHEDULES else ""
    return "; ".join(said[:_MOST_SCHEDULES]) + more


def say_schedule(look: Look, row: ScheduleRow) -> str:
    try:
        spec, _ = look.context.compile(row.id, row.spec)
        return say(spec, viewer_zone=look.context.machine_zone)
    except BadScheduleError as error:
        return error.sentence


def _say_need(standing: Standing, *, inside: bool) -> str:
    asked = [one.sentence for one in standing.requests if (one.kind is RequestKind.INTERNAL) is inside]
    closed = [
        one.sentence or ""
        for one in standing.blocked
        if (one.blocked is Block.INTERNAL) is inside and not standing.finds_out_alone(one)
    ]
    troubles = [one.trouble for one in standing.schedules if one.trouble]
    return next(iter([*asked, *closed, *troubles]), "It waits for you.")


def _say_progress(standing: Standing) -> str:
    progress = next((run.progress for run in standing.active if run.progress), None)
    if not progress:
        return "It is running now."
    done, total, text = progress["done"], progress["total"], progress.get("text") or ""
    share = f"{done:g} of {total:g}" if total else f"{done:g} done"
    return f"{text} ({share})" if text else f"Running, {share}"


def _say_wait(look: Look, standing: Standing) -> str:
    """For what the machine lacks, if all that is due needs it; else for its turn."""
    due = {handler for handler, since in standing.waiting.items() if since <= look.now}
    lacking = [_find_lacking(look, one) for one in standing.schedules if one.handler in due]
    if lacking and all(lacking):
        return _WAITS[lacking[0][0]]
    return "Its time has come; it starts as soon as another run ends."


def _find_lacking(look: Look, row: ScheduleRow) -> list[Need]:
    try:
        return unmet(look.context.conditions, look.context.policies(row).needs)
    except BadScheduleError:
        return []


def _say_retry(look: Look, standing: Standing, facts: WorkflowFacts) -> str:
    lane = next((one for one in standing.blocked if standing.finds_out_alone(one)), None)
    why = (None if lane is None else lane.sentence) or "Something did not work just now."
    if facts.tries_again_at is None:
        return why
    at = look.say_at(facts.tries_again_at)
    is_unsure = lane is not None and lane.blocked is Block.UNSURE
    when = f" Dayhand checks {at} whether it happened." if is_unsure else f" It tries again {at}."
    return f"{why}{when}"


def _say_pause(look: Look, standing: Standing, facts: WorkflowFacts) -> str:
    if facts.is_paused:
        return "You paused it."
    if facts.everything_paused_until is not None and look.now < facts.everything_paused_until:
        return f"Everything is paused.{say_pause(look, facts.everything_paused_until)}"
    notes = [one.pause_note for one in standing.schedules if one.pause_note]
    until = min((one.paused_until for one in standing.schedules if one.paused_until), default=None)
    return f"{notes[0] if notes else 'You paused its times.'}{say_pause(look, until)}"
