"""How everything stands, at one glance: what the tray, the status line and the notices are made from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication

from app.words.states import TrayState
from app.words.times import say_time
from scheduler.rules.states import WorkflowState

if TYPE_CHECKING:  # the icon in the tray comes before the engine is loaded
    from app.call_summary import CallSummary
    from scheduler.engine.workflows.views.requests import RequestView
    from scheduler.engine.workflows.views.workflows import WorkflowView

FAR = timedelta(days=3650)
"""A pause longer than this has no end that anybody would want to read."""
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    now: datetime
    zone: ZoneInfo
    workflows: "tuple[WorkflowView, ...]" = ()
    requests: "tuple[RequestView, ...]" = ()
    summaries: "Mapping[str, CallSummary]" = field(default_factory=dict)
    """By request: what its call would do, in our words."""
    paused_until: datetime | None = None
    """Until when nothing starts, because the person said so."""
    is_offline: bool = False
    is_of_script: bool = False
    """Whether a script started the app, which therefore takes no answers."""

    @property
    def next(self) -> "WorkflowView | None":
        """The workflow that runs next."""
        coming = [one for one in self.workflows if one.next is not None]
        return min(coming, key=lambda one: one.next or self.now, default=None)

    @property
    def is_paused(self) -> bool:
        return self.paused_until is not None and self.now < self.paused_until

    @property
    def needing(self) -> int:
        """How many workflows need the person."""
        return len({name for one in self.requests for name in one.workflows})

    @property
    def state(self) -> TrayState:
        """The first that holds."""
        states = {one.state for one in self.workflows}
        if self.requests or WorkflowState.NEEDS_ATTENTION in states:
            return TrayState.ATTENTION
        if WorkflowState.STOPPED in states:
            return TrayState.ERROR
        if WorkflowState.RUNNING in states:
            return TrayState.RUNNING
        if self.is_paused or (states and states <= {WorkflowState.PAUSED, WorkflowState.FINISHED}):
            return TrayState.PAUSED
        return TrayState.OFFLINE if self.is_offline else TrayState.IDLE

    def name_of(self, workflow: str) -> str:
        return next((one.name for one in self.workflows if one.workflow == workflow), workflow)


def say_summary(overview: Overview) -> str:
    """One line: what matters most."""
    if overview.is_of_script:
        return translate("overview", "Started by a script, so it takes no answers")
    match overview.state:
        case TrayState.ATTENTION:
            number = len(overview.requests) or 1
            if number == 1:
                return translate("overview", "1 thing needs you")
            return translate("overview", "{number} things need you").format(number=number)
        case TrayState.ERROR:
            return translate("overview", "Something went wrong inside Dayhand")
        case TrayState.RUNNING:
            running = [one.name for one in overview.workflows if one.state is WorkflowState.RUNNING]
            if len(running) == 1:
                return translate("overview", "{name} is running").format(name=running[0])
            return translate("overview", "{number} workflows are running").format(number=len(running))
        case TrayState.PAUSED:
            return say_pause(overview)
        case TrayState.OFFLINE:
            return translate("overview", "No network; what needs it waits")
        case TrayState.IDLE:
            if not overview.workflows:
                return translate("overview", "No workflows yet")
            return translate("overview", "All is well")


def say_pause(overview: Overview) -> str:
    until = overview.paused_until
    if not overview.is_paused or until is None:
        return translate("overview", "Paused")
    if until - overview.now > FAR:
        return translate("overview", "Paused until you resume")
    minute = until.replace(second=0, microsecond=0)
    return translate("overview", "Paused until {time}").format(time=say_time(minute, overview.zone, overview.now))


def say_next(overview: Overview) -> str:
    """The next run and when, or nothing. As a time of the clock, which does not grow old."""
    coming = overview.next
    if coming is None or coming.next is None or overview.is_paused:  # times pass without running
        return ""
    when = say_time(coming.next.replace(second=0, microsecond=0), overview.zone, overview.now)
    return translate("overview", "Next: {name}, {time}").format(name=coming.name, time=when)
