"""What every answer of an IMAP server at every point of an action means: applied, failed or unsure."""

from typing import Any

import pytest

from scheduler.connections.connectors.mail.imap import imap
from tests.connections.hostile_mail import saying
from tests.connections.mail_script import (
    APPLIED,
    CLOSE,
    FAILED,
    RESET,
    STALL,
    UNSURE,
    ImapScript,
    Play,
    outcome,
)

YES = [
    b"DONE",
    b"DONETAG OK done\r\n",
    b"* NO not so fast\r\n* BAD hm\r\n* OK [ALERT] soon\r\nDONE",
    b"hello?\r\nDONE",
    b"other OK done\r\nDONE",
    b"* 1 EXISTS\r\nDONE",
]
NO = [b"TAG NO no\r\n", b"TAG BAD what\r\n", b"TAG no\r\n", b"TAG NO [LIMIT] later\r\n", b"* NO hm\r\nTAG NO no\r\n"]
UNCLEAR = [
    b"TAG\r\n",
    b"TAG \r\n",
    b"TAG PREAUTH hello\r\n",
    b"TAG BYE\r\n",
    b"TAG OKAY\r\n",
    b"TAG 250 OK\r\n",
    b"* BYE closing\r\n",
    b"+ go on\r\n",
    Play(b"TAG O", "close"),
    Play(b"TAG OK done", "close"),
    Play(b"* OK {3}\r\n", "close"),
    b"* OK {999999999999}\r\n",
    Play(b"other OK done\r\n", "close"),
    Play(b"\x00\xff\r\n", "close"),
    CLOSE,
    RESET,
]
TABLE: dict[str, dict[str, tuple[str, str]]] = {
    "MOVE": {  # at each point: what a no means there, and what something unclear means
        "open": (FAILED, FAILED),
        "look": (FAILED, FAILED),
        "mark": (APPLIED, FAILED),
        "move": (FAILED, UNSURE),
        "open target": (APPLIED, APPLIED),
        "find": (APPLIED, APPLIED),
        "look at copy": (APPLIED, APPLIED),
        "remove mark": (APPLIED, APPLIED),
    },
    "UIDPLUS": {
        "open": (FAILED, FAILED),
        "look": (FAILED, FAILED),
        "mark": (FAILED, FAILED),
        "copy": (FAILED, UNSURE),
        "open target": (UNSURE, UNSURE),
        "find": (UNSURE, UNSURE),
        "look at copy": (UNSURE, UNSURE),
        "open again": (UNSURE, UNSURE),
        "delete": (UNSURE, UNSURE),
        "expunge": (APPLIED, UNSURE),
        "open target again": (APPLIED, APPLIED),
        "remove mark": (APPLIED, APPLIED),
    },
    "flag": {
        "open": (FAILED, FAILED),
        "look": (FAILED, FAILED),
        "add": (FAILED, UNSURE),
        "remove": (UNSURE, UNSURE),
    },
}
ACTS = ("move", "copy", "delete", "expunge", "add", "remove")
CELLS = [
    (tool, point, play, means)
    for tool, points in TABLE.items()
    for point, (no, unclear) in points.items()
    for plays, means in ((YES, APPLIED), (NO, no), (UNCLEAR, unclear), ([STALL] if point in ACTS else [], unclear))
    for play in plays
]


def run(tool: str, at: int, play: bytes | Play, **given: Any) -> tuple[str, ImapScript]:
    """The outcome, and what the server heard."""
    played = play if isinstance(play, Play) else Play(play)
    script = ImapScript(tool.encode() if tool != "flag" else b"", at, played, **given)
    asked = {"add": ["seen"], "remove": ["flagged"]} if tool == "flag" else {"to": "Archive"}
    with saying(script) as port:
        settings = {"host": "127.0.0.1", "port": port, "security": "none", "user": "me", "password": "x"}
        return outcome(imap, "flag" if tool == "flag" else "move", settings, played, uid=1, **asked), script


def place(tool: str, point: str) -> int:
    return list(TABLE[tool]).index(point)


@pytest.mark.parametrize(("tool", "point", "play", "means"), CELLS)
def test_what_an_answer_means(tool: str, point: str, play: bytes | Play, means: str) -> None:
    told, script = run(tool, place(tool, point), play)
    assert told == means, script.heard
    seen = tool == "UIDPLUS" and place(tool, point) > place(tool, "open again")
    assert script.sent(b"\\Deleted") is (seen or (tool == "UIDPLUS" and means == APPLIED)), "only what was copied goes"


@pytest.mark.parametrize(("tool", "count"), [(tool, len(points)) for tool, points in TABLE.items()])
def test_the_points_are_all_there_are(tool: str, count: int) -> None:
    told, script = run(tool, 99, CLOSE)
    assert (told, len(script.heard)) == (APPLIED, count)


EFFECTS = [b"* OK [COPYUID 8 1 9] copied\r\n", b"* 1 EXPUNGE\r\n", b"* VANISHED 1\r\n"]


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize(("tool", "point"), [("MOVE", "move"), ("UIDPLUS", "copy")])
def test_a_no_after_it_had_begun_is_no_proof(tool: str, point: str, effect: bytes) -> None:
    assert run(tool, place(tool, point), effect + b"TAG NO no\r\n")[0] == UNSURE


@pytest.mark.parametrize(
    ("point", "said", "means"),
    [
        ("find", b"* SEARCH\r\nTAG OK\r\n", UNSURE),
        ("find", b"TAG OK\r\n", UNSURE),
        ("look at copy", b"TAG OK\r\n", UNSURE),
        ("look at copy", b"* 1 FETCH (UID 9 FLAGS (\\Seen))\r\nTAG OK\r\n", UNSURE),
        ("open again", b"* OK [UIDVALIDITY 70]\r\nTAG OK\r\n", UNSURE),
        ("look", b"TAG OK\r\n", FAILED),
    ],
)
def test_an_original_is_removed_only_if_its_copy_was_seen(point: str, said: bytes, means: str) -> None:
    told, script = run("UIDPLUS", place("UIDPLUS", point), said)
    assert (told, script.sent(b"\\Deleted"), script.sent(b"EXPUNGE")) == (means, False, False)


def test_a_copy_that_lost_its_mark_is_known_by_the_number_that_the_server_told() -> None:
    class Forgetful(ImapScript):
        """It keeps no keywords, whatever it says."""

        def _answer(self, verb: bytes, command: bytes) -> bytes:
            said = super()._answer(verb, command)
            self.marker = b""
            return b"* SEARCH\r\n" if verb == b"SEARCH" else said

    script = Forgetful(b"UIDPLUS", place("UIDPLUS", "copy"), Play(b"TAG OK [COPYUID 8 1 9] copied\r\n"))
    with saying(script) as port:
        settings = {"host": "127.0.0.1", "port": port, "security": "none", "user": "me", "password": "x"}
        assert outcome(imap, "move", settings, script.play, uid=1, to="Archive") == APPLIED
    assert script.sent(b"UID EXPUNGE 1")


def test_the_original_under_another_name_of_its_folder_is_not_taken_for_the_copy() -> None:
    told, script = run("UIDPLUS", 99, CLOSE, is_same_folder=True)
    assert (told, script.sent(b"\\Deleted")) == (UNSURE, False)


@pytest.mark.parametrize("abilities", ["", "UIDPLUS_", "IDLE"])
def test_a_server_that_cannot_move_safely_is_refused_before_anything_changes(abilities: str) -> None:
    told, script = run(abilities, 99, CLOSE)
    assert told == FAILED
    assert [command.split()[0] for command in script.heard] == [b"SELECT", b"UID"], "it looks, and does nothing"
