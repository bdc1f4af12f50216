"""Messages of a Telegram bot in one private chat. Only what that chat's user does counts as an answer."""

import json
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from scheduler.connections import http_client
from scheduler.connections.channel import ChannelMessage, ChannelReply, ReplyKind, StopSignal
from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.connections.http_errors import status_failure
from scheduler.connections.json_reader import JsonObject
from scheduler.connections.transfer_limits import StreamLimit
from scheduler.rules.failures import Failure, FailureClass
from scheduler.user_text import UserText

CODE_FIELD = "code"
_TOKEN = re.compile(r"[0-9]{1,20}:[A-Za-z0-9_-]{10,100}", re.ASCII)
_CHAT = re.compile(r"[1-9][0-9]{0,18}", re.ASCII)
_POLL_S = 50
_MAX_CHARS = 4_000
_MAX_BUTTON_CHARS = 60
_REFUSED, _TOO_MANY = 400, 429
_UNKNOWN_TOKEN = (401, 404)


def chat_of(call: Call) -> int:
    chat = str(call.settings.get("chat") or "").strip()
    if not _CHAT.fullmatch(chat):  # the number of a group is negative
        raise logic_failure(UserText("The chat must be your own number, not that of a group."))
    return int(chat)


def call_method(
    call: Call, method: str, parameters: Mapping[str, Any], *, acts: bool = False, stop: StopSignal | None = None
) -> JsonObject:
    """The answer of a method of the Bot API; ToolFailedError if it refuses."""
    answer = _post(call, method, parameters, acts=acts, stop=stop)
    if answer.status != 200:
        raise _failure(call, answer)
    result = http_client.check(answer, call.now).json_object()
    if result.get("ok") is not True:
        raise result.unexpected_shape()
    return result


def _post(
    call: Call, method: str, parameters: Mapping[str, Any], *, acts: bool, stop: StopSignal | None
) -> http_client.Answer:
    token = str(call.settings.get("token") or "")
    if not _TOKEN.fullmatch(token):
        sentence = UserText("The bot token of {connection} is not valid. Connect it again.", connection=call.connection)
        raise ToolFailedError.because(FailureClass.AUTH, sentence)
    server = str(call.settings.get("server") or "").strip().rstrip("/")
    return http_client.request(
        "POST",
        f"{server}/bot{token}/{method}",
        headers={"Content-Type": "application/json"},
        body=json.dumps(parameters).encode(),
        seconds=call.seconds,
        acts=acts,
        max_redirects=0,
        limit=None if stop is None else StreamLimit(_POLL_S + call.seconds, stop),
    )


def _failure(call: Call, answer: http_client.Answer) -> ToolFailedError:
    if answer.status in _UNKNOWN_TOKEN:
        sentence = UserText("Telegram does not know the bot token. Connect {name} again.", name=call.connection)
        return ToolFailedError.because(FailureClass.AUTH, sentence)
    if answer.status == _TOO_MANY and (seconds := _retry_after(answer)) is not None:
        sentence = UserText("Too many messages to {host}.", host=answer.host)
        wait = timedelta(seconds=seconds)
        return ToolFailedError(Failure(kind=FailureClass.TRANSIENT, sentence=sentence, retry_after=wait))
    return status_failure(answer.status, answer.headers, answer.host, acts=answer.acts, now=call.now)


def _retry_after(answer: http_client.Answer) -> int | None:
    try:
        seconds = answer.json_object().nested("parameters").get("retry_after")
    except ToolFailedError:
        return None
    return seconds if isinstance(seconds, int) and 0 < seconds < 86_400 else None


def send_message(call: Call, message: ChannelMessage) -> str:
    content = {"chat_id": chat_of(call), "disable_notification": message.is_silent, **_write(message)}
    found = call_method(call, "sendMessage", content, acts=True)
    return str(found.lenient().nested("result").get("message_id"))


def edit_message(call: Call, message: str, content: ChannelMessage) -> None:
    """Nothing if the user has deleted it, or it says the same."""
    parameters = {"chat_id": chat_of(call), "message_id": int(message), **_write(content)}
    answer = _post(call, "editMessageText", parameters, acts=True, stop=None)
    if answer.status not in (200, _REFUSED):
        raise _failure(call, answer)


def _write(message: ChannelMessage) -> dict[str, Any]:
    text = "\n".join(part for part in (message.title, message.text) if part)
    written: dict[str, Any] = {
        "text": text if len(text) <= _MAX_CHARS else f"{text[:_MAX_CHARS]}…",
        "link_preview_options": {"is_disabled": True},
    }
    if message.buttons:
        rows = [[{"text": one.label[:_MAX_BUTTON_CHARS], "callback_data": one.payload}] for one in message.buttons]
        written["reply_markup"] = {"inline_keyboard": rows}
    return written


def receive(call: Call, cursor: str, stop: StopSignal) -> Iterator[ChannelReply | None]:
    """Long polling: each request waits at the server until there is something."""
    chat, offset = chat_of(call), int(cursor) if cursor.isdecimal() else None
    wait_s = 0
    while not stop.is_set:
        parameters = {"timeout": wait_s, "allowed_updates": ["message", "callback_query"]}
        parameters |= {} if offset is None else {"offset": offset}
        try:
            updates = call_method(call, "getUpdates", parameters, stop=stop).objects("result")
        except ToolFailedError:
            if stop.is_set:
                return
            raise
        wait_s = _POLL_S
        for one in updates:
            number = one.get("update_id")
            if isinstance(number, int):
                offset = number + 1
            if (reply := _read_update(call, one, chat, str(offset or ""))) is not None:
                yield reply
        yield None


def _read_update(call: Call, update: JsonObject, chat: int, cursor: str) -> ChannelReply | None:
    """None for what somebody else did, or did elsewhere."""
    update = update.lenient()
    pressed, written = update.nested("callback_query"), update.nested("message")
    by = (pressed if "data" in pressed else written).nested("from").get("id")
    where = (pressed.nested("message") if "data" in pressed else written).nested("chat").get("id")
    if by != chat or where != chat:
        return None
    if "data" in pressed:
        respond = partial(_respond, call, pressed.text("id"))
        return ChannelReply(kind=ReplyKind.BUTTON, cursor=cursor, text=pressed.text("data"), respond=respond)
    return ChannelReply(kind=ReplyKind.TEXT, cursor=cursor, text=written.text("text"))


def _respond(call: Call, press: str, sentence: str) -> None:
    call_method(call, "answerCallbackQuery", {"callback_query_id": press, "text": sentence[:200]}, acts=True)
