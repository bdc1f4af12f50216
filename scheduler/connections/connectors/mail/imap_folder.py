"""What every IMAP tool begins with: a folder that is open, and the message that is meant."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.connectors.mail.imap_session import Box, Session, session
from scheduler.connections.connectors.mail.imap_values import read_marks, read_number
from scheduler.connections.connectors.mail.wire import Server
from scheduler.connections.mistakes import wrong

INBOX = "INBOX"
_LARGEST_UID = 2**32 - 1
_FACTS = b"FLAGS RFC822.SIZE INTERNALDATE BODY.PEEK[HEADER]<0.65536>"
_MAX_CANDIDATES = 100


@contextmanager
def opened(call: Call, *, change: bool = False) -> Iterator[tuple[Session, Box]]:
    with session(Server.of(call.settings), call.seconds) as talk:
        yield talk, talk.open_folder(folder_of(call), change=change)


def folder_of(call: Call) -> str:
    return call.parameters.get("folder") or INBOX


def number_of(call: Call) -> int:
    uid: int = call.parameters["uid"]
    if not 1 <= uid <= _LARGEST_UID:
        raise wrong(f'"uid" is the number of a message as search gives it, not {uid}.')
    return uid


def check_validity(call: Call, box: Box) -> None:
    """Numbers from before the server counted anew may mean other messages."""
    approved = call.target["uidvalidity"] if call.target else None
    if any(given not in (None, box.validity) for given in (call.parameters.get("uidvalidity"), approved)):
        raise renumbered(box, call.parameters.get("uid"))


def renumbered(box: Box, uid: int | None) -> ToolFailedError:
    return wrong(
        f"The server has numbered the messages in {box.name} anew, so number {uid} may mean another one by now. "
        "Search again."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message in a folder. Its number tells it from all others there; its traits are the same in any folder."""

    uid: int
    marks: tuple[bytes, ...]
    """In small letters, as capitals make no difference."""
    size: int
    traits: dict[str, Any]

    def has(self, mark: bytes) -> bool:
        return mark.lower() in self.marks


def _fetch_messages(talk: Session, uids: list[int]) -> dict[int, Message]:
    return {uid: _describe(uid, items) for uid, items in talk.fetch(uids, _FACTS).items()}


def _describe(uid: int, items: dict[str, object]) -> Message:
    head, date = (
        value if isinstance(value, bytes) else b"" for value in (items.get("BODY"), items.get("INTERNALDATE"))
    )
    size = read_number(items.get("RFC822.SIZE")) or 0
    traits = {"size": size, "date": date.decode("ascii", "replace"), "head": hashlib.sha256(head).hexdigest()}
    marks = tuple(mark.lower() for mark in read_marks(items.get("FLAGS")))
    return Message(uid=uid, marks=marks, size=size, traits=traits)


def find_message(call: Call, talk: Session, box: Box) -> Message:
    """The message that is meant: there, and the one that was approved."""
    uid = number_of(call)
    check_validity(call, box)
    found = _fetch_messages(talk, [uid]).get(uid)
    if found is None:
        raise wrong(f"There is no message {uid} in {box.name}; it may have been moved or deleted.")
    if call.target and call.target["traits"] != found.traits:
        raise wrong(f"Message {uid} in {box.name} is not the one that was approved. Search again.")
    return found


def identify_target(call: Call) -> dict[str, Any]:
    """What tells the message from all others."""
    with opened(call) as (talk, box):
        found = find_message(call, talk, box)
    return {"uidvalidity": box.validity, "uid": found.uid, "traits": found.traits}


def find_alike(talk: Session, traits: dict[str, Any]) -> list[int]:
    """The messages in the open folder with all these traits; whoever has one of them has lost nothing."""
    size = traits["size"]
    if size < 1:
        return []
    found = talk.search(b"LARGER %d" % (size - 1), b"SMALLER %d" % (size + 1))
    alike = _fetch_messages(talk, found[-_MAX_CANDIDATES:])
    return [uid for uid, message in alike.items() if message.traits == traits]
