"""A request as the user sees it on a card or in a notification: whose it is, what it asks, what would be done."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.i18n.connector_labels import label_choice, parameter_labels, translate_connector_text
from app.i18n.time_text import format_day_and_time, format_number
from app.i18n.translate import translate_text
from app.notifications.content import OpenProblem
from app.notifications.notification import Urgency
from app.overview import Overview
from app.requests import request_text
from app.requests.actions import OfferedAction, list_actions
from app.requests.call_summary import summarize_call
from app.requests.forms import label_confirmation
from app.requests.groups import count_others_in_scope
from app.requests.labels import sign_request
from app.requests.request_text import MAX_QUOTED, describe_target
from app.theme.tokens import Tone
from app.widgets.details import DetailSection, Pairs, TextBlock, make_sections
from app.widgets.request_card import CardAction, CardContent
from app.widgets.server_names import MAX_VALUES, find_look_alikes
from app.widgets.value_text import format_json, format_value
from app.widgets.visible_text import truncate
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry, parse_name
from scheduler.engine.queries.requests import FailedRunView, RequestView
from scheduler.rules.expiry import OnExpiry
from scheduler.rules.requests import REQUESTS, RequestAction, RequestKind

translate = QCoreApplication.translate
REVIEW = "look"
"""The button of a notification that has no room for everything the user must see."""
_NEEDS_ROOM = (
    RequestAction.ALWAYS,
    RequestAction.EDIT,
    RequestAction.EDIT_CALL,
    RequestAction.ROLLBACK,
    RequestAction.REPAIR,
)
"""Not offered in a notification."""
_URGENT = (RequestKind.APPROVAL, RequestKind.QUESTION, RequestKind.PERMISSION, RequestKind.UNSURE)
_MAX_OUTPUT_LINES = 3
"""Of a failed run's output in a notification."""


def make_problem(one: RequestView, overview: Overview) -> OpenProblem:
    """What a notification says; it has room for two buttons."""
    answers = [answer for answer in list_actions(one) if answer.id not in _NEEDS_ROOM][:2]
    is_form = one.kind is RequestKind.QUESTION
    if is_form or REQUESTS[one.kind].concerns_repair or not _says_enough(one, overview):
        answers = [OfferedAction(id=REVIEW, label=translate("answers", "Review"))]
    name = name_request(one, overview)
    quoted = request_text.quote_sentence(one) if _is_asked_by_script(one) else ""
    lines = (summarize_request(one, overview), quoted, *_quote_run(one), _remind(one, overview))
    group = one.subject if one.kind in (RequestKind.RECONNECT, RequestKind.KEYRING) else overview.name_of(one.workflow)
    return OpenProblem(
        key=one.id,
        title=name,
        text="\n".join(line for line in lines if line),
        actions=tuple((answer.id, answer.label) for answer in answers),
        urgency=Urgency.CRITICAL if one.kind in _URGENT else Urgency.NORMAL,
        group=group,
        is_question=one.kind in (RequestKind.APPROVAL, RequestKind.QUESTION, RequestKind.PERMISSION),
        count=one.failed_run.failures if one.failed_run is not None and one.failed_run.reason else 1,
        reminders=0 if one.reminded is None else 1,
        since=one.created,
    )


def make_card(one: RequestView, overview: Overview, registry: Registry) -> CardContent:
    return CardContent(
        id=one.id,
        sign=sign_request(one.kind),
        title=name_request(one, overview),
        when=" · ".join(
            part for part in (_format_time(one.created, overview), _describe_expiry(one, overview)) if part
        ),
        sentence=summarize_call(one.call, registry).headline if _is_asked_by_script(one) else describe_request(one),
        details=_detail(one, overview, registry),
        script_sections=(*_show(request_text.find_own_sentence(one)), *_show(one.ui)) if _quotes_script(one) else (),
        exact_call=(lambda: format_json(one.call)) if one.call else None,
        actions=tuple(
            _make_action(answer, count_others_in_scope(one, overview.requests)) for answer in list_actions(one)
        ),
    )


def _format_time(at: datetime, overview: Overview) -> str:
    return format_day_and_time(at.replace(second=0, microsecond=0), overview.zone, overview.now)


def _describe_expiry(one: RequestView, overview: Overview) -> str:
    if one.expires is None:
        return ""
    words = translate("answers", "expires {time}")
    if one.on_expiry == OnExpiry.LEAVE:
        words = translate("answers", "please answer by {time}")
    return words.format(time=_format_time(one.expires, overview))


def _remind(one: RequestView, overview: Overview) -> str:
    """The line of a reminder; empty before there was one."""
    if one.reminded is None or one.expires is None:
        return ""
    words = translate("answers", "Reminder: expires {time} and then counts as rejected.")
    if one.on_expiry == OnExpiry.LEAVE:
        words = translate("answers", "Reminder: please answer by {time}.")
    return words.format(time=_format_time(one.expires, overview))


def _make_action(answer: OfferedAction, others: int) -> CardAction:
    is_opened = bool(answer.form) and answer.id != RequestAction.ANSWER
    label = _add_others(answer, others)
    if answer.id == RequestAction.REJECT and is_opened:
        label = translate("answers", "Reject…")
    return CardAction(
        id=answer.id,
        label=label,
        shortcut=answer.shortcut,
        importance=answer.importance,
        form=answer.form,
        confirm=label_confirmation(RequestAction(answer.id)) if is_opened else "",
        only_changes=answer.id == RequestAction.EDIT_CALL,
    )


def _add_others(answer: OfferedAction, others: int) -> str:
    """The label of its button; "Always allow this" says how many other requests it answers."""
    if answer.id != RequestAction.ALWAYS or not others:
        return answer.label
    if others == 1:
        return translate("answers", "Always allow this, and approve 1 other")
    return translate("answers", "Always allow this, and approve {number} others").format(number=others)


def name_request(one: RequestView, overview: Overview) -> str:
    """The workflows that it is about, or the job."""
    if len(one.workflows) == 1:
        return overview.name_of(one.workflows[0], one.job)
    return ", ".join(overview.name_of(name) for name in one.workflows)


def describe_request(one: RequestView) -> str:
    """What it asks; an approval in the script's own words."""
    if request_text.is_repair(one):
        return request_text.describe_repair(one)
    if one.failed_run is not None:
        return translate_text(one.failed_run.summary)
    if one.kind is RequestKind.QUESTION:
        return translate("answers", "Wants to know something before it continues")
    return one.sentence if one.kind is RequestKind.APPROVAL else translate_text(one.sentence)


def summarize_request(one: RequestView, overview: Overview) -> str:
    """What it asks, in our words: a script's own description of its call is not trusted as a summary."""
    if one.kind is RequestKind.QUESTION:
        return request_text.quote_question(one)
    summary = overview.summaries.get(one.id) if _is_asked_by_script(one) else None
    if summary is not None:
        return summary.text
    return translate("answers", "Asks for your approval") if _is_asked_by_script(one) else describe_request(one)


def summarize_problem(one: RequestView, overview: Overview) -> str:
    """What it asks, or for a run that failed what went wrong: its name and time are shown beside it."""
    failed = one.failed_run
    if failed is None:
        return summarize_request(one, overview)
    last = next((line for line in reversed(failed.output.splitlines()) if line.strip()), "")
    often = translate_text(failed.summary).rstrip(".") if failed.failures > 1 else ""
    parts = (often, truncate(last.strip(), MAX_QUOTED) or translate_text(failed.reason))
    return " · ".join(part for part in parts if part) or summarize_request(one, overview)


def _is_asked_by_script(one: RequestView) -> bool:
    """Whether its sentence is the script's own."""
    return one.kind is RequestKind.APPROVAL and bool(one.call)


def _quotes_script(one: RequestView) -> bool:
    return _is_asked_by_script(one) or one.kind is RequestKind.QUESTION


def _says_enough(one: RequestView, overview: Overview) -> bool:
    """Whether the notification shows all that the user must know before answering."""
    summary = overview.summaries.get(one.id)
    return not _is_asked_by_script(one) or (summary is not None and summary.is_complete)


def _quote_run(one: RequestView) -> list[str]:
    """What failed: the command, or else the reason, and the last lines that it printed."""
    failed = one.failed_run
    if failed is None:
        return []
    what = failed.command or translate_text(failed.reason)
    return [truncate(line, MAX_QUOTED) for line in (what, *failed.output.splitlines()[-_MAX_OUTPUT_LINES:])]


def _detail(one: RequestView, overview: Overview, registry: Registry) -> tuple[DetailSection, ...]:
    if request_text.is_repair(one):
        return tuple(request_text.repair_sections(one.ui))
    if one.kind is RequestKind.SCRIPT_ERROR:
        return _quote(one)
    if one.failed_run is not None:
        return (*_describe_failed_run(one.failed_run, overview), *_quote(one))
    return (*_describe(one, overview, registry), *(() if _quotes_script(one) else _show(one.ui)))


def _quote(one: RequestView) -> tuple[DetailSection, ...]:
    """The line where a script failed."""
    if one.fault is None or not one.fault.text:
        return ()
    title = translate("answers", "Line {number}").format(number=one.fault.line)
    return (DetailSection(title=title, body=TextBlock(text=one.fault.text, is_code=True)),)


def _describe_failed_run(failed: FailedRunView, overview: Overview) -> tuple[DetailSection, ...]:
    """Why it failed, the real command, the last lines that it printed, and when it runs next."""
    later = translate("answers", "Not before you resume it or run it again")
    if failed.next_at is not None:
        later = format_day_and_time(failed.next_at, overview.zone, overview.now)
    given = (
        (translate("answers", "Reason"), translate_text(failed.reason)),
        (translate("answers", "Command"), failed.command),
        (translate("answers", "Next run"), later),
    )
    pairs = [(label, text) for label, text in given if text]
    body = TextBlock(text=failed.output, is_code=True)
    if not failed.output:
        body = TextBlock(text=translate("answers", "It printed nothing."))
    output = DetailSection(title=translate("answers", "Last output"), body=body)
    return DetailSection(title="", body=Pairs(pairs=tuple(pairs))), output


def _show(ui: Any) -> tuple[DetailSection, ...]:
    """What the script says, in the same readable form as everything else."""
    if ui in (None, "", {}, []):
        return ()
    return (DetailSection(title="", body=TextBlock(text=ui)),) if isinstance(ui, str) else make_sections(ui)


def _describe(one: RequestView, overview: Overview, registry: Registry) -> tuple[DetailSection, ...]:
    """Exactly what would be done: the connection, the tool in words, and every parameter."""
    connection, _, parameters = _call_of(one)
    if not connection:
        return ()
    pairs = list_action_facts(one, registry)
    call = one.call or {}
    if said := describe_target(call.get("target"), overview.zone, overview.now):
        pairs.append((translate("answers", "Currently there"), said))
    details = make_sections(parameters or {}, parameter_labels(), [label for label, _ in pairs])
    return (*_warn(parameters), *_put_before(tuple(pairs), details))


def list_action_facts(one: RequestView, registry: Registry) -> list[tuple[str, str]]:
    """The connection, the account or folder behind it, and the tool in words."""
    connection, tool, _ = _call_of(one)
    pairs = [(translate("answers", "Connection"), describe_connection(connection, registry))]
    pairs += _say_endpoint(connection, (one.call or {}).get("endpoint"), registry)
    if tool:
        pairs.append((translate("answers", "Action"), describe_tool(connection, tool, registry)))
    return pairs


def _put_before(pairs: tuple[tuple[str, str], ...], details: tuple[DetailSection, ...]) -> tuple[DetailSection, ...]:
    """In one column with the pairs of the call, if it has any."""
    if details and isinstance(details[0].body, Pairs):
        joined = replace(details[0], body=Pairs(pairs=(*pairs, *details[0].body.pairs)))
        return (joined, *details[1:])
    return (DetailSection(title="", body=Pairs(pairs=pairs)), *details)


def _warn(parameters: Any) -> tuple[DetailSection, ...]:
    """Look-alike addresses, before anything else."""
    checked = find_look_alikes(parameters)
    alike = translate("answers", "{wire} looks like {meant} but is a different server.")
    lines = [alike.format(wire=one.wire, meant=one.resembles) for one in checked.look_alikes]
    if not checked.is_complete:
        more = translate("answers", "Only the first {number} values were checked for look-alike addresses.")
        lines.append(more.format(number=format_number(MAX_VALUES)))
    title = translate("answers", "Check these addresses") if checked.look_alikes else ""
    return (DetailSection(title=title, body=TextBlock(text="\n".join(lines)), tone=Tone.BAD),) if lines else ()


def _call_of(one: RequestView) -> tuple[str, str, Any]:
    if one.call:
        connection, tool = (one.call.get(key) for key in ("connection", "tool"))
        return _as_text(connection), _as_text(tool), one.call.get("parameters")
    if one.kind is RequestKind.RECONNECT:
        return one.subject, "", None
    if one.kind is RequestKind.PERMISSION:
        _, connection, tool = [*one.subject.split(" "), "", ""][:3]
        return connection, tool, None
    return "", "", None


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else format_value(value)


def describe_connection(name: str, registry: Registry) -> str:
    try:
        kind, own = parse_name(name)
        return f"{own} · {translate_connector_text(registry.connector(kind).title)}"
    except ConnectionRuleError:
        return name


def _say_endpoint(connection: str, endpoint: Any, registry: Registry) -> list[tuple[str, str]]:
    """The account or folder behind the connection, by the names of its fields."""
    try:
        fields = registry.connector_of(connection).fields
    except ConnectionRuleError:
        return []
    given = endpoint if isinstance(endpoint, Mapping) else {}
    shown = [(one, given[one.name]) for one in fields if one.name in given]
    return [
        (translate_connector_text(one.label), label_choice(str(value)) if one.choices else format_value(value))
        for one, value in shown
    ]


def describe_tool(connection: str, tool: str, registry: Registry) -> str:
    try:
        return translate_text(registry.tool(connection, tool).help)
    except ConnectionRuleError:
        return tool
