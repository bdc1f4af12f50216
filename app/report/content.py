"""What a report says, in the user's language: a headline, numbers, bars and sections of rows. Knows no format."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QLocale

from app.i18n.state_labels import RunState, run_state_label
from app.i18n.time_text import format_clock_time, format_number
from app.i18n.translate import translate_text
from app.overview import OPEN_ENDED_PAUSE, add_job
from app.requests.labels import sign_request
from app.theme.tokens import Tone
from app.widgets.visible_text import escape_invisible
from scheduler.engine.queries.report import Report, ReportBar, ReportedAnswer, ReportedGap, ReportedWorkflow
from scheduler.timing.zones import find_zone

_MAX_ROWS = 40
"""Of a section; the rest is counted."""
_MAX_CHARS = 300
_STATES = {
    "skipped": RunState.SKIPPED,
    "missed": RunState.MISSED,
    "coalesced": RunState.REPLACED,
    "cancelled": RunState.CANCELLED,
    "failed": RunState.FAILED,
}
"""Of planned times that did not run."""
translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRow:
    name: str
    text: str
    detail: str = ""
    tone: Tone = Tone.QUIET


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportSection:
    title: str
    rows: tuple[ReportRow, ...]
    more: str = ""
    """How many rows are left out, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportBarText:
    label: str
    words: str
    parts: tuple[tuple[Tone, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportContent:
    title: str
    span: str
    headline: str
    bars: tuple[ReportBarText, ...]
    sections: tuple[ReportSection, ...]
    footer: str


def describe_report(report: Report) -> ReportContent:
    zone = find_zone(report.zone)
    sections = (
        _section(translate("report", "Needs your attention"), _waiting(report, zone)),
        _section(translate("report", "Failing"), _failing(report, zone)),
        _section(translate("report", "Paused"), _paused(report, zone)),
        _section(translate("report", "What ran"), (_workflow(one) for one in report.workflows)),
        _section(translate("report", "Your answers"), (_answer(one, zone, report.made) for one in report.answers)),
        _section(translate("report", "What did not run"), (_gap(one, zone, report.made) for one in report.gaps)),
    )
    made = _day_and_time(report.made, zone, report.made)
    return ReportContent(
        title=translate("report", "Dayhand report"),
        span=_span(report.since, report.until, zone, report.made),
        headline=_headline(report),
        bars=tuple(_bar(one, zone, report.made) for one in report.bars),
        sections=tuple(one for one in sections if one.rows),
        footer=translate("report", "Made {time} on this computer by Dayhand.").format(time=made),
    )


def _headline(report: Report) -> str:
    """The most important numbers in one line."""
    waiting = len(report.waiting)
    parts = [
        _went_well(report.succeeded),
        _failed(report.failed),
        _did_not_run(report.not_run),
        _number(waiting, translate("report", "1 waits for you"), translate("report", "{number} wait for you")),
    ]
    shown = [text for text, number in parts if number]
    return ", ".join(shown) if shown else translate("report", "Nothing ran")


def _went_well(number: int) -> tuple[str, int]:
    return _number(number, translate("report", "1 run went well"), translate("report", "{number} runs went well"))


def _failed(number: int) -> tuple[str, int]:
    return _number(number, translate("report", "1 failed"), translate("report", "{number} failed"))


def _did_not_run(number: int) -> tuple[str, int]:
    return _number(number, translate("report", "1 did not run"), translate("report", "{number} did not run"))


def _number(number: int, one: str, several: str) -> tuple[str, int]:
    return one if number == 1 else several.format(number=format_number(number)), number


def _section(title: str, rows: Iterable[ReportRow]) -> ReportSection:
    found = list(rows)
    more = len(found) - _MAX_ROWS
    words = translate("report", "and {number} more").format(number=format_number(more)) if more > 0 else ""
    return ReportSection(title=title, rows=tuple(found[:_MAX_ROWS]), more=words)


def _waiting(report: Report, zone: ZoneInfo) -> Iterator[ReportRow]:
    for one in report.waiting:
        sign = sign_request(one.kind)
        since = translate("report", "since {time}").format(time=_day_and_time(one.since, zone, report.made))
        text = f"{sign.word}: {_clean(one.sentence)}"
        yield ReportRow(name=_clean(one.name), text=text, detail=since, tone=sign.tone)


def _failing(report: Report, zone: ZoneInfo) -> Iterator[ReportRow]:
    for one in report.failing:
        text, _ = _number(
            one.failures, translate("report", "Failed once"), translate("report", "Failed {number} times in a row")
        )
        since = "" if one.since is None else _day_and_time(one.since, zone, report.made)
        detail = translate("report", "since {time}").format(time=since) if since else ""
        yield ReportRow(name=_clean(add_job(one.name, one.job)), text=text, detail=detail, tone=Tone.BAD)


def _paused(report: Report, zone: ZoneInfo) -> Iterator[ReportRow]:
    until = report.everything_paused_until
    if until is not None and until > report.made:
        yield ReportRow(
            name=translate("report", "Everything"), text=_pause_end(until, zone, report.made), tone=Tone.ATTENTION
        )
    for one in report.paused:
        yield ReportRow(
            name=_clean(add_job(one.name, one.job)),
            text=_pause_end(one.until, zone, report.made),
            detail=_clean(one.note),
            tone=Tone.ATTENTION,
        )


def _pause_end(until: datetime | None, zone: ZoneInfo, now: datetime) -> str:
    if until is None or until - now > OPEN_ENDED_PAUSE:
        return translate("report", "until you resume it")
    return translate("report", "until {time}").format(time=_day_and_time(until, zone, now))


def _workflow(one: ReportedWorkflow) -> ReportRow:
    parts = [
        _went_well(one.succeeded),
        _failed(one.failed),
        _number(one.refused, translate("report", "1 rejected"), translate("report", "{number} rejected or expired")),
        _number(one.cancelled, translate("report", "1 stopped"), translate("report", "{number} stopped")),
        _did_not_run(one.not_run),
    ]
    tone = Tone.BAD if one.failed else Tone.ATTENTION if one.not_run else Tone.GOOD
    text = ", ".join(words for words, number in parts if number)
    return ReportRow(name=_clean(one.name), text=text, detail=_clean(one.last), tone=tone)


def _answer(one: ReportedAnswer, zone: ZoneInfo, now: datetime) -> ReportRow:
    words = {
        "yes": translate("report", "You approved"),
        "no": translate("report", "You rejected"),
        "answered": translate("report", "You answered"),
        "expired": translate("report", "Nobody answered in time"),
        "happened": translate("report", "You said that it happened"),
        "not-happened": translate("report", "You said that it did not happen"),
        "skip": translate("report", "You skipped it"),
    }.get(one.answer, one.answer)
    at = _day_and_time(one.at, zone, now)
    where = one.channel or translate("report", "at this computer")
    detail = at if one.answer == "expired" else translate("report", "{time}, {place}").format(time=at, place=where)
    reason = f" ({_clean(one.reason)})" if one.reason and one.answer == "no" else ""
    tone = Tone.GOOD if one.answer in ("yes", "answered", "happened") else Tone.ATTENTION
    return ReportRow(name=_clean(one.name), text=f"{words}: {_clean(one.sentence)}{reason}", detail=detail, tone=tone)


def _gap(one: ReportedGap, zone: ZoneInfo, now: datetime) -> ReportRow:
    times, _ = _number(one.number, translate("report", "1 time"), translate("report", "{number} times"))
    first = _day_and_time(one.first, zone, now)
    when = first
    if one.number > 1:
        last = _day_and_time(one.last, zone, now)
        when = translate("report", "{first} to {last}").format(first=first, last=last)
    state = run_state_label(_STATES.get(one.state, RunState.DROPPED))
    text = f"{state} ({times}): {translate_text(one.sentence)}".rstrip(": ")
    return ReportRow(name=_clean(add_job(one.name, one.job)), text=text, detail=when, tone=Tone.ATTENTION)


def _bar(one: ReportBar, zone: ZoneInfo, now: datetime) -> ReportBarText:
    is_short = one.until - one.start < timedelta(hours=20)
    label = format_clock_time(one.start, zone) if is_short else _day(one.start, zone, now)
    if one.until - one.start > timedelta(hours=30):
        label = _span(one.start, one.until, zone, now)
    parts = [
        _went_well(one.succeeded),
        _failed(one.failed),
        _did_not_run(one.not_run),
    ]
    shown = [words for words, number in parts if number]
    counts = ((Tone.GOOD, one.succeeded), (Tone.BAD, one.failed), (Tone.ATTENTION, one.not_run))
    return ReportBarText(label=label, words=", ".join(shown), parts=counts)


def _span(since: datetime, until: datetime, zone: ZoneInfo, now: datetime) -> str:
    """Its days; the last one is the one before `until` if that is midnight."""
    first, last = _day(since, zone, now), _day(until - timedelta(seconds=1), zone, now)
    return first if first == last else translate("report", "{first} to {last}").format(first=first, last=last)


def _day(at: datetime, zone: ZoneInfo, now: datetime) -> str:
    """`Mon 16 Nov`: a report is read later, so nothing is called today."""
    local = at.astimezone(zone)
    weekday = QLocale().dayName(local.isoweekday(), QLocale.FormatType.ShortFormat)
    month = QLocale().monthName(local.month, QLocale.FormatType.ShortFormat)
    if local.year == now.astimezone(zone).year:
        return translate("times", "{weekday} {day} {month}").format(weekday=weekday, day=local.day, month=month)
    return translate("times", "{day} {month} {year}").format(day=local.day, month=month, year=local.year)


def _day_and_time(at: datetime, zone: ZoneInfo, now: datetime) -> str:
    minute = at.replace(second=0, microsecond=0)
    return translate("times", "{day} {time}").format(day=_day(minute, zone, now), time=format_clock_time(minute, zone))


def _clean(text: str) -> str:
    """On one line, without characters that hide something."""
    line = " ".join(translate_text(text).split())
    return escape_invisible(line if len(line) <= _MAX_CHARS else f"{line[:_MAX_CHARS]}…")
