"""Telegram (a stand-in of its Bot API), mail, and the messages of scripts."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from scheduler.rules.channels import Presence
from tests.app.app_fixture import Wait, table_lines
from tests.app.channels.channel_fixture import CHANNEL, Desk, open_desk
from tests.connections.ntfy_server import NtfyServer
from tests.connections.secret_service import SecretService
from tests.connections.smtp_server import SmtpServer, running_smtp_server
from tests.connections.telegram_stand_in import TOKEN, USER, TelegramStandIn, telegram_stand_in

pytestmark = pytest.mark.posix("there is no ntfy server for Windows")

TELEGRAM = "telegram:me"
BACKUP = """
import dayhand
flow = dayhand.Workflow("Backup", connections=["notify:me"])

days = flow.topic("days")

@flow.producer(cron="0 4 1 1 *", publishes=[days])
def poll(ctx, state):
    ctx.publish(days, id="1")

@flow.consumer(subscribe=[days])
class Tell:
    def prepare(self, ctx, state):
        batch = ctx.peek(days, limit=1)
        return dayhand.prepared(reserve=batch) if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("notify:me", "send", title="Backup done", text="12 files")
"""


@pytest.fixture
def telegram() -> Iterator[TelegramStandIn]:
    with telegram_stand_in() as made:
        yield made


@pytest.fixture
def smtp() -> Iterator[SmtpServer]:
    with running_smtp_server() as made:
        yield made


def connect(desk: Desk, telegram: TelegramStandIn) -> None:
    settings = {"chat": str(USER), "server": telegram.url}
    desk.command("connect", name=TELEGRAM, settings=settings, secrets={"token": TOKEN})


def test_two_phones_at_once_and_everything_twice_give_one_outcome(desk: Desk, telegram: TelegramStandIn) -> None:
    connect(desk, telegram)
    desk.wait(lambda: telegram.messages)
    request = desk.request()
    telegram.repeats = True
    phones = [threading.Thread(target=telegram.press, args=("Approve",)) for _ in range(2)]
    for one in phones:
        one.start()
    for one in phones:
        one.join()
    desk.wait_until_written()
    desk.wait(lambda: "already answered" in " ".join(telegram.responses))
    desk.wait(lambda: telegram.messages[1]["text"].endswith("Approved."))
    assert "reply_markup" not in telegram.messages[1]
    answered = desk.session.queries.request(request.id)
    assert (answered.answer, answered.answered_from) == ("yes", TELEGRAM)
    telegram.repeats = False


def test_a_message_that_the_user_deleted_does_not_matter(desk: Desk, telegram: TelegramStandIn) -> None:
    connect(desk, telegram)
    desk.wait(lambda: telegram.messages)
    telegram.refusals.append((400, {"ok": False, "description": "Bad Request: message to edit not found"}))
    desk.command("reject", request=desk.request().id)
    desk.wait(lambda: not telegram.refusals)
    desk.session.channels.outbox.queue(TELEGRAM, "Backup", "Done", "", desk.session.now())
    desk.service.refresh()
    desk.wait(lambda: len(telegram.messages) == 2)
    assert table_lines(desk.session) == []


def test_a_revoked_bot_token_asks_to_connect_again(desk: Desk, telegram: TelegramStandIn) -> None:
    connect(desk, telegram)
    desk.wait(lambda: telegram.messages)
    telegram.token = "1:another-bot"
    desk.command("reject", request=desk.request().id)
    desk.wait(lambda: desk.view()["trouble"])
    assert "Connect" in desk.view()["trouble"]
    assert TOKEN not in desk.view()["trouble"]


def test_mail_carries_news_and_no_buttons(desk: Desk, smtp: SmtpServer) -> None:
    desk.command("connect", name="smtp:work", settings=smtp.settings(), test=False)
    desk.wait(lambda: desk.command("channels")["channels"])
    assert not desk.view()["rules"]["is_on"]
    desk.set_rules("smtp:work", is_on="on", to="anna@example.org")
    [mail] = desk.wait(lambda: smtp.taken)
    content = mail.read()
    assert mail.recipients == ["anna@example.org"]
    assert content["Subject"] == "Receipts"
    assert "Answer at your computer." in content.get_content()


def test_scripts_reach_the_phone_by_the_same_rules(
    qtbot: QtBot, tmp_path: Path, wait: Wait, ntfy: NtfyServer, keyring: SecretService
) -> None:
    """The user is away; at the desk, they see the notification there."""
    shown: list[str] = []
    with open_desk(tmp_path / "data", wait, ntfy, presence=Presence(is_locked=True)) as desk:
        desk.session.message_sent.connect(lambda title, _: shown.append(title))
        desk.connect()
        desk.set_rules(topics="messages")
        desk.command("deploy", path="backup.py", source=BACKUP, grant=True)
        desk.command("run", target="backup")
        sent = desk.wait_for(lambda one: one.get("title") == "Message from Backup: Backup done")
        assert sent["message"] == "12 files"
        desk.wait(lambda: shown == ["Backup done"])
        assert [one["title"] for one in desk.phone.messages()].count(sent["title"]) == 1
        assert desk.session.channels.state(CHANNEL).locked == ""
