"""Publishing to an ntfy topic, and reading what comes back. Nothing here is secret from those who can read the topic.

A button sends its payload to a second topic, to which the phone does not subscribe. What the user types goes to the
first one.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from scheduler.connections import http_client
from scheduler.connections.channel import ChannelMessage, ChannelReply, ReplyKind, StopSignal
from scheduler.connections.connector import Call
from scheduler.connections.connectors.http_auth import ssl_context
from scheduler.connections.errors import logic_failure
from scheduler.connections.http_stream import stream_lines
from scheduler.connections.urls import split_url
from scheduler.rules.one_time_codes import parse_code
from scheduler.user_text import UserText

CODE_FIELD = "code_key"
MAX_BUTTONS = 3
_ANSWERS = "-answers"
_NAME = re.compile(r"[-_A-Za-z0-9]{1,56}")
_SILENCE_S = 120.0
"""A server sends something every 45 seconds unless it was configured otherwise."""
_SILENT, _NORMAL, _URGENT = 1, 3, 4
_DECORATIONS = ("title", "actions", "attachment", "click", "icon", "tags")


@dataclass(frozen=True, slots=True)
class Topic:
    server: str
    name: str

    @property
    def answers(self) -> str:
        return f"{self.name}{_ANSWERS}"

    @property
    def host(self) -> str:
        return split_url(self.server).hostname or ""


def topic_of(call: Call) -> Topic:
    server, name = str(call.settings.get("server") or "").strip().rstrip("/"), str(call.settings.get("topic") or "")
    if not _NAME.fullmatch(name):
        raise logic_failure(UserText("A topic has up to 56 letters, digits, dashes and underscores."))
    return Topic(server, name)


def auth_headers(call: Call) -> dict[str, str]:
    token = call.settings.get("token")
    return {"Authorization": f"Bearer {token}"} if token else {}


def publish(call: Call, message: ChannelMessage) -> str:
    topic = topic_of(call)
    content: dict[str, Any] = {
        "topic": topic.name,
        "title": message.title,
        "message": message.text,
        "priority": _SILENT if message.is_silent else _URGENT if message.is_urgent else _NORMAL,
    }
    if message.reference:
        content["sequence_id"] = message.reference
    if message.buttons:
        content["actions"] = [
            {
                "action": "http",
                "label": button.label,
                "url": f"{topic.server}/{topic.answers}",
                "method": "POST",
                "body": button.payload,
                "headers": _button_headers(call),
                "clear": True,
            }
            for button in message.buttons[:MAX_BUTTONS]
        ]
    answer = http_client.request(
        "POST",
        topic.server,
        headers={**auth_headers(call), "Content-Type": "application/json"},
        body=json.dumps(content, ensure_ascii=False).encode(),  # a server limits the bytes
        seconds=call.seconds,
        acts=True,
        max_redirects=0,
        context=ssl_context(call),
    )
    return http_client.check(answer, call.now).json_object().text("id")


def _button_headers(call: Call) -> dict[str, str]:
    """`Firebase` keeps the answer from being sent to phones."""
    token = call.settings.get("answer_token")
    return {"Firebase": "no", **({"Authorization": f"Bearer {token}"} if token else {})}


def update(call: Call, _message: str, content: ChannelMessage) -> None:
    """The same reference replaces the message since ntfy 2.16; earlier servers show a second one, without a sound."""
    publish(call, content)


def receive(call: Call, cursor: str, stop: StopSignal) -> Iterator[ChannelReply | None]:
    topic = topic_of(call)
    query = f"?{urlencode({'since': cursor})}" if cursor else ""
    lines = stream_lines(
        f"{topic.server}/{topic.name},{topic.answers}/json{query}",
        headers=auth_headers(call),
        silence_s=_SILENCE_S,
        stop=stop,
        now=call.now,
        context=ssl_context(call),
    )
    for line in lines:
        yield _read_line(line, topic)


def _read_line(line: bytes, topic: Topic) -> ChannelReply | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    if not isinstance(event, dict) or event.get("event") != "message":
        return None
    title, text, id_ = (str(event.get(name) or "") for name in ("title", "message", "id"))
    is_plain = not any(event.get(name) for name in _DECORATIONS) and event.get("sequence_id") in (None, "", id_)
    if is_plain and parse_code(text) is not None:
        kind = ReplyKind.TEXT
    else:
        kind = ReplyKind.BUTTON if event.get("topic") == topic.answers else ReplyKind.PUBLISHED
    return ChannelReply(kind=kind, cursor=id_, text=text, title=title, message=id_)
