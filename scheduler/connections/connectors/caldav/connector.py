"""A calendar on a CalDAV server: what is in it, and a new event, once."""

from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Any

from scheduler.connections.addresses import join, parts_of
from scheduler.connections.connector import Call, Connector, Field, Parameter, ParameterKind, Tool, ToolFailedError
from scheduler.connections.connectors.caldav.events import read_given
from scheduler.connections.connectors.caldav.ical_times import known_zone
from scheduler.connections.connectors.caldav.new_event import check_created, create
from scheduler.connections.connectors.caldav.server import SPACES, ask_things, calendar_of, read_thing
from scheduler.connections.connectors.login import CERTIFICATE
from scheduler.connections.mistakes import wrong

_IN_RANGE = f"""<?xml version="1.0"?><C:calendar-query {SPACES}><prop><C:calendar-data>
<C:expand start="{{start}}" end="{{end}}"/></C:calendar-data></prop><C:filter><C:comp-filter name="VCALENDAR">
<C:comp-filter name="VEVENT"><C:time-range start="{{start}}" end="{{end}}"/></C:comp-filter></C:comp-filter>
</C:filter></C:calendar-query>"""
_WHAT = f"""<?xml version="1.0"?><propfind {SPACES}><prop><resourcetype/><displayname/><current-user-principal/>
<C:calendar-home-set/></prop></propfind>"""


def _events(call: Call) -> list[dict[str, Any]]:
    zone = call.parameters.get("timezone")
    start, end = (_instant(read_given(name, call.parameters[name], zone), zone) for name in ("start", "end"))
    if end <= start:
        raise wrong('"end" is not after "start".')
    asked = _IN_RANGE.format(start=f"{start:%Y%m%dT%H%M%SZ}", end=f"{end:%Y%m%dT%H%M%SZ}")
    found = []
    for thing in ask_things(call, "REPORT", calendar_of(call), asked, "1"):
        for event, begins, finishes in read_thing(thing):
            inside = begins < end and (finishes > start or begins == finishes >= start)
            if inside or event["not_understood"]:
                found.append((begins, event))
    return [event for _, event in sorted(found, key=lambda one: (one[0], one[1]["id"]))]


def _instant(when: date, zone: str | None) -> datetime:
    if isinstance(when, datetime):
        return when
    return datetime.combine(when, time.min, known_zone(zone or "") or UTC).astimezone(UTC)


def _calendars(call: Call) -> list[dict[str, str]]:
    """Below the address, or in the home of the user whom the server knows there."""
    from scheduler.connections.connectors.caldav.dav import CALDAV, DAV  # noqa: PLC0415  costs the app's start

    url = calendar_of(call)
    call = replace(call, seconds=call.seconds / 4)
    here = ask_things(call, "PROPFIND", url, _WHAT, "0")
    for step in (f"{DAV}current-user-principal", f"{CALDAV}calendar-home-set"):
        inner = next((thing.inner(step) for thing in here if thing.inner(step)), "")
        if inner and _same_server(url, join(url, inner)):
            url = join(url, inner)
            here = ask_things(call, "PROPFIND", url, _WHAT, "0")
    found = ask_things(call, "PROPFIND", url, _WHAT, "1")
    return [
        {"name": thing.text(f"{DAV}displayname") or thing.href, "url": join(url, thing.href)}
        for thing in found
        if thing.is_calendar
    ]


def _same_server(one: str, other: str) -> bool:
    """A login is for the server that the person named, in whichever way its name is written."""
    from scheduler.connections.wire import port_of, read_url  # noqa: PLC0415  as above

    try:
        here, there = read_url(one), read_url(other)
    except ToolFailedError:
        return False
    return (here.scheme, here.host, port_of(here)) == (there.scheme, there.host, port_of(there))


def _test(call: Call) -> str:
    host = parts_of(calendar_of(call)).hostname
    if any(thing.is_calendar for thing in ask_things(call, "PROPFIND", calendar_of(call), _WHAT, "0")):
        return f"The calendar at {host} can be read."
    others = ", ".join(f"{one['name']} ({one['url']})" for one in _calendars(call)[:10])
    raise wrong(f"There is no calendar at this address. Choose one of: {others or 'none was found'}.")


_TIME = "A day or a time, such as 2026-05-04 or 2026-05-04T09:00:00+02:00."
_ZONE = Parameter(
    ParameterKind.TEXT, required=False, help="For days and for times that name none, such as Europe/Berlin."
)

caldav = Connector(
    kind="caldav",
    title="Calendar",
    help="Reads a calendar on a CalDAV server, and adds events to it.",
    fields=(
        Field(name="url", label="Address", help="Of one calendar, as in https://example.org/dav/me/home/."),
        Field(name="user", label="User", help="Who logs in.", required=False),
        Field(name="password", label="Password", help="Best one for this app only.", secret=True, required=False),
        CERTIFICATE,
    ),
    tools=(
        Tool(
            name="events",
            may="read your calendar {name}",
            help='The events between two times, in order; "not_understood" says what of one could not be read.',
            parameters={
                "start": Parameter(ParameterKind.TEXT, help=_TIME),
                "end": Parameter(ParameterKind.TEXT, help=_TIME),
                "timezone": _ZONE,
            },
            run=_events,
        ),
        Tool(
            name="calendars",
            may="list your calendars at {name}",
            help="The calendars that the server has for this user, with their addresses.",
            parameters={},
            run=_calendars,
        ),
        Tool(
            name="create",
            may="add to your calendar {name}",
            help="Add an event, once; nobody is invited.",
            parameters={
                "title": Parameter(ParameterKind.TEXT, help="What it is called."),
                "start": Parameter(ParameterKind.TEXT, help=_TIME),
                "end": Parameter(
                    ParameterKind.TEXT,
                    required=False,
                    help="An hour or a day later if not given; of whole days the day after the last.",
                ),
                "timezone": _ZONE,
                "location": Parameter(ParameterKind.TEXT, required=False, help="Where it is."),
                "description": Parameter(ParameterKind.TEXT, required=False, help="More about it."),
            },
            run=create,
            mutating=True,
            check=check_created,
        ),
    ),
    test=_test,
)
