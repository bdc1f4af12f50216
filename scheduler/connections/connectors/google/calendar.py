"""Google Calendar: list events, and create an event exactly once."""

import base64
import hashlib
import json
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.google.api import (
    GoogleConflictError,
    GoogleGoneError,
    GoogleNotFoundError,
    quote_segment,
    request_all,
    send_request,
)
from scheduler.connections.connectors.paging import read_limit
from scheduler.connections.errors import logic_failure
from scheduler.connections.http_errors import unusable_answer
from scheduler.connections.json_reader import JsonObject
from scheduler.user_text import UserText


def list_events(call: Call) -> list[dict[str, Any]]:
    limit = read_limit(call, 100, 2500)
    query: dict[str, Any] = {"singleEvents": "true", "orderBy": "startTime", "maxResults": limit}
    for name, parameter in (("start", "timeMin"), ("end", "timeMax")):
        if call.parameters.get(name) is not None:
            query[parameter] = _instant(call, name)
    if call.parameters.get("query"):
        query["q"] = call.parameters["query"]
    return [_describe(one) for one in request_all(call, "calendar", _path(call), "items", query, limit)]


def create_event(call: Call) -> dict[str, Any]:
    """The id follows from the key, so Google refuses a second event."""
    identity = _event_id(call.key)
    event = {"id": identity, "summary": call.parameters["summary"]}
    event |= _event_times(call.parameters)
    event |= {name: call.parameters[name] for name in ("description", "location") if call.parameters.get(name)}
    try:
        made = send_request(call, "POST", "calendar", _path(call), body=json.dumps(event).encode(), acts=True)
    except GoogleConflictError as taken:
        return _find_existing(call, taken)
    if made.text("id") != identity:
        raise made.unexpected_shape()
    return _describe(made)


def validate_event(parameters: Mapping[str, Any]) -> None:
    """Refuse what cannot be an event in any calendar."""
    _event_times(parameters)


def _event_times(parameters: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    times = {name: _event_time(parameters, name) for name in ("start", "end")}
    if set(times["start"]) != set(times["end"]):
        raise logic_failure(UserText('"start" and "end" must both be days or both be times.'))
    return times


def _find_existing(call: Call, taken: GoogleConflictError) -> dict[str, Any]:
    """The existing event: only an earlier attempt of this action can have given it this id."""
    try:
        checked = check_event(call)
    except ToolFailedError as error:
        raise unusable_answer(
            UserText("Google already has an event with this id, but it could not be read."), acts=True
        ) from error
    if not checked.happened:
        raise taken
    result: dict[str, Any] = checked.result
    return result


def check_event(call: Call) -> Checked:
    """Find the event by its id. One that was deleted since had been created."""
    identity = _event_id(call.key)
    try:
        found = send_request(call, "GET", "calendar", f"{_path(call)}/{identity}")
    except GoogleNotFoundError:
        return Checked(happened=False)
    except GoogleGoneError:
        return Checked(happened=True, result={"id": identity, "status": "cancelled"})
    if found.text("id") != identity:
        raise found.unexpected_shape()
    return Checked(happened=True, result=_describe(found.lenient()))


def _event_id(key: str) -> str:
    """Google accepts ids from clients: digits and the letters a to v."""
    return base64.b32hexencode(hashlib.sha256(key.encode()).digest()).decode().rstrip("=").lower()


def _path(call: Call) -> str:
    return f"/{quote_segment(call.parameters.get('calendar') or 'primary')}/events"


def _describe(event: JsonObject) -> dict[str, Any]:
    start, end = event.nested("start"), event.nested("end")
    return {
        "id": event.get("id"),
        "summary": event.get("summary"),
        "start": start.get("dateTime") or start.get("date"),
        "end": end.get("dateTime") or end.get("date"),
        "all_day": "date" in start,
        "location": event.get("location"),
        "description": event.get("description"),
        "status": event.get("status"),
        "link": event.get("htmlLink"),
    }


def _instant(call: Call, name: str) -> str:
    """A time, or the start of a day, as an instant."""
    read = _parse(call.parameters, name)
    moment = read if isinstance(read, datetime) else datetime.combine(read, datetime.min.time())
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=_zone(call.parameters, name))
    return moment.isoformat()


def _event_time(parameters: Mapping[str, Any], name: str) -> dict[str, str]:
    read = _parse(parameters, name)
    if not isinstance(read, datetime):
        return {"date": read.isoformat()}
    if read.tzinfo is not None and parameters.get("zone") is None:
        return {"dateTime": read.isoformat()}
    zone = _zone(parameters, name)
    local = read if read.tzinfo is None else read.astimezone(zone)
    return {"dateTime": local.replace(tzinfo=zone).isoformat(), "timeZone": zone.key}


def _parse(parameters: Mapping[str, Any], name: str) -> date | datetime:
    text = parameters[name]
    try:
        return date.fromisoformat(text) if len(text) == len("2026-05-04") else datetime.fromisoformat(text)
    except ValueError as error:
        raise logic_failure(
            UserText(
                '"{name}" must be a day such as 2026-05-04 or a time such as 2026-05-04T09:00:00+02:00.', name=name
            )
        ) from error


def _zone(parameters: Mapping[str, Any], name: str) -> ZoneInfo:
    given = parameters.get("zone")
    if given is None:
        raise logic_failure(UserText('"{name}" has no time zone. End it with +02:00, or give "zone".', name=name))
    try:
        return ZoneInfo(given)
    except (ValueError, OSError, KeyError) as error:
        raise logic_failure(
            UserText('Unknown time zone "{given}". Give one such as Europe/Berlin.', given=given)
        ) from error
