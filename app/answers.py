"""What a person may answer to a request: in words, and as the command that it gives."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.widgets.card import Importance
from scheduler.engine.workflows.views.requests import RequestView

translate = QCoreApplication.translate
OPEN, RECONNECT = "open", "reconnect"
"""Answers that lead to a page instead of giving a command."""
EDIT, ROLLBACK = "edit", "rollback"
SENT, SEND = "sent", "send"
"""Shows what a fixer was told, or would be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    id: str
    label: str
    done: str = ""
    """What is said once it was given."""
    verb: str = ""
    """The command; empty if it leads to a page."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    shortcut: str = ""
    importance: Importance = Importance.NORMAL
    undo: "Answer | None" = None
    """What takes it back, offered for a while."""


def list_answers(one: RequestView) -> tuple[Answer, ...]:
    """The first is what most people will choose."""
    match one.kind:
        case "approval" | "permission":
            return _yes_or_no(one)
        case "reconnect":
            label = translate("answers", "Reconnect…")
            return (Answer(id=RECONNECT, label=label, importance=Importance.PRIMARY),)
        case "unsure":
            return _did_it(one, translate("answers", "It happened"), translate("answers", "It didn't"))
        case "interrupted":
            return _did_it(one, translate("answers", "It had finished"), translate("answers", "Run it again"))
        case "script-error":
            return (_retry(one), *_send(one), *_mend(one), _open())
        case "fix":
            return (_apply(one), _leave_broken(one), _show_sent())
        case "repaired":
            return (_keep_repair(one), _take_repair_back(one), _show_sent())
        case _:
            return (_retry(one), _open())


def find_answer(one: RequestView, answer: str) -> Answer | None:
    return next((found for found in list_answers(one) if found.id == answer), None)


def _yes_or_no(one: RequestView) -> tuple[Answer, ...]:
    asked = {"request": one.id}
    is_approval = one.kind == "approval"
    yes = Answer(
        id="approve",
        label=translate("answers", "Approve") if is_approval else translate("answers", "Allow"),
        done=translate("answers", "You said yes. It goes on now."),
        verb="approve",
        arguments=asked,
        shortcut="Ctrl+Return",
        importance=Importance.PRIMARY,
    )
    no = Answer(
        id="reject",
        label=translate("answers", "Reject") if is_approval else translate("answers", "Don't allow"),
        done=translate("answers", "You said no. It is left out."),
        verb="reject",
        arguments=asked,
        shortcut="Ctrl+Backspace",
    )
    always = Answer(
        id="always",
        label=translate("answers", "Always allow this"),
        done=translate("answers", "You said yes, and will not be asked about this again."),
        verb="approve",
        arguments={**asked, "always": True},
    )
    return (yes, no, always) if is_approval else (yes, no)


def _did_it(one: RequestView, yes: str, no: str) -> tuple[Answer, ...]:
    thanks = translate("answers", "Thank you. It goes on from there.")
    skipped = translate("answers", "It is left as it is.")
    given = (("happened", yes, thanks), ("not-happened", no, thanks), ("skip", translate("answers", "Skip"), skipped))
    return tuple(
        Answer(id=id_, label=label, done=done, verb="resolve", arguments={"run": one.run, "answer": id_})
        for id_, label, done in given
    )


def _retry(one: RequestView) -> Answer:
    return Answer(
        id="retry",
        label=translate("answers", "Try again"),
        done=translate("answers", "It tries again now."),
        verb="retry",
        arguments={"target": one.run or one.workflow},
        importance=Importance.PRIMARY,
    )


def _roll_back(one: RequestView, **to: Any) -> Answer:
    """To the version named; where `current` is given, only if that one is still in use."""
    return Answer(
        id=ROLLBACK,
        label=translate("answers", "Roll back"),
        done=translate("answers", "The version before is in use again."),
        verb="rollback",
        arguments={"workflow": one.workflow, **to},
    )


def _apply(one: RequestView) -> Answer:
    base = one.ui.get("base") if isinstance(one.ui, dict) else None
    return Answer(
        id="approve",
        label=translate("answers", "Apply"),
        done=translate("answers", "The repaired script is in use."),
        verb="approve",
        arguments={"request": one.id},
        shortcut="Ctrl+Return",
        importance=Importance.PRIMARY,
        undo=_roll_back(one, version=base),
    )


def _leave_broken(one: RequestView) -> Answer:
    return Answer(
        id="reject",
        label=translate("answers", "No"),
        done=translate("answers", "The script stays as it is."),
        verb="reject",
        arguments={"request": one.id},
        shortcut="Ctrl+Backspace",
    )


def _keep_repair(one: RequestView) -> Answer:
    return Answer(
        id="approve",
        label=translate("answers", "Keep it"),
        done=translate("answers", "The repaired script stays in use."),
        verb="approve",
        arguments={"request": one.id},
        shortcut="Ctrl+Return",
        importance=Importance.PRIMARY,
    )


def _take_repair_back(one: RequestView) -> Answer:
    return Answer(
        id="reject",
        label=translate("answers", "Roll back"),
        done=translate("answers", "The version before is in use again."),
        verb="reject",
        arguments={"request": one.id},
    )


def _mend(one: RequestView) -> tuple[Answer, ...]:
    """By hand, or with the version before, where one has worked."""
    edit = Answer(id=EDIT, label=translate("answers", "Edit"))
    fault = one.fault
    if fault is None or fault.earlier is None:
        return () if fault is None else (edit,)
    return (edit, _roll_back(one, version=fault.earlier, current=fault.version))


def _send(one: RequestView) -> tuple[Answer, ...]:
    """Where somebody repairs scripts once the person has looked at what is sent."""
    if not isinstance(one.ui, dict) or "sends" not in one.ui:
        return ()
    label, done = translate("answers", "Have it repaired…"), translate("answers", "A repair is being prepared.")
    return (Answer(id=SEND, label=label, done=done, verb="fix_start", arguments={"run": one.run}),)


def _show_sent() -> Answer:
    return Answer(id=SENT, label=translate("answers", "See what was sent"))


def _open() -> Answer:
    return Answer(id=OPEN, label=translate("answers", "Open"))
