"""What a person is asked, in words: whose it is, exactly what would be done, and the answers with their commands."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.look.theme import Tone
from app.notices.notice import Urgency
from app.notices.problems import Problem
from app.overview import Overview
from app.widgets.card import Action, CardValue, Importance
from app.widgets.details import Pairs, Prose, Section, Table, read_details
from app.widgets.signs import Sign
from app.words import repairs
from app.words.connectors import say_connector, say_parameters
from app.words.interpreting import interpret
from app.words.times import say_time
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry, parse_name
from scheduler.engine.workflows.views.requests import RequestView

translate = QCoreApplication.translate
OPEN, RECONNECT = "open", "reconnect"
"""Answers that lead to a page instead of giving a command."""
ROLLBACK = "rollback"
SENT, SEND = "sent", "send"
"""Shows what a fixer was told, or would be."""
LOOK = "look"
"""Of a notice: there is more to see than it has room for."""


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
            return (_retry(one), *_send(one), _roll_back(one), _open())
        case "fix":
            return (_apply(one), _leave_broken(one), _show_sent())
        case "repaired":
            return (_keep_repair(one), _take_repair_back(one), _show_sent())
        case _:
            return (_retry(one), _open())


def find_answer(one: RequestView, answer: str) -> Answer | None:
    return next((found for found in list_answers(one) if found.id == answer), None)


def make_problem(one: RequestView, overview: Overview) -> Problem:
    """What a notice says; it has room for two buttons."""
    answers = [answer for answer in list_answers(one) if answer.id not in ("always", ROLLBACK, SEND)][:2]
    if one.kind in repairs.KINDS:  # a script is read before it is used
        answers = [Answer(id=LOOK, label=translate("answers", "Look at it"))]
    name = ", ".join(overview.name_of(workflow) for workflow in one.workflows)
    group = one.subject if one.kind in ("reconnect", "keyring") else name
    return Problem(
        key=one.id,
        title=name,
        text=say_request(one),
        actions=tuple((answer.id, answer.label) for answer in answers),
        urgency=Urgency.CRITICAL if one.kind in ("approval", "permission", "unsure") else Urgency.NORMAL,
        group=group,
        is_question=one.kind in ("approval", "permission"),
        since=one.created,
    )


def make_card(one: RequestView, overview: Overview, registry: Registry) -> CardValue:
    return CardValue(
        id=one.id,
        sign=sign_request(one.kind),
        title=", ".join(overview.name_of(name) for name in one.workflows),
        when=say_time(one.created.replace(second=0, microsecond=0), overview.zone, overview.now),
        sentence=say_request(one),
        details=_detail(one, registry),
        actions=tuple(
            Action(id=answer.id, label=answer.label, shortcut=answer.shortcut, importance=answer.importance)
            for answer in list_answers(one)
            if answer.id != ROLLBACK or _has_versions(one.workflow, overview)
        ),
    )


def sign_request(kind: str) -> Sign:
    attention, bad = Tone.ATTENTION, Tone.BAD
    glyph, word, tone = {
        "approval": ("attention", translate("answers", "Asks for your approval"), attention),
        "permission": ("attention", translate("answers", "Asks for permission"), attention),
        "reconnect": ("connection", translate("answers", "Lost its account"), attention),
        "keyring": ("connection", translate("answers", "Waits for the keyring"), attention),
        "unsure": ("attention", translate("answers", "Did it happen?"), attention),
        "interrupted": ("attention", translate("answers", "Was interrupted"), attention),
        "script-error": ("failed", translate("answers", "Script error"), bad),
        "fix": ("fixing", translate("answers", "Repair is ready"), attention),
        "repaired": ("fixing", translate("answers", "Was repaired"), attention),
        "too-many-failures": ("failed", translate("answers", "Keeps failing"), bad),
    }.get(kind, ("stopped", translate("answers", "Stopped"), bad))
    return Sign(glyph=glyph, word=word, tone=tone)


def _has_versions(workflow: str, overview: Overview) -> bool:
    """Whether there is one to go back to."""
    return any(one.workflow == workflow and one.version > 1 for one in overview.workflows)


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


def _roll_back(one: RequestView) -> Answer:
    return Answer(
        id=ROLLBACK,
        label=translate("answers", "Roll back"),
        done=translate("answers", "The version before is in use again."),
        verb="rollback",
        arguments={"workflow": one.workflow},
    )


def _apply(one: RequestView) -> Answer:
    base = one.ui.get("base") if isinstance(one.ui, dict) else None
    back = Answer(
        id=ROLLBACK,
        label=translate("answers", "Roll back"),
        done=translate("answers", "The version before is in use again."),
        verb="rollback",
        arguments={"workflow": one.workflow, "version": base},
    )
    return Answer(
        id="approve",
        label=translate("answers", "Apply"),
        done=translate("answers", "The repaired script is in use."),
        verb="approve",
        arguments={"request": one.id},
        shortcut="Ctrl+Return",
        importance=Importance.PRIMARY,
        undo=back,
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


def say_request(one: RequestView) -> str:
    """What it asks; an approval in the script's own words."""
    if repairs.is_about_repair(one):
        return repairs.say_repair(one)
    return one.sentence if one.kind == "approval" else interpret(one.sentence)


def _detail(one: RequestView, registry: Registry) -> tuple[Section, ...]:
    if repairs.is_about_repair(one):
        return tuple(repairs.show_repair(one.ui))
    return _describe(one, registry) if one.kind == "script-error" else (*_show(one.ui), *_describe(one, registry))


def _show(ui: Any) -> tuple[Section, ...]:
    """What the script adds, in the same readable form as everything else."""
    if ui in (None, "", {}, []):
        return ()
    return (Section(title="", body=Prose(text=ui)),) if isinstance(ui, str) else read_details(ui)


def _describe(one: RequestView, registry: Registry) -> tuple[Section, ...]:
    """Exactly what would be done: with what, which tool in words, and every parameter."""
    connection, tool, parameters = _call_of(one)
    if not connection:
        return ()
    pairs = [(translate("answers", "With"), say_connection(connection, registry))]
    if tool:
        pairs.append((translate("answers", "Action"), say_tool(connection, tool, registry)))
    return (
        Section(title="", body=Pairs(pairs=tuple(pairs))),
        *_number_rows(read_details(say_parameters(parameters or {}))),
    )


def _call_of(one: RequestView) -> tuple[str, str, Any]:
    if one.call:
        return one.call["connection"], one.call["tool"], one.call["parameters"]
    if one.kind == "reconnect":
        return one.subject, "", None
    if one.kind == "permission":
        _, connection, tool = [*one.subject.split(" "), "", ""][:3]
        return connection, tool, None
    return "", "", None


def say_connection(name: str, registry: Registry) -> str:
    try:
        kind, own = parse_name(name)
        return f"{own} ({say_connector(registry.connector(kind).title)})"
    except ConnectionRuleError:
        return name


def say_tool(connection: str, tool: str, registry: Registry) -> str:
    try:
        return interpret(registry.tool(connection, tool).help)
    except ConnectionRuleError:
        return tool


def _number_rows(sections: tuple[Section, ...]) -> tuple[Section, ...]:
    """A long table scrolls, so its title says how many rows there are."""
    return tuple(
        Section(title=f"{section.title} ({len(section.body.rows)})", body=section.body)
        if section.title and isinstance(section.body, Table)
        else section
        for section in sections
    )
