"""Refuses a change that was made from an outdated version of a schedule, and says what it is now."""

from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.store.schedules import ScheduleRow
from scheduler.timing.description import describe_schedule
from scheduler.timing.durations import describe_duration
from scheduler.timing.errors import BadScheduleError
from scheduler.timing.policies import Policies
from scheduler.user_text import UserText, join_texts


def refuse_stale(context: EngineContext, row: ScheduleRow, version: int | None) -> None:
    """RefusedError with both versions, the current times and the current policies."""
    if version is None or row.version == version:
        return
    versions = UserText(
        "you have version {version}, the current one is {current}", version=version, current=row.version
    )
    raise RefusedError(
        "stale",
        UserText(
            "{schedule} has changed: {versions}. Now: {now}. Refresh and try again.",
            schedule=row.id,
            versions=versions,
            now=_describe(context, row),
        ),
    )


def _describe(context: EngineContext, row: ScheduleRow) -> str:
    try:
        spec, _ = context.compile(row.id, row.spec)
        times = describe_schedule(spec, viewer_zone=context.machine_zone)
        parts = [times, *_describe_policies(context.policies(row))]
    except BadScheduleError as error:
        return error.sentence
    if row.paused:
        parts.append(UserText("paused"))
    return join_texts(parts, "; ")


def _describe_policies(policies: Policies) -> list[str]:
    parts: list[str] = [
        UserText("overlap {overlap}", overlap=policies.overlap.value),
        UserText("catchup {catchup}", catchup=policies.catchup.value),
    ]
    if policies.catchup_window is not None:
        window = describe_duration(policies.catchup_window)
        parts.append(UserText("catchup_window {window}", window=window))
    return parts
