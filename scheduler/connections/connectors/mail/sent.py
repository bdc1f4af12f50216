"""The folder of sent mail beside an SMTP server: keeping a mail there, and what it proves about one in doubt."""

from dataclasses import replace
from datetime import datetime, timedelta

from scheduler.connections.connector import Call
from scheduler.connections.connectors.mail import reading
from scheduler.connections.connectors.mail.imap_actions import find_by_identity
from scheduler.connections.connectors.mail.imap_folder import INBOX
from scheduler.connections.connectors.mail.imap_session import Session, imap_day, quoted, session
from scheduler.connections.connectors.mail.wire import Server
from scheduler.connections.connectors.mail.writing import OURS, Letter
from scheduler.connections.mistakes import wrong

_SENT = "Sent"
_RECENT = timedelta(days=90)
_LOOKED_AT = 50


def sent_server(call: Call) -> Server | None:
    given = call.settings
    if not given.get("imap_host"):
        return None
    own = Server.of(given)
    return replace(
        own,
        host=given["imap_host"].strip(),
        port=int(given["imap_port"]),
        security=given["imap_security"],
        user=given.get("imap_user") or own.user,
        password=given.get("imap_password") or own.password,
    )


def open_sent(talk: Session, call: Call) -> str:
    """Open the folder that the person named, or that the server marks, or that is called so; its name."""
    folder = call.settings.get("sent_folder") or _find_folder(talk)
    talk.open_folder(folder)
    return str(folder)


def _find_folder(talk: Session) -> str:
    folders = talk.folders()
    marked = [name for name, marks in folders if b"\\SENT" in marks]
    alike = [name for name, _ in folders if name.rpartition("/")[2].rpartition(".")[2].lower() == _SENT.lower()]
    if not marked and not alike:
        raise wrong(f"{talk.server.host} marks no folder for sent mail. Name it in the connection.")
    return (marked + alike)[0]


def keep(server: Server, call: Call, letter: Letter) -> None:
    """Put it with the sent mail, unless the server has done so itself."""
    with session(server, call.seconds) as talk:
        folder = open_sent(talk, call)
        if not find_by_identity(talk, letter.identity):
            talk.append(folder, letter.content)


def is_delivered(talk: Session, letter: Letter) -> bool:
    """Whether it came to the person themselves, if it was to; by then it has been sent to the others too."""
    own = {letter.sender.casefold(), talk.server.user.casefold()}
    if own.isdisjoint(address.casefold() for address in letter.recipients):
        return False
    talk.open_folder(INBOX)
    return bool(find_by_identity(talk, letter.identity))


def files_itself(talk: Session, letter: Letter, now: datetime) -> bool:
    """Whether the server puts what it takes into the open folder of sent mail by itself.

    It did so before if a mail of ours is there that has been at a mail server: what we put there has not. Mails to the
    sender do not count, as they may have come there from the inbox.
    """
    ours = b"HEADER Message-ID", quoted(OURS), b"HEADER Received", quoted("")
    found = talk.search(b"SINCE " + imap_day((now - _RECENT).date()), *ours)
    told = talk.fetch(found[-_LOOKED_AT:], b"BODY.PEEK[HEADER.FIELDS (MESSAGE-ID RECEIVED FROM TO CC)]")
    return any(_was_filed(items.get("BODY"), letter.sender) for items in told.values())


def _was_filed(raw: object, sender: str) -> bool:
    if not isinstance(raw, bytes):
        return False
    mail = reading.parse(raw)
    authors, readers = (
        {address.casefold() for name in names for _, address in reading.people(mail, name)}
        for names in (("from",), ("to", "cc"))
    )
    is_ours = reading.header(mail, "message-id").startswith(OURS) and authors == {sender.casefold()}
    return is_ours and bool(reading.header(mail, "received")) and sender.casefold() not in readers
