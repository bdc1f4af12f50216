"""Translates the engine's English description of a schedule, rule by rule."""

import re
from collections.abc import Iterator
from functools import lru_cache

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication, QLocale

translate = QCoreApplication.translate
_ENGLISH = QLocale(QLocale.Language.English)
_MONTHS = [_ENGLISH.monthName(number) for number in range(1, 13)]
_DAYS = [_ENGLISH.dayName(number) for number in range(1, 8)]
_RULES: dict[str, tuple[object, ...]] = {
    "schedule": (
        QT_TRANSLATE_NOOP("schedules", "{rule}; all {narrowing}"),
        QT_TRANSLATE_NOOP("schedules", "{rule}, {narrowing}"),
        "{rule}",
    ),
    "rule": (
        QT_TRANSLATE_NOOP("schedules", "{rule} (real time, does not follow local time when clocks change)"),
        "{rule} ({city})",
        QT_TRANSLATE_NOOP("schedules", "{rule}; and {rule}"),
        "{rule}; {rule}",
        QT_TRANSLATE_NOOP("schedules", "once on {date} at {time}"),
        QT_TRANSLATE_NOOP("schedules", "hourly at {times}"),
        QT_TRANSLATE_NOOP("schedules", "{days}, at {times}"),
        QT_TRANSLATE_NOOP("schedules", "{days} at {times}"),
        QT_TRANSLATE_NOOP("schedules", "at {parts}"),
        QT_TRANSLATE_NOOP("schedules", "at {parts} {days}"),
        "{often} {spans} {days}",
        "{often} {spans}",
        "{often} {days}",
        "{often}",
    ),
    "often": (
        QT_TRANSLATE_NOOP("schedules", "every second"),
        QT_TRANSLATE_NOOP("schedules", "every minute"),
        QT_TRANSLATE_NOOP("schedules", "every hour"),
        QT_TRANSLATE_NOOP("schedules", "every {number} seconds"),
        QT_TRANSLATE_NOOP("schedules", "every {number} minutes"),
        QT_TRANSLATE_NOOP("schedules", "every {number} hours"),
        QT_TRANSLATE_NOOP("schedules", "every {number} days"),
        QT_TRANSLATE_NOOP("schedules", "every minute at {numbers} second past"),
        QT_TRANSLATE_NOOP("schedules", "every minute at {numbers} seconds past"),
        QT_TRANSLATE_NOOP("schedules", "every {length}"),
        QT_TRANSLATE_NOOP("schedules", "hourly at {times}"),
    ),
    "spans": (
        QT_TRANSLATE_NOOP("schedules", "{spans} and {spans}"),
        "{spans}, {spans}",
        QT_TRANSLATE_NOOP("schedules", "from {time} to {time} of every hour"),
        QT_TRANSLATE_NOOP("schedules", "from {time} to {time}"),
        QT_TRANSLATE_NOOP("schedules", "at {time}"),
    ),
    "parts": (
        QT_TRANSLATE_NOOP("schedules", "{parts} of {parts}"),
        QT_TRANSLATE_NOOP("schedules", "every second"),
        QT_TRANSLATE_NOOP("schedules", "every minute"),
        QT_TRANSLATE_NOOP("schedules", "every hour"),
        QT_TRANSLATE_NOOP("schedules", "second {numbers}"),
        QT_TRANSLATE_NOOP("schedules", "seconds {numbers}"),
        QT_TRANSLATE_NOOP("schedules", "minute {numbers}"),
        QT_TRANSLATE_NOOP("schedules", "minutes {numbers}"),
        QT_TRANSLATE_NOOP("schedules", "hour {numbers}"),
        QT_TRANSLATE_NOOP("schedules", "hours {numbers}"),
    ),
    "numbers": (
        QT_TRANSLATE_NOOP("schedules", "{numbers} and {numbers}"),
        QT_TRANSLATE_NOOP("schedules", "{numbers} to {numbers}"),
        "{numbers} … {numbers}",
        "{numbers}, {numbers}",
        "{number}",
    ),
    "times": (QT_TRANSLATE_NOOP("schedules", "{times} and {times}"), "{times}, {times}", "{time}"),
    "days": (
        QT_TRANSLATE_NOOP("schedules", "daily"),
        QT_TRANSLATE_NOOP("schedules", "daily {period}"),
        QT_TRANSLATE_NOOP("schedules", "on the {ordinals} or {days}"),
        QT_TRANSLATE_NOOP("schedules", "{period} on the {ordinals} or {days}"),
        QT_TRANSLATE_NOOP("schedules", "on the {ordinals} if it is {weekday}"),
        QT_TRANSLATE_NOOP("schedules", "on weekdays"),
        QT_TRANSLATE_NOOP("schedules", "on weekends"),
        QT_TRANSLATE_NOOP("schedules", "weekdays"),
        QT_TRANSLATE_NOOP("schedules", "weekends"),
        QT_TRANSLATE_NOOP("schedules", "on the {ordinals} of the month"),
        QT_TRANSLATE_NOOP("schedules", "{ordinals} of the month"),
        QT_TRANSLATE_NOOP("schedules", "on the {ordinals} of {months}"),
        QT_TRANSLATE_NOOP("schedules", "{ordinals} of {months}"),
        QT_TRANSLATE_NOOP("schedules", "on the {which} {name} of the month"),
        QT_TRANSLATE_NOOP("schedules", "{which} {name} of the month"),
        QT_TRANSLATE_NOOP("schedules", "{days} and on the {which} {name} of the month"),
        QT_TRANSLATE_NOOP("schedules", "from {name} to {name}"),
        QT_TRANSLATE_NOOP("schedules", "{name} to {name}"),
        QT_TRANSLATE_NOOP("schedules", "on {plurals}"),
        "{plurals}",
        QT_TRANSLATE_NOOP("schedules", "on {dates}"),
        QT_TRANSLATE_NOOP("schedules", "{dates}"),
        "{days} {period}",
        "{period}",
    ),
    "plural": (
        QT_TRANSLATE_NOOP("schedules", "Mondays"),
        QT_TRANSLATE_NOOP("schedules", "Tuesdays"),
        QT_TRANSLATE_NOOP("schedules", "Wednesdays"),
        QT_TRANSLATE_NOOP("schedules", "Thursdays"),
        QT_TRANSLATE_NOOP("schedules", "Fridays"),
        QT_TRANSLATE_NOOP("schedules", "Saturdays"),
        QT_TRANSLATE_NOOP("schedules", "Sundays"),
    ),
    "plurals": (QT_TRANSLATE_NOOP("schedules", "{plurals} and {plurals}"), "{plurals}, {plurals}", "{plural}"),
    "weekday": (
        QT_TRANSLATE_NOOP("schedules", "a weekday"),
        QT_TRANSLATE_NOOP("schedules", "a {name} or {name}"),
        QT_TRANSLATE_NOOP("schedules", "a {name}"),
        QT_TRANSLATE_NOOP("schedules", "the {which} {name} of the month"),
    ),
    "which": (
        QT_TRANSLATE_NOOP("schedules", "{which} and {which}"),
        QT_TRANSLATE_NOOP("schedules", "first"),
        QT_TRANSLATE_NOOP("schedules", "second"),
        QT_TRANSLATE_NOOP("schedules", "third"),
        QT_TRANSLATE_NOOP("schedules", "fourth"),
        QT_TRANSLATE_NOOP("schedules", "fifth"),
        QT_TRANSLATE_NOOP("schedules", "last"),
    ),
    "ordinals": (
        QT_TRANSLATE_NOOP("schedules", "{ordinals} and {ordinals}"),
        QT_TRANSLATE_NOOP("schedules", "{ordinals} to {ordinals}"),
        "{ordinals}, {ordinals}",
        QT_TRANSLATE_NOOP("schedules", "last day"),
        "{ordinal}",
    ),
    "months": (
        QT_TRANSLATE_NOOP("schedules", "each month from {month} to {month}"),
        QT_TRANSLATE_NOOP("schedules", "{months} and {months}"),
        "{months}, {months}",
        "{months} {year}",
        "{month}",
    ),
    "period": (
        QT_TRANSLATE_NOOP("schedules", "from {month} to {month} in {year}"),
        QT_TRANSLATE_NOOP("schedules", "from {month} to {month}"),
        QT_TRANSLATE_NOOP("schedules", "in {year}"),
        QT_TRANSLATE_NOOP("schedules", "in {months}"),
    ),
    "dates": (QT_TRANSLATE_NOOP("schedules", "{dates} and {dates}"), "{dates}, {dates}", "{date}"),
    "date": ("{day} {month} {year}", "{day} {month}"),
    "narrowing": (
        "{narrowing}, {narrowing}",
        QT_TRANSLATE_NOOP("schedules", "from {moment} until {moment}"),
        QT_TRANSLATE_NOOP("schedules", "from {moment}"),
        QT_TRANSLATE_NOOP("schedules", "until {moment}"),
        QT_TRANSLATE_NOOP("schedules", "except {excepted}"),
        QT_TRANSLATE_NOOP("schedules", "up to {length} later"),
        QT_TRANSLATE_NOOP("schedules", "give or take {length}"),
        QT_TRANSLATE_NOOP("schedules", "at most {number} run in all"),
        QT_TRANSLATE_NOOP("schedules", "at most {number} runs in all"),
    ),
    "moment": (QT_TRANSLATE_NOOP("schedules", "{date} at {time}"), "{date}"),
    "excepted": (
        QT_TRANSLATE_NOOP("schedules", "{excepted} and {excepted}"),
        "{excepted}, {excepted}",
        QT_TRANSLATE_NOOP("schedules", "{date} to {date}"),
        "{date}",
        "{days}",
    ),
    "length": (
        "{length} {length}",
        QT_TRANSLATE_NOOP("schedules", "{number} seconds"),
        QT_TRANSLATE_NOOP("schedules", "{number} second"),
        QT_TRANSLATE_NOOP("schedules", "{number} minutes"),
        QT_TRANSLATE_NOOP("schedules", "{number} minute"),
        QT_TRANSLATE_NOOP("schedules", "{number} hours"),
        QT_TRANSLATE_NOOP("schedules", "{number} hour"),
        QT_TRANSLATE_NOOP("schedules", "{number} days"),
        QT_TRANSLATE_NOOP("schedules", "{number} day"),
    ),
}
"""Alternatives for each part of a schedule; the first match wins. Names in braces are rules or plain patterns."""
_PLAIN = {
    "number": re.compile(r"\d+(?:,\d{3})*"),
    "year": re.compile(r"\d{4}"),
    "day": re.compile(r"\d{1,2}"),
    "time": re.compile(r"[\d:]+"),
    "city": re.compile(r"[^(),]+"),
    "ordinal": re.compile(r"\d+(?:st|nd|rd|th)"),
    "month": re.compile("|".join(_MONTHS)),
    "name": re.compile("|".join(_DAYS)),
}
_HOLE = re.compile(r"\{(\w+)\}")
_CITY = re.compile(r" \([^(),]+\)")
_WORD = re.compile(r"[A-Za-z]{3,}")
_KNOWN = {*_MONTHS, *_DAYS} | {
    word for rules in _RULES.values() for rule in rules for word in _WORD.findall(_HOLE.sub("", str(rule)))
}


def say_schedule(words: str) -> str | None:
    """The translation, or None if a part is not recognised."""
    begun = words[:1].lower() + words[1:]
    if any(word not in _KNOWN for word in _WORD.findall(_CITY.sub("", begun)) if word.title() not in _KNOWN):
        return None  # early exit: most texts are no schedule
    said = _say("schedule", begun) or _say("schedule", words)
    return None if said is None else f"{said[:1].upper()}{said[1:]}"


@lru_cache(maxsize=1024)
def _say(kind: str, words: str) -> str | None:
    if kind in _PLAIN:
        return _say_plain(kind, words) if _PLAIN[kind].fullmatch(words) else None
    for rule in _RULES[kind]:
        template = str(rule)
        for filled in _fill(template, words):
            return _put(translate("schedules", template), filled)
    return None


def _fill(template: str, words: str) -> Iterator[list[tuple[str, str]]]:
    """Every way to match the words to the template: its placeholders with their translations."""
    before, *rest = _HOLE.split(template, maxsplit=1)
    if not words.startswith(before):
        return
    words = words[len(before) :]
    if not rest:
        if not words:
            yield []
        return
    kind, after = rest
    text = _HOLE.split(after, maxsplit=1)[0]
    for end in _ends(words, text, is_last=not _HOLE.search(after)):
        said = _say(kind, words[:end])
        if said is not None:
            for more in _fill(after, words[end:]):
                yield [(kind, said), *more]


def _ends(words: str, text: str, *, is_last: bool) -> Iterator[int]:
    """Where a placeholder followed by this text can end."""
    if is_last:
        if words.endswith(text) and len(words) > len(text):
            yield len(words) - len(text)
        return
    yield from (place.start() for place in re.finditer(re.escape(text), words) if place.start())


def _put(template: str, filled: list[tuple[str, str]]) -> str:
    """Fill in the placeholders, per kind in English order."""
    waiting: dict[str, list[str]] = {}
    for kind, said in filled:
        waiting.setdefault(kind, []).append(said)
    return _HOLE.sub(lambda hole: waiting[hole[1]].pop(0), template)


def _say_plain(kind: str, words: str) -> str:
    match kind:
        case "month":
            return QLocale().monthName(_MONTHS.index(words) + 1)
        case "name":
            return QLocale().dayName(_DAYS.index(words) + 1)
        case "ordinal" | "day":
            return translate("schedules", "{number}th").format(number=words.rstrip("dhnrst"))
        case _:
            return words
