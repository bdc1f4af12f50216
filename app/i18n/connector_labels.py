"""Translatable texts of the built-in connectors: titles, fields, descriptions and tool parameters."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

CONNECTOR_TEXTS = (
    QT_TRANSLATE_NOOP("connectors", "Calendar"),
    QT_TRANSLATE_NOOP("connectors", "News feed"),
    QT_TRANSLATE_NOOP("connectors", "Files"),
    QT_TRANSLATE_NOOP("connectors", "Google"),
    QT_TRANSLATE_NOOP("connectors", "Web API"),
    QT_TRANSLATE_NOOP("connectors", "Mail (IMAP)"),
    QT_TRANSLATE_NOOP("connectors", "Notification"),
    QT_TRANSLATE_NOOP("connectors", "Ping"),
    QT_TRANSLATE_NOOP("connectors", "Restic"),
    QT_TRANSLATE_NOOP("connectors", "Secret"),
    QT_TRANSLATE_NOOP("connectors", "Slack"),
    QT_TRANSLATE_NOOP("connectors", "Mail (SMTP)"),
    QT_TRANSLATE_NOOP("connectors", "Table"),
    QT_TRANSLATE_NOOP("connectors", "Phone (ntfy)"),
    QT_TRANSLATE_NOOP("connectors", "Phone (Telegram)"),
    QT_TRANSLATE_NOOP("connectors", "Topic"),
    QT_TRANSLATE_NOOP("connectors", "Access token"),
    QT_TRANSLATE_NOOP("connectors", "Access token of the buttons"),
    QT_TRANSLATE_NOOP("connectors", "Authenticator key"),
    QT_TRANSLATE_NOOP("connectors", "Bot token"),
    QT_TRANSLATE_NOOP("connectors", "Chat"),
    QT_TRANSLATE_NOOP("connectors", "Four-digit code"),
    QT_TRANSLATE_NOOP("connectors", "Sends questions and news to the ntfy app on your phone."),
    QT_TRANSLATE_NOOP("connectors", "Your own, or the public one."),
    QT_TRANSLATE_NOOP("connectors", "Only for Dayhand; long and hard to guess, for example dayhand-x7Kq2mW9."),
    QT_TRANSLATE_NOOP("connectors", "If the server asks for a login: one that may read and write both topics."),
    QT_TRANSLATE_NOOP(
        "connectors",
        "If the server asks for a login: one that may only write to the topic that ends in -answers. "
        "It is part of each message.",
    ),
    QT_TRANSLATE_NOOP("connectors", "Needed to approve from the phone; dayhand channels code creates it."),
    QT_TRANSLATE_NOOP("connectors", "Sends questions and news to your chat with a Telegram bot of your own."),
    QT_TRANSLATE_NOOP("connectors", "From @BotFather."),
    QT_TRANSLATE_NOOP(
        "connectors", "Your number. Leave it empty the first time; Dayhand then says who wrote to the bot."
    ),
    QT_TRANSLATE_NOOP("connectors", "If set, Dayhand asks for it before what cannot be undone."),
    QT_TRANSLATE_NOOP("connectors", "Of the Bot API."),
    QT_TRANSLATE_NOOP(
        "connectors",
        "Shows notifications on this computer; notify:me also on the phone connected as ntfy:me or telegram:me.",
    ),
    QT_TRANSLATE_NOOP("connectors", "Address"),
    QT_TRANSLATE_NOOP("connectors", "User name"),
    QT_TRANSLATE_NOOP("connectors", "Password"),
    QT_TRANSLATE_NOOP("connectors", "Certificate"),
    QT_TRANSLATE_NOOP("connectors", "Folder"),
    QT_TRANSLATE_NOOP("connectors", "Client ID"),
    QT_TRANSLATE_NOOP("connectors", "Client secret"),
    QT_TRANSLATE_NOOP("connectors", "Account"),
    QT_TRANSLATE_NOOP("connectors", "Login"),
    QT_TRANSLATE_NOOP("connectors", "Password or token"),
    QT_TRANSLATE_NOOP("connectors", "Header"),
    QT_TRANSLATE_NOOP("connectors", "Downloads"),
    QT_TRANSLATE_NOOP("connectors", "Server"),
    QT_TRANSLATE_NOOP("connectors", "Port"),
    QT_TRANSLATE_NOOP("connectors", "Encryption"),
    QT_TRANSLATE_NOOP("connectors", "Token"),
    QT_TRANSLATE_NOOP("connectors", "From"),
    QT_TRANSLATE_NOOP("connectors", "IMAP server"),
    QT_TRANSLATE_NOOP("connectors", "IMAP port"),
    QT_TRANSLATE_NOOP("connectors", "IMAP encryption"),
    QT_TRANSLATE_NOOP("connectors", "IMAP user name"),
    QT_TRANSLATE_NOOP("connectors", "IMAP password"),
    QT_TRANSLATE_NOOP("connectors", "Sent folder"),
    QT_TRANSLATE_NOOP("connectors", "File"),
    QT_TRANSLATE_NOOP("connectors", "Formulas"),
    QT_TRANSLATE_NOOP(
        "connectors",
        "Let texts that begin with =, +, - or @ be formulas, which a spreadsheet runs when it opens the file.",
    ),
    QT_TRANSLATE_NOOP(
        "connectors", "Tells a monitoring service how runs went, so that it notices when Dayhand is dead."
    ),
    QT_TRANSLATE_NOOP(
        "connectors",
        "As the service shows it, for example https://hc-ping.com/5f3b…. "
        "Whoever knows it can send pings, so it is stored only in the keyring.",
    ),
    QT_TRANSLATE_NOOP("connectors", "Service"),
    QT_TRANSLATE_NOOP("connectors", "Only on success: the address is just opened when a run has succeeded."),
    QT_TRANSLATE_NOOP("connectors", "Output"),
    QT_TRANSLATE_NOOP(
        "connectors", "Send the last lines that a run printed, and why it failed. The service can read them."
    ),
    QT_TRANSLATE_NOOP("connectors", "Reads a calendar on a CalDAV server and adds events to it."),
    QT_TRANSLATE_NOOP(
        "connectors",
        "Of the calendar, or of the server that lists yours, for example https://example.org/dav/me/home/.",
    ),
    QT_TRANSLATE_NOOP("connectors", "Use an app password if you can."),
    QT_TRANSLATE_NOOP("connectors", "Extra certificate to trust (PEM), for a server with a self-signed certificate."),
    QT_TRANSLATE_NOOP("connectors", "Reads RSS and Atom feeds."),
    QT_TRANSLATE_NOOP("connectors", "Address of the feed itself, for example https://example.org/feed.xml."),
    QT_TRANSLATE_NOOP("connectors", "Only if the feed requires a login."),
    QT_TRANSLATE_NOOP("connectors", "Reads and changes files in one folder on this computer."),
    QT_TRANSLATE_NOOP("connectors", "Nothing outside this folder is changed."),
    QT_TRANSLATE_NOOP("connectors", "Mail, calendar and files of a Google account."),
    QT_TRANSLATE_NOOP("connectors", "From the Google Cloud console: an OAuth client of type desktop app."),
    QT_TRANSLATE_NOOP("connectors", "Shown next to the client ID; some apps have none."),
    QT_TRANSLATE_NOOP("connectors", "Filled in when you sign in."),
    QT_TRANSLATE_NOOP("connectors", "Only for a Google-compatible server; leave empty for Google itself."),
    QT_TRANSLATE_NOOP("connectors", "Reads from any web API, downloads from it and sends to it."),
    QT_TRANSLATE_NOOP(
        "connectors", "Base address of the API, for example https://api.example.org/v1; nothing outside it is used."
    ),
    QT_TRANSLATE_NOOP("connectors", "How to log in to the API."),
    QT_TRANSLATE_NOOP("connectors", "For the basic login."),
    QT_TRANSLATE_NOOP("connectors", "The password (basic), the token (bearer) or the value of the header."),
    QT_TRANSLATE_NOOP("connectors", "Name of the header that contains the value."),
    QT_TRANSLATE_NOOP("connectors", "Folder for downloaded files."),
    QT_TRANSLATE_NOOP("connectors", "Reads, moves and flags mail on a mail server."),
    QT_TRANSLATE_NOOP("connectors", "For example imap.example.org."),
    QT_TRANSLATE_NOOP(
        "connectors", "tls from the start, starttls after the greeting, or none for a server on this computer."
    ),
    QT_TRANSLATE_NOOP("connectors", "Often the full mail address."),
    QT_TRANSLATE_NOOP("connectors", "Some providers require an app password."),
    QT_TRANSLATE_NOOP("connectors", "The password of a restic repository, for backup jobs."),
    QT_TRANSLATE_NOOP("connectors", "Stored only in the keyring of this computer."),
    QT_TRANSLATE_NOOP("connectors", "A passphrase or token for the commands of jobs, passed through a pipe."),
    QT_TRANSLATE_NOOP("connectors", "Reads and posts messages in a Slack workspace."),
    QT_TRANSLATE_NOOP("connectors", "From the app that you created for your workspace, under Basic Information."),
    QT_TRANSLATE_NOOP("connectors", "A bot token of that app; leave empty to sign in through the browser."),
    QT_TRANSLATE_NOOP("connectors", "Only for a Slack-compatible server."),
    QT_TRANSLATE_NOOP("connectors", "Sends mail through a mail server."),
    QT_TRANSLATE_NOOP("connectors", "For example smtp.example.org."),
    QT_TRANSLATE_NOOP("connectors", "Often the full mail address; empty if the server requires no login."),
    QT_TRANSLATE_NOOP("connectors", "Sender of the mails, for example Anna <anna@example.org>."),
    QT_TRANSLATE_NOOP(
        "connectors",
        "For example imap.example.org. Dayhand saves sent mail there, and checks it if sending is unclear.",
    ),
    QT_TRANSLATE_NOOP("connectors", "If different."),
    QT_TRANSLATE_NOOP("connectors", "If it is not found automatically."),
    QT_TRANSLATE_NOOP("connectors", "Adds rows to a CSV or SQLite file on this computer, and reads them."),
    QT_TRANSLATE_NOOP(
        "connectors", "A file that ends in .csv, .sqlite, .sqlite3 or .db; created if it does not exist."
    ),
    QT_TRANSLATE_NOOP("connectors", "Name of the table in a SQLite file."),
    QT_TRANSLATE_NOOP("connectors", "Scopes"),
    QT_TRANSLATE_NOOP("connectors", "Sign-in page"),
    QT_TRANSLATE_NOOP("connectors", "Token address"),
    QT_TRANSLATE_NOOP("connectors", "For the oauth2 login, for example https://example.org/oauth/authorize."),
    QT_TRANSLATE_NOOP("connectors", "For the oauth2 login, for example https://example.org/oauth/token."),
    QT_TRANSLATE_NOOP("connectors", "For the oauth2 login: from the app that you registered with the service."),
    QT_TRANSLATE_NOOP("connectors", "For the oauth2 login, separated by spaces."),
)


PARAMETER_LABELS = {
    "rows": QT_TRANSLATE_NOOP("parameters", "Rows"),
    "path": QT_TRANSLATE_NOOP("parameters", "Path"),
    "moves": QT_TRANSLATE_NOOP("parameters", "Moves"),
    "text": QT_TRANSLATE_NOOP("parameters", "Text"),
    "html": QT_TRANSLATE_NOOP("parameters", "HTML"),
    "overwrite": QT_TRANSLATE_NOOP("parameters", "Overwrite existing"),
    "source": QT_TRANSLATE_NOOP("parameters", "Source"),
    "target": QT_TRANSLATE_NOOP("parameters", "Destination"),
    "to": QT_TRANSLATE_NOOP("parameters", "To"),
    "cc": QT_TRANSLATE_NOOP("parameters", "Cc"),
    "bcc": QT_TRANSLATE_NOOP("parameters", "Bcc"),
    "subject": QT_TRANSLATE_NOOP("parameters", "Subject"),
    "attachments": QT_TRANSLATE_NOOP("parameters", "Attachments"),
    "title": QT_TRANSLATE_NOOP("parameters", "Title"),
    "summary": QT_TRANSLATE_NOOP("parameters", "Title"),
    "start": QT_TRANSLATE_NOOP("parameters", "Start"),
    "end": QT_TRANSLATE_NOOP("parameters", "End"),
    "location": QT_TRANSLATE_NOOP("parameters", "Location"),
    "where": QT_TRANSLATE_NOOP("parameters", "Location"),
    "description": QT_TRANSLATE_NOOP("parameters", "Description"),
    "calendar": QT_TRANSLATE_NOOP("parameters", "Calendar"),
    "folder": QT_TRANSLATE_NOOP("parameters", "Folder"),
    "name": QT_TRANSLATE_NOOP("parameters", "Name"),
    "channel": QT_TRANSLATE_NOOP("parameters", "Channel"),
    "thread": QT_TRANSLATE_NOOP("parameters", "Thread"),
    "method": QT_TRANSLATE_NOOP("parameters", "Method"),
    "add": QT_TRANSLATE_NOOP("parameters", "Add"),
    "remove": QT_TRANSLATE_NOOP("parameters", "Remove"),
    "timezone": QT_TRANSLATE_NOOP("parameters", "Time zone"),
    "zone": QT_TRANSLATE_NOOP("parameters", "Time zone"),
}
"""Parameters of tools that act: what the user reads before approving."""


CHOICE_LABELS = {
    "healthchecks": QT_TRANSLATE_NOOP("choices", "Healthchecks"),
    "uptime-kuma": QT_TRANSLATE_NOOP("choices", "Uptime Kuma"),
    "only-success": QT_TRANSLATE_NOOP("choices", "Another, only on success"),
    "tls": QT_TRANSLATE_NOOP("choices", "TLS"),
    "starttls": QT_TRANSLATE_NOOP("choices", "STARTTLS"),
    "none": QT_TRANSLATE_NOOP("choices", "None"),
    "basic": QT_TRANSLATE_NOOP("choices", "User name and password (basic)"),
    "bearer": QT_TRANSLATE_NOOP("choices", "Token (bearer)"),
    "header": QT_TRANSLATE_NOOP("choices", "Header"),
    "oauth2": QT_TRANSLATE_NOOP("choices", "Sign-in in the browser (OAuth 2)"),
}


def parameter_labels() -> dict[str, str]:
    """Labels of tool parameters on cards; not necessarily unique."""
    return {key: QCoreApplication.translate("parameters", str(words)) for key, words in PARAMETER_LABELS.items()}


def translate_connector_text(words: str) -> str:
    """In the user's language; texts of third-party connectors stay unchanged."""
    return QCoreApplication.translate("connectors", words) if words else ""


def label_choice(value: str) -> str:
    """A value that a field of a connector offers, in words."""
    words = CHOICE_LABELS.get(value)
    return value if words is None else QCoreApplication.translate("choices", str(words))
