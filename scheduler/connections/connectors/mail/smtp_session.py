"""A conversation with an SMTP server, and what its replies mean for the mail.

Up to the last dot nothing was sent. After it a reply that begins with 2 means that the mail was taken, one with 4 or 5
that it was not; everything else leaves it open.
"""

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
_GOODBYES = (221, 421)
"""After these nothing more is said. They say nothing about the mail before."""
_NEEDS_LOGIN = (530, 534, 535, 538)


@dataclass(frozen=True, slots=True)
class Reply:
    code: int
    text: str

    @property
    def kind(self) -> int:
        """Its first digit, which says all that matters: 2 is yes, 3 go on, 4 not now, 5 no (RFC 5321, 4.2.1)."""
        return self.code // 100

    @property
    def is_no(self) -> bool:
        return self.kind in (4, 5)

    @property
    def is_for_now(self) -> bool:
        return self.kind == 4


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
        """Hand it over, to all or to nobody. UNSURE if the last dot may have left and no clear answer came."""
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
            reply = self._end_data()
        except ToolFailedError as error:
            raise self._unsure(error.failure.sentence, letter) from error
        if reply.is_no:
            raise self._refusal(reply, "did not take the mail")
        if reply.kind != 2:
            raise self._unsure(f"{self.server.host} gave no clear answer ({self._quote(reply)}).", letter)

    def _end_data(self) -> Reply:
        """Send the last dot and read what the server says to it; ToolFailedError if that is not clear."""
        if self._wire.has_unread():  # said before the whole mail was there, so it cannot be about the whole mail
            early = self._read()
            if early.is_no:
                return early
            raise LostError(f"{self.server.host} answered before it had the whole mail ({self._quote(early)}).")
        self._wire.send(b".\r\n")
        reply = self._read()
        if other := self._find_contradiction(reply):
            raise LostError(f"{self.server.host} said {self._quote(reply)}, and then {self._quote(other)}.")
        return reply

    def _find_contradiction(self, reply: Reply) -> Reply | None:
        """Some servers answer for each recipient, and a no for one is no proof that nobody gets the mail.

        After a yes only what has come already is looked at; after a no, all that comes before the answer to QUIT.
        """
        with suppress(ToolFailedError):
            if reply.is_no:
                self._wire.send(b"QUIT\r\n")
            for _ in range(_MOST_LINES):
                if not reply.is_no and not self._wire.has_unread_line():
                    break
                other = self._read()
                if other.code in _GOODBYES:
                    break
                if other.is_no is not reply.is_no:
                    return other
        return None

    def _unsure(self, sentence: str, letter: Letter) -> ToolFailedError:
        return ToolFailedError.because(
            FailureClass.UNSURE,
            f"{sentence} It may have sent the mail to {', '.join(letter.recipients)} all the same.",
        )

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
        code = b""
        while len(lines) < _MOST_LINES:
            line = self._wire.read_line()
            if not re.match(rb"[2-5]\d\d(?:[ -]|$)", line) or not line.startswith(code):
                raise LostError(f"{self.server.host} answers in a way that no mail server does.")
            code = line[:3]
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
        if not reply.is_no:
            return LostError(f"{self.server.host} answers in a way that no mail server does ({self._quote(reply)}).")
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
