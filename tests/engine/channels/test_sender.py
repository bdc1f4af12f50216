"""A message is stored before it is sent: a restart or a failure neither loses nor repeats it."""

import pytest

from scheduler.connections.channel import MAX_TEXT_BYTES, ChannelMessage
from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import FailureClass
from scheduler.store import channel_messages, connections
from tests.engine.channels.channel_runtime import OPEN, PROVED, ChannelRuntime
from tests.engine.engine_fixture import MINUTE

NEWS = ChannelMessage(title="Done", text="12 files")


def failing(kind: FailureClass) -> ToolFailedError:
    return ToolFailedError.because(kind, "It did not work.")


def test_a_question_is_planned_once(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    assert runtime.plan().questions == (request.id,)
    runtime.send(request)
    assert runtime.plan().is_empty
    runtime.crash()
    assert runtime.plan().is_empty


def test_what_was_not_sent_is_sent_again(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    runtime.list_service.fails = [failing(FailureClass.TRANSIENT)]
    with pytest.raises(ToolFailedError):
        runtime.send(request)
    assert runtime.plan().questions == (request.id,)
    assert [one.label for one in runtime.send(request).buttons] == ["approve", "reject"]


def test_what_may_have_been_sent_waits_and_then_its_buttons_are_void(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    runtime.list_service.fails = [failing(FailureClass.UNSURE)]
    with pytest.raises(ToolFailedError):
        runtime.send(request)
    assert runtime.plan().is_empty
    [row] = runtime.rows(PROVED)
    runtime.clock.move(3 * MINUTE)
    assert runtime.plan().questions == (request.id,)
    first = channel_messages.find(runtime.database.read(), row.id)
    assert first is not None
    assert first.state == "closed"
    assert runtime.press(runtime.send(request), "approve").result == "done"


def test_what_may_have_been_sent_counts_once_it_is_seen_at_the_service(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    runtime.list_service.fails = [failing(FailureClass.UNSURE)]
    with pytest.raises(ToolFailedError):
        runtime.send(request, OPEN)
    assert runtime.channels.outbox.adopt(OPEN, "m1", "W", "Something")
    runtime.clock.move(3 * MINUTE)
    assert runtime.plan(OPEN).is_empty


def test_somebody_elses_message_is_not_our_own_even_if_it_says_the_same(runtime: ChannelRuntime) -> None:
    runtime.send(runtime.ask(), OPEN)
    outbox = runtime.channels.outbox
    assert outbox.adopt(OPEN, "m1", "W", "Something")
    assert outbox.adopt(OPEN, "m1", "W", "Something")
    assert not outbox.adopt(OPEN, "m2", "W", "Something")
    assert not outbox.adopt(OPEN, "m3", "W", "Something else")
    assert not outbox.adopt(PROVED, "m1", "W", "Something")
    assert outbox.lock_after_foreign_message(OPEN)
    assert outbox.lock_after_foreign_message(OPEN) == ""


def test_scripts_messages_survive_a_restart_and_are_forgotten_once_sent(runtime: ChannelRuntime) -> None:
    runtime.channels.outbox.queue(PROVED, "Backup", "Done", "12 files", runtime.clock.wall)
    runtime.list_service.fails = [failing(FailureClass.TRANSIENT)]
    [row] = runtime.plan().news
    with pytest.raises(ToolFailedError):
        runtime.channels.send_news(row, NEWS)
    runtime.crash()
    [row] = runtime.plan().news
    runtime.channels.send_news(row, NEWS)
    assert runtime.plan().is_empty
    assert "12 files" not in "\n".join(runtime.database.read().iterdump())


def test_scripts_reach_only_the_channels_of_that_name(runtime: ChannelRuntime) -> None:
    outbox = runtime.channels.outbox
    assert outbox.queue_news("notify:me", "w", "Done", "") == [OPEN, PROVED]
    assert outbox.queue_news("notify:desk", "w", "Done", "") == []


def test_a_message_is_closed_when_its_request_is_answered_or_it_is_too_old(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    message = runtime.send(request)
    assert runtime.plan().closing == ()
    runtime.request_commands.approve(request.id)
    [row] = runtime.plan().closing
    runtime.channels.close(row, ChannelMessage(title="W", text="Approved."))
    [(name, closed)] = runtime.list_service.updated
    assert (name, closed.text, closed.buttons) == ("m1", "Approved.", ())
    assert runtime.plan().is_empty
    assert runtime.press(message, "reject").result == "refused"


def test_an_answer_whose_command_was_lost_in_a_crash_is_asked_again(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    message = runtime.send(request)
    [row] = runtime.rows(PROVED)
    with runtime.database.write() as db:  # the token was used, then the process was killed
        channel_messages.move(db, row.id, [row.state], channel_messages.ChannelMessageState.USED)
    runtime.crash()
    runtime.channels.outbox.recover()
    assert runtime.press(message, "approve").result == "refused"
    assert runtime.plan().questions == (request.id,)
    assert runtime.press(runtime.send(request), "approve").result == "done"


def test_another_topic_or_chat_starts_over(runtime: ChannelRuntime) -> None:
    """What was sent to the old one cannot be answered, and what is open is sent to the new one."""
    request = runtime.ask()
    message = runtime.send(request)
    runtime.services.connect(PROVED, {"code": "1111"})
    assert runtime.plan().questions == (request.id,)
    assert runtime.press(message, "approve").result == "ignored"


def test_a_revoked_login_asks_to_connect_again(runtime: ChannelRuntime) -> None:
    assert PROVED in runtime.channels.list_configured()
    runtime.channels.note_trouble(PROVED, failing(FailureClass.AUTH).failure)
    assert PROVED not in runtime.channels.list_configured()
    row = connections.find(runtime.database.read(), PROVED)
    assert row is not None
    assert row.trouble == "It did not work."


def test_a_text_is_cut_to_what_every_service_takes(runtime: ChannelRuntime) -> None:
    runtime.channels.say(PROVED, ChannelMessage(title="T\nitle", text="ä" * 10_000))
    [sent] = runtime.list_service.sent
    assert sent.title == "T itle"
    assert len(sent.text.encode()) <= MAX_TEXT_BYTES + len("…".encode())


def test_a_channel_that_was_not_connected_here_is_off(runtime: ChannelRuntime) -> None:
    """As after an import on another computer: both would read and answer the same topic."""
    with runtime.database.write() as db:
        connections.save(db, "open:imported", {}, runtime.clock.wall)
    assert "open:imported" not in runtime.channels.list_configured()
    runtime.services.connect("open:imported", {})
    assert "open:imported" in runtime.channels.list_configured()
