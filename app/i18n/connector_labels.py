"""The words that the built-in connectors bring along in English: their titles, their fields and what those mean."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

WORDS = (
    QT_TRANSLATE_NOOP("connectors", "Calendar"),
    QT_TRANSLATE_NOOP("connectors", "News feed"),
    QT_TRANSLATE_NOOP("connectors", "Files"),
    QT_TRANSLATE_NOOP("connectors", "Google"),
    QT_TRANSLATE_NOOP("connectors", "Web API"),
    QT_TRANSLATE_NOOP("connectors", "Mail (IMAP)"),
    QT_TRANSLATE_NOOP("connectors", "Notification"),
    QT_TRANSLATE_NOOP("connectors", "Restic"),
    QT_TRANSLATE_NOOP("connectors", "Secret"),
    QT_TRANSLATE_NOOP("connectors", "Slack"),
    QT_TRANSLATE_NOOP("connectors", "Mail (SMTP)"),
    QT_TRANSLATE_NOOP("connectors", "Table"),
    QT_TRANSLATE_NOOP("connectors", "Address"),
    QT_TRANSLATE_NOOP("connectors", "User"),
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
    QT_TRANSLATE_NOOP("connectors", "Server of the sent mail"),
    QT_TRANSLATE_NOOP("connectors", "Its port"),
    QT_TRANSLATE_NOOP("connectors", "Its encryption"),
    QT_TRANSLATE_NOOP("connectors", "Its user"),
    QT_TRANSLATE_NOOP("connectors", "Its password"),
    QT_TRANSLATE_NOOP("connectors", "Folder of sent mail"),
    QT_TRANSLATE_NOOP("connectors", "File"),
    QT_TRANSLATE_NOOP("connectors", "Reads a calendar on a CalDAV server, and adds events to it."),
    QT_TRANSLATE_NOOP("connectors", "Of one calendar, as in https://example.org/dav/me/home/."),
    QT_TRANSLATE_NOOP("connectors", "Who logs in."),
    QT_TRANSLATE_NOOP("connectors", "Best one for this app only."),
    QT_TRANSLATE_NOOP(
        "connectors", "A PEM file to believe beside the system's, for a server with a certificate of its own."
    ),
    QT_TRANSLATE_NOOP("connectors", "Reads RSS and Atom feeds."),
    QT_TRANSLATE_NOOP("connectors", "Of the feed itself, as in https://example.org/feed.xml."),
    QT_TRANSLATE_NOOP("connectors", "Only for a feed that asks for a login."),
    QT_TRANSLATE_NOOP("connectors", "Of that user."),
    QT_TRANSLATE_NOOP("connectors", "Reads and changes files in one folder of this computer."),
    QT_TRANSLATE_NOOP("connectors", "Nothing outside it is touched."),
    QT_TRANSLATE_NOOP("connectors", "Mail, calendar and files of a Google account."),
    QT_TRANSLATE_NOOP("connectors", "Made in the Google Cloud console: an OAuth client of the type desktop app."),
    QT_TRANSLATE_NOOP("connectors", "Shown beside the client ID; some apps have none."),
    QT_TRANSLATE_NOOP("connectors", "Who signs in; filled in when you do."),
    QT_TRANSLATE_NOOP("connectors", "Only for a server that speaks as Google does; leave it empty for Google itself."),
    QT_TRANSLATE_NOOP("connectors", "Asks any web API, downloads from it and sends to it."),
    QT_TRANSLATE_NOOP(
        "connectors", "Where the API begins, as in https://api.example.org/v1; nothing outside it is asked."
    ),
    QT_TRANSLATE_NOOP("connectors", "How the API knows you."),
    QT_TRANSLATE_NOOP("connectors", "For the login basic."),
    QT_TRANSLATE_NOOP("connectors", "The password of basic, the token of bearer, or the value of the header."),
    QT_TRANSLATE_NOOP("connectors", "Which header the login header uses."),
    QT_TRANSLATE_NOOP("connectors", "Where files go."),
    QT_TRANSLATE_NOOP("connectors", "Reads, moves and marks mail at a mail server."),
    QT_TRANSLATE_NOOP("connectors", "As in imap.example.org."),
    QT_TRANSLATE_NOOP(
        "connectors", "tls from the first byte on, starttls after a greeting, or none for a server on this computer."
    ),
    QT_TRANSLATE_NOOP("connectors", "Often the whole address."),
    QT_TRANSLATE_NOOP("connectors", "Some providers want one made for this app."),
    QT_TRANSLATE_NOOP("connectors", "Shows notifications on this computer."),
    QT_TRANSLATE_NOOP("connectors", "The password of a restic repository, for backups that jobs make."),
    QT_TRANSLATE_NOOP("connectors", "Kept in the keyring of this computer only."),
    QT_TRANSLATE_NOOP("connectors", "A passphrase or token that commands of jobs read from a pipe."),
    QT_TRANSLATE_NOOP("connectors", "Reads and posts messages in a Slack workspace."),
    QT_TRANSLATE_NOOP("connectors", "From the app that you made for your workspace, under Basic Information."),
    QT_TRANSLATE_NOOP("connectors", "A bot token of that app; leave it empty to sign in through the browser."),
    QT_TRANSLATE_NOOP("connectors", "Only for a server that speaks as Slack does."),
    QT_TRANSLATE_NOOP("connectors", "Sends mail through a mail server."),
    QT_TRANSLATE_NOOP("connectors", "As in smtp.example.org."),
    QT_TRANSLATE_NOOP("connectors", "Often the whole address; empty if the server wants no login."),
    QT_TRANSLATE_NOOP("connectors", "The address that mails come from: Anna <anna@example.org>."),
    QT_TRANSLATE_NOOP(
        "connectors", "As in imap.example.org. With it Dayhand keeps what it sent, and finds out in doubt."
    ),
    QT_TRANSLATE_NOOP("connectors", "If it is another."),
    QT_TRANSLATE_NOOP("connectors", "If the server does not mark it."),
    QT_TRANSLATE_NOOP("connectors", "Adds rows to a CSV or SQLite file of this computer, and reads them."),
    QT_TRANSLATE_NOOP("connectors", "A file that ends in .csv, .sqlite, .sqlite3 or .db; made if it is not there."),
    QT_TRANSLATE_NOOP("connectors", "Which table of a SQLite file."),
    QT_TRANSLATE_NOOP("connectors", "Scopes"),
    QT_TRANSLATE_NOOP("connectors", "Sign-in page"),
    QT_TRANSLATE_NOOP("connectors", "Token address"),
    QT_TRANSLATE_NOOP("connectors", "For the login oauth2, as in https://example.org/oauth/authorize."),
    QT_TRANSLATE_NOOP("connectors", "For the login oauth2, as in https://example.org/oauth/token."),
    QT_TRANSLATE_NOOP("connectors", "For the login oauth2: from the app that you made at the service."),
    QT_TRANSLATE_NOOP("connectors", "For the login oauth2, with spaces between them."),
)


PARAMETERS = {
    "rows": QT_TRANSLATE_NOOP("parameters", "Rows"),
    "path": QT_TRANSLATE_NOOP("parameters", "Path"),
    "text": QT_TRANSLATE_NOOP("parameters", "Text"),
    "html": QT_TRANSLATE_NOOP("parameters", "HTML"),
    "overwrite": QT_TRANSLATE_NOOP("parameters", "Replace what is there"),
    "source": QT_TRANSLATE_NOOP("parameters", "From where"),
    "target": QT_TRANSLATE_NOOP("parameters", "To where"),
    "to": QT_TRANSLATE_NOOP("parameters", "To"),
    "cc": QT_TRANSLATE_NOOP("parameters", "Cc"),
    "bcc": QT_TRANSLATE_NOOP("parameters", "Bcc"),
    "subject": QT_TRANSLATE_NOOP("parameters", "Subject"),
    "attachments": QT_TRANSLATE_NOOP("parameters", "Attachments"),
    "title": QT_TRANSLATE_NOOP("parameters", "Title"),
    "summary": QT_TRANSLATE_NOOP("parameters", "Title"),
    "start": QT_TRANSLATE_NOOP("parameters", "Start"),
    "end": QT_TRANSLATE_NOOP("parameters", "End"),
    "location": QT_TRANSLATE_NOOP("parameters", "Place"),
    "where": QT_TRANSLATE_NOOP("parameters", "Place"),
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
"""Of the tools that act: what a person reads before saying yes."""


def name_parameters() -> dict[str, str]:
    """What the parameters of tools are called on a card. Several can have the same name."""
    return {key: QCoreApplication.translate("parameters", str(words)) for key, words in PARAMETERS.items()}


def say_connector(words: str) -> str:
    """In the person's language; a connector that is not ours is left to speak for itself."""
    return QCoreApplication.translate("connectors", words) if words else ""
