"""What a job is called, and the command that it runs."""

from scheduler.engine.queries.snapshot import Snapshot
from scheduler.rules.handler_ids import name_in_words
from scheduler.rules.phases import HandlerKind
from scheduler.workers.command_scan import find_commands


def name_job(snapshot: Snapshot, workflow: str, handler: str) -> str:
    """The workflow's name if this job is all that it has, else the job's own."""
    plan = snapshot.find_plan(workflow)
    return name_in_words(handler) if plan is None else plan.name_job(handler)


def find_job(snapshot: Snapshot, workflow: str, handler: str) -> str:
    """What tells a job from the rest of its workflow, as in the script; empty if there is no rest, or it is no job."""
    plan = snapshot.find_plan(workflow)
    found = None if plan is None else plan.handlers.get(handler)
    if plan is None or found is None or found.kind is not HandlerKind.JOB or plan.is_only_handler(handler):
        return ""
    return handler


def find_command(snapshot: Snapshot, workflow: str, handler: str) -> str:
    """The command line of a job; empty if it runs none, or if only the running script knows it."""
    plan = snapshot.find_plan(workflow)
    return "" if plan is None else find_commands(plan.source).get(handler, "")
