"""A calendar on a CalDAV server: list its events, and create an event exactly once.

The id and address of a new event follow from the idempotency key, so that it can be found again.
"""

import hashlib
from dataclasses import replace
from datetime import UTC, date, datetime, time
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote

from scheduler.connections.connector import (
    Call,
    Checked,
    Connector,
    Field,
    FieldChoices,
    Parameter,
    ParameterKind,
    Tool,
    ToolExample,
    ToolFailedError,
)
from scheduler.connections.connectors.caldav.events import format_event, parse_events, parse_time, validate_event
from scheduler.connections.connectors.caldav.ical import NotACalendarError, find_zone
from scheduler.connections.connectors.caldav.server import (
    XML_NAMESPACES,
    calendar_url,
    read_resource,
    request_resources,
    send_request,
)
from scheduler.connections.connectors.http_auth import CERTIFICATE
from scheduler.connections.errors import logic_failure
from scheduler.connections.http_client import Answer, check
from scheduler.connections.http_errors import status_failure, unusable_answer
from scheduler.connections.urls import join_url, split_url
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_RANGE_QUERY = f"""<?xml version="1.0"?><C:calendar-query {XML_NAMESPACES}><prop><C:calendar-data>
<C:expand start="{{start}}" end="{{end}}"/></C:calendar-data></prop><C:filter><C:comp-filter name="VCALENDAR">
<C:comp-filter name="VEVENT"><C:time-range start="{{start}}" end="{{end}}"/></C:comp-filter></C:comp-filter>
</C:filter></C:calendar-query>"""
_PROPERTIES = f"""<?xml version="1.0"?><propfind {XML_NAMESPACES}><prop><resourcetype/><displayname/>
<current-user-principal/><C:calendar-home-set/></prop></propfind>"""
_UID_QUERY = f"""<?xml version="1.0"?><C:calendar-query {XML_NAMESPACES}><prop><C:calendar-data/></prop><C:filter>
<C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:prop-filter name="UID">
<C:text-match collation="i;octet">{{uid}}</C:text-match></C:prop-filter></C:comp-filter></C:comp-filter>
</C:filter></C:calendar-query>"""
_NOT_FOUND = (404, 410)
_CREATED = (201, 204)
_PRECONDITION_FAILED = 412


def _events(call: Call) -> list[dict[str, Any]]:
    zone = call.parameters.get("timezone")
    start, end = (_instant(parse_time(name, call.parameters[name], zone), zone) for name in ("start", "end"))
    if end <= start:
        raise logic_failure(UserText('"end" must be after "start".'))
    query = _RANGE_QUERY.format(start=f"{start:%Y%m%dT%H%M%SZ}", end=f"{end:%Y%m%dT%H%M%SZ}")
    found = []
    for thing in request_resources(call, "REPORT", calendar_url(call), query, "1"):
        for event, begins, finishes in read_resource(thing):
            inside = begins < end and (finishes > start or begins == finishes >= start)
            if inside or event["not_understood"]:
                found.append((begins, event))
    return [event for _, event in sorted(found, key=lambda one: (one[0], one[1]["id"]))]


def _instant(when: date, zone: str | None) -> datetime:
    if isinstance(when, datetime):
        return when
    return datetime.combine(when, time.min, find_zone(zone or "") or UTC).astimezone(UTC)


def _calendars(call: Call) -> list[dict[str, str]]:
    """The calendars below the address, or in the home of the current user."""
    from scheduler.connections.connectors.caldav.webdav import CALDAV, DAV  # noqa: PLC0415  imported late to keep startup fast

    url = calendar_url(call)
    call = replace(call, seconds=call.seconds / 4)
    here = request_resources(call, "PROPFIND", url, _PROPERTIES, "0")
    for step in (f"{DAV}current-user-principal", f"{CALDAV}calendar-home-set"):
        inner = next((thing.inner_href(step) for thing in here if thing.inner_href(step)), "")
        if inner and _same_server(url, join_url(url, inner)):
            url = join_url(url, inner)
            here = request_resources(call, "PROPFIND", url, _PROPERTIES, "0")
    found = request_resources(call, "PROPFIND", url, _PROPERTIES, "1")
    return [
        {"name": thing.text(f"{DAV}displayname") or thing.href, "url": join_url(url, thing.href)}
        for thing in found
        if thing.is_calendar
    ]


def _calendar_choices(call: Call) -> list[dict[str, str]]:
    """A calendar without a name is called by the end of its address."""
    return [
        {"name": unquote(PurePosixPath(split_url(one["url"]).path).name) if "/" in one["name"] else one["name"]}
        | {"value": one["url"]}
        for one in _calendars(call)
    ]


def _same_server(one: str, other: str) -> bool:
    """The login is sent only to the server that the user named, however its name is spelled."""
    from scheduler.connections.http_transport import effective_port, parse_http_url  # noqa: PLC0415  as above

    try:
        here, there = parse_http_url(one), parse_http_url(other)
    except ToolFailedError:
        return False
    return (here.scheme, here.host, effective_port(here)) == (there.scheme, there.host, effective_port(there))


def create(call: Call) -> dict[str, Any]:
    uid, url = _id_and_url(call)
    calendar = format_event(uid, call.parameters, call.now)
    answer = send_request(call, "PUT", url, calendar, acts=True, If_None_Match="*")
    if _confirms_creation(answer):
        return {"id": uid, "url": url}
    refused = status_failure(answer.status, answer.headers, answer.host, acts=True, now=call.now)
    if answer.status != _PRECONDITION_FAILED:
        raise refused
    try:
        found = _find(call)
    except ToolFailedError as error:
        raise unusable_answer(
            UserText("{host} already has an event at this address, but it could not be read.", host=answer.host),
            acts=True,
        ) from error
    if found is None:
        raise refused
    return found


def _confirms_creation(answer: Answer) -> bool:
    """Only 201, 204, or 200 with an empty body confirm it.

    A page with status 200 comes from something in between, such as a network that asks for a login; 202 only promises
    to try, and 207 reports several outcomes. Those leave the outcome unknown.
    """
    is_empty = answer.status == 200 and not answer.body and not answer.incomplete
    return answer.status in _CREATED or is_empty


def check_created(call: Call) -> Checked:
    found = _find(call)
    return Checked(happened=found is not None, result=found)


def _find(call: Call) -> dict[str, Any] | None:
    """The event with the id of this call, at its own address or where the server moved it."""
    uid, url = _id_and_url(call)
    half_call = replace(call, seconds=call.seconds / 2)
    answer = send_request(half_call, "GET", url)
    if answer.status not in _NOT_FOUND and _contains(check(answer, call.now), uid):
        return {"id": uid, "url": url}
    for thing in request_resources(half_call, "REPORT", calendar_url(call), _UID_QUERY.format(uid=uid), "1"):
        if any(event["id"] == uid for event, _, _ in read_resource(thing)):
            return {"id": uid, "url": join_url(url, thing.href)}
    return None


def _contains(answer: Answer, uid: str) -> bool:
    try:
        return any(event["id"] == uid for event, _, _ in parse_events(answer.body.decode(errors="replace")))
    except NotACalendarError as error:  # a page from something in between says nothing about the event
        sentence = UserText(
            "{host} does not answer like a calendar server. Check that the address is correct.", host=answer.host
        )
        raise ToolFailedError.because(FailureClass.TRANSIENT, sentence) from error


def _id_and_url(call: Call) -> tuple[str, str]:
    """The id and the address of the event that this call creates."""
    if not call.key:
        raise ToolFailedError.because(FailureClass.INTERNAL, UserText("The event has no idempotency key."))
    name = hashlib.sha256(call.key.encode()).hexdigest()[:40]
    return f"{name}@dayhand", join_url(calendar_url(call), f"{name}.ics")


def _test(call: Call) -> str:
    host = split_url(calendar_url(call)).hostname
    if any(thing.is_calendar for thing in request_resources(call, "PROPFIND", calendar_url(call), _PROPERTIES, "0")):
        return UserText("The calendar on {host} can be read.", host=host)
    others = ", ".join(f"{one['name']} ({one['url']})" for one in _calendars(call)[:10])
    raise logic_failure(
        UserText("There is no calendar at this address. Calendars found: {others}.", others=others or "none")
    )


_TIME = "A day or a time, such as 2026-05-04 or 2026-05-04T09:00:00+02:00."
_ZONE = Parameter(
    ParameterKind.TEXT, required=False, help="Time zone for days and for times without one, such as Europe/Berlin."
)

caldav = Connector(
    kind="caldav",
    title="Calendar",
    help=UserText("Reads a calendar on a CalDAV server and adds events to it."),
    fields=(
        Field(
            name="url",
            label="Address",
            help="Of the calendar, or of the server that lists yours, for example https://example.org/dav/me/home/.",
        ),
        Field(name="user", label="User name", required=False),
        Field(name="password", label="Password", help="Use an app password if you can.", secret=True, required=False),
        CERTIFICATE,
    ),
    tools=(
        Tool(
            name="events",
            may=UserText('read the calendar "{name}"'),
            help=UserText(
                'List the events between two times, in order; "not_understood" lists what could not be read.'
            ),
            parameters={
                "start": Parameter(ParameterKind.TEXT, help=_TIME),
                "end": Parameter(ParameterKind.TEXT, help=_TIME),
                "timezone": _ZONE,
            },
            example=ToolExample(
                {"start": "2026-05-04", "end": "2026-05-05", "timezone": "Europe/Berlin"},
                [
                    {
                        "id": "a1@example.org",
                        "title": "Dentist",
                        "start": "2026-05-04T09:00:00+02:00",
                        "end": "2026-05-04T10:00:00+02:00",
                        "all_day": False,
                        "location": "",
                        "description": "",
                        "status": "confirmed",
                        "recurs": "",
                        "not_understood": [],
                    }
                ],
            ),
            run=_events,
        ),
        Tool(
            name="calendars",
            may=UserText('list the calendars of "{name}"'),
            help=UserText("List the user's calendars with their addresses."),
            parameters={},
            example=ToolExample({}, [{"name": "Home", "url": "https://example.org/dav/me/home/"}]),
            run=_calendars,
        ),
        Tool(
            name="create",
            may=UserText('add events to the calendar "{name}"'),
            help=UserText("Add an event exactly once; nobody is invited."),
            parameters={
                "title": Parameter(ParameterKind.TEXT, help="Title of the event.", editable=True),
                "start": Parameter(ParameterKind.TEXT, help=_TIME, editable=True),
                "end": Parameter(
                    ParameterKind.TEXT,
                    required=False,
                    help="Default: an hour or a day later. For whole days, the day after the last one.",
                    editable=True,
                ),
                "timezone": _ZONE,
                "location": Parameter(ParameterKind.TEXT, required=False, help="Place of the event.", editable=True),
                "description": Parameter(ParameterKind.TEXT, required=False, help="More details.", editable=True),
            },
            example=ToolExample(
                {"title": "Dentist", "start": "2026-05-04T09:00:00+02:00"},
                {"id": "5d1c@dayhand", "url": "https://example.org/dav/me/home/5d1c.ics"},
            ),
            run=create,
            mutating=True,
            check=check_created,
            validate=validate_event,
        ),
    ),
    test=_test,
    choices=FieldChoices("url", _calendar_choices),
)
