"""Sending mail through an SMTP server exactly once.

Retries have the same Message-ID, so that the mail can be found in the sent folder of an IMAP server.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from scheduler.connections.channel import ChannelMessage, UserChannel
from scheduler.connections.connector import (
    Call,
    Checked,
    Connector,
    Field,
    FieldKind,
    Parameter,
    ParameterKind,
    Tool,
    ToolExample,
    ToolFailedError,
)
from scheduler.connections.connectors.mail import headers, imap_session, smtp_session
from scheduler.connections.connectors.mail.compose import (
    MESSAGE_ID_PREFIX,
    OutgoingMail,
    compose,
    parse_address,
    validate_mail,
)
from scheduler.connections.connectors.mail.connection import MailServer, security_field
from scheduler.connections.connectors.mail.imap_actions import find_by_message_id
from scheduler.connections.connectors.mail.imap_folder import INBOX
from scheduler.connections.connectors.mail.imap_session import ImapSession, format_day, quote
from scheduler.connections.errors import logic_failure
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_APPLY_WINDOW = timedelta(minutes=10)
"""A server may take ten minutes after the final dot until it accepts a mail (RFC 5321, 4.5.3.2.6), and file it only
then."""
_SENT_FOLDER = "Sent"
_MAX_AGE = timedelta(days=90)
_MAX_CHECKED = 50


def _send(call: Call) -> dict[str, Any]:
    letter = compose(dict(call.parameters), call.settings["from"], call.key, call.now)
    with smtp_session.open_session(MailServer.from_settings(call.settings), call.seconds) as client:
        client.send(letter)
    if (server := _imap_server(call)) is None:
        return _describe(letter, in_sent=False)
    try:
        _save_copy(server, call, letter)
    except ToolFailedError as error:  # it was sent anyway
        note = UserText(
            "The mail was sent, but not saved in the sent folder: {failure}", failure=error.failure.sentence
        )
        return {**_describe(letter, in_sent=False), "note": note}
    return _describe(letter, in_sent=True)


def _send_news(call: Call, message: ChannelMessage) -> str:
    """To the user themselves; a copy in the sent folder would only repeat it."""
    parameters = {"to": message.to, "subject": message.title, "text": f"{message.text}\n"}
    letter = compose(parameters, call.settings["from"], message.reference or uuid4().hex, call.now)
    with smtp_session.open_session(MailServer.from_settings(call.settings), call.seconds) as client:
        client.send(letter)
    return letter.message_id


def _check(call: Call) -> Checked:
    """It was sent if it is in the sent folder or was delivered to the user.

    Its absence proves something only if the server itself files sent mail: then it has not accepted the mail so far.
    Otherwise it may have accepted it without keeping a copy, so that stays unsure.
    """
    letter = compose(dict(call.parameters), call.settings["from"], call.key, call.now)
    server = _imap_server(call)
    if server is None:
        raise ToolFailedError.because(
            FailureClass.UNSURE,
            UserText("{connection} has no sent folder, so this cannot be checked.", connection=call.connection),
        )
    with imap_session.open_session(server, call.seconds) as client:
        folder = _open_sent_folder(client, call)
        if find_by_message_id(client, letter.message_id):
            return Checked(happened=True, result=_describe(letter, in_sent=True))
        is_absence_proof = _server_files_mail(client, letter, call.now)
        if _is_delivered(client, letter):
            return Checked(happened=True, result=_describe(letter, in_sent=False))
    if is_absence_proof:
        return Checked(happened=False)
    raise ToolFailedError.because(FailureClass.TRANSIENT, UserText("The mail is not in {folder} yet.", folder=folder))


def _describe(letter: OutgoingMail, *, in_sent: bool) -> dict[str, Any]:
    return {"message_id": letter.message_id, "recipients": list(letter.recipients), "in_sent": in_sent}


def _imap_server(call: Call) -> MailServer | None:
    settings = call.settings
    if not settings.get("imap_host"):
        return None
    own = MailServer.from_settings(settings)
    return replace(
        own,
        host=settings["imap_host"].strip(),
        port=int(settings["imap_port"]),
        security=settings["imap_security"],
        user=settings.get("imap_user") or own.user,
        password=settings.get("imap_password") or own.password,
    )


def _open_sent_folder(client: ImapSession, call: Call) -> str:
    """Open the sent folder and return its name: from the settings, as the server marks it, or named "Sent"."""
    folder = call.settings.get("sent_folder") or _find_sent_folder(client)
    client.open_folder(folder)
    return str(folder)


def _find_sent_folder(client: ImapSession) -> str:
    folders = client.list_folders()
    marked = [name for name, marks in folders if b"\\SENT" in marks]
    alike = [name for name, _ in folders if name.rpartition("/")[2].rpartition(".")[2].lower() == _SENT_FOLDER.lower()]
    if not marked and not alike:
        raise logic_failure(
            UserText("No sent folder was found on {host}. Enter its name in the connection.", host=client.server.host)
        )
    return (marked + alike)[0]


def _save_copy(server: MailServer, call: Call, letter: OutgoingMail) -> None:
    """Save it in the sent folder, unless the server has already done so."""
    with imap_session.open_session(server, call.seconds) as client:
        folder = _open_sent_folder(client, call)
        if not find_by_message_id(client, letter.message_id):
            client.append(folder, letter.content)


def _is_delivered(client: ImapSession, letter: OutgoingMail) -> bool:
    """Whether a mail to the user themselves arrived; then it was sent to all recipients."""
    own = {letter.sender.casefold(), client.server.user.casefold()}
    if own.isdisjoint(address.casefold() for address in letter.recipients):
        return False
    client.open_folder(INBOX)
    return bool(find_by_message_id(client, letter.message_id))


def _server_files_mail(client: ImapSession, letter: OutgoingMail, now: datetime) -> bool:
    """Whether the server files accepted mail in the open sent folder itself.

    It does if a mail of ours there has a Received header: what we save ourselves has none. Mails to the sender do not
    count, as they may come from the inbox.
    """
    ours = b"HEADER Message-ID", quote(MESSAGE_ID_PREFIX), b"HEADER Received", quote("")
    found = client.search(b"SINCE " + format_day((now - _MAX_AGE).date()), *ours)
    fetched = client.fetch(found[-_MAX_CHECKED:], b"BODY.PEEK[HEADER.FIELDS (MESSAGE-ID RECEIVED FROM TO CC)]")
    return any(_was_filed(items.get("BODY"), letter.sender) for items in fetched.values())


def _was_filed(raw: object, sender: str) -> bool:
    if not isinstance(raw, bytes):
        return False
    mail = headers.parse(raw)
    authors, readers = (
        {address.casefold() for name in names for _, address in headers.parse_addresses(mail, name)}
        for names in (("from",), ("to", "cc"))
    )
    is_ours = headers.get_header(mail, "message-id").startswith(MESSAGE_ID_PREFIX) and authors == {sender.casefold()}
    return is_ours and bool(headers.get_header(mail, "received")) and sender.casefold() not in readers


def _test(call: Call) -> str:
    sender = parse_address(call.settings["from"], "from").addr_spec
    with smtp_session.open_session(MailServer.from_settings(call.settings), call.seconds):
        ready = UserText("{host} is ready to send mail from {sender}.", host=call.settings["host"], sender=sender)
    server = _imap_server(call)
    if server is None:
        return UserText(
            "{ready} Without a sent folder, you will be asked when it is unclear whether a mail was sent.", ready=ready
        )
    with imap_session.open_session(server, call.seconds) as client:
        folder = _open_sent_folder(client, call)
    return UserText("{ready} The sent folder is {folder}.", ready=ready, folder=folder)


_WITH_IMAP = ("imap_host", ())
_PEOPLE = "An address, or a list of them: Anna <anna@example.org>."

smtp = Connector(
    kind="smtp",
    title="Mail (SMTP)",
    help="Sends mail through a mail server.",
    fields=(
        Field(name="host", label="Server", help="For example smtp.example.org."),
        Field(name="port", label="Port", kind=FieldKind.NUMBER, default=587),
        security_field("security", "Encryption", "starttls"),
        Field(
            name="user",
            label="User name",
            help="Often the full mail address; empty if the server requires no login.",
            required=False,
        ),
        Field(name="password", label="Password", secret=True, required=False),
        Field(name="from", label="From", help="Sender of the mails, for example Anna <anna@example.org>."),
        Field(
            name="imap_host",
            label="IMAP server",
            help="For example imap.example.org. Dayhand saves sent mail there, and checks it if sending is unclear.",
            required=False,
        ),
        Field(name="imap_port", label="IMAP port", kind=FieldKind.NUMBER, default=993, when=_WITH_IMAP),
        replace(security_field("imap_security", UserText("IMAP encryption"), "tls"), when=_WITH_IMAP),
        Field(name="imap_user", label="IMAP user name", help="If different.", required=False, when=_WITH_IMAP),
        Field(
            name="imap_password",
            label="IMAP password",
            help="If different.",
            secret=True,
            required=False,
            when=_WITH_IMAP,
        ),
        Field(
            name="sent_folder",
            label="Sent folder",
            help="If it is not found automatically.",
            required=False,
            when=_WITH_IMAP,
        ),
    ),
    tools=(
        Tool(
            name="send",
            may=UserText('send mail in your name through "{name}"'),
            help=UserText("Send one mail, to all recipients or to none."),
            parameters={
                "to": Parameter(ParameterKind.ANY, required=False, help=_PEOPLE),
                "cc": Parameter(ParameterKind.ANY, required=False, help=_PEOPLE),
                "bcc": Parameter(ParameterKind.ANY, required=False, help=f"{_PEOPLE} Hidden from the others."),
                "subject": Parameter(ParameterKind.TEXT, required=False, help="One line.", editable=True),
                "text": Parameter(ParameterKind.TEXT, required=False, help="Plain text.", editable=True),
                "html": Parameter(
                    ParameterKind.TEXT, required=False, help="HTML, in addition or instead.", editable=True
                ),
                "attachments": Parameter(
                    ParameterKind.LIST, required=False, help='Objects with "name", "base64" and optionally "type".'
                ),
            },
            example=ToolExample(
                {"to": "Anna <anna@example.org>", "subject": "Hello", "text": "How are you?"},
                {"message_id": "<a2@example.org>", "recipients": ["anna@example.org"], "in_sent": True},
            ),
            run=_send,
            mutating=True,
            acts_on_others=True,
            check=_check,
            apply_window=_APPLY_WINDOW,
            validate=validate_mail,
        ),
    ),
    test=_test,
    channel=UserChannel(send=_send_news, needs_recipient=True),
)
