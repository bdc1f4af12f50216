"""The ways to run a workflow now, while something of it runs or if it has several jobs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.i18n.translate import translate_text
from app.widgets.visible_text import escape_invisible
from scheduler.engine.queries.runs import RunView
from scheduler.engine.queries.schedule_data import ScheduleData
from scheduler.engine.queries.workflows import HandlerView, WorkflowDetails
from scheduler.rules.handler_ids import handler_id, name_in_words
from scheduler.rules.phases import HandlerKind, RunStatus
from scheduler.rules.workflow_state import WorkflowState
from scheduler.timing.occurrences import OccurrenceOrigin
from scheduler.timing.policies import Overlap

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class RunChoice:
    label: str
    said: str
    """What the user reads once it is done."""
    arguments: dict[str, Any]
    """Of the command `run`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTarget:
    """What a run starts: all producers, or one job."""

    name: str
    choices: tuple[RunChoice, ...]


def list_run_targets(details: WorkflowDetails, schedules: Sequence[ScheduleData]) -> list[RunTarget]:
    """Each with only the choices that can apply to it now."""
    times = {one.handler: translate_text(one.description) for one in schedules}
    producers = [one for one in details.handlers if one.kind == HandlerKind.PRODUCER]
    jobs = [one for one in details.handlers if one.kind == HandlerKind.JOB]
    targets = []
    if producers:
        lane = [one for one in details.handlers if one.kind != HandlerKind.JOB]
        name = ", ".join(dict.fromkeys(times.get(one.name, name_in_words(one.name)) for one in producers))
        choices = _list_choices(details.workflow, producers, lane, details.recent, is_job=False)
        targets.append(RunTarget(name=escape_invisible(name), choices=choices))
    for one in jobs:
        target = handler_id(details.workflow, one.name)
        said = name_in_words(one.name)
        name = f"{said} · {times[one.name]}" if one.name in times else said
        choices = _list_choices(target, [one], [one], details.recent, is_job=True)
        targets.append(RunTarget(name=escape_invisible(name), choices=choices))
    return targets


def needs_menu(details: WorkflowDetails) -> bool:
    """Whether there is a choice: something is running, or there are several jobs and nothing else to start."""
    kinds = [one.kind for one in details.handlers if one.kind != HandlerKind.CONSUMER]
    has_choice = HandlerKind.PRODUCER not in kinds and len(kinds) > 1
    return has_choice or any(one.state is WorkflowState.RUNNING for one in details.handlers)


def _list_choices(
    target: str, started: list[HandlerView], lane: list[HandlerView], recent: Sequence[RunView], *, is_job: bool
) -> tuple[RunChoice, ...]:
    if not any(one.state is WorkflowState.RUNNING for one in lane):
        return (_choice(translate("run menu", "Run now"), translate("run menu", "Started."), target),)
    afterwards = translate("run menu", "It starts when the current run has ended.")
    choices = [_choice(translate("run menu", "Run when finished"), afterwards, target, when_finished=True)]
    names = {one.name for one in started}
    scheduled = [
        run
        for run in recent
        if run.handler in names and run.status == RunStatus.ACTIVE and run.trigger == OccurrenceOrigin.AUTOMATIC
    ]
    if scheduled:  # a run that the user started is not stopped for another
        label, said = translate("run menu", "Stop the running one and run"), translate("run menu", "Stopping…")
        choices.append(_choice(label, said, target, overlap=Overlap.CANCEL_OTHER.value))
    if is_job:
        label, said = translate("run menu", "Run in parallel"), translate("run menu", "Started.")
        choices.append(_choice(label, said, target, overlap=Overlap.ALLOW_ALL.value))
    return tuple(choices)


def _choice(label: str, said: str, target: str, **arguments: Any) -> RunChoice:
    return RunChoice(label=label, said=said, arguments={"target": target, **arguments})
