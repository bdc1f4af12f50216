"""A new event: its name follows from the call's key, so it is made once and can be found again."""

import hashlib
from dataclasses import replace
from typing import Any

from scheduler.connections.addresses import join
from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.caldav.events import read_events, write_event
from scheduler.connections.connectors.caldav.ical import NotACalendarError
from scheduler.connections.connectors.caldav.server import SPACES, ask, ask_things, calendar_of, read_thing
from scheduler.connections.web import Answer, check
from scheduler.connections.web_errors import refusal, unusable
from scheduler.rules.failures import FailureClass

_BY_ID = f"""<?xml version="1.0"?><C:calendar-query {SPACES}><prop><C:calendar-data/></prop><C:filter>
<C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:prop-filter name="UID">
<C:text-match collation="i;octet">{{uid}}</C:text-match></C:prop-filter></C:comp-filter></C:comp-filter>
</C:filter></C:calendar-query>"""
_GONE = (404, 410)
_MADE = (201, 204)
_THERE_ALREADY = 412


def create(call: Call) -> dict[str, Any]:
    uid, url = _names(call)
    calendar = write_event(uid, call.parameters, call.now)
    answer = ask(call, "PUT", url, calendar, acts=True, If_None_Match="*")
    if _says_made(answer):
        return {"id": uid, "url": url}
    refused = refusal(answer.status, answer.headers, answer.host, acts=True, now=call.now)
    if answer.status != _THERE_ALREADY:
        raise refused
    try:
        found = _find(call)
    except ToolFailedError as error:
        raise unusable(
            f"{answer.host} already has an event at this address, and it could not be read.", acts=True
        ) from error
    if found is None:
        raise refused
    return found


def _says_made(answer: Answer) -> bool:
    """Made is what is answered with 201 or 204, whatever comes behind it, or with 200 and nothing.

    A page that comes with 200 is not of a calendar server but of something on the way to it, such as a network that
    asks for a login; 202 promises only to try, and 207 tells of several things. They leave it open.
    """
    is_empty = answer.status == 200 and not answer.body and not answer.incomplete
    return answer.status in _MADE or is_empty


def check_created(call: Call) -> Checked:
    found = _find(call)
    return Checked(happened=found is not None, result=found)


def _find(call: Call) -> dict[str, Any] | None:
    """The event with the id of this call: at its own address, or where the server has put it."""
    uid, url = _names(call)
    in_half = replace(call, seconds=call.seconds / 2)
    answer = ask(in_half, "GET", url)
    if answer.status not in _GONE and _holds(check(answer, call.now), uid):
        return {"id": uid, "url": url}
    for thing in ask_things(in_half, "REPORT", calendar_of(call), _BY_ID.format(uid=uid), "1"):
        if any(event["id"] == uid for event, _, _ in read_thing(thing)):
            return {"id": uid, "url": join(url, thing.href)}
    return None


def _holds(answer: Answer, uid: str) -> bool:
    try:
        return any(event["id"] == uid for event, _, _ in read_events(answer.body.decode(errors="replace")))
    except NotACalendarError as error:  # a page of something on the way says nothing about the event
        sentence = f"{answer.host} does not answer as a calendar server does. Look whether the address is right."
        raise ToolFailedError.because(FailureClass.TRANSIENT, sentence) from error


def _names(call: Call) -> tuple[str, str]:
    """The id of the event that this call makes, and its address: both follow from the call's key."""
    if not call.key:
        raise ToolFailedError.because(FailureClass.INTERNAL, "An event came without a key that tells it from others.")
    name = hashlib.sha256(call.key.encode()).hexdigest()[:40]
    return f"{name}@dayhand", join(calendar_of(call), f"{name}.ics")
