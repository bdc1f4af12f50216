"""Workflows over real mail servers that disconnect, restart and change passwords: nothing twice, nothing lost."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from scheduler.connections.connector import Call, ToolFailedError
from tests.connections.byte_server import cut_after, serve_conversation
from tests.connections.dovecot import Dovecot, running_dovecot
from tests.connections.mail_runtime import SEND, TIDY, MailRuntime, connect_smtp, poll, request_mail, subjects
from tests.connections.smtp_server import SmtpServer, running_smtp_server
from tests.engine.engine_fixture import DAY, HOUR, MINUTE, SECOND

USERS = [f"user{number}" for number in range(40)]


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    with running_dovecot(trustme.CA(), **dict.fromkeys(USERS, "imap")) as one:
        yield one


@pytest.fixture
def office(tmp_path: Path) -> Iterator[MailRuntime]:
    office = MailRuntime(tmp_path / "data")
    yield office
    office.close()


@pytest.fixture
def box() -> Iterator[SmtpServer]:
    with running_smtp_server(password="smtp") as one:
        yield one


@pytest.fixture
def user() -> str:
    return USERS.pop()


def deliver(dovecot: Dovecot, user: str, count: int) -> None:
    for number in range(count):
        message = f"Subject: {number}\r\nMessage-ID: <{number}@example.org>\r\n\r\nHello\r\n".encode()
        dovecot.deliver(user, message, f"{number:09}")


def test_a_mail_is_sent_once_and_saved_in_the_sent_folder(
    office: MailRuntime, box: SmtpServer, dovecot: Dovecot, user: str
) -> None:
    connect_smtp(office, box, dovecot, user)
    request_mail(office)
    assert subjects(box) == ["a"] and len(dovecot.messages(user, "Sent")) == 1
    outcome, result = office.state("C")["told"]
    assert (outcome, result["in_sent"]) == ("applied", True)
    assert office.events() == {"a": "consumed"}


def test_a_mail_accepted_before_a_disconnect_is_found_and_not_sent_again(
    office: MailRuntime, box: SmtpServer, dovecot: Dovecot, user: str
) -> None:
    connect_smtp(office, box, dovecot, user)
    box.keeps = lambda content: dovecot.deliver(user, content, "kept", "Sent")
    box.hangs_up = "after"
    run = request_mail(office)
    mutation = office.mutation(run)
    assert mutation is not None and mutation.status == "applied"
    outcome, result = office.state("C")["told"]
    assert outcome == "applied" and result["message_id"] == box.taken[0].read()["Message-ID"]
    office.pass_time(DAY)
    assert subjects(box) == ["a"] and len(dovecot.messages(user, "Sent")) == 1
    assert office.events() == {"a": "consumed"} and office.requests() == []


def test_a_mail_that_appears_late_in_the_sent_folder_is_found(
    office: MailRuntime, box: SmtpServer, dovecot: Dovecot, user: str
) -> None:
    connect_smtp(office, box, dovecot, user)
    box.hangs_up = "after"
    request_mail(office)
    assert office.events() == {"a": "reserved"} and office.requests() == []
    dovecot.deliver(user, box.taken[0].content, "kept", "Sent")
    office.pass_time(15 * SECOND)
    assert office.events() == {"a": "consumed"}
    assert subjects(box) == ["a"]


@pytest.mark.parametrize(("answer", "sent"), [("happened", 1), ("not-happened", 2)])
def test_a_mail_that_is_nowhere_is_never_sent_again_without_asking(
    office: MailRuntime, box: SmtpServer, dovecot: Dovecot, user: str, answer: str, sent: int
) -> None:
    """Not being in the sent folder proves nothing, so the user decides after five checks."""
    connect_smtp(office, box, dovecot, user)
    box.hangs_up = "after"
    run = request_mail(office)
    office.pass_time(149 * SECOND)
    assert office.requests() == []
    office.pass_time(2 * SECOND)
    assert [request.kind for request in office.requests()] == ["unsure"]
    office.pass_time(DAY)
    assert subjects(box) == ["a"]
    box.hangs_up = ""
    office.request_commands.resolve(run, answer)
    office.tick()
    assert len(box.taken) == sent
    assert office.events() == {"a": "consumed"} and office.requests() == []


def test_without_a_sent_folder_the_user_is_asked_at_once(office: MailRuntime, box: SmtpServer) -> None:
    """The user says that it was not sent, and it is sent once."""
    connect_smtp(office, box)
    box.hangs_up = "instead"
    run = request_mail(office)
    assert [request.kind for request in office.requests()] == ["unsure"]
    box.hangs_up = ""
    office.request_commands.resolve(run, "not-happened")
    office.tick()
    assert subjects(box) == ["a"] and office.events() == {"a": "consumed"}


def test_a_crash_while_sending_sends_the_mail_once(
    office: MailRuntime, box: SmtpServer, dovecot: Dovecot, user: str
) -> None:
    """The app crashes right after the server accepted the mail and finds it after a restart."""
    connect_smtp(office, box, dovecot, user)

    def take_and_crash(content: bytes) -> None:
        dovecot.deliver(user, content, "kept", "Sent")
        office.database.close()

    box.keeps, box.hangs_up = take_and_crash, "after"
    office.deploy(SEND)
    office.tick()
    office.publish("a")
    office.tick_until_active()
    while not box.taken:
        office._announced.wait(0.02)
    office.services.runner.close()
    box.hangs_up = ""
    office.open()
    office.pass_time(MINUTE)
    assert subjects(box) == ["a"] and office.events() == {"a": "consumed"}


def test_a_rejected_password_while_sending_asks_to_reconnect_and_then_sends_once(
    office: MailRuntime, box: SmtpServer
) -> None:
    connect_smtp(office, box)
    box.password = "changed"
    request_mail(office)
    assert [request.kind for request in office.requests()] == ["reconnect"]
    assert box.taken == []
    office.services.connect("smtp:home", box.settings(), test=True)
    office.tick()
    assert subjects(box) == ["a"] and office.events() == {"a": "consumed"}


def test_a_greylisting_server_gets_the_mail_later(office: MailRuntime, box: SmtpServer) -> None:
    connect_smtp(office, box)
    box.refuses = {"anna@example.org": "450 4.7.1 Come back later"}
    request_mail(office)
    assert office.runs("C")[-1].status == "paused:transient"
    box.refuses = {}
    office.pass_time(MINUTE)
    assert subjects(box) == ["a"] and office.events() == {"a": "consumed"}


def test_a_server_restart_during_a_run_is_waited_for(office: MailRuntime, dovecot: Dovecot, user: str) -> None:
    """Pages already read are not read again, and no message arrives twice."""
    deliver(dovecot, user, 25)
    office.services.connect("imap:home", dovecot.settings(user))
    looks: list[int] = []
    look = office.service.look

    def stop_at_the_second(call: Call) -> Any:
        looks.append(len(looks) + 1)
        if len(looks) == 2:
            dovecot.stop()
        return look(call)

    office.service.look = stop_at_the_second  # type: ignore[method-assign]
    office.crash()
    office.deploy(poll(limit=5, between='ctx.call("world:x", "look")'))
    office.tick()
    [run] = office.runs("poll")
    assert run.status == "paused:transient" and run.error is not None
    assert "could not be reached" in run.error["sentence"] or "broke" in run.error["sentence"]
    assert office.state("poll")["read"] == 10
    dovecot.start()
    office.pass_time(MINUTE)
    assert office.runs("poll")[-1].status == "committed"
    assert office.state("poll")["read"] == 25, "each was read once"
    assert sorted(office.events("mails")) == sorted(f"<{number}@example.org>" for number in range(25))


def test_a_move_whose_answer_is_lost_is_not_made_again(office: MailRuntime, dovecot: Dovecot, user: str) -> None:
    """Without asking: moving a mail affects nobody else."""
    deliver(dovecot, user, 1)
    with serve_conversation(cut_after(dovecot.port, b"UID MOVE")) as port:
        office.services.connect("imap:home", dovecot.settings(user, port=port))
        office.deploy(TIDY)
        office.tick()
        office.publish("0")
        office.tick()
        assert office.state("C")["told"] == ["applied", {"folder": "Sent"}]
        assert office.events() == {"0": "consumed"} and office.requests() == []
    assert (len(dovecot.messages(user)), len(dovecot.messages(user, "Sent"))) == (0, 1)


def test_a_changed_password_asks_once_and_both_workflows_resume(
    office: MailRuntime, dovecot: Dovecot, user: str
) -> None:
    deliver(dovecot, user, 3)
    office.services.connect("imap:home", dovecot.settings(user), test=True)
    for name in ("a", "b"):
        office.deploy(poll(name=name), path=f"{name}.py")
        office.tick()
    assert [office.state("poll", name)["read"] for name in "ab"] == [3, 3]
    dovecot.set_password(user, "new")
    deliver_more(dovecot, user)
    office.pass_time(HOUR)
    [request] = office.requests()
    assert (request.kind, request.subject) == ("reconnect", "imap:home")
    assert user in request.sentence
    assert [office.runs("poll", name)[-1].status for name in "ab"] == ["paused:approval"] * 2
    office.pass_time(3 * MINUTE)
    tried = [len(office.runs("poll", name)) for name in "ab"]
    office.services.connect("imap:home", dovecot.settings(user), test=True)
    office.tick()
    assert office.requests() == []
    assert [office.runs("poll", name)[-1].status for name in "ab"] == ["committed"] * 2
    assert [len(office.runs("poll", name)) for name in "ab"] == tried, "the same attempt continues"
    assert [office.state("poll", name)["read"] for name in "ab"] == [4, 4]


def deliver_more(dovecot: Dovecot, user: str) -> None:
    dovecot.deliver(user, b"Subject: more\r\nMessage-ID: <more@example.org>\r\n\r\n", "more")


def test_a_wrong_password_is_not_saved(office: MailRuntime, dovecot: Dovecot, user: str) -> None:
    """The password is tested before anything is changed."""
    with pytest.raises(ToolFailedError):
        office.services.connect("imap:home", dovecot.settings(user, password="wrong"), test=True)
    assert office.kept.secrets == {}


def test_no_secret_is_in_the_data_folder(office: MailRuntime, box: SmtpServer, dovecot: Dovecot, user: str) -> None:
    """After it was sent, rejected and used to read."""
    secret = "hunter2-söhne"
    dovecot.set_password(user, secret)
    box.password = secret
    connect_smtp(office, box, dovecot, user)
    office.services.connect("imap:home", dovecot.settings(user))
    deliver(dovecot, user, 1)
    request_mail(office)
    box.login_says = f"535 5.7.8 The password {secret} is wrong"
    office.publish("b")
    office.deploy(poll(name="p"), path="p.py")
    office.tick()
    assert "•••" in office.runs("C")[-1].error["sentence"]
    assert office.state("poll", "p")["read"] == 1
    stored = b"".join(path.read_bytes() for path in office.folder.rglob("*") if path.is_file())
    for spelling in (secret.encode(), base64.b64encode(secret.encode()), base64.b64encode(f"\0me\0{secret}".encode())):
        assert spelling not in stored
    assert secret.encode("unicode_escape") not in stored
