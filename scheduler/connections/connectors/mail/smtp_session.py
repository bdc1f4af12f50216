"""An SMTP session, and what the replies mean for the mail.

Before the final dot nothing was sent. After it, a 2xx reply means that the mail was accepted, 4xx or 5xx that it was
not; anything else leaves it unknown.
"""

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail.compose import OutgoingMail
from scheduler.connections.connectors.mail.connection import MailConnectionLostError, MailServer, MailSocket
from scheduler.connections.errors import logic_failure
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_MAX_LINES = 100
_CLIENT_NAME = "[127.0.0.1]"
"""This computer has no public name, and its real address stays private."""
_CLOSING_CODES = (221, 421)
"""The server closes the connection after these. They say nothing about the mail."""
_LOGIN_CODES = (530, 534, 535, 538)


@dataclass(frozen=True, slots=True)
class SmtpReply:
    code: int
    text: str

    @property
    def kind(self) -> int:
        """The first digit: 2 accepted, 3 continue, 4 not now, 5 refused (RFC 5321, 4.2.1)."""
        return self.code // 100

    @property
    def is_refusal(self) -> bool:
        return self.kind in (4, 5)

    @property
    def is_temporary(self) -> bool:
        return self.kind == 4


@contextmanager
def open_session(server: MailServer, seconds: float) -> Iterator["SmtpSession"]:
    """Greet and log in, and quit at the end."""
    wire = MailSocket(server, seconds)
    try:
        client = SmtpSession(server, wire)
        client.log_in()
        yield client
        with suppress(ToolFailedError):
            wire.send(b"QUIT\r\n")
    finally:
        wire.close()


class SmtpSession:
    def __init__(self, server: MailServer, wire: MailSocket) -> None:
        self.server = server
        self._wire = wire
        self._capabilities: dict[str, str] = {}

    def log_in(self) -> None:
        greeting = self._read()
        if greeting.code != 220:
            raise self._refusal(greeting, UserText("refused the connection"))
        self._greet()
        if self.server.security == "starttls":
            if "STARTTLS" not in self._capabilities:
                raise logic_failure(
                    UserText(
                        "{host} does not offer STARTTLS on this port. Choose tls or another port.",
                        host=self.server.host,
                    )
                )
            self._expect(self._send_line("STARTTLS"), 220, UserText("refused to start encryption"))
            self._wire.start_tls()
            self._greet()
        if self.server.user:
            self._authenticate()

    def send(self, letter: OutgoingMail) -> None:
        """Send it to all recipients or to none. UNSURE if the final dot may have been sent and no clear reply came."""
        is_foreign = not all(address.isascii() for address in (letter.sender, *letter.recipients))
        if is_foreign and "SMTPUTF8" not in self._capabilities:
            raise logic_failure(
                UserText("{host} does not support addresses with non-ASCII characters.", host=self.server.host)
            )
        options = " BODY=8BITMIME SMTPUTF8" if is_foreign else ""
        reply = self._send_line(f"MAIL FROM:<{letter.sender}>{options}")
        self._expect(reply, 250, UserText("does not accept mail from {sender}", sender=letter.sender))
        self._send_recipients(letter)
        self._expect(self._send_line("DATA"), 354, UserText("refused the mail"))
        self._wire.send(_dot_stuff(letter.content))  # no server may accept it without the final dot
        try:
            reply = self._end_data()
        except ToolFailedError as error:
            raise self._unsure(error.failure.sentence, letter) from error
        if reply.is_refusal:
            raise self._refusal(reply, UserText("did not accept the mail"))
        if reply.kind != 2:
            raise self._unsure(
                UserText("{host} gave no clear reply ({quote}).", host=self.server.host, quote=self._quote(reply)),
                letter,
            )

    def _end_data(self) -> SmtpReply:
        """Send the final dot and read the reply; ToolFailedError if it is not clear."""
        if self._wire.has_unread():  # sent before the mail was complete, so it cannot confirm it
            early = self._read()
            if early.is_refusal:
                return early
            raise MailConnectionLostError(
                UserText(
                    "{host} replied before the mail was complete ({quote}).",
                    host=self.server.host,
                    quote=self._quote(early),
                )
            )
        self._wire.send(b".\r\n")
        reply = self._read()
        if other := self._find_contradiction(reply):
            raise MailConnectionLostError(
                UserText(
                    "{host} replied {quote}, and then {second}.",
                    host=self.server.host,
                    quote=self._quote(reply),
                    second=self._quote(other),
                )
            )
        return reply

    def _find_contradiction(self, reply: SmtpReply) -> SmtpReply | None:
        """Some servers reply once per recipient, and one refusal does not prove that nobody gets the mail.

        After an acceptance only replies that already arrived are read; after a refusal, all up to the reply to QUIT.
        """
        with suppress(ToolFailedError):
            if reply.is_refusal:
                self._wire.send(b"QUIT\r\n")
            for _ in range(_MAX_LINES):
                if not reply.is_refusal and not self._wire.has_unread_line():
                    break
                other = self._read()
                if other.code in _CLOSING_CODES:
                    break
                if other.is_refusal is not reply.is_refusal:
                    return other
        return None

    def _unsure(self, sentence: str, letter: OutgoingMail) -> ToolFailedError:
        return ToolFailedError.because(
            FailureClass.UNSURE,
            UserText(
                "{sentence} The mail to {recipients} may have been sent anyway.",
                sentence=sentence,
                recipients=", ".join(letter.recipients),
            ),
        )

    def _send_recipients(self, letter: OutgoingMail) -> None:
        replies = {address: self._send_line(f"RCPT TO:<{address}>") for address in letter.recipients}
        refused = {address: reply for address, reply in replies.items() if reply.code not in (250, 251, 252)}
        if not refused:
            return
        final = {address: reply for address, reply in refused.items() if not reply.is_temporary} or refused
        reply = next(iter(final.values()))
        raise self._refusal(
            reply, UserText("does not accept mail for {final}, so nothing was sent", final=", ".join(final))
        )

    def _greet(self) -> None:
        reply = self._send_line(f"EHLO {_CLIENT_NAME}")
        if reply.code != 250:
            self._expect(self._send_line(f"HELO {_CLIENT_NAME}"), 250, UserText("refused the connection"))
            self._capabilities = {}
            return
        words = [line.partition(" ") for line in reply.text.splitlines()[1:]]
        self._capabilities = {name.upper(): rest.upper() for name, _, rest in words}

    def _authenticate(self) -> None:
        offered = self._capabilities.get("AUTH", "").split()
        user, password = self.server.user.encode(), self.server.password.encode()
        if "PLAIN" in offered:
            reply = self._send_line("AUTH PLAIN " + base64.b64encode(b"\0" + user + b"\0" + password).decode())
        elif "LOGIN" in offered:
            reply = self._send_line("AUTH LOGIN")
            for one in (user, password):
                if reply.code == 334:
                    reply = self._send_line(base64.b64encode(one).decode())
        elif not offered and self.server.security == "none":
            raise logic_failure(
                UserText("{host} requires encryption for the login. Choose tls or starttls.", host=self.server.host)
            )
        else:
            raise logic_failure(UserText("{host} offers no supported login method.", host=self.server.host))
        if reply.code == 235:
            return
        if reply.is_temporary:
            raise self._refusal(reply, "")
        raise ToolFailedError.because(
            FailureClass.AUTH,
            UserText(
                "Wrong user name or password for {user} on {host} ({quote}). Connect again.",
                user=self.server.user,
                host=self.server.host,
                quote=self._quote(reply),
            ),
        )

    def _send_line(self, line: str) -> SmtpReply:
        self._wire.send(line.encode() + b"\r\n")
        return self._read()

    def _read(self) -> SmtpReply:
        lines: list[str] = []
        code = b""
        while len(lines) < _MAX_LINES:
            line = self._wire.read_line()
            if not re.match(rb"[2-5]\d\d(?:[ -]|$)", line) or not line.startswith(code):
                raise MailConnectionLostError(
                    UserText("{host} does not answer like a mail server.", host=self.server.host)
                )
            code = line[:3]
            lines.append(line[4:].decode("utf-8", "replace"))
            if line[3:4] != b"-":
                return SmtpReply(int(line[:3]), "\n".join(lines))
        raise self._wire.too_large_error()

    def _expect(self, reply: SmtpReply, code: int, refusal: str) -> None:
        if reply.code != code:
            raise self._refusal(reply, refusal)

    def _refusal(self, reply: SmtpReply, what: str) -> ToolFailedError:
        if reply.is_temporary:
            sentence = UserText(
                "{host} cannot do this right now ({quote}).", host=self.server.host, quote=self._quote(reply)
            )
            return ToolFailedError.because(FailureClass.TRANSIENT, sentence)
        if not reply.is_refusal:
            return MailConnectionLostError(
                UserText(
                    "{host} does not answer like a mail server ({quote}).",
                    host=self.server.host,
                    quote=self._quote(reply),
                )
            )
        if reply.code in _LOGIN_CODES:
            return ToolFailedError.because(
                FailureClass.AUTH,
                UserText(
                    "{host} requires a login ({quote}). Connect again with a user name.",
                    host=self.server.host,
                    quote=self._quote(reply),
                ),
            )
        return logic_failure(
            UserText("{host} {what} ({said}).", host=self.server.host, what=what, said=self._quote(reply))
        )

    def _quote(self, reply: SmtpReply) -> str:
        return f"{reply.code} {self.server.quote(reply.text)}".strip()


def _dot_stuff(content: bytes) -> bytes:
    """Double every dot at the start of a line, as a line with a single dot would end the mail."""
    lines = re.sub(rb"\r\n|\r|\n", b"\r\n", content)
    ended = lines if lines.endswith(b"\r\n") else lines + b"\r\n"
    return re.sub(rb"(?m)^\.", b"..", ended)
