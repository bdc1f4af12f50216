"""Mail servers on real sockets that follow the protocol up to one point and then misbehave as scripted."""

import re
import socket
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scheduler.connections.connector import Connector, ToolFailedError
from scheduler.rules.failures import FailureClass
from tests.connections.tool_calls import call, tool_of

APPLIED, FAILED, UNSURE = "applied", "failed", "unsure"
STALL_SECONDS = 2.0


@dataclass(frozen=True)
class Play:
    """What a server does at one point: send something, then continue, close, reset or stall."""

    reply: bytes = b""
    then: str = "go on"

    def act(self, one: socket.socket, reply: bytes) -> bool:
        """Whether to continue."""
        one.sendall(reply)
        if self.then == "reset":
            one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        if self.then == "stall":
            while one.recv(65536):
                pass
        return self.then == "go on"


CLOSE, RESET, STALL = Play(then="close"), Play(then="reset"), Play(then="stall")


def outcome(connector: Connector, tool: str, settings: Mapping[str, Any], play: Play, **parameters: Any) -> str:
    """The outcome as the engine sees it."""
    seconds = STALL_SECONDS if play.then == "stall" else 30
    try:
        tool_of(connector, tool).run(call(dict(settings), key="k", seconds=seconds, **parameters))
    except ToolFailedError as error:
        return UNSURE if error.failure.kind is FailureClass.UNSURE else FAILED
    return APPLIED


@dataclass
class SmtpScript:
    """Plays at one of: greeting, EHLO, MAIL, RCPT, DATA, dot. At DATA it answers before reading the mail."""

    point: str
    play: Play
    ended: bool = False
    """Whether the final dot was received."""
    _usual: Mapping[str, bytes] = field(
        default_factory=lambda: {
            "greeting": b"220 ready\r\n",
            "EHLO": b"250 hello\r\n",
            "HELO": b"250 hello\r\n",
            "MAIL": b"250 OK\r\n",
            "RCPT": b"250 OK\r\n",
            "DATA": b"354 go on\r\n",
            "dot": b"250 taken\r\n",
            "QUIT": b"221 bye\r\n",
        }
    )

    def __call__(self, one: socket.socket) -> None:
        with one.makefile("rb") as lines:
            point = "greeting"
            while self._play(one, point):
                if point == "DATA":
                    self._hear_mail(lines)
                    if not self.ended:
                        return
                    point = "dot"
                    continue
                line = lines.readline()
                if not line:
                    return
                point = line.split()[0].decode()

    def _hear_mail(self, lines: Iterable[bytes]) -> None:
        self.ended = any(line == b".\r\n" for line in lines)

    def _play(self, one: socket.socket, point: str) -> bool:
        play = self.play if point == self.point else Play(self._usual[point])
        return play.act(one, play.reply)


@dataclass
class ImapScript:
    """Plays at the n-th command after the login. Message 1 is in INBOX; a copy gets number 9 in any other folder.

    TAG in a reply stands for the received tag, and DONE for the usual reply to the command.
    """

    abilities: bytes
    at: int
    play: Play
    commands: list[bytes] = field(default_factory=list)
    """The commands after the login, without their tags."""
    is_same_folder: bool = False
    """Whether all folder names are aliases of INBOX."""
    marker: bytes = b""
    folder: bytes = b""

    def __call__(self, one: socket.socket) -> None:
        one.sendall(b"* OK ready\r\n")
        with one.makefile("rb") as lines:
            for line in lines:
                tag, _, command = line.strip().partition(b" ")
                verb = command.removeprefix(b"UID ").split()[0]
                usual = self._answer(verb, command) + tag + b" OK done\r\n"
                play = Play(usual)
                if verb not in (b"CAPABILITY", b"LOGIN", b"LOGOUT"):
                    if len(self.commands) == self.at:
                        play = self.play
                    self.commands.append(command)
                if not play.act(one, play.reply.replace(b"DONE", usual).replace(b"TAG", tag)):
                    return

    def _answer(self, verb: bytes, command: bytes) -> bytes:
        match verb:
            case b"CAPABILITY":
                return b"* CAPABILITY IMAP4rev1 " + self.abilities + b"\r\n"
            case b"SELECT" | b"EXAMINE":
                self.folder = b"INBOX" if self.is_same_folder else command.split(b'"')[1]
                validity = b"7" if self.folder == b"INBOX" else b"8"
                return b"* OK [UIDVALIDITY %b]\r\n* OK [PERMANENTFLAGS (\\Seen \\Deleted \\*)]\r\n" % validity
            case b"STORE":
                if match := re.search(rb"\+FLAGS.SILENT \((\$\S+)\)", command):
                    self.marker = match[1]
            case b"SEARCH":
                return b"* SEARCH 1\r\n" if self.folder == b"INBOX" else b"* SEARCH 9\r\n"
            case b"FETCH":
                uid = command.split()[2]
                return b"* 1 FETCH (UID %b FLAGS (%b) RFC822.SIZE 5)\r\n" % (uid, self.marker)
        return b""

    def sent(self, words: bytes) -> bool:
        return any(words in command for command in self.commands)
