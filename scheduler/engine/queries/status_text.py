"""The sentence shown with a workflow's state: what is happening or what to do."""

from datetime import datetime, timedelta

from scheduler.engine.queries.imported_jobs import IMPORTED_TAG
from scheduler.engine.queries.job_names import find_job, name_job
from scheduler.engine.queries.snapshot import Snapshot, describe_pause_end
from scheduler.engine.scheduling.conditions import list_unmet
from scheduler.rules.handler_ids import handler_id, handler_of_report, name_in_words
from scheduler.rules.requests import Block, RequestKind
from scheduler.rules.workflow_state import WorkflowState, WorkflowStateFacts, is_worth_showing
from scheduler.store import runs
from scheduler.store.handlers import FailingRow
from scheduler.store.requests import RequestRow
from scheduler.store.schedules import ScheduleRow
from scheduler.store.workflow_status import MissedTimes, StoredWorkflow
from scheduler.timing import description
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.policies import Need
from scheduler.user_text import UserText, add_full_stop, join_texts

_MAX_SCHEDULES = 2
_LONG_RUN = timedelta(minutes=10)
"""After that, a run that others wait for is named."""
_WAITING_FOR = {
    Need.NETWORK: UserText("Due now; waiting for the network."),
    Need.POWER: UserText("Due now; waiting until the computer is plugged in."),
    Need.UNMETERED: UserText("Due now; waiting for an unmetered network."),
}


def describe_state(
    snapshot: Snapshot, standing: StoredWorkflow, facts: WorkflowStateFacts, state: WorkflowState
) -> str:
    match state:
        case WorkflowState.NEEDS_ATTENTION:
            return _describe_need(snapshot, standing, inside=False)
        case WorkflowState.STOPPED if not facts.has_failed_inside:
            return _describe_dismissed(standing)
        case WorkflowState.STOPPED:
            return _describe_need(snapshot, standing, inside=True)
        case WorkflowState.FIXING:
            return UserText("A repair is being prepared.")
        case WorkflowState.RUNNING:
            return _describe_progress(standing)
        case WorkflowState.QUEUED:
            return _describe_wait(snapshot, standing)
        case WorkflowState.RETRYING:
            return _describe_retry(snapshot, standing, facts)
        case WorkflowState.PAUSED:
            return _describe_pause(snapshot, standing, facts)
        case WorkflowState.MISSED:
            return _describe_missed(snapshot, standing, facts)
        case WorkflowState.FINISHED:
            return UserText("No more scheduled times.")
        case WorkflowState.ARCHIVED:
            return UserText("Archived; add it again to restore it.")
        case WorkflowState.IDLE:
            words = describe_schedules(snapshot, standing.schedules) or UserText("Runs when something arrives.")
            return join_texts([*_describe_failing(snapshot, standing), words], " ")


def describe_schedules(snapshot: Snapshot, rows: list[ScheduleRow]) -> str:
    """All schedules of a workflow in words."""
    texts = list(dict.fromkeys(describe_schedule(snapshot, row) for row in rows))
    shown = join_texts(texts[:_MAX_SCHEDULES], " · ")
    if len(texts) <= _MAX_SCHEDULES:
        return shown
    return UserText("{schedules}, and {count} more", schedules=shown, count=len(texts) - _MAX_SCHEDULES)


def describe_schedule(snapshot: Snapshot, row: ScheduleRow) -> str:
    try:
        spec, _ = snapshot.context.compile(row.id, row.spec)
        return description.describe_schedule(spec, viewer_zone=snapshot.context.machine_zone)
    except BadScheduleError as error:
        return error.sentence


def _describe_failing(snapshot: Snapshot, standing: StoredWorkflow) -> list[str]:
    """The handler that has failed most often in a row, and since when."""
    worst = _find_worst(standing)
    if worst is None or worst.since is None:
        return []
    job = find_job(snapshot, worst.workflow, worst.name)
    return [describe_failures(snapshot, name_in_words(job) if job else "", worst.failures, worst.since)]


def _find_worst(standing: StoredWorkflow) -> FailingRow | None:
    return max(standing.failing, key=lambda one: one.failures, default=None)


def describe_failures(snapshot: Snapshot, name: str, failures: int, since: datetime) -> str:
    """Without a name where that of the workflow stands beside it."""
    if not name and failures == 1:
        return UserText("Failed {at}.", at=snapshot.format_at(since))
    if not name:
        day = snapshot.format_since(since)
        return UserText("Failed {failures} times in a row since {day}.", failures=failures, day=day)
    if failures == 1:
        return UserText("{handler} failed {at}.", handler=name, at=snapshot.format_at(since))
    return UserText(
        "{handler} failed {failures} times in a row since {day}.",
        handler=name,
        failures=failures,
        day=snapshot.format_since(since),
    )


def find_missed(snapshot: Snapshot, standing: StoredWorkflow) -> MissedTimes | None:
    """The schedule that has missed most since its last run, if that is worth showing."""
    found = (one for one in standing.missed if is_worth_showing(one.number, _gap_after(snapshot, standing, one)))
    return max(found, key=lambda one: one.number, default=None)


def _gap_after(snapshot: Snapshot, standing: StoredWorkflow, missed: MissedTimes) -> timedelta | None:
    row = next((one for one in standing.schedules if one.handler == missed.handler), None)
    try:
        after = None if row is None else snapshot.context.compile(row.id, row.spec)[1].after(missed.last)
    except BadScheduleError:
        return None
    return None if after is None else after - missed.last


def _describe_missed(snapshot: Snapshot, standing: StoredWorkflow, facts: WorkflowStateFacts) -> str:
    """What was missed, and what happens next: the schedule, or for the last time, what the user can do."""
    missed = find_missed(snapshot, standing)
    then: str = UserText("Run it now if you still need it.")
    if facts.next_at is not None:
        then = describe_schedules(snapshot, standing.schedules)
    if missed is None:
        return then
    name = name_job(snapshot, standing.row.slug, missed.handler)
    said = (
        UserText("{handler} missed its run {at}.", handler=name, at=snapshot.format_at(missed.first))
        if missed.number == 1
        else UserText(
            "{handler} missed {number} runs in a row since {day}.",
            handler=name,
            number=missed.number,
            day=snapshot.format_since(missed.first),
        )
    )
    return join_texts([said, then], " ")


def _describe_need(snapshot: Snapshot, standing: StoredWorkflow, *, inside: bool) -> str:
    asked = [one for one in standing.requests if (one.kind is RequestKind.INTERNAL) is inside]
    if asked and asked[0].kind is RequestKind.RUN_FAILED:
        return join_texts([*_describe_failing(snapshot, standing), *_reports_of_worst(standing, asked)], " ")
    if asked and asked[0].kind is RequestKind.TOO_MANY_FAILURES and standing.failing:
        stopped = UserText("It does not run until you resume it.")
        return join_texts([*_describe_failing(snapshot, standing), stopped], " ")
    requests = [one.sentence for one in asked]
    blocks = [
        one.sentence or ""
        for one in standing.blocked
        if (one.blocked is Block.INTERNAL) is inside and not standing.resolves_itself(one)
    ]
    troubles = [one.trouble for one in standing.schedules if one.trouble]
    return next(iter([*requests, *blocks, *troubles]), UserText("It needs your attention."))


def _describe_dismissed(standing: StoredWorkflow) -> str:
    """What stopped it, and that it does not go on by itself."""
    sentences = [one.sentence or "" for one in standing.blocked if one.name in standing.dismissed]
    return join_texts([*sentences[:1], UserText("It stays stopped until you try again.")], " ")


def _reports_of_worst(standing: StoredWorkflow, asked: list[RequestRow]) -> list[str]:
    """What went wrong in the handler that `_describe_failing` names, not in another one; empty if it was dismissed."""
    worst = _find_worst(standing)
    if worst is None or worst.since is None:
        return [asked[0].sentence]
    subject = handler_id(worst.workflow, worst.name)
    reports = [one for one in asked if one.kind is RequestKind.RUN_FAILED and handler_of_report(one.subject) == subject]
    return [one.sentence for one in reports[:1]]


def _describe_progress(standing: StoredWorkflow) -> str:
    progress = next((run.progress for run in standing.active if run.progress), None)
    if not progress:
        return UserText("It is running now.")
    done, total, text = progress["done"], progress["total"], progress.get("text") or ""
    share = (
        UserText("{done} of {total}", done=f"{done:g}", total=f"{total:g}")
        if total
        else UserText("{done} done", done=f"{done:g}")
    )
    return f"{text} ({share})" if text else UserText("Running, {share}", share=share)


def _describe_wait(snapshot: Snapshot, standing: StoredWorkflow) -> str:
    """Names the unmet condition if all due handlers have one."""
    due = {handler for handler, since in standing.waiting.items() if since <= snapshot.now}
    unmet_needs = [_find_unmet(snapshot, one) for one in standing.schedules if one.handler in due]
    if unmet_needs and all(unmet_needs):
        return _WAITING_FOR[unmet_needs[0][0]]
    return join_texts([UserText("Due now; it starts when another run ends."), *_name_longest(snapshot)], " ")


def _name_longest(snapshot: Snapshot) -> list[str]:
    """The run that has taken longest, if that is long enough to look at it."""
    active = [(run.began, run.workflow) for run in runs.list_active(snapshot.db) if run.began is not None]
    began, workflow = min(active, default=(snapshot.now, ""))
    plan = snapshot.find_plan(workflow) if snapshot.now - began >= _LONG_RUN else None
    if plan is None:
        return []
    return [UserText("{name} has been running since {time}.", name=plan.name, time=snapshot.format_since(began))]


def _find_unmet(snapshot: Snapshot, row: ScheduleRow) -> list[Need]:
    try:
        return list_unmet(snapshot.context.conditions, snapshot.context.policies(row).needs)
    except BadScheduleError:
        return []


def _describe_retry(snapshot: Snapshot, standing: StoredWorkflow, facts: WorkflowStateFacts) -> str:
    lane = next((one for one in standing.blocked if standing.resolves_itself(one)), None)
    why = (None if lane is None else lane.sentence) or UserText("Something went wrong.")
    if facts.tries_again_at is None:
        return why
    at = snapshot.format_at(facts.tries_again_at)
    is_unsure = lane is not None and lane.blocked is Block.UNSURE
    when = (
        UserText("Dayhand checks {at} whether it happened.", at=at) if is_unsure else UserText("Retrying {at}.", at=at)
    )
    return join_texts([why, when], " ")


def _describe_pause(snapshot: Snapshot, standing: StoredWorkflow, facts: WorkflowStateFacts) -> str:
    if facts.is_paused:
        if IMPORTED_TAG in standing.row.tags and standing.row.version == 1:  # never resumed
            return UserText("Imported, not started yet. Resume it once its old entry is switched off.")
        note = _describe_note(UserText("You paused it."), standing.row.pause_note)
        return join_texts([note, *describe_pause_end(snapshot, standing.row.paused_until)], " ")
    if facts.everything_paused_until is not None and snapshot.now < facts.everything_paused_until:
        note = _describe_note(UserText("Everything is paused."), snapshot.everything_pause_note)
        return join_texts([note, *describe_pause_end(snapshot, facts.everything_paused_until)], " ")
    notes = [one.pause_note for one in standing.schedules if one.pause_note]
    until = min((one.paused_until for one in standing.schedules if one.paused_until), default=None)
    note = notes[0] if notes else UserText("You paused its schedule.")
    return join_texts([note, *describe_pause_end(snapshot, until)], " ")


def _describe_note(sentence: str, note: str | None) -> str:
    """The sentence, followed by what the user noted."""
    return join_texts([sentence, add_full_stop(note)], " ") if note else sentence
