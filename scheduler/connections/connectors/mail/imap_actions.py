"""Marking messages, and finding out later whether it happened; and finding mails of our own."""

import re
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.mail import reading
from scheduler.connections.connectors.mail.imap_folder import (
    check_validity,
    find_message,
    folder_of,
    number_of,
    opened,
)
from scheduler.connections.connectors.mail.imap_outcome import unsure_if_unclear
from scheduler.connections.connectors.mail.imap_session import RefusedError, Session, quoted
from scheduler.connections.connectors.mail.imap_values import read_marks
from scheduler.connections.mistakes import wrong
from scheduler.rules.failures import FailureClass

_MARKS = {name: f"\\{name.capitalize()}" for name in ("seen", "flagged", "answered", "draft")}
_WORD = re.compile(r"[A-Za-z0-9$_.-]{1,60}", re.ASCII)


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
    add, remove = _changes(call)
    with opened(call, change=True) as (talk, box):
        uid = find_message(call, talk, box).uid
        with unsure_if_unclear("It may have marked the message."):
            if add:
                _store(talk, uid, b"+FLAGS.SILENT", add)
            try:
                if remove:
                    _store(talk, uid, b"-FLAGS.SILENT", remove)
            except RefusedError as error:
                if not add:
                    raise
                said = talk.server.quote(error.text)
                raise ToolFailedError.because(
                    FailureClass.UNSURE, f"{talk.server.host} added marks, and refused to remove others ({said})."
                ) from error
    return {"uid": uid}


def _store(talk: Session, uid: int, change: bytes, marks: list[str]) -> None:
    talk.command(b"UID STORE", b"%d" % uid, change + b" (" + " ".join(marks).encode() + b")")


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
