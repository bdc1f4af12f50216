"""The words for what a person sees: states of workflows, of runs and of the tray. Every word can be translated."""

from enum import StrEnum

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from scheduler.rules.states import WorkflowState


class RunState(StrEnum):
    """How one planned or past run looks in a picture or a list."""

    DONE = "done"
    RUNNING = "running"
    QUEUED = "queued"
    WAITING = "waiting"
    """For the person's answer."""
    RETRYING = "retrying"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    MISSED = "missed"
    REPLACED = "replaced"
    """A later one ran in its place."""
    DROPPED = "dropped"
    COMING = "coming"
    """Its time has not come."""


class TrayState(StrEnum):
    """What the tray icon says; the first that holds is shown."""

    ATTENTION = "attention"
    ERROR = "error"
    RUNNING = "running"
    PAUSED = "paused"
    OFFLINE = "offline"
    IDLE = "idle"


_WORKFLOW: dict[WorkflowState, object] = {
    WorkflowState.RUNNING: QT_TRANSLATE_NOOP("words", "Running"),
    WorkflowState.QUEUED: QT_TRANSLATE_NOOP("words", "Queued"),
    WorkflowState.IDLE: QT_TRANSLATE_NOOP("words", "Idle"),
    WorkflowState.RETRYING: QT_TRANSLATE_NOOP("words", "Retrying"),
    WorkflowState.NEEDS_ATTENTION: QT_TRANSLATE_NOOP("words", "Needs attention"),
    WorkflowState.FIXING: QT_TRANSLATE_NOOP("words", "Fixing"),
    WorkflowState.PAUSED: QT_TRANSLATE_NOOP("words", "Paused"),
    WorkflowState.FINISHED: QT_TRANSLATE_NOOP("words", "Finished"),
    WorkflowState.STOPPED: QT_TRANSLATE_NOOP("words", "Stopped"),
    WorkflowState.ARCHIVED: QT_TRANSLATE_NOOP("words", "Put away"),
}
_RUN: dict[RunState, object] = {
    RunState.DONE: QT_TRANSLATE_NOOP("words", "Done"),
    RunState.RUNNING: QT_TRANSLATE_NOOP("words", "Running"),
    RunState.QUEUED: QT_TRANSLATE_NOOP("words", "Queued"),
    RunState.WAITING: QT_TRANSLATE_NOOP("words", "Waits for you"),
    RunState.RETRYING: QT_TRANSLATE_NOOP("words", "Retrying"),
    RunState.FAILED: QT_TRANSLATE_NOOP("words", "Failed"),
    RunState.CANCELLED: QT_TRANSLATE_NOOP("words", "Cancelled"),
    RunState.SKIPPED: QT_TRANSLATE_NOOP("words", "Skipped"),
    RunState.MISSED: QT_TRANSLATE_NOOP("words", "Missed"),
    RunState.REPLACED: QT_TRANSLATE_NOOP("words", "Replaced"),
    RunState.DROPPED: QT_TRANSLATE_NOOP("words", "Dropped"),
    RunState.COMING: QT_TRANSLATE_NOOP("words", "Coming"),
}
_TRAY: dict[TrayState, object] = {
    TrayState.ATTENTION: QT_TRANSLATE_NOOP("words", "Something needs you"),
    TrayState.ERROR: QT_TRANSLATE_NOOP("words", "Something went wrong"),
    TrayState.RUNNING: QT_TRANSLATE_NOOP("words", "Running"),
    TrayState.PAUSED: QT_TRANSLATE_NOOP("words", "Paused"),
    TrayState.OFFLINE: QT_TRANSLATE_NOOP("words", "No network"),
    TrayState.IDLE: QT_TRANSLATE_NOOP("words", "All is well"),
}


def say_workflow(state: WorkflowState) -> str:
    return QCoreApplication.translate("words", str(_WORKFLOW[state]))


def say_run(state: RunState) -> str:
    return QCoreApplication.translate("words", str(_RUN[state]))


def say_tray(state: TrayState) -> str:
    return QCoreApplication.translate("words", str(_TRAY[state]))
