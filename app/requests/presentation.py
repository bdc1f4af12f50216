"""A request as people see it, on a card or in a notice: whose it is, what it asks, and exactly what would be done."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.answers import EDIT, ROLLBACK, SEND, Answer, list_answers
from app.call_summary import summarize_call
from app.look.theme import Tone
from app.notices.notice import Urgency
from app.notices.problems import Problem
from app.overview import Overview
from app.widgets.card import Action, CardValue
from app.widgets.details import Pairs, Prose, Section, read_details
from app.widgets.plain import cut
from app.widgets.server_names import MAX_VALUES, find_look_alikes
from app.widgets.signs import Sign
from app.widgets.value_text import say_value, write_json
from app.words import repairs
from app.words.connectors import name_parameters, say_connector
from app.words.interpreting import interpret
from app.words.targets import say_target
from app.words.times import say_number, say_time
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry, parse_name
from scheduler.engine.workflows.views.requests import RequestView

translate = QCoreApplication.translate
LOOK = "look"
"""Of a notification: there is more to see than it has room for."""
_MAX_QUOTED = 160
"""Characters of a script's sentence in a notification."""


def make_problem(one: RequestView, overview: Overview) -> Problem:
    """What a notification says; it has room for two buttons."""
    answers = [answer for answer in list_answers(one) if answer.id not in ("always", EDIT, ROLLBACK, SEND)][:2]
    if one.kind in repairs.KINDS or not _says_enough(one, overview):
        answers = [Answer(id=LOOK, label=translate("answers", "Review"))]
    name = ", ".join(overview.name_of(workflow) for workflow in one.workflows)
    group = one.subject if one.kind in ("reconnect", "keyring") else name
    return Problem(
        key=one.id,
        title=name,
        text="\n".join(line for line in (say_shortly(one, overview), _quote_script(one)) if line),
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
        sentence=summarize_call(one.call, registry).headline if _is_asked_by_script(one) else say_request(one),
        details=_detail(one, overview, registry),
        quoted=(*_show(one.sentence), *_show(one.ui)) if _is_asked_by_script(one) else (),
        raw=(lambda: write_json(one.call)) if one.call else None,
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


def say_shortly(one: RequestView, overview: Overview) -> str:
    """What it asks, in our words: what a script says of its own call is no summary of it."""
    summary = overview.summaries.get(one.id) if _is_asked_by_script(one) else None
    if summary is not None:
        return summary.text
    return translate("answers", "Asks for your approval") if _is_asked_by_script(one) else say_request(one)


def _is_asked_by_script(one: RequestView) -> bool:
    """Whether its sentence is the script's own."""
    return one.kind == "approval" and bool(one.call)


def _says_enough(one: RequestView, overview: Overview) -> bool:
    """Whether somebody who has read only the notification may answer it."""
    summary = overview.summaries.get(one.id)
    return not _is_asked_by_script(one) or (summary is not None and summary.is_complete)


def _quote_script(one: RequestView) -> str:
    if not _is_asked_by_script(one):
        return ""
    words = cut(" ".join(one.sentence[: 2 * _MAX_QUOTED].split()), _MAX_QUOTED)
    return translate("answers", "The script says: {words}").format(words=words)


def _detail(one: RequestView, overview: Overview, registry: Registry) -> tuple[Section, ...]:
    if repairs.is_about_repair(one):
        return tuple(repairs.show_repair(one.ui))
    if one.kind == "script-error":
        return _quote(one)
    return (*_describe(one, overview, registry), *(() if _is_asked_by_script(one) else _show(one.ui)))


def _quote(one: RequestView) -> tuple[Section, ...]:
    """The line at which a script failed."""
    if one.fault is None or not one.fault.text:
        return ()
    title = translate("answers", "Line {number}").format(number=one.fault.line)
    return (Section(title=title, body=Prose(text=one.fault.text, is_code=True)),)


def _show(ui: Any) -> tuple[Section, ...]:
    """What the script says, in the same readable form as everything else."""
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
    pairs += _say_endpoint(connection, call.get("endpoint"), registry)
    if tool:
        pairs.append((translate("answers", "Action"), say_tool(connection, tool, registry)))
    if said := say_target(call.get("target"), overview.zone, overview.now):
        pairs.append((translate("answers", "Currently there"), said))
    details = read_details(parameters or {}, name_parameters(), [label for label, _ in pairs])
    return (*_warn(parameters), *_put_before(tuple(pairs), details))


def _put_before(pairs: tuple[tuple[str, str], ...], details: tuple[Section, ...]) -> tuple[Section, ...]:
    """In one column with those of the call, where it has any."""
    if details and isinstance(details[0].body, Pairs):
        joined = replace(details[0], body=Pairs(pairs=(*pairs, *details[0].body.pairs)))
        return (joined, *details[1:])
    return (Section(title="", body=Pairs(pairs=pairs)), *details)


def _warn(parameters: Any) -> tuple[Section, ...]:
    """Addresses that could be taken for others, before anything else."""
    checked = find_look_alikes(parameters)
    alike = translate("answers", "{wire} looks like {meant} but is a different server.")
    lines = [alike.format(wire=one.wire, meant=one.meant) for one in checked.look_alikes]
    if not checked.is_whole:
        more = translate("answers", "Only the first {number} values were checked for look-alike addresses.")
        lines.append(more.format(number=say_number(MAX_VALUES)))
    title = translate("answers", "Check these addresses") if checked.look_alikes else ""
    return (Section(title=title, body=Prose(text="\n".join(lines)), tone=Tone.BAD),) if lines else ()


def _call_of(one: RequestView) -> tuple[str, str, Any]:
    if one.call:
        connection, tool = (one.call.get(key) for key in ("connection", "tool"))
        return _as_text(connection), _as_text(tool), one.call.get("parameters")
    if one.kind == "reconnect":
        return one.subject, "", None
    if one.kind == "permission":
        _, connection, tool = [*one.subject.split(" "), "", ""][:3]
        return connection, tool, None
    return "", "", None


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else say_value(value)


def say_connection(name: str, registry: Registry) -> str:
    try:
        kind, own = parse_name(name)
        return f"{own} ({say_connector(registry.connector(kind).title)})"
    except ConnectionRuleError:
        return name


def _say_endpoint(connection: str, endpoint: Any, registry: Registry) -> list[tuple[str, str]]:
    """Which account or folder the connection leads to, by the names of its fields."""
    try:
        fields = registry.connector(parse_name(connection)[0]).fields
    except ConnectionRuleError:
        return []
    given = endpoint if isinstance(endpoint, Mapping) else {}
    return [(say_connector(one.label), say_value(given[one.name])) for one in fields if one.name in given]


def say_tool(connection: str, tool: str, registry: Registry) -> str:
    try:
        return interpret(registry.tool(connection, tool).help)
    except ConnectionRuleError:
        return tool
