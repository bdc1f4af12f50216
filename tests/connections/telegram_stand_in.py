"""A stand-in for Telegram's Bot API: one bot, one user, and whoever else writes to the bot. Not Telegram itself.

It has the methods that the connector uses, with the answers that the documentation of the Bot API gives.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.connections.web_servers import ReceivedRequest, Reply, http_server

TOKEN = "123456:AAE-abcdefghijklmnopqrstuvwxyz012345"
USER, STRANGER, GROUP = 4711, 666, -1000


@dataclass
class TelegramStandIn:
    url: str = ""
    token: str = TOKEN
    messages: dict[int, dict[str, Any]] = field(default_factory=dict)
    """What the bot wrote, by number, as it is now."""
    responses: list[str] = field(default_factory=list)
    """What users saw after pressing a button."""
    refusals: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    """Status and body of the next answers to messages."""
    offsets: list[int | None] = field(default_factory=list)
    repeats: bool = False
    """Deliver each update again, whatever was confirmed, as after a lost answer."""

    def __post_init__(self) -> None:
        self._updates: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self.is_over = False

    def press(self, label: str, *, message: int = 0, by: int = USER, chat: int = USER) -> None:
        number = message or max(self.messages)
        buttons = [one for row in self.messages[number]["reply_markup"]["inline_keyboard"] for one in row]
        [data] = [one["callback_data"] for one in buttons if one["text"] == label]
        self.press_data(data, by=by, chat=chat)

    def press_data(self, data: str, *, by: int = USER, chat: int = USER) -> None:
        query = {"id": "q", "data": data, "from": {"id": by}, "message": {"message_id": 1, "chat": {"id": chat}}}
        self._add({"callback_query": query})

    def write(self, text: str, *, by: int = USER, name: str = "Anna") -> None:
        self._add({"message": {"text": text, "from": {"id": by, "first_name": name}, "chat": {"id": by}}})

    def end(self) -> None:
        with self._changed:
            self.is_over = True
            self._changed.notify_all()

    def _add(self, update: dict[str, Any]) -> None:
        with self._changed:
            self._updates.append({"update_id": 100 + len(self._updates), **update})
            self._changed.notify_all()

    def answer(self, request: ReceivedRequest) -> Reply:
        _, bot, method = request.path.split("/")
        if bot != f"bot{self.token}":
            return _reply(401, {"ok": False, "error_code": 401, "description": "Unauthorized"})
        parameters = json.loads(request.body)
        if method in ("sendMessage", "editMessageText") and self.refusals:
            return _reply(*self.refusals.pop(0))
        return _reply(200, {"ok": True, "result": getattr(self, f"_{method}")(parameters)})

    def _getMe(self, _: dict[str, Any]) -> dict[str, Any]:  # noqa: N802  names of the API
        return {"id": 123456, "is_bot": True, "username": "dayhand_bot"}

    def _getChat(self, given: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        return {"id": given["chat_id"], "type": "private", "first_name": "Anna"}

    def _sendMessage(self, given: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        number = len(self.messages) + 1
        self.messages[number] = given
        return {"message_id": number}

    def _editMessageText(self, given: dict[str, Any]) -> bool:  # noqa: N802
        self.messages[given["message_id"]] = given
        return True

    def _answerCallbackQuery(self, given: dict[str, Any]) -> bool:  # noqa: N802
        self.responses.append(given["text"])
        return True

    def _getUpdates(self, given: dict[str, Any]) -> list[dict[str, Any]]:  # noqa: N802
        offset = 0 if self.repeats else given.get("offset") or 0
        self.offsets.append(given.get("offset"))
        with self._changed:
            known = len(self._updates)
            if given["timeout"]:
                self._changed.wait_for(
                    lambda: (
                        self.is_over
                        or any(one["update_id"] >= (given.get("offset") or 0) for one in self._updates)
                        or len(self._updates) > known
                    ),
                    timeout=given["timeout"],
                )
            return [one for one in self._updates if one["update_id"] >= offset]


def _reply(status: int, body: dict[str, Any]) -> Reply:
    return Reply(status, json.dumps(body).encode(), {"Content-Type": "application/json"})


@contextmanager
def telegram_stand_in() -> Iterator[TelegramStandIn]:
    made = TelegramStandIn()
    with http_server(made.answer) as server:
        made.url = server.url
        yield made
        made.end()
