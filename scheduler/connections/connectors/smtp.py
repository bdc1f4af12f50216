"""Sending mail through an SMTP server, once: a mail has the same Message-ID whenever it is tried."""

import time
from dataclasses import replace
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
from scheduler.connections.connectors import imap_session, smtp_session
from scheduler.connections.connectors.imap_actions import find_by_identity
from scheduler.connections.connectors.mail_wire import Server, security_field
from scheduler.connections.connectors.mail_writing import Letter, compose, identity_of, read_person
from scheduler.connections.connectors.mistakes import wrong
from scheduler.rules.failures import FailureClass

_SENT = "Sent"
_A_MOMENT = 0.01


def _send(call: Call) -> dict[str, Any]:
    began = time.monotonic()
    letter = compose(dict(call.parameters), call.settings["from"], call.key, call.now)
    with smtp_session.session(Server.of(call.settings), call.seconds) as talk:
        talk.send(letter)
    result: dict[str, Any] = {"message_id": letter.identity, "recipients": list(letter.recipients), "in_sent": False}
    if (server := _sent_server(call)) is None:
        return result
    try:
        _keep(server, call, letter, max(call.seconds - (time.monotonic() - began), _A_MOMENT))
    except ToolFailedError as error:  # it was sent all the same
        return {**result, "note": f"It was sent, but not kept in the sent mail: {error.failure.sentence}"}
    return {**result, "in_sent": True}


def _keep(server: Server, call: Call, letter: Letter, seconds: float) -> None:
    """Put it with the sent mail, unless the server has done so itself."""
    with imap_session.session(server, seconds) as talk:
        folder = _sent_folder(talk, call)
        talk.open_folder(folder)
        if not find_by_identity(talk, letter.identity):
            talk.append(folder, letter.content)


def _check(call: Call) -> Checked:
    """In the sent mail it was sent. Not to be there proves nothing: the server may still be at it, or keep none."""
    sender = read_person(call.settings["from"], "from").addr_spec
    identity = identity_of(call.key, sender)
    server = _sent_server(call)
    if server is None:
        raise ToolFailedError.because(
            FailureClass.UNSURE, f"{call.connection} knows no folder with sent mail, so nobody can tell."
        )
    with imap_session.session(server, call.seconds) as talk:
        folder = _sent_folder(talk, call)
        talk.open_folder(folder)
        is_there = bool(find_by_identity(talk, identity))
    if not is_there:
        raise ToolFailedError.because(FailureClass.TRANSIENT, f"The mail is not in {folder} so far.")
    letter = compose(dict(call.parameters), call.settings["from"], call.key, call.now)
    result = {"message_id": identity, "recipients": list(letter.recipients), "in_sent": True}
    return Checked(happened=True, result=result)


def _sent_server(call: Call) -> Server | None:
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


def _sent_folder(talk: imap_session.Session, call: Call) -> str:
    """The one that the person named, or that the server marks, or that is called so."""
    if named := call.settings.get("sent_folder"):
        return str(named)
    folders = talk.folders()
    marked = [name for name, marks in folders if b"\\SENT" in marks]
    alike = [name for name, _ in folders if name.rpartition("/")[2].rpartition(".")[2].lower() == _SENT.lower()]
    if not marked and not alike:
        raise wrong(f"{talk.server.host} marks no folder for sent mail. Name it in the connection.")
    return (marked + alike)[0]


def _test(call: Call) -> str:
    sender = read_person(call.settings["from"], "from").addr_spec
    with smtp_session.session(Server.of(call.settings), call.seconds):
        said = f"{call.settings['host']} is ready to send mail from {sender}."
    server = _sent_server(call)
    if server is None:
        return f"{said} Without a folder of sent mail you will be asked when it is unsure whether one was sent."
    with imap_session.session(server, call.seconds) as talk:
        folder = _sent_folder(talk, call)
        talk.open_folder(folder)
    return f"{said} What was sent is looked for in {folder}."


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
        Field(name="imap_port", label="Its port", kind=FieldKind.NUMBER, default=993),
        security_field("imap_security", "Its encryption", "tls"),
        Field(name="imap_user", label="Its user", help="If it is another.", required=False),
        Field(name="imap_password", label="Its password", help="If it is another.", secret=True, required=False),
        Field(name="sent_folder", label="Folder of sent mail", help="If the server does not mark it.", required=False),
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
        ),
    ),
    test=_test,
)
