"""Mail at an IMAP server: search, read, save attachments, move and mark. Reading leaves messages unread."""

import base64
from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import Any

from scheduler.connections.connector import Call, Connector, Field, FieldKind, Parameter, ParameterKind, Tool
from scheduler.connections.connectors.mail import parts, reading
from scheduler.connections.connectors.mail.imap_actions import check_flag, flag
from scheduler.connections.connectors.mail.imap_folder import check_validity, identify_target, number_of, opened
from scheduler.connections.connectors.mail.imap_move import MARKER_PREFIX, check_move, move
from scheduler.connections.connectors.mail.imap_session import Box, Literal, Session, imap_day, quoted, session
from scheduler.connections.connectors.mail.imap_values import read_marks, read_number
from scheduler.connections.connectors.mail.saving import save
from scheduler.connections.connectors.mail.wire import Server, security_field
from scheduler.connections.mistakes import wrong

_PAGE, _LARGEST_PAGE = 200, 1000
_AT_ONCE = 100
"""Messages asked about in one command, so that what is in memory does not grow with the page."""
_LARGEST_READ = 10 * 1024 * 1024
_LARGEST_MAIL = 50 * 1024 * 1024
_LARGEST_GIVEN = 10 * 1024 * 1024
_FACTS = b"FLAGS RFC822.SIZE INTERNALDATE"
_HEADERS = b"BODY.PEEK[HEADER.FIELDS (MESSAGE-ID FROM TO CC SUBJECT DATE)]<0.65536>"


def _search(call: Call) -> list[dict[str, Any]]:
    limit = call.parameters.get("limit") or _PAGE
    if not 1 <= limit <= _LARGEST_PAGE:
        raise wrong(f'"limit" is between 1 and {_LARGEST_PAGE}; ask again with after_uid for the next ones.')
    with opened(call) as (talk, box):
        after = call.parameters.get("after_uid") or call.parameters.get("since_uid") or 0
        if call.parameters.get("uidvalidity") not in (None, box.validity):
            after = 0
        found = [uid for uid in talk.search(*_criteria(call, after)) if uid > after][:limit]
        mails: list[dict[str, Any]] = []
        for batch in _batches(found):
            told = talk.fetch(batch, _FACTS + b" " + _HEADERS)
            mails += [_describe(uid, items, box) for uid, items in told.items()]
    return mails


def _batches(uids: list[int]) -> Iterator[list[int]]:
    rest = iter(uids)
    while batch := list(islice(rest, _AT_ONCE)):
        yield batch


def _criteria(call: Call, after: int) -> Iterator[bytes | Literal]:
    # The range may run backwards: n:* always includes the last message, whatever its number.
    yield b"UID %d:*" % (max(after, 0) + 1) if after else b"ALL"
    if call.parameters.get("unseen"):
        yield b"UNSEEN"
    if since := call.parameters.get("since"):
        yield b"SINCE " + _day(since)
    for name in ("from", "subject"):
        if text := call.parameters.get(name):
            yield name.upper().encode()
            yield quoted(text)


def _day(text: str) -> bytes:
    try:
        day = date.fromisoformat(text[:10])
    except ValueError as error:
        raise wrong(f'"since" is a date such as 2026-05-04, not "{text}".') from error
    return imap_day(day)


def _describe(uid: int, items: dict[str, Any], box: Box) -> dict[str, Any]:
    raw = _bytes(items.get("BODY"))
    mail = reading.parse(raw)
    sender = reading.people(mail, "from")
    return {
        "uid": uid,
        "uidvalidity": box.validity,
        "message_id": reading.identity(mail, raw),
        "from": reading.write_person(*sender[0]) if sender else "",
        "from_address": sender[0][1] if sender else "",
        "to": [reading.write_person(*one) for one in reading.people(mail, "to")],
        "cc": [reading.write_person(*one) for one in reading.people(mail, "cc")],
        "subject": reading.header(mail, "subject"),
        "date": reading.sent_at(mail, reading.arrived(_bytes(items.get("INTERNALDATE")).decode("ascii", "replace"))),
        "size": read_number(items.get("RFC822.SIZE")) or 0,
        "flags": sorted(_flag_name(mark) for mark in read_marks(items.get("FLAGS")) if _is_shown(mark)),
    }


def _is_shown(mark: bytes) -> bool:
    """What lies behind is ours, or the server's: a move that was broken off, or which client looked first."""
    return mark != b"\\Recent" and not mark.lower().startswith(MARKER_PREFIX)


def _flag_name(mark: bytes) -> str:
    """The mark for read mails is "seen"; words that people made up stay as they are."""
    name = mark.decode("ascii", "replace")
    return name[1:].lower() if name.startswith("\\") else name


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""


def _read_mail(call: Call, talk: Session, box: Box, most: int) -> tuple[dict[str, Any], bytes]:
    """What search says of a message, and its content up to that many bytes."""
    check_validity(call, box)
    uid = number_of(call)
    facts = talk.fetch([uid], _FACTS + b" " + _HEADERS).get(uid)
    if facts is None:
        raise wrong(f"There is no message {uid} in {box.name}; it may have been moved or deleted.")
    content = talk.fetch([uid], b"BODY.PEEK[]<0.%d>" % most).get(uid, {})
    return _describe(uid, facts, box), _bytes(content.get("BODY"))


def _fetch(call: Call) -> dict[str, Any]:
    with opened(call) as (talk, box):
        told, content = _read_mail(call, talk, box, _LARGEST_READ)
    found = parts.take_apart(content)
    text, text_is_cut = parts.text_of(found, "text/plain")
    html, html_is_cut = parts.text_of(found, "text/html")
    return {
        **told,
        "headers": reading.headers(reading.parse(parts.split(content)[0])),
        "text": text,
        "html": html,
        "attachments": parts.tell_attachments(found),
        "truncated": text_is_cut or html_is_cut or told["size"] > _LARGEST_READ,
    }


def _attachment(call: Call) -> dict[str, Any]:
    number = call.parameters["number"]
    with opened(call) as (talk, box):
        told, content = _read_mail(call, talk, box, _LARGEST_MAIL)
    if told["size"] > _LARGEST_MAIL:
        raise wrong(f"Message {told['uid']} is larger than 50 MB, the most that is read.")
    found = parts.attached(parts.take_apart(content))
    if not 1 <= number <= len(found):
        raise wrong(f"Message {told['uid']} has {len(found)} attachments; there is no number {number}.")
    part = found[number - 1]
    described = {"number": number, "name": part.name, "type": part.kind, "size": len(part.content)}
    if folder := call.parameters.get("save_to"):
        return {**described, "path": str(save(folder, part.name or f"attachment-{number}", part.content))}
    if len(part.content) > _LARGEST_GIVEN:
        raise wrong(
            f"{part.name or 'The attachment'} is larger than 10 MB, the most that a script can read. "
            'Have it saved: save_to="~/Documents".'
        )
    return {**described, "base64": base64.b64encode(part.content).decode()}


def _folders(call: Call) -> list[dict[str, Any]]:
    with session(Server.of(call.settings), call.seconds) as talk:
        return [
            {"name": name, "marks": sorted(_flag_name(mark) for mark in marks)}
            for name, marks in sorted(talk.folders(), key=lambda one: one[0])
        ]


def _test(call: Call) -> str:
    with session(Server.of(call.settings), call.seconds) as talk:
        count = len(talk.folders())
    folders = "1 folder" if count == 1 else f"{count} folders"
    return f"{call.settings['user']} is logged in at {call.settings['host']}, which holds {folders}."


_FOLDER = Parameter(ParameterKind.TEXT, required=False, help="Its name as the server shows it; INBOX if not given.")
_UID = Parameter(ParameterKind.WHOLE, help="The number of the message, from search.")
_VALIDITY = Parameter(ParameterKind.WHOLE, required=False, help="From search too: refused if the numbers have changed.")
_MESSAGE = {"uid": _UID, "folder": _FOLDER, "uidvalidity": _VALIDITY}

imap = Connector(
    kind="imap",
    title="Mail (IMAP)",
    help="Reads, moves and marks mail at a mail server.",
    fields=(
        Field(name="host", label="Server", help="As in imap.example.org."),
        Field(name="port", label="Port", kind=FieldKind.NUMBER, default=993),
        security_field("security", "Encryption", "tls"),
        Field(name="user", label="User", help="Often the whole address."),
        Field(name="password", label="Password", secret=True, help="Some providers want one made for this app."),
    ),
    tools=(
        Tool(
            name="search",
            may="look through your mail at {name}",
            help="Messages that fit, oldest first, a page at a time: go on with after_uid=the last uid.",
            parameters={
                "folder": _FOLDER,
                "since": Parameter(ParameterKind.TEXT, required=False, help="That came on this day or later."),
                "from": Parameter(ParameterKind.TEXT, required=False, help="Part of the sender's name or address."),
                "subject": Parameter(ParameterKind.TEXT, required=False, help="Part of the subject."),
                "unseen": Parameter(ParameterKind.FLAG, required=False, help="Only those that nobody has read."),
                "after_uid": Parameter(ParameterKind.WHOLE, required=False, help="Only those with a higher number."),
                "since_uid": Parameter(ParameterKind.WHOLE, required=False, help="The same as after_uid."),
                "uidvalidity": Parameter(
                    ParameterKind.WHOLE,
                    required=False,
                    help="Of the mail that after_uid is from: if the server has numbered anew, it starts over.",
                ),
                "limit": Parameter(ParameterKind.WHOLE, required=False, help="At most 1000; 200 if not given."),
            },
            run=_search,
        ),
        Tool(
            name="fetch",
            may="read your mail at {name}",
            help="One message: headers, text, HTML and a list of attachments. It stays unread.",
            parameters=_MESSAGE,
            run=_fetch,
        ),
        Tool(
            name="attachment",
            may="read attachments of your mail at {name}",
            help="One attachment as base64 up to 10 MB, or saved to a folder of this computer.",
            parameters={
                **_MESSAGE,
                "number": Parameter(ParameterKind.WHOLE, help="From fetch; the first is 1."),
                "save_to": Parameter(ParameterKind.TEXT, required=False, help="A folder, such as ~/Documents/bills."),
            },
            run=_attachment,
        ),
        Tool(
            name="folders",
            may="list the folders of your mail at {name}",
            help="The folders of the account.",
            parameters={},
            run=_folders,
        ),
        Tool(
            name="move",
            may="move your mail at {name}",
            help="Move a message to another folder.",
            parameters={
                **_MESSAGE,
                "to": Parameter(ParameterKind.TEXT, help="The folder that it goes to."),
                "message_id": Parameter(
                    ParameterKind.TEXT, required=False, help="Ignored: a message is known by its number."
                ),
            },
            run=move,
            mutating=True,
            check=check_move,
            identify_target=identify_target,
        ),
        Tool(
            name="flag",
            may="mark your mail at {name}",
            help="Mark a message: seen, flagged, answered, draft, or a word of your own.",
            parameters={
                **_MESSAGE,
                "add": Parameter(ParameterKind.LIST, required=False, help='Such as ["seen"].'),
                "remove": Parameter(ParameterKind.LIST, required=False, help='Such as ["flagged"].'),
            },
            run=flag,
            mutating=True,
            check=check_flag,
            identify_target=identify_target,
        ),
    ),
    test=_test,
)
