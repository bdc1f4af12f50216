"""A request as people see it, on a card or in a notice: whose it is, what it asks, and exactly what would be done."""

from typing import Any

from PySide6.QtCore import QCoreApplication

from app.answers import EDIT, ROLLBACK, SEND, Answer, list_answers
from app.look.theme import Tone
from app.notices.notice import Urgency
from app.notices.problems import Problem
from app.overview import Overview
from app.widgets.card import Action, CardValue
from app.widgets.details import Pairs, Prose, Section, Table, read_details
from app.widgets.signs import Sign
from app.words import repairs
from app.words.connectors import say_connector, say_parameters
from app.words.interpreting import interpret
from app.words.targets import say_target
from app.words.times import say_time
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry, parse_name
from scheduler.engine.workflows.views.requests import RequestView

translate = QCoreApplication.translate
LOOK = "look"
"""Of a notice: there is more to see than it has room for."""


def make_problem(one: RequestView, overview: Overview) -> Problem:
    """What a notice says; it has room for two buttons."""
    answers = [answer for answer in list_answers(one) if answer.id not in ("always", EDIT, ROLLBACK, SEND)][:2]
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
        details=_detail(one, overview, registry),
        actions=tuple(
            Action(id=answer.id, label=answer.label, shortcut=answer.shortcut, importance=answer.importance)
            for answer in list_answers(one)
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


def say_request(one: RequestView) -> str:
    """What it asks; an approval in the script's own words."""
    if repairs.is_about_repair(one):
        return repairs.say_repair(one)
    return one.sentence if one.kind == "approval" else interpret(one.sentence)


def _detail(one: RequestView, overview: Overview, registry: Registry) -> tuple[Section, ...]:
    if repairs.is_about_repair(one):
        return tuple(repairs.show_repair(one.ui))
    if one.kind == "script-error":
        return _quote(one)
    return (*_show(one.ui), *_describe(one, overview, registry))


def _quote(one: RequestView) -> tuple[Section, ...]:
    """The line at which a script failed."""
    if one.fault is None or not one.fault.text:
        return ()
    title = translate("answers", "Line {number}").format(number=one.fault.line)
    return (Section(title=title, body=Prose(text=one.fault.text, is_code=True)),)


def _show(ui: Any) -> tuple[Section, ...]:
    """What the script adds, in the same readable form as everything else."""
    if ui in (None, "", {}, []):
        return ()
    return (Section(title="", body=Prose(text=ui)),) if isinstance(ui, str) else read_details(ui)


def _describe(one: RequestView, overview: Overview, registry: Registry) -> tuple[Section, ...]:
    """Exactly what would be done: with what, which tool in words, and every parameter."""
    connection, tool, parameters = _call_of(one)
    if not connection:
        return ()
    pairs = [(translate("answers", "With"), say_connection(connection, registry))]
    call = one.call or {}
    pairs += _say_endpoint(connection, call.get("endpoint") or {}, registry)
    if tool:
        pairs.append((translate("answers", "Action"), say_tool(connection, tool, registry)))
    if said := say_target(call.get("target"), overview.zone, overview.now):
        pairs.append((translate("answers", "There now"), said))
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


def _say_endpoint(connection: str, endpoint: dict[str, str], registry: Registry) -> list[tuple[str, str]]:
    """Which account or folder the connection leads to, by the names of its fields."""
    try:
        fields = registry.connector(parse_name(connection)[0]).fields
    except ConnectionRuleError:
        return []
    return [(say_connector(one.label), endpoint[one.name]) for one in fields if one.name in endpoint]


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
