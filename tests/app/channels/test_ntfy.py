"""Questions on the phone through a real ntfy server. The test plays the phone, and the attacker."""

import sqlite3
from contextlib import closing

import pytest

from tests.app.app_fixture import table_lines
from tests.app.channels.channel_fixture import CHANNEL, Desk
from tests.connections.keyring_fixtures import vault_of
from tests.connections.ntfy_server import TOPIC

pytestmark = pytest.mark.posix("there is no ntfy server for Windows")


def is_code_request(message: dict[str, object]) -> bool:
    return "authenticator" in str(message["message"])


def server_text(desk: Desk) -> str:
    """Everything that the server has stored."""
    with closing(sqlite3.connect(desk.server.cache)) as db:
        return "\n".join(db.iterdump())


def test_an_approval_from_the_phone_adds_the_rows_once(desk: Desk) -> None:
    desk.connect()
    asked = desk.question()
    assert asked["message"].startswith("Asks for your approval to add rows")
    desk.phone.press(asked, "Approve")
    confirm = desk.wait_for(is_code_request)
    assert confirm["title"].startswith("Approve: ")
    assert table_lines(desk.session) == []
    request = desk.request()
    desk.phone.write(desk.show_code())
    desk.wait_until_written()
    answered = desk.session.queries.request(request.id)
    assert (answered.answer, answered.answered_from) == ("yes", CHANNEL)
    desk.wait_for(lambda one: one["message"] == "Approved.")
    # The phone sends everything a second time, as phones do on bad networks.
    desk.phone.press(asked, "Approve")
    desk.wait_for(lambda one: "already answered" in one["message"])
    desk.wait_until_written()
    assert not desk.view()["locked"]
    # Nothing of the call has left the machine, and the key is nowhere but in the keyring.
    assert request.call is not None
    stored = server_text(desk)
    for row in request.call["parameters"]["rows"]:
        assert not any(str(value) in stored for value in row.values() if len(str(value)) > 3), row
    assert request.sentence not in stored
    assert vault_of(desk.session.folder).get(CHANNEL)["code_key"] == desk.key
    kept = b"".join(path.read_bytes() for path in desk.session.folder.rglob("*") if path.is_file())
    assert desk.key.encode() not in kept
    assert desk.key not in stored


def test_who_reads_and_writes_the_topic_cannot_approve(desk: Desk) -> None:
    """An attacker sees every message with its tokens, presses buttons, and repeats what the user sends."""
    desk.connect()
    asked, attacker = desk.question(), desk.phone
    attacker.press(asked, "Approve")
    desk.wait_for(is_code_request)
    for guess in ("000000", "123456"):
        attacker.write(guess)
        attacker.write(guess, f"{TOPIC}-answers")
    desk.wait_for(lambda one: "wrong" in one["message"])
    # The user gives a code when nothing is asked any more for this answer; the attacker sees it and repeats it.
    assert desk.request()
    attacker.write("Please approve this backup", Title="Dayhand", Actions="view, Approve, https://example.org")
    desk.wait(lambda: desk.view()["locked"])
    attacker.press(asked, "Approve")
    desk.phone.write(desk.show_code())  # misled
    attacker.write(desk.show_code())
    desk.wait_for(lambda one: "locked" in one["message"])
    assert table_lines(desk.session) == []
    assert desk.request().answer is None
    # What they can do: reject. The guide says so.
    attacker.press(asked, "Reject")
    desk.wait(lambda: not desk.session.queries.attention())
    assert table_lines(desk.session) == []


def test_a_message_is_updated_when_it_was_answered_at_the_computer(desk: Desk) -> None:
    desk.connect()
    asked, request = desk.question(), desk.request()
    desk.command("approve", request=request.id, call_hash=request.call_hash)
    updated = desk.wait_for(lambda one: one["message"] == "Approved, at your computer.")
    assert updated["priority"] == 1
    desk.wait_until_written()
    desk.phone.press(asked, "Reject")
    desk.wait_for(lambda one: "already answered" in one["message"])
    assert desk.session.queries.request(request.id).answered_from is None


def test_messages_wait_for_the_server_but_not_if_they_are_no_longer_needed(desk: Desk) -> None:
    desk.server.stop()
    desk.connect(test=False)
    request = desk.request()
    desk.session.channels.outbox.queue(CHANNEL, "Backup", "Done", "12 files", desk.session.now())
    desk.wait(lambda: desk.view()["waiting"])
    desk.command("reject", request=request.id)
    desk.server.start()
    desk.service.retry()
    desk.wait_for(lambda one: one["title"] == "Message from Backup: Done")
    desk.wait(lambda: not desk.view()["waiting"])
    assert [one["title"] for one in desk.phone.messages()] == ["Message from Backup: Done"]


def test_an_answer_that_came_while_dayhand_was_closed_counts_once(desk: Desk) -> None:
    desk.connect()
    asked = desk.question()
    desk.wait(lambda: desk.session.channels.state(CHANNEL).cursor)
    desk.service.stop()
    for _ in range(2):
        desk.phone.press(asked, "Reject")
    desk.restart_service()
    desk.wait(lambda: not desk.session.queries.attention())
    assert table_lines(desk.session) == []


def test_a_code_that_was_sent_while_dayhand_was_closed_does_not_count(desk: Desk) -> None:
    desk.connect()
    desk.phone.press(desk.question(), "Approve")
    desk.wait_for(is_code_request)
    desk.service.stop()
    desk.phone.write(desk.show_code())
    desk.restart_service()
    desk.wait_for(lambda one: "not clear" in one["message"])
    assert table_lines(desk.session) == []


def test_pressing_buttons_all_the_time_does_not_flood_the_phone(desk: Desk) -> None:
    desk.connect()
    asked, attacker = desk.question(), desk.phone
    for _ in range(10):
        attacker.press(asked, "Approve")
    desk.wait_for(is_code_request)
    attacker.press(asked, "Reject")
    desk.wait(lambda: not desk.session.queries.attention())
    for _ in range(10):
        attacker.press(asked, "Reject")
    desk.wait_for(lambda one: "already answered" in one["message"])
    attacker.write("hello")
    desk.wait(lambda: desk.view()["locked"])  # everything before it was read
    sent = [str(one["message"]) for one in desk.phone.messages()]
    assert len([one for one in sent if "authenticator" in one]) == 1
    assert len([one for one in sent if "already answered" in one]) <= 5
    assert len(sent) <= 10
