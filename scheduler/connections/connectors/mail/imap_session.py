"""An IMAP session from greeting to logout; refusals become tool failures."""

import base64
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail.connection import (
    MailConnectionLostError,
    MailResponseTooLargeError,
    MailServer,
    MailSocket,
)
from scheduler.connections.connectors.mail.imap_values import (
    BadImapResponseError,
    ImapResponse,
    decode_folder_name,
    encode_folder_name,
    parse_fetch,
    parse_flags,
    parse_number,
)
from scheduler.connections.errors import logic_failure
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText, join_texts

_MAX_LINE_BYTES = 16 * 1024 * 1024
"""A search over a million messages returns one line."""
_MAX_RESPONSES = 20_000
_MAX_FOUND = 3_000_000
_NUMBERS = re.compile(rb"(?<= )[0-9]{1,10}(?= |$)")
_LITERAL = re.compile(rb"\{(\d{1,12})\+?\}$")
_CODE = re.compile(rb"\[([A-Z-]+)[^\]]*\]")
_PERMANENT = re.compile(rb"\[PERMANENTFLAGS \(([^)]*)\)\]", re.IGNORECASE)
_ANY_KEYWORD = b"\\*"
_VALIDITY = re.compile(rb"\[UIDVALIDITY (\d{1,10})\]", re.IGNORECASE)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_TEMPORARY_CODES = frozenset({b"UNAVAILABLE", b"INUSE", b"LIMIT", b"SERVERBUG", b"OVERQUOTA", b"THROTTLED"})
"""Response codes for temporary problems: RFC 5530, and one of Google's."""


class ImapRefusedError(Exception):
    """The server answered a command with NO or BAD."""

    def __init__(self, text: bytes, before: Sequence[ImapResponse] = ()) -> None:
        super().__init__()
        self.text = text
        self.earlier_responses = before
        """The responses that came before."""
        code = _CODE.match(text)
        self.code = code[1] if code else b""


@dataclass(frozen=True, slots=True)
class Literal:
    """Bytes that are sent verbatim after their length."""

    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFolder:
    """An open folder."""

    name: str
    uidvalidity: int
    """Changes when the server renumbers its messages."""
    takes_keywords: bool = False
    """Whether messages can get new keywords; known only if opened for changes."""


def quote(text: str) -> bytes | Literal:
    if "\0" in text:
        raise logic_failure(UserText("A text for a mail server must not contain a zero character."))
    if all(" " <= character <= "~" for character in text):
        return b'"' + text.replace("\\", "\\\\").replace('"', '\\"').encode() + b'"'
    return Literal(text.encode("utf-8", "replace"))


def format_day(day: date) -> bytes:
    """A date in the format of search criteria."""
    return f"{day.day}-{_MONTHS[day.month - 1]}-{day.year:04}".encode()


@contextmanager
def open_session(server: MailServer, seconds: float) -> Iterator["ImapSession"]:
    """Log in, and log out at the end. A response that is not IMAP counts as a lost connection."""
    wire = MailSocket(server, seconds)
    try:
        client = ImapSession(server, wire)
        client.log_in()
        yield client
        with suppress(ToolFailedError, ImapRefusedError):
            wire.send(b"z LOGOUT\r\n")
    except BadImapResponseError as error:
        raise MailConnectionLostError(
            UserText("{host} does not answer like a mail server.", host=server.host)
        ) from error
    except ImapRefusedError as error:
        raise refused_failure(server, error, UserText("refused the request")) from error
    finally:
        wire.close()


def refused_failure(server: MailServer, refused: ImapRefusedError, what: str) -> ToolFailedError:
    said = server.quote(refused.text)
    if refused.code in _TEMPORARY_CODES:
        sentence = UserText("{host} cannot do this right now ({said}).", host=server.host, said=said)
        return ToolFailedError.because(FailureClass.TRANSIENT, sentence)
    return logic_failure(UserText("{host} {what} ({said}).", host=server.host, what=what, said=said))


class ImapSession:
    def __init__(self, server: MailServer, wire: MailSocket) -> None:
        self.server = server
        self._wire = wire
        self.capabilities: frozenset[bytes] = frozenset()

    def log_in(self) -> None:
        greeting = self._read()
        if greeting.word(1) not in (b"OK", b"PREAUTH"):
            raise self._closed_error(greeting)
        self._load_capabilities()
        if self.server.security == "starttls":
            if b"STARTTLS" not in self.capabilities:
                raise logic_failure(
                    UserText(
                        "{host} does not offer STARTTLS on this port. Choose tls or another port.",
                        host=self.server.host,
                    )
                )
            self.command(b"STARTTLS")
            self._wire.start_tls()
            self._load_capabilities()
        if greeting.word(1) == b"PREAUTH":
            return
        if b"LOGINDISABLED" in self.capabilities and b"AUTH=PLAIN" not in self.capabilities:
            raise logic_failure(
                UserText("{host} requires encryption for the login. Choose tls or starttls.", host=self.server.host)
            )
        try:
            self._authenticate()
        except ImapRefusedError as error:
            if error.code in _TEMPORARY_CODES:
                raise refused_failure(self.server, error, "") from error
            raise ToolFailedError.because(
                FailureClass.AUTH,
                UserText(
                    "Wrong user name or password for {user} on {host} ({text}). Connect again.",
                    user=self.server.user,
                    host=self.server.host,
                    text=self.server.quote(error.text),
                ),
            ) from error
        self._load_capabilities()

    def command(self, *parts: bytes | Literal) -> list[ImapResponse]:
        """Send a command and return the responses before the OK; ImapRefusedError for NO or BAD."""
        return self._send_command(*parts)[:-1]

    def _send_command(self, *parts: bytes | Literal) -> list[ImapResponse]:
        """Send a command and return its responses, with the OK last."""
        tag = self._next_tag()
        written = tag
        for part in parts:
            if isinstance(part, bytes):
                written += b" " + part
                continue
            self._wire.send(written + b" {%d}\r\n" % len(part.content))
            if self._read_until(tag) is not None:
                raise BadImapResponseError("the server ended a command before it was complete")
            written = part.content
        self._wire.send(written + b"\r\n")
        return self._finish(tag)

    def open_folder(self, name: str, *, change: bool = False) -> OpenFolder:
        try:
            answers = self.command(b"SELECT" if change else b"EXAMINE", _folder(name))
        except ImapRefusedError as error:
            if error.code in _TEMPORARY_CODES:
                raise
            raise logic_failure(
                UserText(
                    "The folder {name} on {host} cannot be opened ({text}).",
                    name=name,
                    host=self.server.host,
                    text=self.server.quote(error.text),
                )
            ) from error
        lines = [answer.lines[0] for answer in answers if answer.word(1) == b"OK"]
        validities = [int(found[1]) for line in lines if (found := _VALIDITY.search(line))]
        permanent = [found[1].split() for line in lines if (found := _PERMANENT.search(line))]
        return OpenFolder(
            name=name,
            uidvalidity=validities[-1] if validities else 0,
            takes_keywords=bool(permanent) and _ANY_KEYWORD in permanent[-1],
        )

    def search(self, *criteria: bytes | Literal) -> list[int]:
        """The numbers (UIDs) of the matching messages in the open folder, in order."""
        has_literal = any(isinstance(one, Literal) for one in criteria)
        answers = self.command(b"UID SEARCH", *((b"CHARSET UTF-8",) if has_literal else ()), *criteria)
        found: set[int] = set()
        for answer in answers:
            if answer.word(1) == b"SEARCH":
                found.update(int(one[0]) for one in _NUMBERS.finditer(answer.lines[0]))
            if len(found) > _MAX_FOUND:
                raise self._wire.too_large_error()
        return sorted(found)

    def fetch(self, uids: list[int], items: bytes) -> dict[int, dict[str, object]]:
        """The requested items of each existing message, by its number."""
        if not uids:
            return {}
        answers = self.command(b"UID FETCH", b",".join(b"%d" % uid for uid in uids), b"(UID " + items + b")")
        found: dict[int, dict[str, object]] = {}
        for answer in answers:
            told = parse_fetch(answer) if answer.word(2) == b"FETCH" else {}
            uid = parse_number(told.get("UID"))
            if uid in uids:
                found.setdefault(uid, {}).update(told)
        return {uid: found[uid] for uid in uids if uid in found}

    def list_folders(self) -> list[tuple[str, set[bytes]]]:
        """The name of every folder that can be opened, with its attributes, such as the one for sent mail."""
        found = []
        for answer in self.command(b"LIST", b'""', b'"*"'):
            values = answer.values() if answer.word(1) == b"LIST" else []
            if len(values) > 4 and isinstance(values[4], bytes):
                marks = {mark.upper() for mark in parse_flags(values[2])}
                if b"\\NOSELECT" not in marks and b"\\NONEXISTENT" not in marks:
                    found.append((decode_folder_name(values[4]), marks))
        return found

    def append(self, folder: str, message: bytes) -> None:
        self.command(b"APPEND", _folder(folder), b"(\\Seen)", Literal(message))

    def copy_or_move(self, command: bytes, uid: int, folder: str) -> list[ImapResponse]:
        """Send UID COPY or UID MOVE and return all responses, with the OK last."""
        return self._send_command(command, b"%d" % uid, _folder(folder))

    def _load_capabilities(self) -> None:
        answers = self.command(b"CAPABILITY")
        responses = [answer.lines[0].upper().split()[2:] for answer in answers if answer.word(1) == b"CAPABILITY"]
        self.capabilities = frozenset(word for words in responses for word in words)

    def _authenticate(self) -> None:
        user, password = self.server.user, self.server.password
        if b"AUTH=PLAIN" in self.capabilities:
            # Sent as a continuation line, so that passwords may contain any character.
            tag = self._next_tag()
            self._wire.send(tag + b" AUTHENTICATE PLAIN\r\n")
            if self._read_until(tag) is None:
                self._wire.send(base64.b64encode(f"\0{user}\0{password}".encode()) + b"\r\n")
                self._finish(tag)
        else:
            self.command(b"LOGIN", quote(user), quote(password))

    def _next_tag(self) -> bytes:
        """An unpredictable tag, so that earlier data is never taken for the response to this command."""
        return b"d" + secrets.token_hex(4).encode()

    def _finish(self, tag: bytes) -> list[ImapResponse]:
        answers = self._read_until(tag)
        if answers is None:
            raise BadImapResponseError("the server asks for more data than there is")
        return answers

    def _read_until(self, tag: bytes) -> list[ImapResponse] | None:
        """The responses up to the end of the command; None if the server asks for its continuation."""
        answers: list[ImapResponse] = []
        while True:
            answer = self._read()
            if answer.lines[0].startswith(b"+"):
                return None
            if answer.word(0) == tag.upper():
                if answer.word(1) in (b"NO", b"BAD"):
                    raise ImapRefusedError(b"".join(answer.lines[0].split(b" ", 2)[2:]), answers)
                if answer.word(1) != b"OK":
                    raise BadImapResponseError("the server ended a command without a result")
                return [*answers, answer]
            if answer.word(1) == b"BYE":
                raise self._closed_error(answer)
            answers.append(answer)
            if len(answers) > _MAX_RESPONSES:
                raise self._wire.too_large_error()

    def _read(self) -> ImapResponse:
        lines, literals = [self._wire.read_line(_MAX_LINE_BYTES)], []
        while announced := _LITERAL.search(lines[-1]):
            literals.append(self._wire.read(int(announced[1])))
            lines.append(self._wire.read_line(_MAX_LINE_BYTES))
        return ImapResponse(tuple(lines), tuple(literals))

    def _closed_error(self, answer: ImapResponse) -> MailConnectionLostError:
        said = self.server.quote(answer.lines[0].removeprefix(b"* "))
        return MailConnectionLostError(
            UserText("{host} closed the connection ({said}). It may be restarting.", host=self.server.host, said=said)
        )


def _folder(name: str) -> bytes | Literal:
    return quote(encode_folder_name(name).decode())


@contextmanager
def unsure_if_unclear(what: str) -> Iterator[None]:
    """Unclear errors mean unsure: from the first changing command until the server confirms or refuses it."""
    try:
        yield
    except (MailConnectionLostError, MailResponseTooLargeError) as error:
        raise ToolFailedError.because(FailureClass.UNSURE, join_texts([error.failure.sentence, what], " ")) from error
    except BadImapResponseError as error:
        raise ToolFailedError.because(
            FailureClass.UNSURE, UserText("The server's response is invalid. {what}", what=what)
        ) from error
