"""The overall state: what the tray, the status line and notifications show."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication

from app.i18n.state_labels import TrayState
from app.i18n.time_text import format_clock_time, format_day_and_time
from scheduler.rules.handler_ids import name_in_words
from scheduler.rules.workflow_state import WorkflowState, find_unasked

if TYPE_CHECKING:  # the tray icon is shown before the engine is loaded
    from scheduler.engine.queries.requests import RequestView
    from scheduler.engine.queries.workflows import WorkflowView

OPEN_ENDED_PAUSE = timedelta(days=3650)
"""A longer pause is shown without its end."""
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True)
class CallSummary:
    """What the call of a request would do, in a sentence."""

    text: str
    is_complete: bool
    """Whether somebody who has read only this may approve it."""
    headline: str = field(default="", compare=False)
    """The same without the values that no sentence has a place for, to stand above them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    now: datetime
    zone: ZoneInfo
    workflows: "tuple[WorkflowView, ...]" = ()
    requests: "tuple[RequestView, ...]" = ()
    summaries: Mapping[str, CallSummary] = field(default_factory=dict)
    """By request id: what its call would do."""
    paused_until: datetime | None = None
    """The end of the user's pause of everything."""
    is_offline: bool = False
    is_started_by_script: bool = False
    """Whether a script started the app, which then accepts no answers."""

    @property
    def next_workflow(self) -> "WorkflowView | None":
        """The workflow that runs next."""
        coming = [one for one in self.workflows if one.next is not None]
        return min(coming, key=lambda one: one.next or self.now, default=None)

    @property
    def is_paused(self) -> bool:
        return self.paused_until is not None and self.now < self.paused_until

    @property
    def unasked(self) -> "tuple[WorkflowView, ...]":
        """The workflows that need the user though none of their requests is open."""
        asking = {name for one in self.requests for name in one.workflows}
        found = find_unasked(((one.workflow, one.state) for one in self.workflows), asking)
        return tuple(one for one in self.workflows if one.workflow in found)

    @property
    def attention_count(self) -> int:
        """How many items need the user: what the tray, the window and the command line count."""
        return len(self.requests) + len(self.unasked)

    @property
    def state(self) -> TrayState:
        """The first that applies."""
        states = {one.state for one in self.workflows}
        if self.attention_count:
            return TrayState.ATTENTION
        if any(one.state is WorkflowState.STOPPED and one.attention for one in self.workflows):
            return TrayState.ERROR
        if WorkflowState.RUNNING in states:
            return TrayState.RUNNING
        if self.is_paused or (states and states <= {WorkflowState.PAUSED, WorkflowState.FINISHED}):
            return TrayState.PAUSED
        return TrayState.OFFLINE if self.is_offline else TrayState.IDLE

    def name_of(self, workflow: str, job: str = "") -> str:
        """The workflow's name, with that of one of its jobs."""
        return add_job(next((one.name for one in self.workflows if one.workflow == workflow), workflow), job)


def add_job(name: str, job: str) -> str:
    """The name of a workflow with that of its job, which is empty if it has only one."""
    return f"{name} · {name_in_words(job)}" if job else name


def describe_state(overview: Overview) -> str:
    """The most important fact in one line."""
    if overview.is_started_by_script:
        return translate("overview", "Started by a script, so answers are disabled")
    match overview.state:
        case TrayState.ATTENTION:
            return describe_attention(overview)
        case TrayState.ERROR:
            return translate("overview", "Something went wrong inside Dayhand")
        case TrayState.RUNNING:
            running = [one.name for one in overview.workflows if one.state is WorkflowState.RUNNING]
            if len(running) == 1:
                return translate("overview", "{name} is running").format(name=running[0])
            return translate("overview", "{number} workflows are running").format(number=len(running))
        case TrayState.PAUSED:
            return describe_pause(overview)
        case TrayState.OFFLINE:
            return translate("overview", "Offline: waiting for the network")
        case TrayState.IDLE:
            return _describe_idle(overview)


def _describe_idle(overview: Overview) -> str:
    """Nothing runs or needs the user; something may be stopped, or may have missed its time."""
    if not overview.workflows:
        return translate("overview", "No workflows yet")
    stopped = [one.name for one in overview.workflows if one.state is WorkflowState.STOPPED]
    if len(stopped) == 1:
        return translate("overview", "{name} is stopped").format(name=stopped[0])
    if stopped:
        return translate("overview", "{number} workflows are stopped").format(number=len(stopped))
    missed = [one.name for one in overview.workflows if one.state is WorkflowState.MISSED]
    if len(missed) == 1:
        return translate("overview", "{name} missed a run").format(name=missed[0])
    if missed:
        return translate("overview", "{number} workflows missed runs").format(number=len(missed))
    return translate("overview", "All is well")


def describe_attention(overview: Overview) -> str:
    number = overview.attention_count
    if number == 1:
        return translate("overview", "1 item needs your attention")
    return translate("overview", "{number} items need your attention").format(number=number)


def describe_unasked(overview: Overview) -> str:
    """The way to what no request is about, or ""."""
    number = len(overview.unasked)
    if number == 0:
        return ""
    if number == 1:
        return translate("overview", "1 workflow needs your attention. Open it on the Workflows page.")
    words = translate("overview", "{number} workflows need your attention. Open them on the Workflows page.")
    return words.format(number=number)


def describe_pause(overview: Overview) -> str:
    until = overview.paused_until
    if not overview.is_paused or until is None:
        return translate("overview", "All workflows are paused")
    if until - overview.now > OPEN_ENDED_PAUSE:
        return translate("overview", "Everything is paused until you resume")
    minute, zone = until.replace(second=0, microsecond=0), overview.zone
    is_today = minute.astimezone(zone).date() == overview.now.astimezone(zone).date()
    time = format_clock_time(minute, zone) if is_today else format_day_and_time(minute, zone, overview.now)
    return translate("overview", "Everything is paused until {time}").format(time=time)


def describe_next_run(overview: Overview) -> str:
    """The next run and its time, or "". An absolute time, which does not become outdated."""
    coming = overview.next_workflow
    if coming is None or coming.next is None or overview.is_paused:  # planned times are skipped
        return ""
    when = format_day_and_time(coming.next.replace(second=0, microsecond=0), overview.zone, overview.now)
    return translate("overview", "Next: {name}, {time}").format(name=add_job(coming.name, coming.next_job), time=when)
