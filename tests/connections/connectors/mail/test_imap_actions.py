"""Moving and flagging mail on a real IMAP server, and checking it after a lost response."""

from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import FailureClass
from tests.connections import imap_fixtures
from tests.connections.byte_server import cut_after, serve_conversation
from tests.connections.imap_fixtures import Box, subjects

dovecot, user, box = imap_fixtures.dovecot, imap_fixtures.user, imap_fixtures.box


def test_a_message_is_moved_to_the_other_folder(box: Box) -> None:
    box.deliver("Subject: a", "Message-ID: <a@example.org>")
    parameters = {"uid": 1, "to": "Sent", "message_id": "<a@example.org>"}
    assert box.check("move", **parameters).happened is False
    assert box.run("move", **parameters) == {"folder": "Sent"}
    assert box.run("search") == []
    assert subjects(box.run("search", folder="Sent")) == ["a"]


def test_a_missing_message_without_keyword_is_unsure(box: Box) -> None:
    box.deliver("Subject: a", "Message-ID: <a@example.org>")
    box.run("move", uid=1, to="Sent")
    for more in ({}, {"message_id": "<a@example.org>"}):
        with pytest.raises(ToolFailedError) as failed:
            box.check("move", uid=1, to="Sent", **more)
        assert failed.value.failure.kind is FailureClass.UNSURE


def test_moving_to_the_same_folder_is_a_logic_error(box: Box) -> None:
    box.deliver("Subject: a")
    assert box.fails("move", uid=1, to="INBOX").kind is FailureClass.LOGIC


def test_flags_are_added_and_removed(box: Box) -> None:
    box.deliver("Subject: a")
    parameters = {"uid": 1, "add": ["seen", "Receipt"]}
    assert box.check("flag", **parameters).happened is False
    box.run("flag", **parameters)
    assert box.run("search")[0]["flags"] == ["Receipt", "seen"]
    assert box.check("flag", **parameters).happened is True
    box.run("flag", uid=1, remove=["Seen"], add=["flagged"])
    assert box.run("search")[0]["flags"] == ["Receipt", "flagged"]
    assert box.check("flag", uid=1, remove=["seen"]).happened is True
    assert box.check("flag", **parameters).happened is False


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"add": ["deleted) \r\nz LOGOUT"]},
        {"add": [""]},
        {"add": [5]},
        {"add": ["\\Deleted"]},
        {"add": ["seen"], "remove": ["seen"]},
    ],
)
def test_invalid_flags_are_refused(box: Box, parameters: dict[str, Any]) -> None:
    box.deliver("Subject: a")
    assert box.fails("flag", uid=1, **parameters).kind is FailureClass.LOGIC


def test_a_flag_on_a_missing_message_is_unsure(box: Box) -> None:
    with pytest.raises(ToolFailedError) as failed:
        box.check("flag", uid=1, add=["seen"])
    assert failed.value.failure.kind is FailureClass.UNSURE


def test_a_move_whose_response_was_lost_is_found(box: Box) -> None:
    box.deliver("Subject: a", "Message-ID: <a@example.org>")
    parameters = {"uid": 1, "to": "Sent", "message_id": "<a@example.org>"}
    with serve_conversation(cut_after(box.dovecot.port, b"UID MOVE")) as port:
        box.settings["port"] = port
        assert box.fails("move", **parameters).kind is FailureClass.UNSURE
        assert box.check("move", **parameters).happened is True
        [moved] = box.run("search", folder="Sent")
    assert (moved["subject"], moved["flags"]) == ("a", []), "the keyword by which it was found is hidden"


def test_a_flag_whose_response_was_lost_is_found(box: Box) -> None:
    box.deliver("Subject: a")
    with serve_conversation(cut_after(box.dovecot.port, b"UID STORE")) as port:
        box.settings["port"] = port
        assert box.fails("flag", uid=1, add=["seen"]).kind is FailureClass.UNSURE
        assert box.check("flag", uid=1, add=["seen"]).happened is True
