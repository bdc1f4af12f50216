"""Flagging messages and checking whether it was done, and finding a message by its Message-ID."""

import re
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.mail import headers
from scheduler.connections.connectors.mail.imap_folder import (
    check_uidvalidity,
    find_message,
    folder_name,
    open_folder,
    read_uid,
)
from scheduler.connections.connectors.mail.imap_session import ImapRefusedError, ImapSession, quote, unsure_if_unclear
from scheduler.connections.connectors.mail.imap_values import parse_flags
from scheduler.connections.errors import logic_failure
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_SYSTEM_FLAGS = {name: f"\\{name.capitalize()}" for name in ("seen", "flagged", "answered", "draft")}
_WORD = re.compile(r"[A-Za-z0-9$_.-]{1,60}", re.ASCII)


def find_by_message_id(client: ImapSession, identity: str) -> list[int]:
    """The messages with this Message-ID in the open folder; the server's search alone also finds longer ids."""
    found = client.search(b"HEADER Message-ID", quote(identity))
    fetched = client.fetch(found[-100:], b"BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)]")
    expected = identity.strip()
    return [uid for uid, items in fetched.items() if _identity_of(items) == expected]


def _identity_of(items: dict[str, object]) -> str:
    raw = items.get("BODY")
    return headers.get_header(headers.parse(raw), "message-id") if isinstance(raw, bytes) else ""


def _parse_changes(call: Call) -> tuple[list[str], list[str]]:
    add, remove = ([_parse_flag(one) for one in call.parameters.get(name) or []] for name in ("add", "remove"))
    if not add and not remove:
        raise logic_failure(UserText('Give "add" or "remove", such as add=["seen"].'))
    if both := set(add) & set(remove):
        raise logic_failure(UserText("Cannot add and remove {both} at the same time.", both=", ".join(sorted(both))))
    return add, remove


def _parse_flag(name: Any) -> str:
    if isinstance(name, str) and name.lower() in _SYSTEM_FLAGS:
        return _SYSTEM_FLAGS[name.lower()]
    if not isinstance(name, str) or not _WORD.fullmatch(name):
        raise logic_failure(
            UserText(
                "A flag must be seen, flagged, answered, draft, or a word of letters, digits, dashes and underscores."
            )
        )
    return name


def flag(call: Call) -> dict[str, Any]:
    add, remove = _parse_changes(call)
    with open_folder(call, change=True) as (client, box):
        uid = find_message(call, client, box).uid
        with unsure_if_unclear(UserText("The message may have been flagged.")):
            if add:
                _store(client, uid, b"+FLAGS.SILENT", add)
            try:
                if remove:
                    _store(client, uid, b"-FLAGS.SILENT", remove)
            except ImapRefusedError as error:
                if not add:
                    raise
                message = client.server.quote(error.text)
                raise ToolFailedError.because(
                    FailureClass.UNSURE,
                    UserText(
                        "{host} added flags, but refused to remove others ({message}).",
                        host=client.server.host,
                        message=message,
                    ),
                ) from error
    return {"uid": uid}


def _store(client: ImapSession, uid: int, change: bytes, flags: list[str]) -> None:
    client.command(b"UID STORE", b"%d" % uid, change + b" (" + " ".join(flags).encode() + b")")


def check_flag(call: Call) -> Checked:
    uid = read_uid(call)
    add, remove = _parse_changes(call)
    with open_folder(call) as (client, box):
        check_uidvalidity(call, box)
        fetched = client.fetch([uid], b"FLAGS").get(uid)
    flags = (fetched or {}).get("FLAGS")
    if not isinstance(flags, list):
        raise ToolFailedError.because(
            FailureClass.UNSURE,
            UserText(
                "Message {uid} is no longer in {folder_name}, so this cannot be checked.",
                uid=uid,
                folder_name=folder_name(call),
            ),
        )
    there = {flag_name.decode("ascii", "replace").lower() for flag_name in parse_flags(flags)}
    happened = all(one.lower() in there for one in add) and not any(one.lower() in there for one in remove)
    return Checked(happened=happened, result={"uid": uid} if happened else None)
