"""A calendar on a CalDAV server: what is in it, and a new event, once."""

import hashlib
from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, Any

from scheduler.connections.addresses import join, parts_of
from scheduler.connections.connector import (
    Call,
    Checked,
    Connector,
    Field,
    Parameter,
    ParameterKind,
    Tool,
    ToolFailedError,
)
from scheduler.connections.connectors.caldav.events import read_events, read_given, write_event
from scheduler.connections.connectors.caldav.ical import NotACalendarError
from scheduler.connections.connectors.caldav.ical_times import known_zone
from scheduler.connections.connectors.login import CERTIFICATE, password_headers, trust
from scheduler.connections.mistakes import wrong
from scheduler.connections.web import Answer, check, request
from scheduler.rules.failures import FailureClass

if TYPE_CHECKING:
    from scheduler.connections.connectors.caldav.dav import Thing

_SPACES = 'xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'
_IN_RANGE = f"""<?xml version="1.0"?><C:calendar-query {_SPACES}><prop><C:calendar-data>
<C:expand start="{{start}}" end="{{end}}"/></C:calendar-data></prop><C:filter><C:comp-filter name="VCALENDAR">
<C:comp-filter name="VEVENT"><C:time-range start="{{start}}" end="{{end}}"/></C:comp-filter></C:comp-filter>
</C:filter></C:calendar-query>"""
_BY_ID = f"""<?xml version="1.0"?><C:calendar-query {_SPACES}><prop><C:calendar-data/></prop><C:filter>
<C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:prop-filter name="UID">
<C:text-match collation="i;octet">{{uid}}</C:text-match></C:prop-filter></C:comp-filter></C:comp-filter>
</C:filter></C:calendar-query>"""
_WHAT = f"""<?xml version="1.0"?><propfind {_SPACES}><prop><resourcetype/><displayname/><current-user-principal/>
<C:calendar-home-set/></prop></propfind>"""


def _ask(call: Call, method: str, url: str, body: str = "", *, acts: bool = False, **headers: str) -> Answer:
    kind = "text/calendar" if method == "PUT" else "application/xml"
    typed = {"Content-Type": f"{kind}; charset=utf-8"} if body else {}
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return request(
        method,
        url,
        headers={**typed, **sent, **password_headers(call)},
        body=body.encode() if body else None,
        seconds=call.seconds,
        acts=acts,
        context=trust(call),
    )


def _things(call: Call, method: str, url: str, body: str, depth: str) -> "list[Thing]":
    from scheduler.connections.connectors.caldav.dav import read_things  # noqa: PLC0415  costs the app's start
    from scheduler.connections.connectors.markup import BadXmlError  # noqa: PLC0415  as above

    answer = check(_ask(call, method, url, body, Depth=depth), call.now)
    try:
        return read_things(answer.body)
    except BadXmlError as error:
        raise wrong(
            f"{answer.host} does not answer as a calendar server does. Look whether the address is right."
        ) from (error)


def _calendar(call: Call) -> str:
    """Its address as that of a folder."""
    return f"{call.settings['url'].rstrip('/')}/"


def _events(call: Call) -> list[dict[str, Any]]:
    zone = call.parameters.get("timezone")
    start, end = (_instant(read_given(name, call.parameters[name], zone), zone) for name in ("start", "end"))
    if end <= start:
        raise wrong('"end" is not after "start".')
    asked = _IN_RANGE.format(start=f"{start:%Y%m%dT%H%M%SZ}", end=f"{end:%Y%m%dT%H%M%SZ}")
    found = []
    for thing in _things(call, "REPORT", _calendar(call), asked, "1"):
        for event, begins, finishes in _read(thing):
            inside = begins < end and (finishes > start or begins == finishes >= start)
            if inside or event["not_understood"]:
                found.append((begins, event))
    return [event for _, event in sorted(found, key=lambda one: (one[0], one[1]["id"]))]


def _instant(when: date, zone: str | None) -> datetime:
    if isinstance(when, datetime):
        return when
    return datetime.combine(when, time.min, known_zone(zone or "") or UTC).astimezone(UTC)


def _read(thing: "Thing") -> list[tuple[dict[str, Any], datetime, datetime]]:
    """One that cannot be read says so, and hides no other."""
    from scheduler.connections.connectors.caldav.dav import CALDAV  # noqa: PLC0415  as above

    try:
        return read_events(thing.text(f"{CALDAV}calendar-data"))
    except NotACalendarError:
        beginning = datetime.min.replace(tzinfo=UTC)
        return [({"id": thing.href, "title": "", "not_understood": ["what it is"]}, beginning, beginning)]


def _names(call: Call) -> tuple[str, str]:
    """The id of the event that this call makes, and its address: both follow from the call's key."""
    if not call.key:
        raise ToolFailedError.because(FailureClass.INTERNAL, "An event came without a key that tells it from others.")
    name = hashlib.sha256(call.key.encode()).hexdigest()[:40]
    return f"{name}@dayhand", join(_calendar(call), f"{name}.ics")


def _create(call: Call) -> dict[str, Any]:
    uid, url = _names(call)
    calendar = write_event(uid, call.parameters, call.now)
    answer = _ask(call, "PUT", url, calendar, acts=True, If_None_Match="*")
    if answer.status != 412:  # it is there already, and only this call can have put it there
        check(answer, call.now)
    return {"id": uid, "url": url}


def _check(call: Call) -> Checked:
    found = _find(call)
    return Checked(happened=found is not None, result=found)


def _find(call: Call) -> dict[str, Any] | None:
    """The event with the id of this call: at its own address, or where the server has put it."""
    uid, url = _names(call)
    in_half = replace(call, seconds=call.seconds / 2)
    answer = _ask(in_half, "GET", url)
    if answer.status not in (404, 410):
        text = check(answer, call.now).body.decode(errors="replace")
        return {"id": uid, "url": url} if _holds(text, uid) else None
    for thing in _things(in_half, "REPORT", _calendar(call), _BY_ID.format(uid=uid), "1"):
        if any(event["id"] == uid for event, _, _ in _read(thing)):
            return {"id": uid, "url": join(url, thing.href)}
    return None


def _holds(text: str, uid: str) -> bool:
    try:
        return any(event["id"] == uid for event, _, _ in read_events(text))
    except NotACalendarError:
        return False


def _calendars(call: Call) -> list[dict[str, str]]:
    """Below the address, or in the home of the user whom the server knows there."""
    from scheduler.connections.connectors.caldav.dav import CALDAV, DAV  # noqa: PLC0415  as above

    url = _calendar(call)
    call = replace(call, seconds=call.seconds / 4)
    here = _things(call, "PROPFIND", url, _WHAT, "0")
    for step in (f"{DAV}current-user-principal", f"{CALDAV}calendar-home-set"):
        inner = next((thing.inner(step) for thing in here if thing.inner(step)), "")
        if inner and _same_server(url, join(url, inner)):
            url = join(url, inner)
            here = _things(call, "PROPFIND", url, _WHAT, "0")
    found = _things(call, "PROPFIND", url, _WHAT, "1")
    return [
        {"name": thing.text(f"{DAV}displayname") or thing.href, "url": join(url, thing.href)}
        for thing in found
        if thing.is_calendar
    ]


def _same_server(one: str, other: str) -> bool:
    """A login is for the server that the person named."""
    return parts_of(one)[:2] == parts_of(other)[:2]


def _test(call: Call) -> str:
    host = parts_of(_calendar(call)).hostname
    if any(thing.is_calendar for thing in _things(call, "PROPFIND", _calendar(call), _WHAT, "0")):
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
            run=_create,
            mutating=True,
            check=_check,
        ),
    ),
    test=_test,
)
