"""Mail on an IMAP server: search, read, save attachments, move and flag. Reading leaves messages unread."""

import base64
from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import Any

from scheduler.connections.connector import (
    Call,
    Connector,
    Field,
    FieldKind,
    Parameter,
    ParameterKind,
    Tool,
    ToolExample,
)
from scheduler.connections.connectors.mail import headers, mime_parts
from scheduler.connections.connectors.mail.attachments import save_attachment
from scheduler.connections.connectors.mail.connection import MailServer, security_field
from scheduler.connections.connectors.mail.imap_actions import check_flag, flag
from scheduler.connections.connectors.mail.imap_folder import check_uidvalidity, identify_target, open_folder, read_uid
from scheduler.connections.connectors.mail.imap_move import MARKER_PREFIX, check_move, move
from scheduler.connections.connectors.mail.imap_session import (
    ImapSession,
    Literal,
    OpenFolder,
    format_day,
    open_session,
    quote,
)
from scheduler.connections.connectors.mail.imap_values import parse_flags, parse_number
from scheduler.connections.errors import logic_failure
from scheduler.user_text import UserText

_DEFAULT_LIMIT, _MAX_LIMIT = 200, 1000
_BATCH_SIZE = 100
"""Messages per command, so that memory does not grow with the page."""
_MAX_READ_BYTES = 10 * 1024 * 1024
_MAX_MAIL_BYTES = 50 * 1024 * 1024
_MAX_BASE64_BYTES = 10 * 1024 * 1024
_FACTS = b"FLAGS RFC822.SIZE INTERNALDATE"
_HEADERS = b"BODY.PEEK[HEADER.FIELDS (MESSAGE-ID FROM TO CC SUBJECT DATE)]<0.65536>"


def _search(call: Call) -> list[dict[str, Any]]:
    limit = call.parameters.get("limit") or _DEFAULT_LIMIT
    if not 1 <= limit <= _MAX_LIMIT:
        raise logic_failure(
            UserText(
                '"limit" must be between 1 and {max_limit}. Use after_uid to get the next ones.', max_limit=_MAX_LIMIT
            )
        )
    with open_folder(call) as (client, box):
        after = call.parameters.get("after_uid") or call.parameters.get("since_uid") or 0
        if call.parameters.get("uidvalidity") not in (None, box.uidvalidity):
            after = 0
        found = [uid for uid in client.search(*_criteria(call, after)) if uid > after][:limit]
        mails: list[dict[str, Any]] = []
        for batch in _batches(found):
            fetched = client.fetch(batch, _FACTS + b" " + _HEADERS)
            mails += [_describe(uid, items, box) for uid, items in fetched.items()]
    return mails


def _batches(uids: list[int]) -> Iterator[list[int]]:
    rest = iter(uids)
    while batch := list(islice(rest, _BATCH_SIZE)):
        yield batch


def _criteria(call: Call, after: int) -> Iterator[bytes | Literal]:
    # n:* always includes the last message, even if its number is below n.
    yield b"UID %d:*" % (max(after, 0) + 1) if after else b"ALL"
    if call.parameters.get("unseen"):
        yield b"UNSEEN"
    if since := call.parameters.get("since"):
        yield b"SINCE " + _day(since)
    for name in ("from", "subject"):
        if text := call.parameters.get(name):
            yield name.upper().encode()
            yield quote(text)


def _day(text: str) -> bytes:
    try:
        day = date.fromisoformat(text[:10])
    except ValueError as error:
        raise logic_failure(UserText('"since" must be a date such as 2026-05-04, not "{text}".', text=text)) from error
    return format_day(day)


def _describe(uid: int, items: dict[str, Any], box: OpenFolder) -> dict[str, Any]:
    raw = _bytes(items.get("BODY"))
    mail = headers.parse(raw)
    sender = headers.parse_addresses(mail, "from")
    return {
        "uid": uid,
        "uidvalidity": box.uidvalidity,
        "message_id": headers.message_id(mail, raw),
        "from": headers.format_address(*sender[0]) if sender else "",
        "from_address": sender[0][1] if sender else "",
        "to": [headers.format_address(*one) for one in headers.parse_addresses(mail, "to")],
        "cc": [headers.format_address(*one) for one in headers.parse_addresses(mail, "cc")],
        "subject": headers.get_header(mail, "subject"),
        "date": headers.sent_at(
            mail, headers.format_internal_date(_bytes(items.get("INTERNALDATE")).decode("ascii", "replace"))
        ),
        "size": parse_number(items.get("RFC822.SIZE")) or 0,
        "flags": sorted(_flag_name(mark) for mark in parse_flags(items.get("FLAGS")) if _is_visible(mark)),
    }


def _is_visible(mark: bytes) -> bool:
    """Whether scripts see a flag: not the keyword of an interrupted move, nor the server's "recent"."""
    return mark != b"\\Recent" and not mark.lower().startswith(MARKER_PREFIX)


def _flag_name(mark: bytes) -> str:
    """System flags such as "seen" without their backslash; keywords as they are."""
    name = mark.decode("ascii", "replace")
    return name[1:].lower() if name.startswith("\\") else name


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""


def _read_mail(call: Call, client: ImapSession, box: OpenFolder, max_bytes: int) -> tuple[dict[str, Any], bytes]:
    """The summary of a message, and its content up to `max_bytes`."""
    check_uidvalidity(call, box)
    uid = read_uid(call)
    facts = client.fetch([uid], _FACTS + b" " + _HEADERS).get(uid)
    if facts is None:
        raise logic_failure(
            UserText("There is no message {uid} in {box}. It may have been moved or deleted.", uid=uid, box=box.name)
        )
    content = client.fetch([uid], b"BODY.PEEK[]<0.%d>" % max_bytes).get(uid, {})
    return _describe(uid, facts, box), _bytes(content.get("BODY"))


def _fetch(call: Call) -> dict[str, Any]:
    with open_folder(call) as (client, box):
        summary, content = _read_mail(call, client, box, _MAX_READ_BYTES)
    found = mime_parts.split_parts(content)
    text, text_is_cut = mime_parts.body_text(found, "text/plain")
    html, html_is_cut = mime_parts.body_text(found, "text/html")
    return {
        **summary,
        "headers": headers.all_headers(headers.parse(mime_parts.split_head(content)[0])),
        "text": text,
        "html": html,
        "attachments": mime_parts.describe_attachments(found),
        "truncated": text_is_cut or html_is_cut or summary["size"] > _MAX_READ_BYTES,
    }


def _attachment(call: Call) -> dict[str, Any]:
    number = call.parameters["number"]
    with open_folder(call) as (client, box):
        summary, content = _read_mail(call, client, box, _MAX_MAIL_BYTES)
    if summary["size"] > _MAX_MAIL_BYTES:
        raise logic_failure(UserText("Message {uid} is too large; the limit is 50 MB.", uid=summary["uid"]))
    found = mime_parts.find_attachments(mime_parts.split_parts(content))
    if not 1 <= number <= len(found):
        raise logic_failure(
            UserText(
                "Message {uid} has {count} attachments, so there is no attachment {number}.",
                uid=summary["uid"],
                count=len(found),
                number=number,
            )
        )
    part = found[number - 1]
    described = {"number": number, "name": part.name, "type": part.kind, "size": len(part.content)}
    if folder := call.parameters.get("save_to"):
        return {**described, "path": str(save_attachment(folder, part.name or f"attachment-{number}", part.content))}
    if len(part.content) > _MAX_BASE64_BYTES:
        raise logic_failure(
            UserText(
                '{part} is too large for a script to read; the limit is 10 MB. Save it instead: save_to="~/Documents".',
                part=part.name or UserText("The attachment"),
            )
        )
    return {**described, "base64": base64.b64encode(part.content).decode()}


def _folders(call: Call) -> list[dict[str, Any]]:
    with open_session(MailServer.from_settings(call.settings), call.seconds) as client:
        return [
            {"name": name, "marks": sorted(_flag_name(mark) for mark in marks)}
            for name, marks in sorted(client.list_folders(), key=lambda one: one[0])
        ]


def _test(call: Call) -> str:
    with open_session(MailServer.from_settings(call.settings), call.seconds) as client:
        count = len(client.list_folders())
    folders = UserText("1 folder") if count == 1 else UserText("{count} folders", count=count)
    return UserText(
        "Logged in to {host} as {user}; found {folders}.",
        host=call.settings["host"],
        user=call.settings["user"],
        folders=folders,
    )


_FOLDER = Parameter(ParameterKind.TEXT, required=False, help="Name of the folder; default INBOX.")
_UID = Parameter(ParameterKind.WHOLE, help="Number of the message, from search.")
_UIDVALIDITY = Parameter(
    ParameterKind.WHOLE, required=False, help="From search; the call is refused if the numbers have changed."
)
_MESSAGE = {"uid": _UID, "folder": _FOLDER, "uidvalidity": _UIDVALIDITY}
_EXAMPLE = {
    "uid": 4711,
    "uidvalidity": 1,
    "message_id": "<a1@example.org>",
    "from": "Shop <shop@example.org>",
    "from_address": "shop@example.org",
    "to": ["Anna <anna@example.org>"],
    "cc": [],
    "subject": "Your receipt",
    "date": "2026-05-04T07:00:00+00:00",
    "size": 5120,
    "flags": ["seen"],
}

imap = Connector(
    kind="imap",
    title="Mail (IMAP)",
    help=UserText("Reads, moves and flags mail on a mail server."),
    fields=(
        Field(name="host", label="Server", help="For example imap.example.org."),
        Field(name="port", label="Port", kind=FieldKind.NUMBER, default=993),
        security_field("security", "Encryption", "tls"),
        Field(name="user", label="User name", help="Often the full mail address."),
        Field(name="password", label="Password", secret=True, help="Some providers require an app password."),
    ),
    tools=(
        Tool(
            name="search",
            may=UserText("search your mail at {name}"),
            help=UserText("Search messages, oldest first, a page at a time; continue with after_uid=last uid."),
            parameters={
                "folder": _FOLDER,
                "since": Parameter(
                    ParameterKind.TEXT, required=False, help="Only messages received on this day or later."
                ),
                "from": Parameter(
                    ParameterKind.TEXT, required=False, help='The sender, or part of it: **{"from": "shop"}.'
                ),
                "subject": Parameter(ParameterKind.TEXT, required=False, help="Part of the subject."),
                "unseen": Parameter(ParameterKind.FLAG, required=False, help="Only unread messages."),
                "after_uid": Parameter(ParameterKind.WHOLE, required=False, help="Only messages with a higher number."),
                "since_uid": Parameter(ParameterKind.WHOLE, required=False, help="Same as after_uid."),
                "uidvalidity": Parameter(
                    ParameterKind.WHOLE,
                    required=False,
                    help="Of the mail that after_uid is from; if the server has renumbered, the search starts over.",
                ),
                "limit": Parameter(ParameterKind.WHOLE, required=False, help="At most 1000; default 200."),
            },
            example=ToolExample({"subject": "receipt", "after_uid": 4700}, [_EXAMPLE]),
            run=_search,
        ),
        Tool(
            name="fetch",
            may=UserText("read your mail at {name}"),
            help=UserText("Read one message: headers, text, HTML and a list of attachments. It stays unread."),
            parameters=_MESSAGE,
            example=ToolExample(
                {"uid": 4711},
                {
                    **_EXAMPLE,
                    "headers": {"subject": "Your receipt"},
                    "text": "Thank you.",
                    "html": "",
                    "attachments": [{"number": 1, "name": "bill.pdf", "type": "application/pdf", "size": 20480}],
                    "truncated": False,
                },
            ),
            run=_fetch,
        ),
        Tool(
            name="attachment",
            may=UserText("read attachments of your mail at {name}"),
            help=UserText("Read one attachment as base64, up to 10 MB, or save it to a folder on this computer."),
            parameters={
                **_MESSAGE,
                "number": Parameter(ParameterKind.WHOLE, help="Number of the attachment, from fetch; the first is 1."),
                "save_to": Parameter(ParameterKind.TEXT, required=False, help="A folder, such as ~/Documents/bills."),
            },
            example=ToolExample(
                {"uid": 4711, "number": 1, "save_to": "~/Documents/bills"},
                {
                    "number": 1,
                    "name": "bill.pdf",
                    "type": "application/pdf",
                    "size": 20480,
                    "path": "/home/anna/Documents/bills/bill.pdf",
                },
            ),
            run=_attachment,
        ),
        Tool(
            name="folders",
            may=UserText("list the mail folders at {name}"),
            help=UserText("List the folders of the account."),
            parameters={},
            example=ToolExample({}, [{"name": "INBOX", "marks": []}]),
            run=_folders,
        ),
        Tool(
            name="move",
            may=UserText("move your mail at {name}"),
            help=UserText("Move a message to another folder."),
            parameters={
                **_MESSAGE,
                "to": Parameter(ParameterKind.TEXT, help="Folder to move it to."),
                "message_id": Parameter(
                    ParameterKind.TEXT, required=False, help="Ignored: messages are identified by number."
                ),
            },
            example=ToolExample({"uid": 4711, "to": "Archive"}, {"folder": "Archive"}),
            run=move,
            mutating=True,
            check=check_move,
            identify_target=identify_target,
        ),
        Tool(
            name="flag",
            may=UserText("flag your mail at {name}"),
            help=UserText("Add or remove flags: seen, flagged, answered, draft, or a keyword of your own."),
            parameters={
                **_MESSAGE,
                "add": Parameter(ParameterKind.LIST, required=False, help='Such as ["seen"].'),
                "remove": Parameter(ParameterKind.LIST, required=False, help='Such as ["flagged"].'),
            },
            example=ToolExample({"uid": 4711, "add": ["seen"]}, {"uid": 4711}),
            run=flag,
            mutating=True,
            check=check_flag,
            identify_target=identify_target,
        ),
    ),
    test=_test,
)
