"""A calendar at Google: what is in it, and an event that is made once."""

import base64
import hashlib
import json
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.google.web import (
    GoneError,
    MissingError,
    TakenError,
    ask,
    ask_all,
    segment,
)
from scheduler.connections.connectors.paging import limit_of
from scheduler.connections.mistakes import wrong
from scheduler.connections.told import Told
from scheduler.connections.web_errors import unusable


def events(call: Call) -> list[dict[str, Any]]:
    limit = limit_of(call, 100, 2500)
    query: dict[str, Any] = {"singleEvents": "true", "orderBy": "startTime", "maxResults": limit}
    for name, parameter in (("start", "timeMin"), ("end", "timeMax")):
        if call.parameters.get(name) is not None:
            query[parameter] = _instant(call, name)
    if call.parameters.get("query"):
        query["q"] = call.parameters["query"]
    return [_told(one) for one in ask_all(call, "calendar", _path(call), "items", query, limit)]


def create_event(call: Call) -> dict[str, Any]:
    """The id follows from the key, so a second one like it is refused by Google itself."""
    identity = _identity(call.key)
    event = {"id": identity, "summary": call.parameters["summary"]}
    event |= {"start": _moment(call, "start"), "end": _moment(call, "end")}
    event |= {name: call.parameters[name] for name in ("description", "location") if call.parameters.get(name)}
    if set(event["start"]) != set(event["end"]):
        raise wrong('"start" and "end" are both days, or both times.')
    try:
        made = ask(call, "POST", "calendar", _path(call), body=json.dumps(event).encode(), acts=True)
    except TakenError as taken:
        return _find_taken(call, taken)
    if made.text("id") != identity:
        raise made.strange()
    return _told(made)


def _find_taken(call: Call, taken: TakenError) -> dict[str, Any]:
    """The event that is there already: only an earlier attempt of this action can have given it this id."""
    try:
        checked = check_event(call)
    except ToolFailedError as error:
        raise unusable("Google already has an event with this id, and it could not be read.", acts=True) from error
    if not checked.happened:
        raise taken
    result: dict[str, Any] = checked.result
    return result


def check_event(call: Call) -> Checked:
    """By the id that was given to it. One that somebody has deleted since was made as well."""
    identity = _identity(call.key)
    try:
        found = ask(call, "GET", "calendar", f"{_path(call)}/{identity}")
    except MissingError:
        return Checked(happened=False)
    except GoneError:
        return Checked(happened=True, result={"id": identity, "status": "cancelled"})
    if found.text("id") != identity:
        raise found.strange()
    return Checked(happened=True, result=_told(found.lenient()))


def _identity(key: str) -> str:
    """Google takes ids of its callers: digits and the letters a to v."""
    return base64.b32hexencode(hashlib.sha256(key.encode()).digest()).decode().rstrip("=").lower()


def _path(call: Call) -> str:
    return f"/{segment(call.parameters.get('calendar') or 'primary')}/events"


def _told(event: Told) -> dict[str, Any]:
    start, end = event.inner("start"), event.inner("end")
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
    """The beginning of a day, or a time, as a place on the line of time."""
    read = _read(call, name)
    moment = read if isinstance(read, datetime) else datetime.combine(read, datetime.min.time())
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=_zone(call, name))
    return moment.isoformat()


def _moment(call: Call, name: str) -> dict[str, str]:
    read = _read(call, name)
    if not isinstance(read, datetime):
        return {"date": read.isoformat()}
    if read.tzinfo is not None and call.parameters.get("zone") is None:
        return {"dateTime": read.isoformat()}
    zone = _zone(call, name)
    local = read if read.tzinfo is None else read.astimezone(zone)
    return {"dateTime": local.replace(tzinfo=zone).isoformat(), "timeZone": zone.key}


def _read(call: Call, name: str) -> date | datetime:
    text = call.parameters[name]
    try:
        return date.fromisoformat(text) if len(text) == len("2026-05-04") else datetime.fromisoformat(text)
    except ValueError as error:
        raise wrong(f'"{name}" is a day such as 2026-05-04 or a time such as 2026-05-04T09:00:00+02:00.') from error


def _zone(call: Call, name: str) -> ZoneInfo:
    given = call.parameters.get("zone")
    if given is None:
        raise wrong(f'"{name}" does not say where on earth: write +02:00 behind it, or give "zone".')
    try:
        return ZoneInfo(given)
    except (ValueError, OSError, KeyError) as error:
        raise wrong(f'There is no zone "{given}". Write one such as Europe/Berlin.') from error
