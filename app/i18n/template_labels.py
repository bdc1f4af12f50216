"""The words that the templates bring along in English: their names, what they do, and what they ask."""

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

WORDS = (
    QT_TRANSLATE_NOOP("templates", "Calendar reminder"),
    QT_TRANSLATE_NOOP("templates", "a notice before each event of a calendar begins"),
    QT_TRANSLATE_NOOP("templates", "How many minutes before?"),
    QT_TRANSLATE_NOOP("templates", "Certificates and disks"),
    QT_TRANSLATE_NOOP("templates", "a notice before a certificate of a server runs out, or a disk is full"),
    QT_TRANSLATE_NOOP(
        "templates", "Which servers, such as example.org or example.org:993 (with commas, empty for none)?"
    ),
    QT_TRANSLATE_NOOP("templates", "Which disks, by a folder on each (with commas)?"),
    QT_TRANSLATE_NOOP("templates", "From how many percent on is a disk too full?"),
    QT_TRANSLATE_NOOP("templates", "Invoice reminders"),
    QT_TRANSLATE_NOOP("templates", "a polite mail for each invoice that is overdue, sent only after you said yes"),
    QT_TRANSLATE_NOOP("templates", "Which table has your invoices (number, customer, mail, amount, due, paid)?"),
    QT_TRANSLATE_NOOP("templates", "Who signs the mails?"),
    QT_TRANSLATE_NOOP("templates", "Mailed receipts"),
    QT_TRANSLATE_NOOP("templates", "receipts in the inbox become rows of a table, after you said yes"),
    QT_TRANSLATE_NOOP("templates", "In which table, a file that ends in .csv or .sqlite?"),
    QT_TRANSLATE_NOOP("templates", "Which word in the subject makes a mail a receipt?"),
    QT_TRANSLATE_NOOP("templates", "Morning digest"),
    QT_TRANSLATE_NOOP("templates", "what is new in a feed, in one mail every morning"),
    QT_TRANSLATE_NOOP("templates", "What is the address of the feed?"),
    QT_TRANSLATE_NOOP("templates", "To which address is the mail to go?"),
    QT_TRANSLATE_NOOP("templates", "At what time?"),
    QT_TRANSLATE_NOOP("templates", "In which time zone, such as Europe/Berlin?"),
    QT_TRANSLATE_NOOP("templates", "Nightly command"),
    QT_TRANSLATE_NOOP("templates", "a command every night; a missed night is made up for in the morning"),
    QT_TRANSLATE_NOOP("templates", "Which command is to run?"),
    QT_TRANSLATE_NOOP("templates", "Sort folder"),
    QT_TRANSLATE_NOOP(
        "templates", "files that land in a folder are sorted by kind, and copied to a second place every night"
    ),
    QT_TRANSLATE_NOOP("templates", "Which folder is to be sorted?"),
    QT_TRANSLATE_NOOP("templates", "Where is the second copy to be?"),
    QT_TRANSLATE_NOOP("templates", "When is it to be copied?"),
    QT_TRANSLATE_NOOP("templates", "Watch page"),
    QT_TRANSLATE_NOOP("templates", "a notice when a price or another text on a web page changes"),
    QT_TRANSLATE_NOOP("templates", "Which page, such as https://shop.example.org/lamps/7?"),
    QT_TRANSLATE_NOOP("templates", "What to look for, as a regular expression with brackets around what changes?"),
    QT_TRANSLATE_NOOP("templates", "Tell only at or below this price (0 tells every change)?"),
)


def say_template(words: str) -> str:
    """In the person's language."""
    return QCoreApplication.translate("templates", words) if words else ""
