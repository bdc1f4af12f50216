"""Moving mail at real IMAP servers with and without MOVE: nothing is lost, nothing is there twice.

Messages that share a Message-ID, as copies of lists and mails of scanners do, are different messages.
"""

import itertools
import os
import queue
import signal
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import trustme

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.mail.imap import imap
from scheduler.connections.connectors.mail.imap_session import session
from scheduler.connections.connectors.mail.imap_values import read_marks
from scheduler.connections.connectors.mail.wire import Server
from scheduler.rules.failures import FailureClass
from tests.connections import mailbox
from tests.connections.calls import call, tool_of
from tests.connections.dovecot import Dovecot, running_dovecot
from tests.connections.hostile_mail import interrupting, saying
from tests.connections.mail_mover import Mover
from tests.connections.mailbox import PASSWORD, USERS, Box

user, box = mailbox.user, mailbox.box
MOVE = tool_of(imap, "move")
ABILITIES = {"MOVE": "", "UIDPLUS": "imap_capability = IMAP4rev1 UIDPLUS", "neither": "imap_capability = IMAP4rev1"}
NAMES = ("first", "second", "third")
KILLED = tuple(f"killed{number}" for number in range(40))
"""Accounts, one for each step of a move."""
ASKED = {"uid": 2, "to": "Archive"}


@pytest.fixture(scope="module", params=ABILITIES)
def dovecot(request: pytest.FixtureRequest) -> Iterator[Dovecot]:
    """A server for each set of abilities."""
    passwords = dict.fromkeys((*USERS, *KILLED), PASSWORD)
    with running_dovecot(trustme.CA(), ABILITIES[request.param], **passwords) as one:
        yield one


able = pytest.mark.parametrize("dovecot", ["MOVE", "UIDPLUS"], indirect=True)
only_copies = pytest.mark.parametrize("dovecot", ["UIDPLUS"], indirect=True)


def deliver(box: Box) -> None:
    """Three messages, numbered 1 to 3, with one Message-ID."""
    for name in NAMES:
        box.deliver(f"Subject: {name}", "Message-ID: <same@example.org>", body=name.encode())
        box.run("search")  # the server numbers what is new when somebody looks
    box.dovecot.maildir(box.user, "Archive")


def names(box: Box, folder: str = "") -> list[str]:
    return sorted(content.split(b"\r\n\r\n")[1].decode() for content in box.dovecot.messages(box.user, folder))


def both(box: Box) -> tuple[list[str], list[str]]:
    return names(box), names(box, "Archive")


def keywords(box: Box, folder: str = "INBOX") -> set[str]:
    """All that the messages in a folder are marked with, ours among them."""
    with session(Server.of(box.settings), 30) as talk:
        talk.open_folder(folder)
        told = talk.fetch(talk.search(b"ALL"), b"FLAGS").values()
    return {mark.decode() for items in told for mark in read_marks(items["FLAGS"])} - {"\\Recent"}


def check(box: Box, target: Any = None, **asked: Any) -> Checked | FailureClass:
    assert MOVE.check is not None
    try:
        return MOVE.check(replace(call(box.settings, key="k", **{**ASKED, **asked}), target=target))
    except ToolFailedError as error:
        return error.failure.kind


def identify(box: Box) -> Any:
    assert MOVE.identify_target is not None
    return MOVE.identify_target(call(box.settings, key="k", **ASKED))


MOVED = Checked(happened=True, result={"folder": "Archive"})
NOT_MOVED = Checked(happened=False)


@able
def test_messages_with_one_message_id_are_all_moved(box: Box) -> None:
    deliver(box)
    for uid in (1, 2, 3):
        assert box.run("move", uid=uid, to="Archive", message_id="<same@example.org>") == {"folder": "Archive"}
    assert both(box) == ([], sorted(NAMES))
    assert keywords(box, "Archive") == set(), "nothing of ours is left on them"


@pytest.mark.parametrize("dovecot", ["neither"], indirect=True)
def test_without_move_and_uidplus_it_is_refused_and_nothing_changes(box: Box) -> None:
    deliver(box)
    failure = box.fails("move", **ASKED)
    assert failure.kind is FailureClass.LOGIC and "cannot move mail safely" in failure.sentence
    assert both(box) == (sorted(NAMES), [])
    assert keywords(box) == set()


@able
def test_what_others_marked_as_deleted_stays(box: Box) -> None:
    deliver(box)
    with session(Server.of(box.settings), 30) as talk:
        talk.open_folder("INBOX", change=True)
        talk.command(b"UID STORE 1 +FLAGS.SILENT (\\Deleted)")
    box.run("move", **ASKED)
    assert both(box) == (["first", "third"], ["second"])


@only_copies
def test_what_is_marked_as_deleted_is_not_copied(box: Box) -> None:
    """Its copy would be marked too, and gone as soon as anybody tidies up."""
    deliver(box)
    with session(Server.of(box.settings), 30) as talk:
        talk.open_folder("INBOX", change=True)
        talk.command(b"UID STORE 2 +FLAGS.SILENT (\\Deleted)")
    assert "marked as deleted" in box.fails("move", **ASKED).sentence
    assert both(box) == (sorted(NAMES), [])


@able
def test_flags_and_date_go_with_the_message(box: Box) -> None:
    deliver(box)
    box.run("flag", uid=2, add=["seen", "Receipt"])
    before = identify(box)["traits"]
    box.run("move", **ASKED)
    assert keywords(box, "Archive") == {"\\Seen", "Receipt"}
    after = MOVE.identify_target(call(box.settings, uid=1, folder="Archive"))  # type: ignore[misc]
    assert after["traits"] == before


@able
@pytest.mark.parametrize("name", ["INBOX", "inbox"])
def test_the_folder_that_it_is_in_is_no_target(box: Box, name: str) -> None:
    deliver(box)
    assert box.fails("move", uid=2, to=name).kind is FailureClass.LOGIC
    assert names(box) == sorted(NAMES)


@able
def test_a_folder_that_is_not_there_changes_nothing(box: Box) -> None:
    deliver(box)
    failure = box.fails("move", uid=2, to="Nowhere")
    assert failure.kind is FailureClass.LOGIC and "There is no folder Nowhere" in failure.sentence
    assert (names(box), keywords(box)) == (sorted(NAMES), set())


@able
def test_another_message_with_its_message_id_in_the_target_proves_nothing(box: Box) -> None:
    """Somebody else takes the message away while one that looks like it lies where it was to go."""
    deliver(box)
    target = identify(box)
    box.run("move", uid=1, to="Archive")
    assert check(box, target, message_id="<same@example.org>") == NOT_MOVED
    box.dovecot.maildir(box.user, "Elsewhere")
    box.run("move", uid=2, to="Elsewhere")
    for known in (None, target):
        assert check(box, known, message_id="<same@example.org>") is FailureClass.UNSURE


@able
def test_a_message_that_is_not_the_approved_one_is_left_alone(box: Box) -> None:
    deliver(box)
    target = identify(box)
    assert target["uid"] == 2
    for changed in ({**target, "uidvalidity": 1}, {**target, "traits": {**target["traits"], "size": 1}}):
        for name, more in (("move", {"to": "Archive"}), ("flag", {"add": ["seen"]})):
            with pytest.raises(ToolFailedError) as failed:
                tool_of(imap, name).run(replace(call(box.settings, key="k", uid=2, **more), target=changed))
            assert failed.value.failure.kind is FailureClass.LOGIC
    assert (both(box), keywords(box)) == ((sorted(NAMES), []), set())
    MOVE.run(replace(call(box.settings, key="k", **ASKED), target=target))
    assert names(box, "Archive") == ["second"]


def test_a_message_that_is_not_there_cannot_be_told_apart(box: Box) -> None:
    """Nothing is approved that could become another message by the time of the yes."""
    with pytest.raises(ToolFailedError, match="There is no message 2 in INBOX"):
        identify(box)


@able
def test_a_move_that_breaks_off_again_and_again_makes_one_copy(box: Box) -> None:
    """The connection breaks after one command more each time, until the message has gone."""
    deliver(box)
    for at in range(20):
        with saying(interrupting(box.dovecot.port, at, after=True, act=lambda: None)) as port:
            box.settings["port"] = port
            box.fails("move", **ASKED)
        assert len(names(box, "Archive")) <= 1
        if "second" not in names(box):
            break
    assert at > 2, "it was hardly ever interrupted"
    assert both(box) == (["first", "third"], ["second"])


@pytest.fixture(scope="module")
def mover() -> Iterator[Mover]:
    one = Mover()
    yield one
    one.close()


@able
def test_whether_it_was_moved_is_known_wherever_the_app_is_killed(dovecot: Dovecot, mover: Mover) -> None:
    """kill -9 before and after every command. A yes is true; after a no, moving again leaves exactly one message.

    By the mark alone it cannot be told after the very last command, which takes the mark away. What the message looked
    like when it was approved tells even then.
    """
    untold = []
    steps = list(itertools.product(range(20), (False, True)))
    for account, (at, after) in zip(KILLED, steps, strict=True):
        box = Box(dovecot, account)
        deliver(box)
        target = identify(box)
        movers: queue.Queue[int] = queue.Queue()
        kill = partial(_kill, movers)
        with saying(interrupting(dovecot.port, at, after=after, act=kill)) as port:
            movers.put(mover.start({**box.settings, "port": port}, **ASKED))
            code = mover.wait()
        found = check(box, target)
        assert isinstance(found, Checked), (at, after)
        if (by_mark := check(box)) != found:
            untold.append((at, after))
            assert by_mark is FailureClass.UNSURE
        assert found.happened is ("second" not in names(box)), (at, after)
        if not found.happened:
            box.run("move", **ASKED)
        assert both(box) == (["first", "third"], ["second"]), (at, after)
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert at > 5, "it was hardly ever killed"
    assert untold == [(at - 1, True), (at, False)], "only once the mark is gone"


def _kill(movers: "queue.Queue[int]") -> None:
    os.kill(movers.get(timeout=60), signal.SIGKILL)
