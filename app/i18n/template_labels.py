"""Translatable texts of the templates: names, summaries and questions."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

TEMPLATE_TEXTS = (
    QT_TRANSLATE_NOOP("templates", "Calendar reminder"),
    QT_TRANSLATE_NOOP("templates", "a notification before each calendar event"),
    QT_TRANSLATE_NOOP("templates", "Minutes before the event"),
    QT_TRANSLATE_NOOP("templates", "Certificates and disks"),
    QT_TRANSLATE_NOOP("templates", "a notification before a server certificate expires or a disk is full"),
    QT_TRANSLATE_NOOP(
        "templates", "Servers, such as example.org or example.org:993 (separated by commas; may be empty)"
    ),
    QT_TRANSLATE_NOOP("templates", "Disks to check: one folder on each, separated by commas"),
    QT_TRANSLATE_NOOP("templates", "Warn when a disk is this full (percent)"),
    QT_TRANSLATE_NOOP("templates", "Invoice reminders"),
    QT_TRANSLATE_NOOP("templates", "a polite email for each overdue invoice, sent only after you approve it"),
    QT_TRANSLATE_NOOP("templates", "Table of invoices (columns: number, customer, mail, amount, due, paid)"),
    QT_TRANSLATE_NOOP("templates", "Email signature"),
    QT_TRANSLATE_NOOP("templates", "Mailed receipts"),
    QT_TRANSLATE_NOOP("templates", "adds receipts from your inbox to a table, after you approve them"),
    QT_TRANSLATE_NOOP("templates", "Table (a .csv or .sqlite file)"),
    QT_TRANSLATE_NOOP("templates", "Word in the subject line"),
    QT_TRANSLATE_NOOP("templates", "Morning digest"),
    QT_TRANSLATE_NOOP("templates", "new entries of a feed, in one email every morning"),
    QT_TRANSLATE_NOOP("templates", "Feed address"),
    QT_TRANSLATE_NOOP("templates", "Send the email to"),
    QT_TRANSLATE_NOOP("templates", "Time"),
    QT_TRANSLATE_NOOP("templates", "Time zone, such as Europe/Berlin"),
    QT_TRANSLATE_NOOP("templates", "Nightly command"),
    QT_TRANSLATE_NOOP("templates", "runs a command every night; a missed night is caught up in the morning"),
    QT_TRANSLATE_NOOP("templates", "Command"),
    QT_TRANSLATE_NOOP("templates", "Sort folder"),
    QT_TRANSLATE_NOOP("templates", "sorts new files in a folder by type, and backs them up every night"),
    QT_TRANSLATE_NOOP("templates", "Folder to sort"),
    QT_TRANSLATE_NOOP("templates", "Backup folder"),
    QT_TRANSLATE_NOOP("templates", "Backup time"),
    QT_TRANSLATE_NOOP("templates", "Watch page"),
    QT_TRANSLATE_NOOP("templates", "a notification when a price or other text on a web page changes"),
    QT_TRANSLATE_NOOP("templates", "Page, such as https://shop.example.org/lamps/7"),
    QT_TRANSLATE_NOOP("templates", "Text to watch: a regular expression with parentheses around the part that changes"),
    QT_TRANSLATE_NOOP("templates", "Notify me only at or below (0 = any change)"),
)


def translate_template_text(words: str) -> str:
    """In the user's language."""
    return QCoreApplication.translate("templates", words) if words else ""
