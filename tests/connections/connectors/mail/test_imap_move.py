"""Moving mail on real IMAP servers with and without MOVE: nothing is lost or duplicated.

Messages that share a Message-ID, such as list copies and scanner mails, are different messages.
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
from scheduler.connections.connectors.mail.connection import MailServer
from scheduler.connections.connectors.mail.imap import imap
from scheduler.connections.connectors.mail.imap_session import open_session
from scheduler.connections.connectors.mail.imap_values import parse_flags
from scheduler.rules.failures import FailureClass
from tests.connections import imap_fixtures
from tests.connections.byte_server import interrupt_at, serve_conversation
from tests.connections.dovecot import Dovecot, running_dovecot
from tests.connections.imap_fixtures import PASSWORD, USERS, Box
from tests.connections.mail_move_process import Mover
from tests.connections.tool_calls import call, tool_of

user, box = imap_fixtures.user, imap_fixtures.box
MOVE = tool_of(imap, "move")
CAPABILITIES = {"MOVE": "", "UIDPLUS": "imap_capability = IMAP4rev1 UIDPLUS", "neither": "imap_capability = IMAP4rev1"}
NAMES = ("first", "second", "third")
KILL_ACCOUNTS = tuple(f"killed{number}" for number in range(40))
"""Accounts, one for each step of a move."""
PARAMETERS = {"uid": 2, "to": "Archive"}


@pytest.fixture(scope="module", params=CAPABILITIES)
def dovecot(request: pytest.FixtureRequest) -> Iterator[Dovecot]:
    """One server per set of capabilities."""
    passwords = dict.fromkeys((*USERS, *KILL_ACCOUNTS), PASSWORD)
    with running_dovecot(trustme.CA(), CAPABILITIES[request.param], **passwords) as one:
        yield one


can_move = pytest.mark.parametrize("dovecot", ["MOVE", "UIDPLUS"], indirect=True)
only_copies = pytest.mark.parametrize("dovecot", ["UIDPLUS"], indirect=True)


def deliver(box: Box) -> None:
    """Three messages, numbered 1 to 3, with one Message-ID."""
    for name in NAMES:
        box.deliver(f"Subject: {name}", "Message-ID: <same@example.org>", body=name.encode())
        box.run("search")  # the server numbers new messages on access
    box.dovecot.maildir(box.user, "Archive")


def names(box: Box, folder: str = "") -> list[str]:
    return sorted(content.split(b"\r\n\r\n")[1].decode() for content in box.dovecot.messages(box.user, folder))


def names_in_both(box: Box) -> tuple[list[str], list[str]]:
    return names(box), names(box, "Archive")


def keywords(box: Box, folder: str = "INBOX") -> set[str]:
    """All flags and keywords of the messages in a folder, including ours."""
    with open_session(MailServer.from_settings(box.settings), 30) as client:
        client.open_folder(folder)
        fetched = client.fetch(client.search(b"ALL"), b"FLAGS").values()
    return {mark.decode() for items in fetched for mark in parse_flags(items["FLAGS"])} - {"\\Recent"}


def check(box: Box, target: Any = None, **parameters: Any) -> Checked | FailureClass:
    assert MOVE.check is not None
    try:
        return MOVE.check(replace(call(box.settings, key="k", **{**PARAMETERS, **parameters}), target=target))
    except ToolFailedError as error:
        return error.failure.kind


def identify(box: Box) -> Any:
    assert MOVE.identify_target is not None
    return MOVE.identify_target(call(box.settings, key="k", **PARAMETERS))


MOVED = Checked(happened=True, result={"folder": "Archive"})
NOT_MOVED = Checked(happened=False)


@can_move
def test_messages_that_share_a_message_id_are_all_moved(box: Box) -> None:
    deliver(box)
    for uid in (1, 2, 3):
        assert box.run("move", uid=uid, to="Archive", message_id="<same@example.org>") == {"folder": "Archive"}
    assert names_in_both(box) == ([], sorted(NAMES))
    assert keywords(box, "Archive") == set(), "our keyword is removed"


@pytest.mark.parametrize("dovecot", ["neither"], indirect=True)
def test_a_server_without_move_and_uidplus_is_refused_and_nothing_changes(box: Box) -> None:
    deliver(box)
    failure = box.fails("move", **PARAMETERS)
    assert failure.kind is FailureClass.LOGIC and "cannot move mail safely" in failure.sentence
    assert names_in_both(box) == (sorted(NAMES), [])
    assert keywords(box) == set()


@can_move
def test_messages_that_others_marked_as_deleted_stay(box: Box) -> None:
    deliver(box)
    with open_session(MailServer.from_settings(box.settings), 30) as client:
        client.open_folder("INBOX", change=True)
        client.command(b"UID STORE 1 +FLAGS.SILENT (\\Deleted)")
    box.run("move", **PARAMETERS)
    assert names_in_both(box) == (["first", "third"], ["second"])


@only_copies
def test_a_message_marked_as_deleted_is_not_copied(box: Box) -> None:
    """Its copy would be marked too, and be removed by the next expunge."""
    deliver(box)
    with open_session(MailServer.from_settings(box.settings), 30) as client:
        client.open_folder("INBOX", change=True)
        client.command(b"UID STORE 2 +FLAGS.SILENT (\\Deleted)")
    assert "marked as deleted" in box.fails("move", **PARAMETERS).sentence
    assert names_in_both(box) == (sorted(NAMES), [])


@can_move
def test_flags_and_date_move_with_the_message(box: Box) -> None:
    deliver(box)
    box.run("flag", uid=2, add=["seen", "Receipt"])
    before = identify(box)["traits"]
    box.run("move", **PARAMETERS)
    assert keywords(box, "Archive") == {"\\Seen", "Receipt"}
    after = MOVE.identify_target(call(box.settings, uid=1, folder="Archive"))  # type: ignore[misc]
    assert after["traits"] == before


@can_move
@pytest.mark.parametrize("name", ["INBOX", "inbox"])
def test_moving_to_the_same_folder_is_refused(box: Box, name: str) -> None:
    deliver(box)
    assert box.fails("move", uid=2, to=name).kind is FailureClass.LOGIC
    assert names(box) == sorted(NAMES)


@can_move
def test_an_unknown_target_folder_changes_nothing(box: Box) -> None:
    deliver(box)
    failure = box.fails("move", uid=2, to="Nowhere")
    assert failure.kind is FailureClass.LOGIC and "The folder Nowhere does not exist" in failure.sentence
    assert (names(box), keywords(box)) == (sorted(NAMES), set())


@can_move
def test_another_message_with_its_message_id_in_the_target_proves_nothing(box: Box) -> None:
    """Another program moves the message away while a similar one is in the target folder."""
    deliver(box)
    target = identify(box)
    box.run("move", uid=1, to="Archive")
    assert check(box, target, message_id="<same@example.org>") == NOT_MOVED
    box.dovecot.maildir(box.user, "Elsewhere")
    box.run("move", uid=2, to="Elsewhere")
    for known in (None, target):
        assert check(box, known, message_id="<same@example.org>") is FailureClass.UNSURE


@can_move
def test_a_message_that_is_not_the_approved_one_is_not_changed(box: Box) -> None:
    deliver(box)
    target = identify(box)
    assert target["uid"] == 2
    for changed in ({**target, "uidvalidity": 1}, {**target, "traits": {**target["traits"], "size": 1}}):
        for name, more in (("move", {"to": "Archive"}), ("flag", {"add": ["seen"]})):
            with pytest.raises(ToolFailedError) as failed:
                tool_of(imap, name).run(replace(call(box.settings, key="k", uid=2, **more), target=changed))
            assert failed.value.failure.kind is FailureClass.LOGIC
    assert (names_in_both(box), keywords(box)) == ((sorted(NAMES), []), set())
    MOVE.run(replace(call(box.settings, key="k", **PARAMETERS), target=target))
    assert names(box, "Archive") == ["second"]


def test_a_missing_message_cannot_be_identified(box: Box) -> None:
    """Otherwise the number could mean another message by the time of the approval."""
    with pytest.raises(ToolFailedError, match="There is no message 2 in INBOX"):
        identify(box)


@can_move
def test_a_repeatedly_interrupted_move_makes_one_copy(box: Box) -> None:
    """The connection breaks one command later each time, until the message is moved."""
    deliver(box)
    for at in range(20):
        with serve_conversation(interrupt_at(box.dovecot.port, at, after=True, act=lambda: None)) as port:
            box.settings["port"] = port
            box.fails("move", **PARAMETERS)
        assert len(names(box, "Archive")) <= 1
        if "second" not in names(box):
            break
    assert at > 2, "too few interruptions"
    assert names_in_both(box) == (["first", "third"], ["second"])


@pytest.fixture(scope="module")
def mover() -> Iterator[Mover]:
    one = Mover()
    yield one
    one.close()


@can_move
def test_the_checker_knows_the_outcome_wherever_the_app_is_killed(dovecot: Dovecot, mover: Mover) -> None:
    """kill -9 before and after every command. A yes is true; after a no, a retry leaves exactly one message.

    By the keyword alone it cannot be known after the last command, which removes it. The traits of the approved
    message tell even then.
    """
    unknown = []
    steps = list(itertools.product(range(20), (False, True)))
    for account, (at, after) in zip(KILL_ACCOUNTS, steps, strict=True):
        box = Box(dovecot, account)
        deliver(box)
        target = identify(box)
        movers: queue.Queue[int] = queue.Queue()
        kill = partial(_kill, movers)
        with serve_conversation(interrupt_at(dovecot.port, at, after=after, act=kill)) as port:
            movers.put(mover.start({**box.settings, "port": port}, **PARAMETERS))
            code = mover.wait()
        result = check(box, target)
        assert isinstance(result, Checked), (at, after)
        if (by_keyword := check(box)) != result:
            unknown.append((at, after))
            assert by_keyword is FailureClass.UNSURE
        assert result.happened is ("second" not in names(box)), (at, after)
        if not result.happened:
            box.run("move", **PARAMETERS)
        assert names_in_both(box) == (["first", "third"], ["second"]), (at, after)
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert at > 5, "too few kills"
    assert unknown == [(at - 1, True), (at, False)], "only once the keyword is removed"


def _kill(movers: "queue.Queue[int]") -> None:
    os.kill(movers.get(timeout=60), signal.SIGKILL)
