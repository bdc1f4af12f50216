"""A conversation with an IMAP server, from the greeting to the logout; its refusals as classes of failures."""

import base64
import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.mail.imap_values import (
    Answer,
    BadAnswerError,
    read_fetch,
    read_marks,
    read_number,
)
from scheduler.connections.connectors.mail.names import decode_name, encode_name
from scheduler.connections.connectors.mail.wire import LostError, Server, Wire
from scheduler.connections.mistakes import wrong
from scheduler.rules.failures import FailureClass

_LONGEST_LINE = 16 * 1024 * 1024
"""A search of a million messages answers with one line."""
_MOST_ANSWERS = 20_000
_MOST_FOUND = 3_000_000
_NUMBERS = re.compile(rb"(?<= )[0-9]{1,10}(?= |$)")
_LITERAL = re.compile(rb"\{(\d{1,12})\+?\}$")
_CODE = re.compile(rb"\[([A-Z-]+)[^\]]*\]")
_PERMANENT = re.compile(rb"\[PERMANENTFLAGS \(([^)]*)\)\]", re.IGNORECASE)
_ANY_KEYWORD = b"\\*"
_VALIDITY = re.compile(rb"\[UIDVALIDITY (\d{1,10})\]", re.IGNORECASE)
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_FOR_NOW = frozenset({b"UNAVAILABLE", b"INUSE", b"LIMIT", b"SERVERBUG", b"OVERQUOTA", b"THROTTLED"})
"""Response codes after which waiting helps, or making room: RFC 5530, and one of Google's."""


class RefusedError(Exception):
    """The server said NO or BAD to a command."""

    def __init__(self, text: bytes, before: Sequence[Answer] = ()) -> None:
        super().__init__()
        self.text = text
        self.before = before
        """What it had said to the command until then."""
        code = _CODE.match(text)
        self.code = code[1] if code else b""


@dataclass(frozen=True, slots=True)
class Literal:
    """Bytes that go as they are, after their length."""

    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A folder that is open."""

    name: str
    validity: int
    """Changes when the server numbers its messages anew."""
    takes_keywords: bool = False
    """Whether messages can be marked with words that the server does not know yet; only known if opened to change."""


def quoted(text: str) -> bytes | Literal:
    if "\0" in text:
        raise wrong("A text for a mail server cannot hold a zero character.")
    if all(" " <= character <= "~" for character in text):
        return b'"' + text.replace("\\", "\\\\").replace('"', '\\"').encode() + b'"'
    return Literal(text.encode("utf-8", "replace"))


def imap_day(day: date) -> bytes:
    """As criteria of a search write it."""
    return f"{day.day}-{_MONTHS[day.month - 1]}-{day.year:04}".encode()


@contextmanager
def session(server: Server, seconds: float) -> Iterator["Session"]:
    """Log in, and out again. What the server says that is not IMAP counts as a broken connection."""
    wire = Wire(server, seconds)
    try:
        talk = Session(server, wire)
        talk.log_in()
        yield talk
        with suppress(ToolFailedError, RefusedError):
            wire.send(b"z LOGOUT\r\n")
    except BadAnswerError as error:
        raise LostError(f"{server.host} answers in a way that no mail server does.") from error
    except RefusedError as error:
        raise refusal(server, error, "refused what was asked") from error
    finally:
        wire.close()


def refusal(server: Server, refused: RefusedError, what: str) -> ToolFailedError:
    said = server.quote(refused.text)
    if refused.code in _FOR_NOW:
        sentence = f"{server.host} cannot do this at the moment ({said})."
        return ToolFailedError.because(FailureClass.TRANSIENT, sentence)
    return wrong(f"{server.host} {what} ({said}).")


class Session:
    def __init__(self, server: Server, wire: Wire) -> None:
        self.server = server
        self._wire = wire
        self.abilities: frozenset[bytes] = frozenset()

    def log_in(self) -> None:
        greeting = self._read()
        if greeting.word(1) not in (b"OK", b"PREAUTH"):
            raise self._gone(greeting)
        self._ask_abilities()
        if self.server.security == "starttls":
            if b"STARTTLS" not in self.abilities:
                raise wrong(f"{self.server.host} offers no STARTTLS on this port. Choose tls, or another port.")
            self.command(b"STARTTLS")
            self._wire.secure()
            self._ask_abilities()
        if greeting.word(1) == b"PREAUTH":
            return
        if b"LOGINDISABLED" in self.abilities and b"AUTH=PLAIN" not in self.abilities:
            raise wrong(f"{self.server.host} takes no password without encryption. Choose tls or starttls.")
        try:
            self._give_password()
        except RefusedError as error:
            if error.code in _FOR_NOW:
                raise refusal(self.server, error, "") from error
            raise ToolFailedError.because(
                FailureClass.AUTH,
                f"{self.server.host} did not accept the login of {self.server.user} "
                f"({self.server.quote(error.text)}). Connect again with the right password.",
            ) from error
        self._ask_abilities()

    def command(self, *parts: bytes | Literal) -> list[Answer]:
        """Say it, and give what came before the OK; RefusedError for a NO or BAD."""
        return self._converse(*parts)[:-1]

    def _converse(self, *parts: bytes | Literal) -> list[Answer]:
        """The same, with the OK."""
        tag = self._next_tag()
        written = tag
        for part in parts:
            if isinstance(part, bytes):
                written += b" " + part
                continue
            self._wire.send(written + b" {%d}\r\n" % len(part.content))
            if self._read_until(tag) is not None:
                raise BadAnswerError("it ends a command before it has heard all of it")
            written = part.content
        self._wire.send(written + b"\r\n")
        return self._finish(tag)

    def open_folder(self, name: str, *, change: bool = False) -> Box:
        try:
            answers = self.command(b"SELECT" if change else b"EXAMINE", _folder(name))
        except RefusedError as error:
            if error.code in _FOR_NOW:
                raise
            raise wrong(
                f"There is no folder {name} at {self.server.host} that can be opened ({self.server.quote(error.text)})."
            ) from error
        told = [answer.lines[0] for answer in answers if answer.word(1) == b"OK"]
        validities = [int(found[1]) for line in told if (found := _VALIDITY.search(line))]
        permanent = [found[1].split() for line in told if (found := _PERMANENT.search(line))]
        return Box(
            name=name,
            validity=validities[-1] if validities else 0,
            takes_keywords=bool(permanent) and _ANY_KEYWORD in permanent[-1],
        )

    def search(self, *criteria: bytes | Literal) -> list[int]:
        """The numbers (UIDs) of the messages in the open folder that fit, in order."""
        foreign = any(isinstance(one, Literal) for one in criteria)
        answers = self.command(b"UID SEARCH", *((b"CHARSET UTF-8",) if foreign else ()), *criteria)
        found: set[int] = set()
        for answer in answers:
            if answer.word(1) == b"SEARCH":
                found.update(int(one[0]) for one in _NUMBERS.finditer(answer.lines[0]))
            if len(found) > _MOST_FOUND:
                raise self._wire.too_much()
        return sorted(found)

    def fetch(self, uids: list[int], items: bytes) -> dict[int, dict[str, object]]:
        """What was asked about each message that is there, by its number."""
        if not uids:
            return {}
        answers = self.command(b"UID FETCH", b",".join(b"%d" % uid for uid in uids), b"(UID " + items + b")")
        found: dict[int, dict[str, object]] = {}
        for answer in answers:
            told = read_fetch(answer) if answer.word(2) == b"FETCH" else {}
            uid = read_number(told.get("UID"))
            if uid in uids:
                found.setdefault(uid, {}).update(told)
        return {uid: found[uid] for uid in uids if uid in found}

    def folders(self) -> list[tuple[str, set[bytes]]]:
        """The name of every folder that can be opened, with its marks, such as the one for sent mail."""
        found = []
        for answer in self.command(b"LIST", b'""', b'"*"'):
            values = answer.values() if answer.word(1) == b"LIST" else []
            if len(values) > 4 and isinstance(values[4], bytes):
                marks = {mark.upper() for mark in read_marks(values[2])}
                if b"\\NOSELECT" not in marks and b"\\NONEXISTENT" not in marks:
                    found.append((decode_name(values[4]), marks))
        return found

    def append(self, folder: str, message: bytes) -> None:
        self.command(b"APPEND", _folder(folder), b"(\\Seen)", Literal(message))

    def in_folder(self, command: bytes, uid: int, folder: str) -> list[Answer]:
        """UID COPY and UID MOVE; all that the server said, the OK last."""
        return self._converse(command, b"%d" % uid, _folder(folder))

    def _ask_abilities(self) -> None:
        answers = self.command(b"CAPABILITY")
        told = [answer.lines[0].upper().split()[2:] for answer in answers if answer.word(1) == b"CAPABILITY"]
        self.abilities = frozenset(word for words in told for word in words)

    def _give_password(self) -> None:
        user, password = self.server.user, self.server.password
        if b"AUTH=PLAIN" in self.abilities:
            # A line of its own, as for a literal, but without a length: passwords may hold any character.
            tag = self._next_tag()
            self._wire.send(tag + b" AUTHENTICATE PLAIN\r\n")
            if self._read_until(tag) is None:
                self._wire.send(base64.b64encode(f"\0{user}\0{password}".encode()) + b"\r\n")
                self._finish(tag)
        else:
            self.command(b"LOGIN", quoted(user), quoted(password))

    def _next_tag(self) -> bytes:
        """A new one that nobody can foresee, so what was said before the command is never taken for its answer."""
        return b"d" + secrets.token_hex(4).encode()

    def _finish(self, tag: bytes) -> list[Answer]:
        answers = self._read_until(tag)
        if answers is None:
            raise BadAnswerError("it asks for more than there is")
        return answers

    def _read_until(self, tag: bytes) -> list[Answer] | None:
        """What came up to the end of the command; None if the server wants us to go on with it."""
        answers: list[Answer] = []
        while True:
            answer = self._read()
            if answer.lines[0].startswith(b"+"):
                return None
            if answer.word(0) == tag.upper():
                if answer.word(1) in (b"NO", b"BAD"):
                    raise RefusedError(b"".join(answer.lines[0].split(b" ", 2)[2:]), answers)
                if answer.word(1) != b"OK":
                    raise BadAnswerError("it ends a command without saying how it went")
                return [*answers, answer]
            if answer.word(1) == b"BYE":
                raise self._gone(answer)
            answers.append(answer)
            if len(answers) > _MOST_ANSWERS:
                raise self._wire.too_much()

    def _read(self) -> Answer:
        lines, literals = [self._wire.read_line(_LONGEST_LINE)], []
        while announced := _LITERAL.search(lines[-1]):
            literals.append(self._wire.read(int(announced[1])))
            lines.append(self._wire.read_line(_LONGEST_LINE))
        return Answer(tuple(lines), tuple(literals))

    def _gone(self, answer: Answer) -> LostError:
        said = self.server.quote(answer.lines[0].removeprefix(b"* "))
        return LostError(f"{self.server.host} ended the conversation ({said}). It may be restarting.")


def _folder(name: str) -> bytes | Literal:
    return quoted(encode_name(name).decode())
