"""Events as scripts see them, and as iCalendar for a server."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from scheduler.connections.connectors.caldav.ical import (
    Component,
    IcalTime,
    escape,
    find_zone,
    find_zones,
    format_lines,
    parse_calendar,
    parse_duration,
    parse_ical_time,
)
from scheduler.connections.errors import logic_failure
from scheduler.user_text import UserText

_MAX_TEXT_CHARS = 100_000


def parse_events(text: str) -> list[tuple[dict[str, Any], datetime, datetime]]:
    """The events in a calendar, each with its start and end as instants; NotACalendarError if it is not iCalendar."""
    calendar = parse_calendar(text)
    zones = find_zones(calendar)
    events = [_event(part, zones) for part in calendar.all("VEVENT")]
    return [one for one in events if one is not None]


def _event(part: Component, zones: dict[str, tzinfo]) -> tuple[dict[str, Any], datetime, datetime] | None:
    start_line = part.first("DTSTART")
    start = parse_ical_time(start_line, zones) if start_line else None
    if start is None:
        return None
    not_understood = (
        [UserText("the time zone {unknown_zone}", unknown_zone=start.unknown_zone)] if start.unknown_zone else []
    )
    recurs = part.first("RRULE") or part.first("RDATE")
    if recurs:
        not_understood.append(UserText("that it repeats"))
    try:
        end = _end(part, start, zones)
        begin, finish = start.instant(), end.instant()
    except OverflowError:
        return None
    return (
        {
            "id": part.text("UID"),
            "title": part.text("SUMMARY"),
            "start": str(start),
            "end": str(end),
            "all_day": start.all_day,
            "location": part.text("LOCATION"),
            "description": part.text("DESCRIPTION"),
            "status": part.text("STATUS").lower(),
            "recurs": recurs.value if recurs else "",
            "not_understood": not_understood,
        },
        begin,
        finish,
    )


def _end(part: Component, start: IcalTime, zones: dict[str, tzinfo]) -> IcalTime:
    end_line = part.first("DTEND")
    end = parse_ical_time(end_line, zones) if end_line else None
    if end is not None:
        return end
    span = parse_duration(part.text("DURATION"))
    return start.plus(span if span is not None else timedelta(days=1) if start.all_day else timedelta(0))


def format_event(uid: str, parameters: Mapping[str, Any], now: datetime) -> str:
    """A calendar with one event. Dates stay dates; times are written in UTC, so that no zone has to be defined."""
    start = parse_time("start", parameters["start"], parameters.get("timezone"))
    given = parameters.get("end")
    end = parse_time("end", given, parameters.get("timezone")) if given else _default_end(start)
    if isinstance(start, datetime) != isinstance(end, datetime):
        raise logic_failure(UserText('"start" and "end" must both be days or both be times.'))
    if end <= start:
        raise logic_failure(UserText('"end" must be after "start". For whole days, it is the day after the last one.'))
    texts = {"SUMMARY": "title", "LOCATION": "location", "DESCRIPTION": "description"}
    for name in texts.values():
        if len(parameters.get(name) or "") > _MAX_TEXT_CHARS:
            raise logic_failure(UserText('"{name}" is too long for an event.', name=name))
    return format_lines(
        [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "PRODID:-//Dayhand//EN",
            "BEGIN:VEVENT",
            f"UID:{uid}",
            f"DTSTAMP:{_format_time(now)[1:]}",
            f"DTSTART{_format_time(start)}",
            f"DTEND{_format_time(end)}",
            *(f"{ours}:{escape(parameters[name])}" for ours, name in texts.items() if parameters.get(name)),
            "END:VEVENT",
            "END:VCALENDAR",
        ]
    )


def validate_event(parameters: Mapping[str, Any]) -> None:
    """Refuse what cannot be an event in any calendar."""
    format_event("", parameters, datetime(2000, 1, 1, tzinfo=UTC))


def parse_time(name: str, text: str, zone_name: str | None) -> date | datetime:
    """Parse a date or an instant; a time needs an offset or the given zone."""
    zone = find_zone(zone_name) if zone_name else None
    if zone_name and zone is None:
        raise logic_failure(
            UserText('Unknown time zone "{zone_name}". Give one such as Europe/Berlin.', zone_name=zone_name)
        )
    try:
        if len(text) == 10:
            return date.fromisoformat(text)
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise logic_failure(
            UserText('"{name}" must be a day or a time, such as 2026-05-04 or 2026-05-04T09:00:00+02:00.', name=name)
        ) from error
    if time.tzinfo is None:
        if zone is None:
            raise logic_failure(
                UserText('"{name}" has no time zone. End it with Z or +02:00, or give "timezone".', name=name)
            )
        time = time.replace(tzinfo=zone)
    try:
        return time.astimezone(UTC).replace(microsecond=0)
    except OverflowError as error:
        raise logic_failure(UserText('"{name}" is out of range.', name=name)) from error


def _default_end(start: date | datetime) -> date | datetime:
    try:
        return start + (timedelta(hours=1) if isinstance(start, datetime) else timedelta(days=1))
    except OverflowError as error:
        raise logic_failure(UserText('"start" is out of range.')) from error


def _format_time(when: date | datetime) -> str:
    if isinstance(when, datetime):
        return f":{when.year:04}{when.astimezone(UTC):%m%dT%H%M%SZ}"
    return f";VALUE=DATE:{when.year:04}{when:%m%d}"
