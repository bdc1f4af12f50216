"""Google: mail, calendar and files of the signed-in account."""

from datetime import timedelta

from scheduler.connections.connector import Call, Connector, Field, Parameter, ParameterKind, Tool, ToolExample
from scheduler.connections.connectors.google import calendar, drive, mail
from scheduler.connections.connectors.google.api import fetch_account, service_url
from scheduler.connections.connectors.mail.compose import validate_mail
from scheduler.connections.oauth.fields import sign_in_fields
from scheduler.connections.oauth.provider import OAuth
from scheduler.user_text import UserText

_SCOPES = (
    "https://www.googleapis.com/auth/userinfo.email",
    "https://www.googleapis.com/auth/gmail.modify",
    "https://www.googleapis.com/auth/calendar.events",
    "https://www.googleapis.com/auth/drive.file",
    "https://www.googleapis.com/auth/drive.metadata.readonly",
)


def _test(call: Call) -> str:
    return UserText("Signed in as {fetch_account}.", fetch_account=fetch_account(call))


def _text(help_: str, *, editable: bool = False) -> Parameter:
    return Parameter(ParameterKind.TEXT, help=help_, editable=editable)


def _optional(kind: ParameterKind, help_: str, *, editable: bool = False) -> Parameter:
    return Parameter(kind, required=False, help=help_, editable=editable)


_LIMIT = _optional(ParameterKind.WHOLE, "Maximum number of results.")
_MAIL = _text("Id of a mail, from search_mail.")
_CALENDAR = _optional(ParameterKind.TEXT, "Id of a calendar; default the user's own.")
_ZONE = _optional(ParameterKind.TEXT, "Time zone for times without an offset, such as Europe/Berlin.")
_FOLDER = _optional(ParameterKind.TEXT, "Id of a folder.")
_ADDRESSES = _optional(ParameterKind.LIST, "Addresses such as Anna <anna@example.org>.")
_MAIL_EXAMPLE = {
    "id": "18f1",
    "thread": "18f1",
    "message_id": "<a1@example.org>",
    "from": "Shop <shop@example.org>",
    "to": "Anna <anna@example.org>",
    "cc": "",
    "subject": "Your receipt",
    "date": "2026-05-04T07:00:00+00:00",
    "snippet": "Thank you",
    "labels": ["INBOX"],
}
_EVENT_EXAMPLE = {
    "id": "a1",
    "summary": "Dentist",
    "start": "2026-05-04T09:00:00+02:00",
    "end": "2026-05-04T10:00:00+02:00",
    "all_day": False,
    "location": None,
    "description": None,
    "status": "confirmed",
    "link": "https://example.org/event/a1",
}
_FILE_EXAMPLE = {
    "id": "1AbC",
    "name": "bill.pdf",
    "type": "application/pdf",
    "size": 20480,
    "modified": "2026-05-04T07:00:00.000Z",
    "folders": ["0AxY"],
    "link": "https://example.org/file/1AbC",
}

_MAIL_TOOLS = (
    Tool(
        name="search_mail",
        may=UserText("search the mail of {name}"),
        help=UserText("Search with Gmail's own syntax, newest first; 20 mails by default."),
        parameters={"query": _text("Gmail search, such as from:shop newer_than:7d."), "limit": _LIMIT},
        example=ToolExample(
            {"query": "from:shop newer_than:7d"},
            [_MAIL_EXAMPLE],
        ),
        run=mail.search,
    ),
    Tool(
        name="fetch_mail",
        may=UserText("read the mail of {name}"),
        help=UserText("Read a mail with the names of its attachments."),
        parameters={"id": _MAIL},
        example=ToolExample(
            {"id": "18f1"},
            {
                **_MAIL_EXAMPLE,
                "text": "Thank you.",
                "html": None,
                "attachments": [{"name": "bill.pdf", "type": "application/pdf", "size": 20480, "attachment": "ANGj"}],
            },
        ),
        run=mail.fetch,
    ),
    Tool(
        name="fetch_attachment",
        may=UserText("read mail attachments of {name}"),
        help=UserText("Read an attachment of a mail as base64."),
        parameters={"id": _MAIL, "attachment": _text("Id of the attachment, from fetch_mail.")},
        example=ToolExample({"id": "18f1", "attachment": "ANGj"}, {"base64": "JVBERi0=", "size": 5}),
        run=mail.fetch_attachment,
    ),
    Tool(
        name="send_mail",
        may=UserText('send mail in your name through "{name}"'),
        help=UserText("Send a mail from the account exactly once."),
        parameters={
            "to": Parameter(ParameterKind.LIST, help="Addresses such as Anna <anna@example.org>."),
            "cc": _ADDRESSES,
            "bcc": _ADDRESSES,
            "subject": _text("One line.", editable=True),
            "text": _optional(ParameterKind.TEXT, "Plain text.", editable=True),
            "html": _optional(ParameterKind.TEXT, "HTML, in addition or instead.", editable=True),
            "attachments": _optional(ParameterKind.LIST, 'Objects such as {"name": "bill.pdf", "base64": "…"}.'),
        },
        example=ToolExample(
            {"to": ["Anna <anna@example.org>"], "subject": "Hello", "text": "How are you?"},
            {"id": "18f2", "thread": "18f2", "message_id": "<a2@example.org>"},
        ),
        run=mail.send,
        mutating=True,
        acts_on_others=True,
        check=mail.check_send,
        validate=validate_mail,
        # Google files accepted mail through a queue. Not idempotent: a mail with a known Message-ID is sent again.
        apply_window=timedelta(minutes=2),
    ),
    Tool(
        name="label_mail",
        may=UserText("label and archive the mail of {name}"),
        help=UserText("Add labels to a mail or remove them; removing INBOX archives it."),
        parameters={
            "id": _MAIL,
            "add": _optional(ParameterKind.LIST, "Names of labels."),
            "remove": _optional(ParameterKind.LIST, "Names of labels."),
        },
        example=ToolExample(
            {"id": "18f1", "add": ["Receipts"], "remove": ["INBOX"]}, {"id": "18f1", "labels": ["Label_7"]}
        ),
        run=mail.label,
        mutating=True,
        check=mail.check_label,
        # Not declared idempotent: a repeat is harmless only as long as nobody else changes the labels.
    ),
)
_CALENDAR_TOOLS = (
    Tool(
        name="list_events",
        may=UserText("read the calendar of {name}"),
        help=UserText("List the events of a calendar by time; 100 events by default."),
        parameters={
            "start": _optional(ParameterKind.TEXT, "Start of the range: a day or a time."),
            "end": _optional(ParameterKind.TEXT, "End of the range: a day or a time."),
            "query": _optional(ParameterKind.TEXT, "Words to search for."),
            "calendar": _CALENDAR,
            "zone": _ZONE,
            "limit": _LIMIT,
        },
        example=ToolExample(
            {"start": "2026-05-04", "end": "2026-05-05", "zone": "Europe/Berlin"},
            [_EVENT_EXAMPLE],
        ),
        run=calendar.list_events,
    ),
    Tool(
        name="create_event",
        may=UserText("add events to the calendar of {name}"),
        help=UserText("Create an event exactly once; nobody is invited."),
        parameters={
            "summary": _text("Title of the event.", editable=True),
            "start": _text("A time such as 2026-05-04T09:00:00+02:00, or a day such as 2026-05-04.", editable=True),
            "end": _text("End in the same format; for days, the day after the last one.", editable=True),
            "description": _optional(ParameterKind.TEXT, "More details.", editable=True),
            "location": _optional(ParameterKind.TEXT, "Place of the event.", editable=True),
            "calendar": _CALENDAR,
            "zone": _ZONE,
        },
        example=ToolExample(
            {"summary": "Holiday", "start": "2026-05-04", "end": "2026-05-05"},
            _EVENT_EXAMPLE,
        ),
        run=calendar.create_event,
        mutating=True,
        check=calendar.check_event,
        validate=calendar.validate_event,
        # Not idempotent: the id is ours, but Google does not promise to notice a duplicate at once.
    ),
)
_FILE_TOOLS = (
    Tool(
        name="list_files",
        may=UserText("list the files of {name}"),
        help=UserText("List the files in Drive, without the trash; 100 files by default."),
        parameters={
            "folder": _FOLDER,
            "query": _optional(ParameterKind.TEXT, "Drive query, such as name contains 'bill'."),
            "limit": _LIMIT,
        },
        example=ToolExample(
            {"query": "name contains 'bill'"},
            [_FILE_EXAMPLE],
        ),
        run=drive.list_files,
    ),
    Tool(
        name="upload_file",
        may=UserText("upload files to {name}"),
        help=UserText("Upload a new file to Drive exactly once; at most 25 MB."),
        parameters={
            "name": _text("Name of the file."),
            "text": _optional(ParameterKind.TEXT, "The content as text, written as UTF-8.", editable=True),
            "base64": _optional(ParameterKind.TEXT, "The content as base64, if it is not text."),
            "type": _optional(ParameterKind.TEXT, "Media type, such as application/pdf."),
            "folder": _FOLDER,
        },
        example=ToolExample(
            {"name": "notes.txt", "text": "Hello"},
            {**_FILE_EXAMPLE, "name": "notes.txt", "type": "text/plain", "size": 5},
        ),
        run=drive.upload_file,
        mutating=True,
        check=drive.check_upload,
        # Drive's search may lag by minutes. Not idempotent: Drive accepts no key for a file.
        apply_window=timedelta(minutes=5),
    ),
)

google = Connector(
    kind="google",
    title="Google",
    help="Mail, calendar and files of a Google account.",
    fields=(
        *sign_in_fields(UserText("From the Google Cloud console: an OAuth client of type desktop app.")),
        Field(
            name="base_url",
            label="Address",
            help="Only for a Google-compatible server; leave empty for Google itself.",
            required=False,
        ),
    ),
    tools=(*_MAIL_TOOLS, *_CALENDAR_TOOLS, *_FILE_TOOLS),
    test=_test,
    oauth=OAuth(
        authorize_url=lambda settings: service_url(settings, "authorize"),
        token_url=lambda settings: service_url(settings, "token"),
        account=fetch_account,
        scopes=_SCOPES,
        extra_parameters={"access_type": "offline", "prompt": "consent"},
        account_hint_parameter="login_hint",
    ),
)
