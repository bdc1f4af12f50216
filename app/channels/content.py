"""What a channel's messages say: by default no word of a script, and no value of what it would do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from app.i18n.time_text import format_number
from app.i18n.translate import translate_text
from app.notifications.content import sanitize
from app.notifications.notification import Notification
from app.overview import Overview
from app.requests.labels import label_action, sign_request
from app.requests.presentation import make_problem, name_request
from app.widgets.value_text import format_key, format_line
from scheduler.connections.channel import ChannelMessage
from scheduler.connections.registry import Registry
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.requests import RequestAction, RequestKind

translate = QCoreApplication.translate
_MAX_VALUE_CHARS = 300
_MAX_LISTED = 10
_URGENT = (RequestKind.APPROVAL, RequestKind.UNSURE)


@dataclass(frozen=True, slots=True)
class MessageText:
    title: str
    text: str


def describe(one: RequestView, overview: Overview, registry: Registry, *, shows_call: bool) -> MessageText:
    """The request in our words; with everything that would be done, if the user wants that."""
    if not shows_call:
        return _clean(name_request(one, overview), _say_kind(one, registry))
    problem = make_problem(one, overview)
    parameters = one.call.get("parameters") if isinstance(one.call, Mapping) else None
    values = parameters if isinstance(parameters, Mapping) else {}
    lines = (
        problem.text,
        *(f"{format_key(key)}: {format_line(value, _MAX_VALUE_CHARS)}" for key, value in values.items()),
    )
    return _clean(problem.title, "\n".join(line for line in lines if line))


def _say_kind(one: RequestView, registry: Registry) -> str:
    """Without a word of the script, and without any value."""
    if one.kind is not RequestKind.APPROVAL or not isinstance(one.call, Mapping):
        return sign_request(one.kind).word
    connection, tool = str(one.call.get("connection")), str(one.call.get("tool"))
    ability = translate_text(registry.describe_ability(connection, tool))
    said = translate("channels", "Asks for your approval to {ability}").format(ability=ability)
    parameters = one.call.get("parameters")
    counts = [len(value) for value in parameters.values() if isinstance(value, list)] if parameters else []
    if not counts:
        return f"{said}."
    if max(counts) == 1:
        return translate("channels", "{said} (1 item).").format(said=said)
    return translate("channels", "{said} ({number} items).").format(said=said, number=format_number(max(counts)))


def name_of(one: RequestView, overview: Overview) -> str:
    return _clean(name_request(one, overview), "").title


def make_message(said: MessageText, one: RequestView, offered: Sequence[RequestAction]) -> ChannelMessage:
    lines = [said.text]
    if not offered:
        lines.append(translate("channels", "Answer at your computer."))
    elif RequestAction.APPROVE not in offered and one.kind is RequestKind.APPROVAL:
        lines.append(translate("channels", "Approve it at your computer."))
    return ChannelMessage(title=said.title, text="\n".join(lines), is_urgent=one.kind in _URGENT)


def label_buttons(one: RequestView, offered: Sequence[RequestAction]) -> tuple[tuple[RequestAction, str], ...]:
    return tuple((action, label_action(one.kind, action).label) for action in offered)


def make_summary(requests: Sequence[RequestView], overview: Overview) -> ChannelMessage:
    """Several at once; they are answered at the computer."""
    lines = [f"{name_request(one, overview)}: {sign_request(one.kind).word}" for one in requests[:_MAX_LISTED]]
    if (more := len(requests) - len(lines)) > 0:
        lines.append(translate("notices", "and %1 more").replace("%1", format_number(more)))
    number = format_number(len(requests))
    title = translate("notices", "%1 items need your attention").replace("%1", number)
    said = _clean(title, "\n".join(lines))
    return ChannelMessage(title=said.title, text=said.text)


def make_news_summary(titles: Sequence[str]) -> ChannelMessage:
    lines = list(titles[:_MAX_LISTED])
    if (more := len(titles) - len(lines)) > 0:
        lines.append(translate("notices", "and %1 more").replace("%1", format_number(more)))
    said = _clean(translate("channels", "{number} messages").format(number=len(titles)), "\n".join(lines))
    return ChannelMessage(title=said.title, text=said.text)


def make_news(workflow: str, title: str, text: str) -> ChannelMessage:
    """Always says that it comes from a workflow: it could otherwise look like a question of Dayhand's."""
    words = translate("channels", "Message from {workflow}: {title}")
    said = _clean(words.replace("{workflow}", workflow).replace("{title}", title), text)
    return ChannelMessage(title=said.title, text=said.text)


def ask_code(said: MessageText, one: RequestView, action: RequestAction, *, from_app: bool) -> ChannelMessage:
    """Names what is confirmed, so that a code is never given for something else."""
    label = label_action(one.kind, action).label
    how = translate("channels", "To confirm, send your four-digit code.")
    if from_app:
        how = translate("channels", "To confirm, send the code that your authenticator app shows now to this topic.")
    title = translate("channels", "{action}: {name}").format(action=label, name=said.title)
    return ChannelMessage(title=title, text=f"{said.text}\n{how}", is_urgent=True)


def say_refusal(sentence: str) -> ChannelMessage:
    return ChannelMessage(title="Dayhand", text=translate_text(sentence))


def say_outcome(one: RequestView | None, title: str, channel: str) -> ChannelMessage:
    """What takes the place of a message that needs nothing any more."""
    return ChannelMessage(title=title, text=_describe_answer(one, channel), is_silent=True)


def _describe_answer(one: RequestView | None, channel: str) -> str:
    if one is None:
        return translate("channels", "No longer needed.")
    if one.answer is None:
        return translate("channels", "This message is too old. Answer at your computer.")
    said = {
        "yes": translate("channels", "Approved"),
        "no": translate("channels", "Rejected"),
        "expired": translate("channels", "Expired without an answer"),
        "withdrawn": translate("channels", "No longer needed"),
    }.get(one.answer, translate("channels", "Answered"))
    if one.answer == "solved":
        said = (
            translate("channels", "Running again") if one.answered_from else translate("channels", "No longer needed")
        )
    if one.answer in ("expired", "withdrawn", "solved") or one.answered_from == channel:
        return f"{said}."
    if one.answered_from:
        return translate("channels", "{answer}, through {channel}.").format(answer=said, channel=one.answered_from)
    return translate("channels", "{answer}, at your computer.").format(answer=said)


def _clean(title: str, text: str) -> MessageText:
    shown = sanitize(Notification(key="", title=title, text=text))
    return MessageText(shown.title, shown.text)
