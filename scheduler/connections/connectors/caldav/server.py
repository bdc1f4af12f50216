"""Requests to a CalDAV server, and the resources in its responses."""

from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.connectors.caldav.events import parse_events
from scheduler.connections.connectors.caldav.ical import NotACalendarError
from scheduler.connections.connectors.http_auth import password_headers, ssl_context
from scheduler.connections.errors import logic_failure
from scheduler.connections.http_client import Answer, check, request
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

if TYPE_CHECKING:
    from scheduler.connections.connectors.caldav.webdav import DavResource

_UNKNOWN_METHOD = (405, 501)
"""What a plain web server answers to a request that only calendar servers know."""
XML_NAMESPACES = 'xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'


def send_request(call: Call, method: str, url: str, body: str = "", *, acts: bool = False, **headers: str) -> Answer:
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
        context=ssl_context(call),
    )


def request_resources(call: Call, method: str, url: str, body: str, depth: str) -> "list[DavResource]":
    from scheduler.connections.connectors.caldav.webdav import parse_multistatus  # noqa: PLC0415  imported late to keep startup fast
    from scheduler.connections.connectors.safe_xml import BadXmlError  # noqa: PLC0415  as above

    answer = send_request(call, method, url, body, Depth=depth)
    if answer.status in _UNKNOWN_METHOD:
        raise not_a_calendar_server(answer.host)
    if answer.status == HTTPStatus.UNAUTHORIZED:
        raise ToolFailedError.because(FailureClass.AUTH, _describe_refused_login(call, answer.host))
    try:
        return parse_multistatus(check(answer, call.now).body)
    except BadXmlError as error:
        raise not_a_calendar_server(answer.host) from error


def _describe_refused_login(call: Call, host: str) -> str:
    if user := call.settings.get("user"):
        return UserText(
            "{host} did not accept this password for {user}, or there is no such user.", host=host, user=user
        )
    return UserText("{host} asks for a user name and a password.", host=host)


def not_a_calendar_server(host: str) -> ToolFailedError:
    return logic_failure(
        UserText(
            "{host} does not answer like a calendar server: this is probably the address of a web page. Enter the "
            "CalDAV address of the calendar, for example https://example.org/dav/me/home/. It is in the settings or "
            "the help of your calendar service.",
            host=host,
        )
    )


def calendar_url(call: Call) -> str:
    """Its address, ending with a slash."""
    return f"{call.settings['url'].rstrip('/')}/"


def read_resource(thing: "DavResource") -> list[tuple[dict[str, Any], datetime, datetime]]:
    """The events of a resource; one that cannot be read is reported and hides no others."""
    from scheduler.connections.connectors.caldav.webdav import CALDAV  # noqa: PLC0415  as above

    try:
        return parse_events(thing.text(f"{CALDAV}calendar-data"))
    except NotACalendarError:
        beginning = datetime.min.replace(tzinfo=UTC)
        return [
            ({"id": thing.href, "title": "", "not_understood": [UserText("the whole event")]}, beginning, beginning)
        ]
