"""Translates English sentences and schedule descriptions of the engine into the user's language.

Unknown text is left unchanged: it comes from a script or another program.
"""

import re
from functools import lru_cache

from PySide6.QtCore import QCoreApplication, QLocale

from app.i18n.messages import read_catalogue
from app.i18n.schedule_text import say_schedule

translate = QCoreApplication.translate
_MORE = re.compile(r"(.+), and (\d+) more")


def interpret(sentence: str) -> str:
    """Unchanged if the language is English."""
    spoken = QLocale()
    if spoken.language() in (QLocale.Language.English, QLocale.Language.C):
        return sentence
    return _interpret(sentence, spoken.name())


@lru_cache(maxsize=4096)
def _interpret(sentence: str, locale: str) -> str:
    return _say_schedules(sentence) or read_catalogue(locale[:2]).say(sentence) or sentence


def _say_schedules(words: str) -> str | None:
    """One schedule or several in one line."""
    if more := _MORE.fullmatch(words):
        said = _say_schedules(more[1])
        return said and translate("schedules", "{some}, and {number} more").format(some=said, number=more[2])
    if (said := say_schedule(words)) is not None:
        return said
    parts = [say_schedule(part) for part in words.split("; ")]
    return "; ".join(part for part in parts if part) if all(parts) else None
