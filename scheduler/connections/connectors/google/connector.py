"""Google: mail, calendar and files of the account that signed in."""

from datetime import timedelta

from scheduler.connections.connector import Call, Connector, Field, Parameter, ParameterKind, Tool
from scheduler.connections.connectors.google import calendar, drive, mail
from scheduler.connections.connectors.google.web import account_of, place_of
from scheduler.connections.oauth.fields import sign_in_fields
from scheduler.connections.oauth.provider import OAuth

_SCOPES = (
    "https://www.googleapis.com/auth/userinfo.email",
    "https://www.googleapis.com/auth/gmail.modify",
    "https://www.googleapis.com/auth/calendar.events",
    "https://www.googleapis.com/auth/drive.file",
    "https://www.googleapis.com/auth/drive.metadata.readonly",
)


def _test(call: Call) -> str:
    return f"Signed in as {account_of(call)}."


def _text(help_: str) -> Parameter:
    return Parameter(ParameterKind.TEXT, help=help_)


def _maybe(kind: ParameterKind, help_: str) -> Parameter:
    return Parameter(kind, required=False, help=help_)


_LIMIT = _maybe(ParameterKind.WHOLE, "How many at most.")
_MAIL = _text("The id of a mail, as search gives it.")
_CALENDAR = _maybe(ParameterKind.TEXT, "The id of a calendar; the person's own if not given.")
_ZONE = _maybe(ParameterKind.TEXT, "Where times without an offset are, such as Europe/Berlin.")
_FOLDER = _maybe(ParameterKind.TEXT, "The id of a folder.")
_PEOPLE = _maybe(ParameterKind.LIST, "Addresses such as Anna <anna@example.org>.")

_MAIL_TOOLS = (
    Tool(
        name="search_mail",
        may="look through the mail of {name}",
        help="Find mails with the words of Gmail's own search, newest first; 20 if no limit is given.",
        parameters={"query": _text("As in Gmail, such as from:shop newer_than:7d."), "limit": _LIMIT},
        run=mail.search,
    ),
    Tool(
        name="fetch_mail",
        may="read the mail of {name}",
        help="Read a mail, and what is attached to it by name.",
        parameters={"id": _MAIL},
        run=mail.fetch,
    ),
    Tool(
        name="fetch_attachment",
        may="read attachments of the mail of {name}",
        help="Read an attachment of a mail as base64.",
        parameters={"id": _MAIL, "attachment": _text("Which one, as fetch_mail gives it.")},
        run=mail.attachment,
    ),
    Tool(
        name="send_mail",
        may="send mail in your name from {name}",
        help="Send a mail from the account, once.",
        parameters={
            "to": Parameter(ParameterKind.LIST, help="Addresses such as Anna <anna@example.org>."),
            "cc": _PEOPLE,
            "bcc": _PEOPLE,
            "subject": _text("One line."),
            "text": _maybe(ParameterKind.TEXT, "What it says."),
            "html": _maybe(ParameterKind.TEXT, "The same as HTML."),
            "attachments": _maybe(ParameterKind.LIST, 'Objects such as {"name": "bill.pdf", "base64": "…"}.'),
        },
        run=mail.send,
        mutating=True,
        acts_on_others=True,
        check=mail.check_send,
        # Accepted mail is put among the sent ones by a queue of Google's. Not idempotent: a Message-ID that was there
        # before is sent again.
        apply_window=timedelta(minutes=2),
    ),
    Tool(
        name="label_mail",
        may="label and archive the mail of {name}",
        help="Put labels on a mail, or take them off; without INBOX it is archived.",
        parameters={
            "id": _MAIL,
            "add": _maybe(ParameterKind.LIST, "Names of labels."),
            "remove": _maybe(ParameterKind.LIST, "Names of labels."),
        },
        run=mail.label,
        mutating=True,
        check=mail.check_label,
        # Not idempotent by promise: a second change is harmless only as long as nobody else changes the labels.
    ),
)
_CALENDAR_TOOLS = (
    Tool(
        name="list_events",
        may="read the calendar of {name}",
        help="What is in a calendar, by time; 100 events if no limit is given.",
        parameters={
            "start": _maybe(ParameterKind.TEXT, "A day or a time from which on."),
            "end": _maybe(ParameterKind.TEXT, "A day or a time until which."),
            "query": _maybe(ParameterKind.TEXT, "Words that are in it."),
            "calendar": _CALENDAR,
            "zone": _ZONE,
            "limit": _LIMIT,
        },
        run=calendar.events,
    ),
    Tool(
        name="create_event",
        may="add to the calendar of {name}",
        help="Put an event into a calendar, once; nobody is invited.",
        parameters={
            "summary": _text("What it is called."),
            "start": _text("A time such as 2026-05-04T09:00:00+02:00, or a day such as 2026-05-04."),
            "end": _text("The same for its end; a day that is no longer part of it."),
            "description": _maybe(ParameterKind.TEXT, "What else there is to say."),
            "location": _maybe(ParameterKind.TEXT, "Where it is."),
            "calendar": _CALENDAR,
            "zone": _ZONE,
        },
        run=calendar.create_event,
        mutating=True,
        check=calendar.check_event,
        # Not idempotent: the id is ours, but Google does not promise to notice a second one at once.
    ),
)
_FILE_TOOLS = (
    Tool(
        name="list_files",
        may="list the files of {name}",
        help="What is in Drive, without the trash; 100 files if no limit is given.",
        parameters={
            "folder": _FOLDER,
            "query": _maybe(ParameterKind.TEXT, "In the words of Drive, such as name contains 'bill'."),
            "limit": _LIMIT,
        },
        run=drive.files,
    ),
    Tool(
        name="upload_file",
        may="add files to {name}",
        help="Put a new file into Drive, once; at most 25 MB.",
        parameters={
            "name": _text("What it is called."),
            "text": _maybe(ParameterKind.TEXT, "The content, written as UTF-8."),
            "base64": _maybe(ParameterKind.TEXT, "The content of a file that is no text."),
            "type": _maybe(ParameterKind.TEXT, "Such as application/pdf."),
            "folder": _FOLDER,
        },
        run=drive.upload,
        mutating=True,
        check=drive.check_upload,
        # What Drive finds may be minutes behind what it holds. Not idempotent: Drive takes no key of ours for a file.
        apply_window=timedelta(minutes=5),
    ),
)

google = Connector(
    kind="google",
    title="Google",
    help="Mail, calendar and files of a Google account.",
    fields=(
        *sign_in_fields("Made in the Google Cloud console: an OAuth client of the type desktop app."),
        Field(
            name="base_url",
            label="Address",
            help="Only for a server that speaks as Google does; leave it empty for Google itself.",
            required=False,
        ),
    ),
    tools=(*_MAIL_TOOLS, *_CALENDAR_TOOLS, *_FILE_TOOLS),
    test=_test,
    oauth=OAuth(
        authorize_url=lambda settings: place_of(settings, "authorize"),
        token_url=lambda settings: place_of(settings, "token"),
        account=account_of,
        scopes=_SCOPES,
        extra={"access_type": "offline", "prompt": "consent"},
        hint="login_hint",
    ),
)
