"""The ntfy connector against a real server: logins, certificates, and what comes back."""

import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import trustme

from scheduler.connections.channel import (
    MAX_TEXT_BYTES,
    ChannelButton,
    ChannelMessage,
    ChannelReply,
    ReplyKind,
    StopSignal,
)
from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.connectors.ntfy.connector import ntfy
from scheduler.connections.connectors.ntfy.topic import publish, receive
from scheduler.rules.failures import FailureClass
from tests.connections.ntfy_server import TOPIC, NtfyServer, Phone, ntfy_server
from tests.connections.web_servers import socket_server

pytestmark = pytest.mark.posix("there is no ntfy server for Windows")

ANSWERS = f"{TOPIC}-answers"
QUESTION = ChannelMessage(title="Backup: ü", text="Asks\n", buttons=(ChannelButton("Approve", "approve.x"),))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NtfyServer]:
    """It asks nobody for a login."""
    with ntfy_server(tmp_path_factory.mktemp("ntfy")) as made:
        yield made


def call(address: str, *, seconds: float = 10, **settings: Any) -> Call:
    given = {"server": address, "topic": TOPIC, **settings}
    now = datetime(2026, 11, 20, tzinfo=UTC)
    return Call(parameters={}, settings=given, key="", now=now, seconds=seconds, connection="ntfy:me")


def read(replies: Iterator[ChannelReply | None], number: int) -> list[ChannelReply]:
    found: list[ChannelReply] = []
    while len(found) < number:
        if (one := next(replies)) is not None:
            found.append(one)
    return found


def test_a_button_comes_back_and_so_does_a_code(server: NtfyServer) -> None:
    stop, phone = StopSignal(), Phone(server.address)
    replies = receive(call(server.address), "", stop)
    assert next(replies) is None  # it is listening
    message = publish(call(server.address), QUESTION)
    [own] = read(replies, 1)
    assert (own.kind, own.message, own.title, own.text) == (ReplyKind.PUBLISHED, message, "Backup: ü", "Asks")
    phone.press(phone.messages()[-1], "Approve")
    phone.write("123 456")
    phone.write("hello")
    phone.write("123456", Title="With a title")
    found = read(replies, 4)
    assert [(one.kind, one.text) for one in found] == [
        (ReplyKind.BUTTON, "approve.x"),
        (ReplyKind.TEXT, "123 456"),
        (ReplyKind.PUBLISHED, "hello"),
        (ReplyKind.PUBLISHED, "123456"),
    ]
    # After a restart, it continues after the last one that was read.
    again = receive(call(server.address), found[1].cursor, StopSignal())
    assert [one.text for one in read(again, 2)] == ["hello", "123456"]
    stop.set()
    assert list(replies) == []
    again.close()  # type: ignore[attr-defined]


def test_a_long_text_stays_a_message(server: NtfyServer) -> None:
    buttons = tuple(ChannelButton("ä" * 40, f"{name}.{'x' * 40}") for name in "abc")
    text = "ä" * (MAX_TEXT_BYTES // 2)
    publish(call(server.address), ChannelMessage(title="Long", text=text, buttons=buttons))
    [found] = [one for one in Phone(server.address).messages() if one.get("title") == "Long"]
    assert "attachment" not in found
    assert found["message"] == text


def test_who_knows_the_topic_can_read_it_unless_the_server_asks_for_a_login(server: NtfyServer) -> None:
    assert "Everybody who knows the name" in ntfy.test(call(server.address))


def test_a_server_with_logins(tmp_path: Path) -> None:
    options = ("--auth-file", str(tmp_path / "auth.db"), "--auth-default-access", "deny-all")
    with ntfy_server(tmp_path, *options) as server:
        tokens = {}
        for user, topic, access in (("desk", f"{TOPIC}*", "rw"), ("button", ANSWERS, "wo")):
            server.command("user", "add", user, NTFY_PASSWORD="pw")
            server.command("access", user, topic, access)
            tokens[user] = server.command("token", "add", user).split()[1]
        with_login = {"token": tokens["desk"], "answer_token": tokens["button"]}
        assert "Everybody" not in ntfy.test(call(server.address, **with_login))
        replies = receive(call(server.address, **with_login), "", StopSignal())
        assert next(replies) is None
        publish(call(server.address, **with_login), QUESTION)
        read(replies, 1)
        [message] = Phone(server.address, login=tokens["desk"]).messages()
        Phone(server.address).press(message, "Approve")
        assert [one.text for one in read(replies, 1)] == ["approve.x"]
        replies.close()  # type: ignore[attr-defined]
        # The token of the buttons reads nothing, and after it is revoked nothing works.
        for token in (tokens["button"], "tk_gone", ""):
            with pytest.raises(ToolFailedError) as error:
                ntfy.test(call(server.address, token=token))
            assert error.value.failure.kind in (FailureClass.AUTH, FailureClass.PERMISSION)
        server.command("token", "remove", "desk", tokens["desk"])
        for act in (lambda one: publish(one, QUESTION), lambda one: next(receive(one, "", StopSignal()))):
            with pytest.raises(ToolFailedError) as error:
                act(call(server.address, **with_login))
            assert error.value.failure.kind in (FailureClass.AUTH, FailureClass.PERMISSION)
            assert tokens["desk"] not in error.value.failure.sentence


def test_a_wrong_certificate_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    authority = trustme.CA()
    identity = authority.issue_cert("127.0.0.1")
    identity.private_key_pem.write_to_path(tmp_path / "key.pem")
    for place, pem in enumerate(identity.cert_chain_pems):
        pem.write_to_path(tmp_path / "cert.pem", append=place > 0)
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    options = ("--key-file", str(tmp_path / "key.pem"), "--cert-file", str(tmp_path / "cert.pem"))
    with ntfy_server(tmp_path, *options, scheme="https") as server:
        for act in (lambda one: publish(one, QUESTION), lambda one: next(receive(one, "", StopSignal()))):
            with pytest.raises(ToolFailedError, match="is not trusted"):
                act(call(server.address))
        assert publish(call(server.address, certificate=str(tmp_path / "ca.pem")), QUESTION)


def test_a_slow_server_does_not_count_as_sent_nor_as_not_sent() -> None:
    def stall(connection: socket.socket, over: threading.Event) -> None:
        connection.recv(65536)
        over.wait(60)

    with socket_server(stall) as server:
        with pytest.raises(ToolFailedError) as error:
            publish(call(server.url, seconds=0.2), QUESTION)
        server.over.set()
    assert error.value.failure.kind is FailureClass.UNSURE


def test_a_server_that_is_down_was_not_sent_anything(tmp_path: Path) -> None:
    with ntfy_server(tmp_path, start=False) as server, pytest.raises(ToolFailedError) as error:
        publish(call(server.address), QUESTION)
    assert error.value.failure.kind is FailureClass.TRANSIENT


@pytest.mark.parametrize("topic", ["", "a b", "a/b", "é", "x" * 57])
def test_a_topic_that_no_server_has_is_refused(topic: str) -> None:
    with pytest.raises(ToolFailedError, match="A topic has"):
        ntfy.test(call("http://127.0.0.1:1", topic=topic))


def test_a_bad_authenticator_key_is_refused(server: NtfyServer) -> None:
    with pytest.raises(ToolFailedError, match="authenticator key is not valid"):
        ntfy.test(call(server.address, code_key="short"))
