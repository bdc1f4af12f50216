"""The Telegram connector against a stand-in of its Bot API: only the user's own chat counts."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from scheduler.connections.channel import ChannelButton, ChannelMessage, ReplyKind, StopSignal
from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.connectors.telegram.chat import receive, send_message
from scheduler.connections.connectors.telegram.connector import telegram
from scheduler.rules.failures import FailureClass
from tests.connections.telegram_stand_in import GROUP, STRANGER, TOKEN, USER, TelegramStandIn, telegram_stand_in

MESSAGE = ChannelMessage(title="Backup", text="Asks", buttons=(ChannelButton("Approve", "approve.x"),))


@pytest.fixture
def service() -> Iterator[TelegramStandIn]:
    with telegram_stand_in() as made:
        yield made


def call(service: TelegramStandIn, **changed: Any) -> Call:
    settings = {"token": TOKEN, "chat": str(USER), "server": service.url, **changed}
    now = datetime(2026, 11, 20, tzinfo=UTC)
    return Call(parameters={}, settings=settings, key="", now=now, seconds=5, connection="telegram:me")


def test_connecting_says_who_wrote_to_the_bot(service: TelegramStandIn) -> None:
    with pytest.raises(ToolFailedError, match="Open @dayhand_bot in Telegram"):
        telegram.test(call(service, chat=""))
    service.write("/start")
    service.write("hello", by=STRANGER, name="Eve")
    with pytest.raises(ToolFailedError, match=r"4711 \(Anna\), 666 \(Eve\)"):
        telegram.test(call(service, chat=""))
    assert telegram.test(call(service)) == "@dayhand_bot can write to Anna."


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({"token": "1:revoked-revoked"}, FailureClass.AUTH),
        ({"token": "nonsense"}, FailureClass.AUTH),
        ({"chat": str(GROUP)}, FailureClass.LOGIC),
        ({"code": "12"}, FailureClass.LOGIC),
    ],
)
def test_what_cannot_work_is_refused(service: TelegramStandIn, settings: dict[str, str], kind: FailureClass) -> None:
    with pytest.raises(ToolFailedError) as error:
        telegram.test(call(service, **settings))
    assert error.value.failure.kind is kind
    assert settings.get("token", "-") not in error.value.failure.sentence


def test_only_what_the_user_does_in_their_own_chat_is_read(service: TelegramStandIn) -> None:
    send_message(call(service), MESSAGE)
    service.press("Approve", by=STRANGER)
    service.press("Approve", by=STRANGER, chat=STRANGER)
    service.press("Approve", chat=GROUP)
    service.write("1234", by=STRANGER)
    service.press("Approve")
    service.write("2580")
    replies = receive(call(service), "", StopSignal())
    found = [next(replies), next(replies)]
    assert [(one.kind, one.text) for one in found if one] == [
        (ReplyKind.BUTTON, "approve.x"),
        (ReplyKind.TEXT, "2580"),
    ]
    assert next(replies) is None


def test_reading_goes_on_where_it_stopped(service: TelegramStandIn) -> None:
    service.write("one")
    service.write("two")
    first = next(receive(call(service), "101", StopSignal()))
    assert first is not None
    assert (first.text, first.cursor) == ("two", "102")


def test_a_stopped_wait_ends_at_once(service: TelegramStandIn) -> None:
    stop = StopSignal()
    replies = receive(call(service), "", stop)
    assert next(replies) is None
    stop.set()
    assert list(replies) == []


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (403, {"ok": False, "description": "Forbidden: bot was blocked by the user"}, FailureClass.PERMISSION),
        (429, {"ok": False, "parameters": {"retry_after": 7}}, FailureClass.TRANSIENT),
        (404, {"ok": False}, FailureClass.AUTH),
        (502, {}, FailureClass.UNSURE),
    ],
)
def test_refusals_say_what_to_do(
    service: TelegramStandIn, status: int, body: dict[str, Any], kind: FailureClass
) -> None:
    service.refusals.append((status, body))
    with pytest.raises(ToolFailedError) as error:
        send_message(call(service), MESSAGE)
    assert error.value.failure.kind is kind
    if status == 429:
        assert error.value.failure.retry_after is not None
        assert error.value.failure.retry_after.total_seconds() == 7
