"""What every response of an IMAP server at every step of an action means: applied, failed or unsure."""

from typing import Any

import pytest

from scheduler.connections.connectors.mail.imap import imap
from tests.connections.byte_server import serve_conversation
from tests.connections.scripted_mail_servers import (
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

ACCEPTED = [
    b"DONE",
    b"DONETAG OK done\r\n",
    b"* NO not so fast\r\n* BAD hm\r\n* OK [ALERT] soon\r\nDONE",
    b"hello?\r\nDONE",
    b"other OK done\r\nDONE",
    b"* 1 EXISTS\r\nDONE",
]
REFUSED = [
    b"TAG NO no\r\n",
    b"TAG BAD what\r\n",
    b"TAG no\r\n",
    b"TAG NO [LIMIT] later\r\n",
    b"* NO hm\r\nTAG NO no\r\n",
]
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
    "MOVE": {  # per step: the outcome of a refusal, and of an unclear response
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
CHANGING_STEPS = ("move", "copy", "delete", "expunge", "add", "remove")
CELLS = [
    (tool, step, play, means)
    for tool, steps in TABLE.items()
    for step, (no, unclear) in steps.items()
    for plays, means in (
        (ACCEPTED, APPLIED),
        (REFUSED, no),
        (UNCLEAR, unclear),
        ([STALL] if step in CHANGING_STEPS else [], unclear),
    )
    for play in plays
]


def run(tool: str, at: int, play: bytes | Play, **given: Any) -> tuple[str, ImapScript]:
    """The outcome, and the script with the commands that the server received."""
    played = play if isinstance(play, Play) else Play(play)
    script = ImapScript(tool.encode() if tool != "flag" else b"", at, played, **given)
    parameters = {"add": ["seen"], "remove": ["flagged"]} if tool == "flag" else {"to": "Archive"}
    with serve_conversation(script) as port:
        settings = {"host": "127.0.0.1", "port": port, "security": "none", "user": "me", "password": "x"}
        return outcome(imap, "flag" if tool == "flag" else "move", settings, played, uid=1, **parameters), script


def step_number(tool: str, step: str) -> int:
    return list(TABLE[tool]).index(step)


@pytest.mark.parametrize(("tool", "step", "play", "means"), CELLS)
def test_the_outcome_of_a_response(tool: str, step: str, play: bytes | Play, means: str) -> None:
    result, script = run(tool, step_number(tool, step), play)
    assert result == means, script.commands
    seen = tool == "UIDPLUS" and step_number(tool, step) > step_number(tool, "open again")
    assert script.sent(b"\\Deleted") is (seen or (tool == "UIDPLUS" and means == APPLIED)), (
        "only a copied original may be deleted"
    )


@pytest.mark.parametrize(("tool", "count"), [(tool, len(steps)) for tool, steps in TABLE.items()])
def test_the_table_covers_every_step(tool: str, count: int) -> None:
    result, script = run(tool, 99, CLOSE)
    assert (result, len(script.commands)) == (APPLIED, count)


EFFECTS = [b"* OK [COPYUID 8 1 9] copied\r\n", b"* 1 EXPUNGE\r\n", b"* VANISHED 1\r\n"]


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize(("tool", "step"), [("MOVE", "move"), ("UIDPLUS", "copy")])
def test_a_refusal_after_an_effect_is_unsure(tool: str, step: str, effect: bytes) -> None:
    assert run(tool, step_number(tool, step), effect + b"TAG NO no\r\n")[0] == UNSURE


@pytest.mark.parametrize(
    ("step", "reply", "means"),
    [
        ("find", b"* SEARCH\r\nTAG OK\r\n", UNSURE),
        ("find", b"TAG OK\r\n", UNSURE),
        ("look at copy", b"TAG OK\r\n", UNSURE),
        ("look at copy", b"* 1 FETCH (UID 9 FLAGS (\\Seen))\r\nTAG OK\r\n", UNSURE),
        ("open again", b"* OK [UIDVALIDITY 70]\r\nTAG OK\r\n", UNSURE),
        ("look", b"TAG OK\r\n", FAILED),
    ],
)
def test_an_original_is_removed_only_if_its_copy_was_found(step: str, reply: bytes, means: str) -> None:
    result, script = run("UIDPLUS", step_number("UIDPLUS", step), reply)
    assert (result, script.sent(b"\\Deleted"), script.sent(b"EXPUNGE")) == (means, False, False)


def test_a_copy_without_its_keyword_is_found_by_the_reported_number() -> None:
    class Forgetful(ImapScript):
        """A server that does not keep keywords, although it says so."""

        def _answer(self, verb: bytes, command: bytes) -> bytes:
            reply = super()._answer(verb, command)
            self.marker = b""
            return b"* SEARCH\r\n" if verb == b"SEARCH" else reply

    script = Forgetful(b"UIDPLUS", step_number("UIDPLUS", "copy"), Play(b"TAG OK [COPYUID 8 1 9] copied\r\n"))
    with serve_conversation(script) as port:
        settings = {"host": "127.0.0.1", "port": port, "security": "none", "user": "me", "password": "x"}
        assert outcome(imap, "move", settings, script.play, uid=1, to="Archive") == APPLIED
    assert script.sent(b"UID EXPUNGE 1")


def test_the_original_is_not_taken_for_the_copy_if_the_folder_has_two_names() -> None:
    result, script = run("UIDPLUS", 99, CLOSE, is_same_folder=True)
    assert (result, script.sent(b"\\Deleted")) == (UNSURE, False)


@pytest.mark.parametrize("capabilities", ["", "UIDPLUS_", "IDLE"])
def test_a_server_that_cannot_move_safely_is_refused_before_any_change(capabilities: str) -> None:
    result, script = run(capabilities, 99, CLOSE)
    assert result == FAILED
    assert [command.split()[0] for command in script.commands] == [b"SELECT", b"UID"], "it reads, and changes nothing"
