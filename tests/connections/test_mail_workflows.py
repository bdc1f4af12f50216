"""Whole workflows over real mail servers that hang up, restart and change passwords: nothing twice, nothing lost."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from scheduler.connections.connector import Call, ToolFailedError
from tests.connections.dovecot import Dovecot, running_dovecot
from tests.connections.hostile_mail import cutting, saying
from tests.connections.post_office import SEND, TIDY, PostOffice, connect_smtp, poll, subjects, write
from tests.connections.postbox import Postbox, running_postbox
from tests.engine.harness import DAY, HOUR, MINUTE, SECOND

USERS = [f"user{number}" for number in range(40)]


@pytest.fixture(scope="module")
def dovecot() -> Iterator[Dovecot]:
    with running_dovecot(trustme.CA(), **dict.fromkeys(USERS, "imap")) as one:
        yield one


@pytest.fixture
def office(tmp_path: Path) -> Iterator[PostOffice]:
    office = PostOffice(tmp_path / "data")
    yield office
    office.close()


@pytest.fixture
def box() -> Iterator[Postbox]:
    with running_postbox(password="smtp") as one:
        yield one


@pytest.fixture
def user() -> str:
    return USERS.pop()


def deliver(dovecot: Dovecot, user: str, count: int) -> None:
    for number in range(count):
        message = f"Subject: {number}\r\nMessage-ID: <{number}@example.org>\r\n\r\nHello\r\n".encode()
        dovecot.deliver(user, message, f"{number:09}")


def test_a_mail_is_sent_once_and_kept(office: PostOffice, box: Postbox, dovecot: Dovecot, user: str) -> None:
    """X1"""
    connect_smtp(office, box, dovecot, user)
    write(office)
    assert subjects(box) == ["a"] and len(dovecot.messages(user, "Sent")) == 1
    outcome, result = office.state("C")["told"]
    assert (outcome, result["in_sent"]) == ("applied", True)
    assert office.events() == {"a": "consumed"}


def test_a_mail_taken_by_a_server_that_hung_up_is_found_and_not_sent_again(
    office: PostOffice, box: Postbox, dovecot: Dovecot, user: str
) -> None:
    """X2"""
    connect_smtp(office, box, dovecot, user)
    box.keeps = lambda content: dovecot.deliver(user, content, "kept", "Sent")
    box.hangs_up = "after"
    run = write(office)
    mutation = office.mutation(run)
    assert mutation is not None and mutation.status == "applied"
    outcome, result = office.state("C")["told"]
    assert outcome == "applied" and result["message_id"] == box.taken[0].read()["Message-ID"]
    office.pass_time(DAY)
    assert subjects(box) == ["a"] and len(dovecot.messages(user, "Sent")) == 1
    assert office.events() == {"a": "consumed"} and office.requests() == []


def test_a_mail_that_appears_late_with_the_sent_mail_is_found_then(
    office: PostOffice, box: Postbox, dovecot: Dovecot, user: str
) -> None:
    connect_smtp(office, box, dovecot, user)
    box.hangs_up = "after"
    write(office)
    assert office.events() == {"a": "reserved"} and office.requests() == []
    dovecot.deliver(user, box.taken[0].content, "kept", "Sent")
    office.pass_time(15 * SECOND)
    assert office.events() == {"a": "consumed"}
    assert subjects(box) == ["a"]


@pytest.mark.parametrize(("answer", "sent"), [("happened", 1), ("not-happened", 2)])
def test_a_mail_that_is_nowhere_is_never_sent_again_unasked(
    office: PostOffice, box: Postbox, dovecot: Dovecot, user: str, answer: str, sent: int
) -> None:
    """X5: not to be with the sent mail proves nothing, so after five looks the person decides."""
    connect_smtp(office, box, dovecot, user)
    box.hangs_up = "after"
    run = write(office)
    office.pass_time(149 * SECOND)
    assert office.requests() == []
    office.pass_time(2 * SECOND)
    assert [request.kind for request in office.requests()] == ["unsure"]
    office.pass_time(DAY)
    assert subjects(box) == ["a"]
    box.hangs_up = ""
    office.answering.resolve(run, answer)
    office.tick()
    assert len(box.taken) == sent
    assert office.events() == {"a": "consumed"} and office.requests() == []


def test_without_sent_mail_the_person_is_asked_at_once(office: PostOffice, box: Postbox) -> None:
    """X4, X3: it was not taken, they say so, and it is sent once."""
    connect_smtp(office, box)
    box.hangs_up = "instead"
    run = write(office)
    assert [request.kind for request in office.requests()] == ["unsure"]
    box.hangs_up = ""
    office.answering.resolve(run, "not-happened")
    office.tick()
    assert subjects(box) == ["a"] and office.events() == {"a": "consumed"}


def test_a_crash_while_the_mail_is_on_its_way_sends_it_once(
    office: PostOffice, box: Postbox, dovecot: Dovecot, user: str
) -> None:
    """X7, X10: the app is gone right after the server took it, and finds it when it is back."""
    connect_smtp(office, box, dovecot, user)

    def take_and_crash(content: bytes) -> None:
        dovecot.deliver(user, content, "kept", "Sent")
        office.database.close()

    box.keeps, box.hangs_up = take_and_crash, "after"
    office.deploy(SEND)
    office.tick()
    office.publish("a")
    office.until_begun()
    while not box.taken:
        office._stirred.wait(0.02)
    office.house.layer.close()
    box.hangs_up = ""
    office.open()
    office.pass_time(MINUTE)
    assert subjects(box) == ["a"] and office.events() == {"a": "consumed"}


def test_a_refused_password_while_sending_asks_to_reconnect_and_then_sends_once(
    office: PostOffice, box: Postbox
) -> None:
    connect_smtp(office, box)
    box.password = "changed"
    write(office)
    assert [request.kind for request in office.requests()] == ["reconnect"]
    assert box.taken == []
    office.house.connect("smtp:home", box.settings(), test=True)
    office.tick()
    assert subjects(box) == ["a"] and office.events() == {"a": "consumed"}


def test_a_greylisting_server_gets_it_later(office: PostOffice, box: Postbox) -> None:
    connect_smtp(office, box)
    box.refuses = {"anna@example.org": "450 4.7.1 Come back later"}
    write(office)
    assert office.runs("C")[-1].status == "paused:transient"
    box.refuses = {}
    office.pass_time(MINUTE)
    assert subjects(box) == ["a"] and office.events() == {"a": "consumed"}


def test_a_restart_of_the_server_in_mid_run_is_waited_for(office: PostOffice, dovecot: Dovecot, user: str) -> None:
    """The pages that were read stay read, and no message comes twice."""
    deliver(dovecot, user, 25)
    office.house.connect("imap:home", dovecot.settings(user))
    looks: list[int] = []
    look = office.world.look

    def stop_at_the_second(call: Call) -> Any:
        looks.append(len(looks) + 1)
        if len(looks) == 2:
            dovecot.stop()
        return look(call)

    office.world.look = stop_at_the_second  # type: ignore[method-assign]
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


def test_a_move_whose_answer_is_lost_is_not_made_again(office: PostOffice, dovecot: Dovecot, user: str) -> None:
    """X2, without a question: moving a mail acts on nobody else."""
    deliver(dovecot, user, 1)
    with saying(cutting(dovecot.port, b"UID MOVE")) as port:
        office.house.connect("imap:home", dovecot.settings(user, port=port))
        office.deploy(TIDY)
        office.tick()
        office.publish("0")
        office.tick()
        assert office.state("C")["told"] == ["applied", {"folder": "Sent"}]
        assert office.events() == {"0": "consumed"} and office.requests() == []
    assert (len(dovecot.messages(user)), len(dovecot.messages(user, "Sent"))) == (0, 1)


def test_a_changed_password_asks_once_and_both_workflows_go_on(office: PostOffice, dovecot: Dovecot, user: str) -> None:
    """F3"""
    deliver(dovecot, user, 3)
    office.house.connect("imap:home", dovecot.settings(user), test=True)
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
    office.house.connect("imap:home", dovecot.settings(user), test=True)
    office.tick()
    assert office.requests() == []
    assert [office.runs("poll", name)[-1].status for name in "ab"] == ["committed"] * 2
    assert [len(office.runs("poll", name)) for name in "ab"] == [count + 1 for count in tried]
    assert [office.state("poll", name)["read"] for name in "ab"] == [4, 4]


def deliver_more(dovecot: Dovecot, user: str) -> None:
    dovecot.deliver(user, b"Subject: more\r\nMessage-ID: <more@example.org>\r\n\r\n", "more")


def test_a_wrong_password_is_not_kept(office: PostOffice, dovecot: Dovecot, user: str) -> None:
    """The server is asked before anything is changed."""
    with pytest.raises(ToolFailedError):
        office.house.connect("imap:home", dovecot.settings(user, password="wrong"), test=True)
    assert office.kept.secrets == {}


def test_no_secret_is_anywhere_in_the_data(office: PostOffice, box: Postbox, dovecot: Dovecot, user: str) -> None:
    """Invariant 15: of what was sent, refused, and read with it."""
    secret = "hunter2-söhne"
    dovecot.set_password(user, secret)
    box.password = secret
    connect_smtp(office, box, dovecot, user)
    office.house.connect("imap:home", dovecot.settings(user))
    deliver(dovecot, user, 1)
    write(office)
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
