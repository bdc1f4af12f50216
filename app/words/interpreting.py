"""What the engine says in English, in the person's language: its fixed sentences, and schedules of the usual shapes.

What is not known stays as the engine said it.
"""

import re
from functools import lru_cache

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale

translate = QCoreApplication.translate
_SENTENCES = (
    QT_TRANSLATE_NOOP("engine", "The run before it was still going."),
    QT_TRANSLATE_NOOP("engine", "A later time took its place while it waited."),
    QT_TRANSLATE_NOOP("engine", "1,000 earlier times were already waiting."),
    QT_TRANSLATE_NOOP("engine", "Its time passed while the computer or Dayhand was off, asleep or paused."),
    QT_TRANSLATE_NOOP("engine", "Its time passed unseen; one later run made up for it."),
    QT_TRANSLATE_NOOP("engine", "It was older than the catch-up window allows."),
    QT_TRANSLATE_NOOP("engine", "You skipped it."),
    QT_TRANSLATE_NOOP("engine", "The schedule had reached its limit of runs."),
    QT_TRANSLATE_NOOP("engine", "The schedule's times were changed before it ran."),
    QT_TRANSLATE_NOOP("engine", "The clock was set back, and it lay too far ahead."),
    QT_TRANSLATE_NOOP("engine", "The schedule was removed before it ran."),
    QT_TRANSLATE_NOOP("engine", "The backfill was cancelled before it ran."),
    QT_TRANSLATE_NOOP("engine", "It could not be started, and three more tries failed."),
    QT_TRANSLATE_NOOP("engine", "It was stopped."),
    QT_TRANSLATE_NOOP("engine", "It was stopped because the next time had come."),
    QT_TRANSLATE_NOOP("engine", "Dayhand ended while it ran."),
    QT_TRANSLATE_NOOP("engine", "The run reported an error."),
    QT_TRANSLATE_NOOP("engine", "What is stored about it makes no sense."),
    QT_TRANSLATE_NOOP("engine", "It failed five times in a row."),
    QT_TRANSLATE_NOOP("engine", "A repair is being prepared."),
    QT_TRANSLATE_NOOP("engine", "Its time has come; it starts as soon as another run ends."),
    QT_TRANSLATE_NOOP("engine", "It has no more times."),
    QT_TRANSLATE_NOOP("engine", "Put away; deploy it again to bring it back."),
    QT_TRANSLATE_NOOP("engine", "Runs when something arrives."),
    QT_TRANSLATE_NOOP("engine", "It waits for you."),
    QT_TRANSLATE_NOOP("engine", "It is running now."),
    QT_TRANSLATE_NOOP("engine", "You paused it."),
    QT_TRANSLATE_NOOP("engine", "You paused its times."),
    QT_TRANSLATE_NOOP("engine", "Everything is paused."),
)
_KNOWN = frozenset(str(sentence) for sentence in _SENTENCES)
_INTERVALS = {
    "second": (
        QT_TRANSLATE_NOOP("schedules", "every second"),
        QT_TRANSLATE_NOOP("schedules", "every {number} seconds"),
    ),
    "minute": (
        QT_TRANSLATE_NOOP("schedules", "every minute"),
        QT_TRANSLATE_NOOP("schedules", "every {number} minutes"),
    ),
    "hour": (QT_TRANSLATE_NOOP("schedules", "every hour"), QT_TRANSLATE_NOOP("schedules", "every {number} hours")),
    "day": (QT_TRANSLATE_NOOP("schedules", "every day"), QT_TRANSLATE_NOOP("schedules", "every {number} days")),
}
_DAYS = {
    "daily": QT_TRANSLATE_NOOP("schedules", "daily"),
    "weekdays": QT_TRANSLATE_NOOP("schedules", "on weekdays"),
    "weekends": QT_TRANSLATE_NOOP("schedules", "on weekends"),
    "last day of the month": QT_TRANSLATE_NOOP("schedules", "on the last day of the month"),
    "monday": QT_TRANSLATE_NOOP("schedules", "on Mondays"),
    "tuesday": QT_TRANSLATE_NOOP("schedules", "on Tuesdays"),
    "wednesday": QT_TRANSLATE_NOOP("schedules", "on Wednesdays"),
    "thursday": QT_TRANSLATE_NOOP("schedules", "on Thursdays"),
    "friday": QT_TRANSLATE_NOOP("schedules", "on Fridays"),
    "saturday": QT_TRANSLATE_NOOP("schedules", "on Saturdays"),
    "sunday": QT_TRANSLATE_NOOP("schedules", "on Sundays"),
}
_MONTHS = [QLocale(QLocale.Language.English).monthName(number) for number in range(1, 13)]
_CITY = re.compile(r"(.+?)( \([^(),]+\))?")
_EVERY = re.compile(
    r"every (?:(\d+) )?(second|minute|hour|day)s?(?: from ([\d:]+) to ([\d:]+))?(?: (on .+|from \D.+))?"
)
_AT = re.compile(r"(.+?),? at ([\d:]+(?:, [\d:]+)*(?: and [\d:]+)?)")
_MONTHLY = re.compile(r"((?:\d+(?:st|nd|rd|th)(?:, | and )?)+) of the month")
_YEARLY = re.compile(r"(\d+) ([A-Z][a-z]+)")
_STRETCH = re.compile(r"(\w+) to (\w+)")
_PARTS = re.compile(r", | and ")


@lru_cache(maxsize=4096)
def _interpret(sentence: str, _locale: str) -> str:
    if sentence in _KNOWN:
        return translate("engine", sentence)
    said = [_say_schedule(part) for part in sentence.split("; ")]
    return "; ".join(part for part in said if part) if all(said) else sentence


def interpret(sentence: str) -> str:
    """The same for all who read English."""
    spoken = QLocale()
    if spoken.language() in (QLocale.Language.English, QLocale.Language.C):
        return sentence
    return _interpret(sentence, spoken.name())


def _say_schedule(words: str) -> str | None:
    found = _CITY.fullmatch(words)
    if found is None:
        return None
    plain = found[1][:1].lower() + found[1][1:]
    said = _say_every(plain) or _say_at(plain)
    return None if said is None else f"{said[:1].upper()}{said[1:]}{found[2] or ''}"


def _say_every(words: str) -> str | None:
    found = _EVERY.fullmatch(words)
    if found is None:
        return None
    number, unit, first, last, dates = found.groups()
    said = translate("schedules", str(_INTERVALS[unit][number is not None])).format(number=number)
    if first:
        said += " " + translate("schedules", "from {first} to {last}").format(first=first, last=last)
    if not dates:
        return said
    days = _say_days(dates.removeprefix("on ").removeprefix("from ").removeprefix("the "))
    return None if days is None else f"{said} {days}"


def _say_at(words: str) -> str | None:
    found = _AT.fullmatch(words)
    if found is None:
        return None
    times = _join(_PARTS.split(found[2]))
    if found[1] == "hourly":
        return translate("schedules", "hourly at {times}").format(times=times)
    days = _say_days(found[1])
    return None if days is None else translate("schedules", "{days} at {times}").format(days=days, times=times)


def _say_days(words: str) -> str | None:
    if (known := _DAYS.get(words.lower())) is not None:
        return translate("schedules", str(known))
    if found := _MONTHLY.fullmatch(words):
        numbers = [translate("schedules", "{number}th").format(number=one[:-2]) for one in _PARTS.split(found[1])]
        return translate("schedules", "on the {days} of the month").format(days=_join(numbers))
    if (found := _YEARLY.fullmatch(words)) and found[2] in _MONTHS:
        month = QLocale().monthName(_MONTHS.index(found[2]) + 1)
        return translate("schedules", "on {day} {month}").format(day=found[1], month=month)
    if found := _STRETCH.fullmatch(words):
        first, last = (_DAYS.get(end.lower()) for end in found.groups())
        if first is None or last is None:
            return None
        ends = {"first": translate("schedules", str(first)), "last": translate("schedules", str(last))}
        return translate("schedules", "{first} to {last}").format(**ends)
    named = [_DAYS.get(one.lower().removesuffix("s")) for one in _PARTS.split(words)]
    return _join([translate("schedules", str(one)) for one in named]) if all(named) else None


def _join(parts: list[str]) -> str:
    if len(parts) == 1:
        return parts[0]
    return translate("schedules", "{some} and {last}").format(some=", ".join(parts[:-1]), last=parts[-1])
