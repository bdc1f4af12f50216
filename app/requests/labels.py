"""The labels and icons of every kind of request and every action."""

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from app.theme.tokens import Tone
from app.widgets.status_signs import StatusSign
from scheduler.rules.requests import ENDED_BY_DEPLOY, REQUESTS, RequestAction, RequestKind

translate = QCoreApplication.translate


class ActionLabel(NamedTuple):
    label: str
    done: str = ""
    """What is shown once it was carried out."""
    given: str = ""
    """What is shown while it can be undone; empty if it is carried out at once."""


def label_action(kind: RequestKind, action: RequestAction) -> ActionLabel:
    return _special_labels().get((kind, action)) or _labels()[action]


def sign_request(kind: RequestKind) -> StatusSign:
    attention, bad = Tone.ATTENTION, Tone.BAD
    glyph, word, tone = {
        RequestKind.APPROVAL: ("attention", translate("answers", "Asks for your approval"), attention),
        RequestKind.QUESTION: ("attention", translate("answers", "Has a question"), attention),
        RequestKind.PERMISSION: ("attention", translate("answers", "Asks for permission"), attention),
        RequestKind.RECONNECT: ("connection", translate("answers", "Not connected"), attention),
        RequestKind.KEYRING: ("connection", translate("answers", "Waiting for the keyring"), attention),
        RequestKind.UNSURE: ("attention", translate("answers", "Did it happen?"), attention),
        RequestKind.INTERRUPTED: ("attention", translate("answers", "Was interrupted"), attention),
        RequestKind.SCRIPT_ERROR: ("failed", translate("answers", "Script error"), bad),
        RequestKind.RUN_FAILED: ("failed", translate("answers", "Failed"), bad),
        RequestKind.RUN_INTERRUPTED: ("attention", translate("answers", "Was interrupted"), attention),
        RequestKind.PROBLEM: ("attention", translate("answers", "Reports a problem"), attention),
        RequestKind.PING_FAILED: ("connection", translate("answers", "Ping failed"), attention),
        RequestKind.OVERDUE: ("missed", translate("answers", "Overdue"), attention),
        RequestKind.UNUSUAL_DURATION: ("attention", translate("answers", "Unusual duration"), attention),
        RequestKind.FIX: ("fixing", translate("answers", "Repair is ready"), attention),
        RequestKind.REPAIRED: ("fixing", translate("answers", "Was repaired"), attention),
        RequestKind.TOO_MANY_FAILURES: ("failed", translate("answers", "Keeps failing"), bad),
        RequestKind.INTERNAL: ("stopped", translate("answers", "Stopped"), bad),
    }[kind]
    return StatusSign(glyph=glyph, word=word, tone=tone)


def _labels() -> dict[RequestAction, ActionLabel]:
    continues = translate("answers", "Thank you. The workflow continues.")
    not_again = translate("answers", "Approved. You won't be asked about this again.")
    answered, skipped, dismissed = (
        translate("answers", "Answered."),
        translate("answers", "Skipped."),
        translate("answers", "Dismissed."),
    )
    return {
        RequestAction.APPROVE: ActionLabel(
            translate("answers", "Approve"),
            translate("answers", "Approved. Continuing…"),
            translate("answers", "Approved."),
        ),
        RequestAction.EDIT_CALL: ActionLabel(
            translate("answers", "Edit…"),
            translate("answers", "Approved with your changes. Continuing…"),
            translate("answers", "Approved with your changes."),
        ),
        RequestAction.ANSWER: ActionLabel(
            translate("answers", "Answer"), translate("answers", "Answered. Continuing…"), answered
        ),
        RequestAction.REJECT: ActionLabel(
            translate("answers", "Reject"),
            translate("answers", "Rejected; skipped."),
            translate("answers", "Rejected."),
        ),
        RequestAction.ALWAYS: ActionLabel(
            translate("answers", "Always allow this"),
            not_again,
            not_again,
        ),
        RequestAction.RECONNECT: ActionLabel(translate("answers", "Connect…")),
        RequestAction.HAPPENED: ActionLabel(translate("answers", "It happened"), continues, answered),
        RequestAction.NOT_HAPPENED: ActionLabel(translate("answers", "It didn't"), continues, answered),
        RequestAction.SKIP: ActionLabel(translate("answers", "Skip"), skipped, skipped),
        RequestAction.RETRY: ActionLabel(translate("answers", "Try again"), translate("answers", "Trying again…")),
        RequestAction.RESUME: ActionLabel(
            translate("answers", "Resume"), translate("answers", "Resumed; it runs at its next time.")
        ),
        RequestAction.REPAIR: ActionLabel(
            translate("answers", "Have it repaired…"), translate("answers", "A repair is being prepared.")
        ),
        RequestAction.EDIT: ActionLabel(translate("answers", "Edit")),
        RequestAction.ROLLBACK: ActionLabel(
            translate("answers", "Roll back"), translate("answers", "Rolled back to the previous version.")
        ),
        RequestAction.SHOW_SENT: ActionLabel(translate("answers", "Show what was sent")),
        RequestAction.OPEN: ActionLabel(translate("answers", "Open")),
        RequestAction.SHOW_LOG: ActionLabel(translate("answers", "Show log")),
        RequestAction.DISMISS: ActionLabel(translate("answers", "Dismiss"), dismissed, dismissed),
    }


def _special_labels() -> dict[tuple[RequestKind, RequestAction], ActionLabel]:
    """Labels of actions that differ for one kind of request."""
    labels = _labels()
    rolled_back = labels[RequestAction.ROLLBACK]
    stays, unchanged = (
        translate("answers", "The repaired script stays in use."),
        translate("answers", "The script was not changed."),
    )
    answered, dismiss = labels[RequestAction.ANSWER].given, labels[RequestAction.DISMISS].label
    stopped = translate("answers", "Dismissed. It stays stopped until you try again on the page of the workflow.")
    run_again = ActionLabel(translate("answers", "Run again"), translate("answers", "Running again…"))
    return {
        **{
            (kind, RequestAction.DISMISS): ActionLabel(dismiss, stopped, stopped)
            for kind, spec in REQUESTS.items()
            if spec.can_be_dismissed and not spec.is_report
        },
        (RequestKind.RUN_FAILED, RequestAction.RETRY): run_again,
        (RequestKind.RUN_INTERRUPTED, RequestAction.RETRY): run_again,
        (RequestKind.TOO_MANY_FAILURES, RequestAction.RETRY): run_again,
        **{(kind, RequestAction.OPEN): ActionLabel(translate("answers", "Open workflow")) for kind in ENDED_BY_DEPLOY},
        (RequestKind.PERMISSION, RequestAction.APPROVE): ActionLabel(
            translate("answers", "Allow"),
            translate("answers", "Allowed. Continuing…"),
            translate("answers", "Allowed."),
        ),
        (RequestKind.PERMISSION, RequestAction.REJECT): ActionLabel(
            translate("answers", "Don't allow"),
            translate("answers", "Not allowed; skipped."),
            translate("answers", "Not allowed."),
        ),
        (RequestKind.INTERRUPTED, RequestAction.HAPPENED): ActionLabel(
            translate("answers", "It had finished"), labels[RequestAction.HAPPENED].done, answered
        ),
        (RequestKind.INTERRUPTED, RequestAction.NOT_HAPPENED): ActionLabel(
            translate("answers", "Run it again"), labels[RequestAction.RETRY].done, answered
        ),
        (RequestKind.FIX, RequestAction.APPROVE): ActionLabel(
            translate("answers", "Apply"),
            translate("answers", "The repaired script is now in use."),
            translate("answers", "Applied."),
        ),
        (RequestKind.FIX, RequestAction.REJECT): ActionLabel(translate("answers", "Don't apply"), unchanged, unchanged),
        (RequestKind.REPAIRED, RequestAction.APPROVE): ActionLabel(translate("answers", "Keep it"), stays, stays),
        (RequestKind.REPAIRED, RequestAction.REJECT): rolled_back._replace(given=translate("answers", "Rolled back.")),
    }
