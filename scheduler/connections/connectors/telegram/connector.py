"""The Telegram connector: questions and news to the user's own chat with a bot."""

import re

from scheduler.connections.channel import UserChannel
from scheduler.connections.connector import Call, Connector, Field
from scheduler.connections.connectors.telegram.chat import (
    CODE_FIELD,
    call_method,
    chat_of,
    edit_message,
    receive,
    send_message,
)
from scheduler.connections.errors import logic_failure
from scheduler.user_text import UserText

_CODE = re.compile(r"[0-9]{4}", re.ASCII)


def _test(call: Call) -> str:
    code = call.settings.get(CODE_FIELD)
    if code and not _CODE.fullmatch(str(code)):
        raise logic_failure(UserText("The code must have four digits."))
    bot = call_method(call, "getMe", {}).nested("result").text("username")
    if not call.settings.get("chat"):
        raise logic_failure(_find_chat(call, bot))
    chat = call_method(call, "getChat", {"chat_id": chat_of(call)}).nested("result")
    if chat.text("type") != "private":
        raise logic_failure(UserText("That is a group. Dayhand only writes to your own chat with the bot."))
    return UserText("@{bot} can write to {name}.", bot=bot, name=chat.text("first_name"))


def _find_chat(call: Call, bot: str) -> str:
    """Who wrote to the bot: the user decides which of them they are."""
    updates = call_method(call, "getUpdates", {"timeout": 0, "allowed_updates": ["message"]}).objects("result")
    senders = [one.nested("message").nested("from") for one in updates if "message" in one]
    found = {str(one.get("id")): one.text("first_name") for one in senders}
    if not found:
        return UserText("Open @{bot} in Telegram, press Start, and connect again.", bot=bot)
    people = ", ".join(f"{id_} ({name})" for id_, name in found.items())
    return UserText("Enter your own number as the chat: {people}.", people=people)


telegram = Connector(
    kind="telegram",
    title="Phone (Telegram)",
    help="Sends questions and news to your chat with a Telegram bot of your own.",
    fields=(
        Field(name="token", label="Bot token", help="From @BotFather.", secret=True),
        Field(
            name="chat",
            label="Chat",
            help="Your number. Leave it empty the first time; Dayhand then says who wrote to the bot.",
            required=False,
        ),
        Field(
            name=CODE_FIELD,
            label="Four-digit code",
            help="If set, Dayhand asks for it before what cannot be undone.",
            secret=True,
            required=False,
        ),
        Field(name="server", label="Server", help="Of the Bot API.", default="https://api.telegram.org"),
    ),
    tools=(),
    test=_test,
    channel=UserChannel(
        send=send_message, update=edit_message, receive=receive, proves_sender=True, code_field=CODE_FIELD
    ),
)
