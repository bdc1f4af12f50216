"""Sending mail through an SMTP server, once: a mail has the same Message-ID whenever it is tried."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from scheduler.connections.connector import (
    Call,
    Checked,
    Connector,
    Field,
    FieldKind,
    Parameter,
    ParameterKind,
    Tool,
    ToolFailedError,
)
from scheduler.connections.connectors.mail import imap_session, smtp_session
from scheduler.connections.connectors.mail.imap_actions import find_by_identity
from scheduler.connections.connectors.mail.sent import files_itself, is_delivered, keep, open_sent, sent_server
from scheduler.connections.connectors.mail.wire import Server, security_field
from scheduler.connections.connectors.mail.writing import Letter, compose, read_person
from scheduler.rules.failures import FailureClass

_APPLY_WINDOW = timedelta(minutes=10)
"""A server may work on a mail for ten minutes after the last dot before it says whether it took it (RFC 5321,
4.5.3.2.6), and file it only then."""


def _send(call: Call) -> dict[str, Any]:
    letter = compose(dict(call.parameters), call.settings["from"], call.key, call.now)
    with smtp_session.session(Server.of(call.settings), call.seconds) as talk:
        talk.send(letter)
    if (server := sent_server(call)) is None:
        return _told(letter, in_sent=False)
    try:
        keep(server, call, letter)
    except ToolFailedError as error:  # it was sent all the same
        note = f"It was sent, but not kept in the sent mail: {error.failure.sentence}"
        return {**_told(letter, in_sent=False), "note": note}
    return _told(letter, in_sent=True)


def _check(call: Call) -> Checked:
    """With the sent mail, or delivered to the person themselves, it was sent.

    Not to be there proves something only where the server itself files whatever it takes: then it has not taken the
    mail so far. Everywhere else it may have, and keep no copy, so that stays unsure.
    """
    letter = compose(dict(call.parameters), call.settings["from"], call.key, call.now)
    server = sent_server(call)
    if server is None:
        raise ToolFailedError.because(
            FailureClass.UNSURE, f"{call.connection} knows no folder with sent mail, so nobody can tell."
        )
    with imap_session.session(server, call.seconds) as talk:
        folder = open_sent(talk, call)
        if find_by_identity(talk, letter.identity):
            return Checked(happened=True, result=_told(letter, in_sent=True))
        would_be_there = files_itself(talk, letter, call.now)
        if is_delivered(talk, letter):
            return Checked(happened=True, result=_told(letter, in_sent=False))
    if would_be_there:
        return Checked(happened=False)
    raise ToolFailedError.because(FailureClass.TRANSIENT, f"The mail is not in {folder} so far.")


def _told(letter: Letter, *, in_sent: bool) -> dict[str, Any]:
    return {"message_id": letter.identity, "recipients": list(letter.recipients), "in_sent": in_sent}


def _test(call: Call) -> str:
    sender = read_person(call.settings["from"], "from").addr_spec
    with smtp_session.session(Server.of(call.settings), call.seconds):
        said = f"{call.settings['host']} is ready to send mail from {sender}."
    server = sent_server(call)
    if server is None:
        return f"{said} Without a folder of sent mail you will be asked when it is unsure whether one was sent."
    with imap_session.session(server, call.seconds) as talk:
        folder = open_sent(talk, call)
    return f"{said} What was sent is looked for in {folder}."


_SENT = ("imap_host", ())
_PEOPLE = "An address, or a list of them: Anna <anna@example.org>."

smtp = Connector(
    kind="smtp",
    title="Mail (SMTP)",
    help="Sends mail through a mail server.",
    fields=(
        Field(name="host", label="Server", help="As in smtp.example.org."),
        Field(name="port", label="Port", kind=FieldKind.NUMBER, default=587),
        security_field("security", "Encryption", "starttls"),
        Field(
            name="user",
            label="User",
            help="Often the whole address; empty if the server wants no login.",
            required=False,
        ),
        Field(name="password", label="Password", secret=True, required=False),
        Field(name="from", label="From", help="The address that mails come from: Anna <anna@example.org>."),
        Field(
            name="imap_host",
            label="Server of the sent mail",
            help="As in imap.example.org. With it Dayhand keeps what it sent, and finds out in doubt.",
            required=False,
        ),
        Field(name="imap_port", label="Its port", kind=FieldKind.NUMBER, default=993, when=_SENT),
        replace(security_field("imap_security", "Its encryption", "tls"), when=_SENT),
        Field(name="imap_user", label="Its user", help="If it is another.", required=False, when=_SENT),
        Field(
            name="imap_password",
            label="Its password",
            help="If it is another.",
            secret=True,
            required=False,
            when=_SENT,
        ),
        Field(
            name="sent_folder",
            label="Folder of sent mail",
            help="If the server does not mark it.",
            required=False,
            when=_SENT,
        ),
    ),
    tools=(
        Tool(
            name="send",
            may="send mail in your name from {name}",
            help="Send one mail, to all of its recipients or to nobody.",
            parameters={
                "to": Parameter(ParameterKind.ANY, required=False, help=_PEOPLE),
                "cc": Parameter(ParameterKind.ANY, required=False, help=_PEOPLE),
                "bcc": Parameter(ParameterKind.ANY, required=False, help=f"{_PEOPLE} The others do not see them."),
                "subject": Parameter(ParameterKind.TEXT, required=False, help="One line."),
                "text": Parameter(ParameterKind.TEXT, required=False, help="The mail in plain text."),
                "html": Parameter(ParameterKind.TEXT, required=False, help="The same as HTML, or instead."),
                "attachments": Parameter(
                    ParameterKind.LIST, required=False, help='Objects with "name", "base64" and perhaps "type".'
                ),
            },
            run=_send,
            mutating=True,
            acts_on_others=True,
            check=_check,
            apply_window=_APPLY_WINDOW,
        ),
    ),
    test=_test,
)
