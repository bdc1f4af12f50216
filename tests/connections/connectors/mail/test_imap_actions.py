"""Moving and marking mail at a real IMAP server, and finding out whether it happened when the answer was lost."""

from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import FailureClass
from tests.connections import mailbox
from tests.connections.hostile_mail import cutting, saying
from tests.connections.mailbox import Box, subjects

dovecot, user, box = mailbox.dovecot, mailbox.user, mailbox.box


def test_moving_takes_it_from_one_folder_to_the_other(box: Box) -> None:
    box.deliver("Subject: a", "Message-ID: <a@example.org>")
    asked = {"uid": 1, "to": "Sent", "message_id": "<a@example.org>"}
    assert box.check("move", **asked).happened is False
    assert box.run("move", **asked) == {"folder": "Sent"}
    assert box.run("search") == []
    assert subjects(box.run("search", folder="Sent")) == ["a"]


def test_who_took_a_message_away_cannot_be_told_by_its_number(box: Box) -> None:
    box.deliver("Subject: a", "Message-ID: <a@example.org>")
    box.run("move", uid=1, to="Sent")
    for more in ({}, {"message_id": "<a@example.org>"}):
        with pytest.raises(ToolFailedError) as failed:
            box.check("move", uid=1, to="Sent", **more)
        assert failed.value.failure.kind is FailureClass.UNSURE


def test_moving_to_where_it_is_already_is_a_mistake(box: Box) -> None:
    box.deliver("Subject: a")
    assert box.fails("move", uid=1, to="INBOX").kind is FailureClass.LOGIC


def test_marks_are_set_and_taken_away(box: Box) -> None:
    box.deliver("Subject: a")
    asked = {"uid": 1, "add": ["seen", "Receipt"]}
    assert box.check("flag", **asked).happened is False
    box.run("flag", **asked)
    assert box.run("search")[0]["flags"] == ["Receipt", "seen"]
    assert box.check("flag", **asked).happened is True
    box.run("flag", uid=1, remove=["Seen"], add=["flagged"])
    assert box.run("search")[0]["flags"] == ["Receipt", "flagged"]
    assert box.check("flag", uid=1, remove=["seen"]).happened is True
    assert box.check("flag", **asked).happened is False


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"add": ["deleted) \r\nz LOGOUT"]},
        {"add": [""]},
        {"add": [5]},
        {"add": ["\\Deleted"]},
        {"add": ["seen"], "remove": ["seen"]},
    ],
)
def test_marks_that_cannot_be_are_refused(box: Box, asked: dict[str, Any]) -> None:
    box.deliver("Subject: a")
    assert box.fails("flag", uid=1, **asked).kind is FailureClass.LOGIC


def test_a_mark_on_a_message_that_is_gone_leaves_it_open(box: Box) -> None:
    with pytest.raises(ToolFailedError) as failed:
        box.check("flag", uid=1, add=["seen"])
    assert failed.value.failure.kind is FailureClass.UNSURE


def test_a_move_whose_answer_is_lost_is_found_to_have_happened(box: Box) -> None:
    """X2"""
    box.deliver("Subject: a", "Message-ID: <a@example.org>")
    asked = {"uid": 1, "to": "Sent", "message_id": "<a@example.org>"}
    with saying(cutting(box.dovecot.port, b"UID MOVE")) as port:
        box.settings["port"] = port
        assert box.fails("move", **asked).kind is FailureClass.UNSURE
        assert box.check("move", **asked).happened is True
        [moved] = box.run("search", folder="Sent")
    assert (moved["subject"], moved["flags"]) == ("a", []), "the mark by which it was found is not shown"


def test_a_mark_whose_answer_is_lost_is_found_to_have_happened(box: Box) -> None:
    box.deliver("Subject: a")
    with saying(cutting(box.dovecot.port, b"UID STORE")) as port:
        box.settings["port"] = port
        assert box.fails("flag", uid=1, add=["seen"]).kind is FailureClass.UNSURE
        assert box.check("flag", uid=1, add=["seen"]).happened is True
