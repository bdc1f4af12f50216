"""Translatable labels for the states of workflows, runs and the tray."""

from enum import StrEnum

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

from scheduler.rules.workflow_state import WorkflowState


class RunState(StrEnum):
    """The state of a planned or past run as shown to the user."""

    DONE = "done"
    RUNNING = "running"
    QUEUED = "queued"
    WAITING = "waiting"
    """For the user's answer."""
    RETRYING = "retrying"
    FAILED = "failed"
    CANCELLED = "cancelled"
    REJECTED = "rejected"
    """The user did not approve what it wanted to do."""
    EXPIRED = "expired"
    """Nobody answered in time."""
    SKIPPED = "skipped"
    MISSED = "missed"
    REPLACED = "replaced"
    """A later run took its place."""
    DROPPED = "dropped"
    COMING = "coming"
    """Planned for the future."""


class TrayState(StrEnum):
    """What the tray icon shows: the first that applies."""

    ATTENTION = "attention"
    ERROR = "error"
    RUNNING = "running"
    PAUSED = "paused"
    OFFLINE = "offline"
    IDLE = "idle"


_WORKFLOW_LABELS: dict[WorkflowState, object] = {
    WorkflowState.RUNNING: QT_TRANSLATE_NOOP("words", "Running"),
    WorkflowState.QUEUED: QT_TRANSLATE_NOOP("words", "Queued"),
    WorkflowState.IDLE: QT_TRANSLATE_NOOP("words", "Idle"),
    WorkflowState.RETRYING: QT_TRANSLATE_NOOP("words", "Retrying"),
    WorkflowState.NEEDS_ATTENTION: QT_TRANSLATE_NOOP("words", "Needs attention"),
    WorkflowState.FIXING: QT_TRANSLATE_NOOP("words", "Fixing"),
    WorkflowState.PAUSED: QT_TRANSLATE_NOOP("words", "Paused"),
    WorkflowState.MISSED: QT_TRANSLATE_NOOP("words", "Missed"),
    WorkflowState.FINISHED: QT_TRANSLATE_NOOP("words", "Finished"),
    WorkflowState.STOPPED: QT_TRANSLATE_NOOP("words", "Stopped"),
    WorkflowState.ARCHIVED: QT_TRANSLATE_NOOP("words", "Archived"),
}
_RUN_LABELS: dict[RunState, object] = {
    RunState.DONE: QT_TRANSLATE_NOOP("words", "Done"),
    RunState.RUNNING: QT_TRANSLATE_NOOP("words", "Running"),
    RunState.QUEUED: QT_TRANSLATE_NOOP("words", "Queued"),
    RunState.WAITING: QT_TRANSLATE_NOOP("words", "Waiting for you"),
    RunState.RETRYING: QT_TRANSLATE_NOOP("words", "Retrying"),
    RunState.FAILED: QT_TRANSLATE_NOOP("words", "Failed"),
    RunState.CANCELLED: QT_TRANSLATE_NOOP("words", "Cancelled"),
    RunState.REJECTED: QT_TRANSLATE_NOOP("words", "Rejected"),
    RunState.EXPIRED: QT_TRANSLATE_NOOP("words", "Expired"),
    RunState.SKIPPED: QT_TRANSLATE_NOOP("words", "Skipped"),
    RunState.MISSED: QT_TRANSLATE_NOOP("words", "Missed"),
    RunState.REPLACED: QT_TRANSLATE_NOOP("words", "Replaced"),
    RunState.DROPPED: QT_TRANSLATE_NOOP("words", "Dropped"),
    RunState.COMING: QT_TRANSLATE_NOOP("words", "Upcoming"),
}
_TRAY_LABELS: dict[TrayState, object] = {
    TrayState.ATTENTION: QT_TRANSLATE_NOOP("words", "Needs your attention"),
    TrayState.ERROR: QT_TRANSLATE_NOOP("words", "Something went wrong"),
    TrayState.RUNNING: QT_TRANSLATE_NOOP("words", "Running"),
    TrayState.PAUSED: QT_TRANSLATE_NOOP("words", "Paused"),
    TrayState.OFFLINE: QT_TRANSLATE_NOOP("words", "Offline"),
    TrayState.IDLE: QT_TRANSLATE_NOOP("words", "All is well"),
}


def workflow_state_label(state: WorkflowState) -> str:
    return QCoreApplication.translate("words", str(_WORKFLOW_LABELS[state]))


def run_state_label(state: RunState) -> str:
    return QCoreApplication.translate("words", str(_RUN_LABELS[state]))


def tray_state_label(state: TrayState) -> str:
    return QCoreApplication.translate("words", str(_TRAY_LABELS[state]))
