"""What all IMAP tools start with: opening the folder and finding the message."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.connectors.mail.connection import MailServer
from scheduler.connections.connectors.mail.imap_session import ImapSession, OpenFolder, open_session
from scheduler.connections.connectors.mail.imap_values import parse_flags, parse_number
from scheduler.connections.errors import logic_failure
from scheduler.user_text import UserText

INBOX = "INBOX"
_MAX_UID = 2**32 - 1
_FACTS = b"FLAGS RFC822.SIZE INTERNALDATE BODY.PEEK[HEADER]<0.65536>"
_MAX_CANDIDATES = 100


@contextmanager
def open_folder(call: Call, *, change: bool = False) -> Iterator[tuple[ImapSession, OpenFolder]]:
    with open_session(MailServer.from_settings(call.settings), call.seconds) as talk:
        yield talk, talk.open_folder(folder_name(call), change=change)


def folder_name(call: Call) -> str:
    return call.parameters.get("folder") or INBOX


def read_uid(call: Call) -> int:
    uid: int = call.parameters["uid"]
    if not 1 <= uid <= _MAX_UID:
        raise logic_failure(UserText('"uid" must be a message number from search, not {uid}.', uid=uid))
    return uid


def check_uidvalidity(call: Call, box: OpenFolder) -> None:
    """After the server renumbered a folder, old numbers may mean other messages."""
    approved = call.target["uidvalidity"] if call.target else None
    if any(given not in (None, box.uidvalidity) for given in (call.parameters.get("uidvalidity"), approved)):
        raise renumbered_error(box, call.parameters.get("uid"))


def renumbered_error(box: OpenFolder, uid: int | None) -> ToolFailedError:
    return logic_failure(
        UserText(
            "The server has renumbered the messages in {box}, so {uid} may now be another message. Search again.",
            box=box.name,
            uid=uid,
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImapMessage:
    """One message. Its number is unique in its folder; its traits are the same in every folder."""

    uid: int
    flags: tuple[bytes, ...]
    """Lower case, as they are case-insensitive."""
    traits: dict[str, Any]

    def has_flag(self, mark: bytes) -> bool:
        return mark.lower() in self.flags


def _fetch_messages(talk: ImapSession, uids: list[int]) -> dict[int, ImapMessage]:
    return {uid: _describe(uid, items) for uid, items in talk.fetch(uids, _FACTS).items()}


def _describe(uid: int, items: dict[str, object]) -> ImapMessage:
    head, date = (
        value if isinstance(value, bytes) else b"" for value in (items.get("BODY"), items.get("INTERNALDATE"))
    )
    size = parse_number(items.get("RFC822.SIZE")) or 0
    traits = {"size": size, "date": date.decode("ascii", "replace"), "head": hashlib.sha256(head).hexdigest()}
    marks = tuple(mark.lower() for mark in parse_flags(items.get("FLAGS")))
    return ImapMessage(uid=uid, flags=marks, traits=traits)


def find_message(call: Call, talk: ImapSession, box: OpenFolder) -> ImapMessage:
    """Find the message, and refuse one that is not the approved one."""
    uid = read_uid(call)
    check_uidvalidity(call, box)
    found = _fetch_messages(talk, [uid]).get(uid)
    if found is None:
        raise logic_failure(
            UserText("There is no message {uid} in {box}. It may have been moved or deleted.", uid=uid, box=box.name)
        )
    if call.target and call.target["traits"] != found.traits:
        raise logic_failure(
            UserText("Message {uid} in {box} is not the one you approved. Search again.", uid=uid, box=box.name)
        )
    return found


def identify_target(call: Call) -> dict[str, Any]:
    """JSON that identifies the message."""
    with open_folder(call) as (talk, box):
        found = find_message(call, talk, box)
    return {"uidvalidity": box.uidvalidity, "uid": found.uid, "traits": found.traits}


def find_copies(talk: ImapSession, traits: dict[str, Any]) -> list[int]:
    """The messages in the open folder with all these traits: copies of the same message."""
    size = traits["size"]
    if size < 1:
        return []
    found = talk.search(b"LARGER %d" % (size - 1), b"SMALLER %d" % (size + 1))
    alike = _fetch_messages(talk, found[-_MAX_CANDIDATES:])
    return [uid for uid, message in alike.items() if message.traits == traits]
