"""A conversation with an SMTP server; its refusals as classes of failures. Up to the last dot nothing was sent."""

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail.wire import LostError, Server, Wire
from scheduler.connections.connectors.mail.writing import Letter
from scheduler.connections.mistakes import wrong
from scheduler.rules.failures import FailureClass

_MOST_LINES = 100
_OUR_NAME = "[127.0.0.1]"
"""This computer has no name that others know; the real address is nobody's business."""
_NEEDS_LOGIN = (530, 534, 535, 538)


@dataclass(frozen=True, slots=True)
class Reply:
    code: int
    text: str

    @property
    def is_for_now(self) -> bool:
        return 400 <= self.code < 500


@contextmanager
def session(server: Server, seconds: float) -> Iterator["Session"]:
    """Greet and log in, and say goodbye."""
    wire = Wire(server, seconds)
    try:
        talk = Session(server, wire)
        talk.log_in()
        yield talk
        with suppress(ToolFailedError):
            wire.send(b"QUIT\r\n")
    finally:
        wire.close()


class Session:
    def __init__(self, server: Server, wire: Wire) -> None:
        self.server = server
        self._wire = wire
        self._abilities: dict[str, str] = {}

    def log_in(self) -> None:
        greeting = self._read()
        if greeting.code != 220:
            raise self._refusal(greeting, "does not want to talk to us")
        self._greet()
        if self.server.security == "starttls":
            if "STARTTLS" not in self._abilities:
                raise wrong(f"{self.server.host} offers no STARTTLS on this port. Choose tls, or another port.")
            self._expect(self._say("STARTTLS"), 220, "does not begin to encrypt")
            self._wire.secure()
            self._greet()
        if self.server.user:
            self._give_password()

    def send(self, letter: Letter) -> None:
        """Hand it over, to all or to nobody. UNSURE if the connection is lost after the last dot may have left."""
        foreign = not all(address.isascii() for address in (letter.sender, *letter.recipients))
        if foreign and "SMTPUTF8" not in self._abilities:
            raise wrong(f"{self.server.host} sends no mail to or from addresses with letters beyond a to z.")
        options = " BODY=8BITMIME SMTPUTF8" if foreign else ""
        begun = self._say(f"MAIL FROM:<{letter.sender}>{options}")
        self._expect(begun, 250, f"does not send mail from {letter.sender}")
        self._name_recipients(letter)
        self._expect(self._say("DATA"), 354, "did not want the mail")
        self._wire.send(_with_dots(letter.content))  # without the last dot no server may take it
        try:
            self._wire.send(b".\r\n")
            reply = self._read()
        except ToolFailedError as error:
            raise ToolFailedError.because(
                FailureClass.UNSURE,
                f"{error.failure.sentence} It may have sent the mail to {', '.join(letter.recipients)} all the same.",
            ) from error
        self._expect(reply, 250, "did not take the mail")

    def _name_recipients(self, letter: Letter) -> None:
        replies = {address: self._say(f"RCPT TO:<{address}>") for address in letter.recipients}
        refused = {address: reply for address, reply in replies.items() if reply.code not in (250, 251, 252)}
        if not refused:
            return
        final = {address: reply for address, reply in refused.items() if not reply.is_for_now} or refused
        reply = next(iter(final.values()))
        raise self._refusal(reply, f"takes no mail for {', '.join(final)}, so nobody got it")

    def _greet(self) -> None:
        reply = self._say(f"EHLO {_OUR_NAME}")
        if reply.code != 250:
            self._expect(self._say(f"HELO {_OUR_NAME}"), 250, "does not want to talk to us")
            self._abilities = {}
            return
        words = [line.partition(" ") for line in reply.text.splitlines()[1:]]
        self._abilities = {name.upper(): rest.upper() for name, _, rest in words}

    def _give_password(self) -> None:
        offered = self._abilities.get("AUTH", "").split()
        user, password = self.server.user.encode(), self.server.password.encode()
        if "PLAIN" in offered:
            reply = self._say("AUTH PLAIN " + base64.b64encode(b"\0" + user + b"\0" + password).decode())
        elif "LOGIN" in offered:
            reply = self._say("AUTH LOGIN")
            for one in (user, password):
                if reply.code == 334:
                    reply = self._say(base64.b64encode(one).decode())
        elif not offered and self.server.security == "none":
            raise wrong(f"{self.server.host} takes no password without encryption. Choose tls or starttls.")
        else:
            raise wrong(f"{self.server.host} takes no password in a way that is known here.")
        if reply.code == 235:
            return
        if reply.is_for_now:
            raise self._refusal(reply, "")
        raise ToolFailedError.because(
            FailureClass.AUTH,
            f"{self.server.host} did not accept the login of {self.server.user} ({self._quote(reply)}). "
            "Connect again with the right password.",
        )

    def _say(self, line: str) -> Reply:
        self._wire.send(line.encode() + b"\r\n")
        return self._read()

    def _read(self) -> Reply:
        lines: list[str] = []
        while len(lines) < _MOST_LINES:
            line = self._wire.read_line()
            if not re.match(rb"[2-5]\d\d(?:[ -]|$)", line):
                raise LostError(f"{self.server.host} answers in a way that no mail server does.")
            lines.append(line[4:].decode("utf-8", "replace"))
            if line[3:4] != b"-":
                return Reply(int(line[:3]), "\n".join(lines))
        raise self._wire.too_much()

    def _expect(self, reply: Reply, code: int, refusal: str) -> None:
        if reply.code != code:
            raise self._refusal(reply, refusal)

    def _refusal(self, reply: Reply, what: str) -> ToolFailedError:
        if reply.is_for_now:
            sentence = f"{self.server.host} cannot do this at the moment ({self._quote(reply)})."
            return ToolFailedError.because(FailureClass.TRANSIENT, sentence)
        if reply.code in _NEEDS_LOGIN:
            return ToolFailedError.because(
                FailureClass.AUTH,
                f"{self.server.host} wants a login ({self._quote(reply)}). Connect again with user and password.",
            )
        return wrong(f"{self.server.host} {what} ({self._quote(reply)}).")

    def _quote(self, reply: Reply) -> str:
        return f"{reply.code} {self.server.quote(reply.text)}".strip()


def _with_dots(content: bytes) -> bytes:
    """A line of one dot would end the mail, so every dot at the beginning of a line is doubled."""
    lines = re.sub(rb"\r\n|\r|\n", b"\r\n", content)
    ended = lines if lines.endswith(b"\r\n") else lines + b"\r\n"
    return re.sub(rb"(?m)^\.", b"..", ended)
