"""Moving and marking messages, and finding out later whether it happened."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.mail import reading
from scheduler.connections.connectors.mail.imap_folder import check_validity, folder_of, number_of, opened
from scheduler.connections.connectors.mail.imap_session import RefusedError, Session, quoted
from scheduler.connections.connectors.mail.imap_values import BadAnswerError, read_marks
from scheduler.connections.connectors.mail.wire import LostError, TooMuchError
from scheduler.connections.mistakes import wrong
from scheduler.rules.failures import FailureClass

_MARKS = {name: f"\\{name.capitalize()}" for name in ("seen", "flagged", "answered", "draft")}
_WORD = re.compile(r"[A-Za-z0-9$_.-]{1,60}", re.ASCII)


@contextmanager
def _acting(what: str) -> Iterator[None]:
    """From the first command that changes anything until the server says how it went, in words that are understood."""
    try:
        yield
    except (LostError, TooMuchError) as error:
        raise ToolFailedError.because(FailureClass.UNSURE, f"{error.failure.sentence} {what}") from error
    except BadAnswerError as error:
        raise ToolFailedError.because(FailureClass.UNSURE, f"The server's answer makes no sense. {what}") from error


def move(call: Call) -> dict[str, Any]:
    uid, target = number_of(call), call.parameters["to"]
    with opened(call, change=True) as (talk, box):
        check_validity(call, box)
        if target == box.name:
            raise wrong(f"Message {uid} is in {target} already.")
        told = talk.fetch([uid], b"BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]").get(uid)
        if told is None:
            raise wrong(f"There is no message {uid} in {box.name}; it may have been moved or deleted.")
        copied = False
        if b"MOVE" not in talk.abilities:
            copied = _is_in(talk, target, _identity_of(told))
            talk.open_folder(box.name, change=True)
        with _acting(f"It may have moved the message to {target}: look there."):
            try:
                if b"MOVE" in talk.abilities:
                    talk.in_folder(b"UID MOVE", uid, target)
                else:
                    _copy_and_remove(talk, uid, target, copied=copied)
            except RefusedError as error:
                if error.code in (b"TRYCREATE", b"NONEXISTENT"):
                    said = talk.server.quote(error.text)
                    raise wrong(f"There is no folder {target} to move the message to ({said}).") from error
                raise
    return {"folder": target}


def _is_in(talk: Session, folder: str, identity: str) -> bool:
    talk.open_folder(folder)
    return bool(identity and find_by_identity(talk, identity))


def _copy_and_remove(talk: Session, uid: int, target: str, *, copied: bool) -> None:
    """For servers without MOVE; a copy that a broken connection left behind is not made again."""
    if not copied:
        talk.in_folder(b"UID COPY", uid, target)
    talk.command(b"UID STORE", b"%d" % uid, b"+FLAGS.SILENT (\\Deleted)")
    if b"UIDPLUS" in talk.abilities:
        talk.command(b"UID EXPUNGE", b"%d" % uid)


def check_move(call: Call) -> Checked:
    """It is where it was, or where it should be; by its number alone nobody could tell who took it away."""
    uid, target = number_of(call), call.parameters["to"]
    identity = call.parameters.get("message_id")
    with opened(call) as (talk, box):
        check_validity(call, box)
        marks = talk.fetch([uid], b"FLAGS").get(uid, {}).get("FLAGS")
        if isinstance(marks, list) and b"\\Deleted" not in marks:
            return Checked(happened=False)
        if identity and _is_in(talk, target, identity):
            return Checked(happened=True, result={"folder": target})
    raise ToolFailedError.because(
        FailureClass.UNSURE,
        f"Message {uid} is not in {folder_of(call)} any more, and nobody can tell whether it was moved to {target}.",
    )


def find_by_identity(talk: Session, identity: str) -> list[int]:
    """The messages with this Message-ID in the open folder; servers also find those that only contain it."""
    found = talk.search(b"HEADER Message-ID", quoted(identity))
    told = talk.fetch(found[-100:], b"BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]")
    wanted = identity.strip()
    return [uid for uid, items in told.items() if _identity_of(items) == wanted]


def _identity_of(items: dict[str, object]) -> str:
    raw = items.get("BODY")
    return reading.header(reading.parse(raw), "message-id") if isinstance(raw, bytes) else ""


def _changes(call: Call) -> tuple[list[str], list[str]]:
    add, remove = ([_mark(one) for one in call.parameters.get(name) or []] for name in ("add", "remove"))
    if not add and not remove:
        raise wrong('flag takes "add" or "remove", such as add=["seen"].')
    if both := set(add) & set(remove):
        raise wrong(f"flag cannot add and remove {', '.join(sorted(both))} at once.")
    return add, remove


def _mark(name: Any) -> str:
    if isinstance(name, str) and name.lower() in _MARKS:
        return _MARKS[name.lower()]
    if not isinstance(name, str) or not _WORD.fullmatch(name):
        raise wrong("A mark is seen, flagged, answered, draft, or a word of letters, digits, dashes and underscores.")
    return name


def flag(call: Call) -> dict[str, Any]:
    uid = number_of(call)
    add, remove = _changes(call)
    with opened(call, change=True) as (talk, box):
        check_validity(call, box)
        if uid not in talk.fetch([uid], b"FLAGS"):
            raise wrong(f"There is no message {uid} in {box.name}; it may have been moved or deleted.")
        with _acting("It may have marked the message."):
            for sign, marks in ((b"+", add), (b"-", remove)):
                if marks:
                    words = " ".join(marks).encode()
                    talk.command(b"UID STORE", b"%d" % uid, sign + b"FLAGS.SILENT (" + words + b")")
    return {"uid": uid}


def check_flag(call: Call) -> Checked:
    uid = number_of(call)
    add, remove = _changes(call)
    with opened(call) as (talk, box):
        check_validity(call, box)
        told = talk.fetch([uid], b"FLAGS").get(uid)
    marks = (told or {}).get("FLAGS")
    if not isinstance(marks, list):
        raise ToolFailedError.because(
            FailureClass.UNSURE, f"Message {uid} is not in {folder_of(call)} any more, so nobody can tell."
        )
    there = {mark.decode("ascii", "replace").lower() for mark in read_marks(marks)}
    happened = all(one.lower() in there for one in add) and not any(one.lower() in there for one in remove)
    return Checked(happened=happened, result={"uid": uid} if happened else None)
