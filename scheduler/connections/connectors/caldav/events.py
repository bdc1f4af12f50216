"""Events of a calendar as scripts see them, and as they are written for a server."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from scheduler.connections.connectors.caldav.ical import Component, escape, read_calendar, write_lines
from scheduler.connections.connectors.caldav.ical_times import When, known_zone, read_duration, read_when, zones_of
from scheduler.connections.mistakes import wrong

_MOST_TEXT = 100_000


def read_events(text: str) -> list[tuple[dict[str, Any], datetime, datetime]]:
    """The events in a calendar, each with the instants between which it is; NotACalendarError if it is none."""
    calendar = read_calendar(text)
    zones = zones_of(calendar)
    told = [_event(part, zones) for part in calendar.all("VEVENT")]
    return [one for one in told if one is not None]


def _event(part: Component, zones: dict[str, tzinfo]) -> tuple[dict[str, Any], datetime, datetime] | None:
    begins = part.first("DTSTART")
    start = read_when(begins, zones) if begins else None
    if start is None:
        return None
    strange = [f"the time zone {start.unknown_zone}"] if start.unknown_zone else []
    recurs = part.first("RRULE") or part.first("RDATE")
    if recurs:
        strange.append("that it repeats")
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
            "not_understood": strange,
        },
        begin,
        finish,
    )


def _end(part: Component, start: When, zones: dict[str, tzinfo]) -> When:
    written = part.first("DTEND")
    end = read_when(written, zones) if written else None
    if end is not None:
        return end
    span = read_duration(part.text("DURATION"))
    return start.plus(span if span is not None else timedelta(days=1) if start.all_day else timedelta(0))


def write_event(uid: str, parameters: Mapping[str, Any], now: datetime) -> str:
    """A calendar with one event. Days stay days; times are written as instants, so no zone has to be explained."""
    start = read_given("start", parameters["start"], parameters.get("timezone"))
    given = parameters.get("end")
    end = read_given("end", given, parameters.get("timezone")) if given else _usual_end(start)
    if isinstance(start, datetime) != isinstance(end, datetime):
        raise wrong('"start" and "end" are either both days or both times.')
    if end <= start:
        raise wrong('"end" is not after "start". Of whole days it is the day after the last.')
    texts = {"SUMMARY": "title", "LOCATION": "location", "DESCRIPTION": "description"}
    for name in texts.values():
        if len(parameters.get(name) or "") > _MOST_TEXT:
            raise wrong(f'"{name}" is too long for an event.')
    return write_lines(
        [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            "PRODID:-//Dayhand//EN",
            "BEGIN:VEVENT",
            f"UID:{uid}",
            f"DTSTAMP:{_written(now)[1:]}",
            f"DTSTART{_written(start)}",
            f"DTEND{_written(end)}",
            *(f"{ours}:{escape(parameters[name])}" for ours, name in texts.items() if parameters.get(name)),
            "END:VEVENT",
            "END:VCALENDAR",
        ]
    )


def read_given(name: str, text: str, zone_name: str | None) -> date | datetime:
    """A day, or an instant: a time needs an offset of its own or the zone that is given."""
    zone = known_zone(zone_name) if zone_name else None
    if zone_name and zone is None:
        raise wrong(f'The time zone "{zone_name}" is not known. Write one such as Europe/Berlin.')
    try:
        if len(text) == 10:
            return date.fromisoformat(text)
        time = datetime.fromisoformat(text)
    except ValueError as error:
        raise wrong(f'"{name}" takes a day or a time, such as 2026-05-04 or 2026-05-04T09:00:00+02:00.') from error
    if time.tzinfo is None:
        if zone is None:
            raise wrong(f'"{name}" says no time zone. End it with Z or +02:00, or write one in "timezone".')
        time = time.replace(tzinfo=zone)
    try:
        return time.astimezone(UTC).replace(microsecond=0)
    except OverflowError as error:
        raise wrong(f'"{name}" is too far away.') from error


def _usual_end(start: date | datetime) -> date | datetime:
    try:
        return start + (timedelta(hours=1) if isinstance(start, datetime) else timedelta(days=1))
    except OverflowError as error:
        raise wrong('"start" is too far away.') from error


def _written(when: date | datetime) -> str:
    if isinstance(when, datetime):
        return f":{when.year:04}{when.astimezone(UTC):%m%dT%H%M%SZ}"
    return f";VALUE=DATE:{when.year:04}{when:%m%d}"
