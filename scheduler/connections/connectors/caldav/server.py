"""A CalDAV server, asked: requests, and what it says of several things at once."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scheduler.connections.connector import Call
from scheduler.connections.connectors.caldav.events import read_events
from scheduler.connections.connectors.caldav.ical import NotACalendarError
from scheduler.connections.connectors.login import password_headers, trust
from scheduler.connections.mistakes import wrong
from scheduler.connections.web import Answer, check, request

if TYPE_CHECKING:
    from scheduler.connections.connectors.caldav.dav import Thing

SPACES = 'xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'


def ask(call: Call, method: str, url: str, body: str = "", *, acts: bool = False, **headers: str) -> Answer:
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


def ask_things(call: Call, method: str, url: str, body: str, depth: str) -> "list[Thing]":
    from scheduler.connections.connectors.caldav.dav import read_things  # noqa: PLC0415  costs the app's start
    from scheduler.connections.connectors.markup import BadXmlError  # noqa: PLC0415  as above

    answer = check(ask(call, method, url, body, Depth=depth), call.now)
    try:
        return read_things(answer.body)
    except BadXmlError as error:
        raise wrong(
            f"{answer.host} does not answer as a calendar server does. Look whether the address is right."
        ) from (error)


def calendar_of(call: Call) -> str:
    """Its address as that of a folder."""
    return f"{call.settings['url'].rstrip('/')}/"


def read_thing(thing: "Thing") -> list[tuple[dict[str, Any], datetime, datetime]]:
    """One that cannot be read says so, and hides no other."""
    from scheduler.connections.connectors.caldav.dav import CALDAV  # noqa: PLC0415  as above

    try:
        return read_events(thing.text(f"{CALDAV}calendar-data"))
    except NotACalendarError:
        beginning = datetime.min.replace(tzinfo=UTC)
        return [({"id": thing.href, "title": "", "not_understood": ["what it is"]}, beginning, beginning)]
