"""Translatable texts of the templates: names, summaries, questions, and what they do and ask."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

TEMPLATE_TEXTS = (
    QT_TRANSLATE_NOOP("templates", "Calendar reminder"),
    QT_TRANSLATE_NOOP("templates", "a notification before each calendar event"),
    QT_TRANSLATE_NOOP(
        "templates", "Shows a notification {LEAD} minutes before each event in {CALENDAR} that has a start time."
    ),
    QT_TRANSLATE_NOOP("templates", "Calendar"),
    QT_TRANSLATE_NOOP("templates", "Needs a calendar"),
    QT_TRANSLATE_NOOP("templates", "Minutes before the event"),
    QT_TRANSLATE_NOOP("templates", "Certificates and disks"),
    QT_TRANSLATE_NOOP("templates", "a notification before a server certificate expires or a disk is full"),
    QT_TRANSLATE_NOOP(
        "templates",
        "Shows a notification before a certificate of your servers expires, and when a disk is {FULL} % full.",
    ),
    QT_TRANSLATE_NOOP("templates", "Servers: {HOSTS}"),
    QT_TRANSLATE_NOOP("templates", "Disks: {DISKS}"),
    QT_TRANSLATE_NOOP(
        "templates", "Servers, such as example.org or example.org:993 (separated by commas; may be empty)"
    ),
    QT_TRANSLATE_NOOP("templates", "Disks to check: one folder on each, separated by commas"),
    QT_TRANSLATE_NOOP("templates", "Warn when a disk is this full (percent)"),
    QT_TRANSLATE_NOOP("templates", "Invoice reminders"),
    QT_TRANSLATE_NOOP("templates", "a polite email for each overdue invoice, sent only after you approve it"),
    QT_TRANSLATE_NOOP(
        "templates", "Writes a reminder to each customer in {TABLE} whose invoice is 7, 21 and 42 days overdue."
    ),
    QT_TRANSLATE_NOOP("templates", "You approve each email before it is sent."),
    QT_TRANSLATE_NOOP("templates", "Table of invoices (columns: number, customer, mail, amount, due, paid)"),
    QT_TRANSLATE_NOOP("templates", "The emails are sent from {MAIL} and signed: {SIGNED}"),
    QT_TRANSLATE_NOOP("templates", "Email signature"),
    QT_TRANSLATE_NOOP("templates", "Time"),
    QT_TRANSLATE_NOOP("templates", "On these days"),
    QT_TRANSLATE_NOOP("templates", "Send from"),
    QT_TRANSLATE_NOOP("templates", "Needs an email account to send from"),
    QT_TRANSLATE_NOOP("templates", "Mailed receipts"),
    QT_TRANSLATE_NOOP("templates", "adds receipts from your inbox to a table, after you approve them"),
    QT_TRANSLATE_NOOP(
        "templates",
        'Reads new emails in {INBOX} with "{SUBJECT}" in the subject and adds date, sender and amount to {TABLE}.',
    ),
    QT_TRANSLATE_NOOP("templates", "You approve the rows before they are added."),
    QT_TRANSLATE_NOOP("templates", "Inbox"),
    QT_TRANSLATE_NOOP("templates", "Needs an email account to read"),
    QT_TRANSLATE_NOOP("templates", "Table (a .csv or .sqlite file)"),
    QT_TRANSLATE_NOOP("templates", "Word in the subject line"),
    QT_TRANSLATE_NOOP("templates", "Morning digest"),
    QT_TRANSLATE_NOOP("templates", "new entries of a feed, in one email every morning"),
    QT_TRANSLATE_NOOP("templates", "Collects new entries of {FEED} and emails them to {TO} each morning at {AT}."),
    QT_TRANSLATE_NOOP("templates", "You approve the first email; later ones are sent without asking."),
    QT_TRANSLATE_NOOP("templates", "Feed address"),
    QT_TRANSLATE_NOOP("templates", "The emails are sent from {MAIL}."),
    QT_TRANSLATE_NOOP("templates", "Send the email to"),
    QT_TRANSLATE_NOOP("templates", "Time zone"),
    QT_TRANSLATE_NOOP("templates", "Run a command"),
    QT_TRANSLATE_NOOP("templates", "a program or backup, on the days you choose; a missed day is caught up later"),
    QT_TRANSLATE_NOOP(
        "templates",
        "Runs {COMMAND} in {FOLDER}. If it fails, you get a notification with the last lines of its output.",
    ),
    QT_TRANSLATE_NOOP("templates", "Command"),
    QT_TRANSLATE_NOOP("templates", "Run it in this folder"),
    QT_TRANSLATE_NOOP("templates", "Sort folder"),
    QT_TRANSLATE_NOOP("templates", "sorts new files in a folder by type, after you approve the list"),
    QT_TRANSLATE_NOOP(
        "templates", "Looks for new files in {FOLDER} and moves them to a subfolder for their type, such as Pictures."
    ),
    QT_TRANSLATE_NOOP("templates", "You approve each list of files before they are moved; no file is ever replaced."),
    QT_TRANSLATE_NOOP("templates", "Copies all files in that folder to {BACKUP_FOLDER}, every day at {AT}."),
    QT_TRANSLATE_NOOP("templates", "Folder to sort"),
    QT_TRANSLATE_NOOP("templates", "Also copy all files to a backup folder"),
    QT_TRANSLATE_NOOP("templates", "Backup folder"),
    QT_TRANSLATE_NOOP("templates", "Backup time"),
    QT_TRANSLATE_NOOP("templates", "Watch page"),
    QT_TRANSLATE_NOOP("templates", "a notification when a price or other text on a web page changes"),
    QT_TRANSLATE_NOOP("templates", "Reads {PAGE} and shows a notification when this text changes: {WATCHED}"),
    QT_TRANSLATE_NOOP("templates", "You are told only while the price is {BELOW} or less."),
    QT_TRANSLATE_NOOP("templates", "Page, such as https://shop.example.org/lamps/7"),
    QT_TRANSLATE_NOOP("templates", "Text or price to watch"),
    QT_TRANSLATE_NOOP("templates", "Notify me only at or below (0 = any change)"),
    QT_TRANSLATE_NOOP("templates", "Empty script"),
    QT_TRANSLATE_NOOP("templates", "for programmers: a Python file, opened in your editor"),
    QT_TRANSLATE_NOOP(
        "templates",
        "Adds a Python file that does nothing yet, and updates the workflow whenever you save it. It starts paused.",
    ),
)


def translate_template_text(words: str) -> str:
    """In the user's language."""
    return QCoreApplication.translate("templates", words) if words else ""
